"""AutoGen (autogen-core, -agentchat and -ext): teams, single agents and programs of routed agents.

What is put in place: a runtime of our own for AutoGen's (`runtime`, `delivery_queue`), wrappers around the
implementations of models, tools, workbenches, code executors and questions to the user (`calls`), the names under which
a team registers its members (`paths`), and teams' time-outs (`timeouts`).
"""

from __future__ import annotations

import autogen_core

from outtake_probe.session import Session
from outtake_probe.sessions import for_each
from outtake_probe.targets.autogen import hooks
from outtake_probe.targets.autogen.adapter_state import AdapterState, new_runtime_class
from outtake_probe.targets.autogen.program import make_program
from outtake_probe.targets.autogen.target import CAPABILITIES, AutoGenTarget
from outtake_probe.targets.base import Program
from outtake_probe.targets.toolkit.adapter import Installed, RunnableAdapter


class AutoGen(RunnableAdapter[AdapterState]):
    """Teams, agents that run by themselves, and runtimes with their agents."""

    name = "autogen"
    capabilities = CAPABILITIES
    seams = hooks.SEAMS

    def begin(self, session: Session, missing: list[str]) -> AdapterState:
        runtime_class = new_runtime_class()

        def adapter_state(session: Session) -> AdapterState:
            made = AdapterState(session, runtime_class)
            made.target = AutoGenTarget(made, missing)
            session.on_stance.append(made.stance_changed)
            return made

        runtime_class.adapter_state = for_each(session, adapter_state)
        return runtime_class.adapter_state

    def end(self, state: AdapterState) -> None:
        if state.stance_changed in state.session.on_stance:
            state.session.on_stance.remove(state.stance_changed)

    def claims(self, made: object) -> bool:
        return hooks.is_runner(made) or isinstance(made, autogen_core.SingleThreadedAgentRuntime)

    def make_program(self, made: object, installed: Installed[AdapterState]) -> Program:
        return make_program(made, installed.state, AutoGenTarget(installed.state, installed.missing))


adapter = AutoGen()
