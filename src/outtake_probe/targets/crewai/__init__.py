"""CrewAI: crews and flows, as scripts, from factories or from a project's folder.

What is put in place: a gate before each task and each turn of an agent (`crews`), before each method of a flow
(`flows`), each model call (`models`) and each tool (`tools`), all where CrewAI itself has one place for all ways to run
them.  What it asks a person is asked in the debugger (`human`).
"""

from __future__ import annotations

from crewai.project.crew_loader import load_crew

from outtake_probe.session import Session
from outtake_probe.sessions import for_each
from outtake_probe.targets.base import Program
from outtake_probe.targets.crewai import graph, hooks
from outtake_probe.targets.crewai.adapter_state import AdapterState
from outtake_probe.targets.crewai.program import Project, is_runnable, make_program
from outtake_probe.targets.crewai.target import CAPABILITIES, CrewTarget
from outtake_probe.targets.toolkit.adapter import Installed, RunnableAdapter


class CrewAI(RunnableAdapter[AdapterState]):
    """Crews and flows."""

    name = "crewai"
    capabilities = CAPABILITIES
    seams = hooks.SEAMS

    def begin(self, session: Session, missing: list[str]) -> AdapterState:
        def shared(session: Session) -> AdapterState:
            made = AdapterState(session, graph.of_runnable)
            made.target = CrewTarget(made, missing)
            return made

        return for_each(session, shared)

    def open(self, path: str) -> object:
        crew, inputs = load_crew(path)
        return Project(path, crew, inputs)

    def claims(self, made: object) -> bool:
        return is_runnable(made)

    def make_program(self, made: object, installed: Installed[AdapterState]) -> Program:
        return make_program(made, installed.state, CrewTarget(installed.state, installed.missing))


adapter = CrewAI()
