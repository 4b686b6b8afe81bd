"""pydantic-ai 2.x: agents with their tools and toolsets, models asked by them or directly, graphs of pydantic-graph."""

from __future__ import annotations

from pydantic_ai import Agent
from pydantic_graph.graph_builder import Graph

from outtake_probe.session import Session
from outtake_probe.sessions import for_each
from outtake_probe.targets.base import Program
from outtake_probe.targets.pydantic_ai import agents, describing, graphs, models, timeouts
from outtake_probe.targets.pydantic_ai.adapter_state import AdapterState
from outtake_probe.targets.pydantic_ai.program import make_program
from outtake_probe.targets.pydantic_ai.target import CAPABILITIES, PydanticAiTarget
from outtake_probe.targets.toolkit.adapter import Installed, RunnableAdapter
from outtake_probe.targets.toolkit.seams import Seam


class PydanticAi(RunnableAdapter[AdapterState]):
    """Agents, models and graphs."""

    name = "pydantic-ai"
    capabilities = CAPABILITIES
    seams = (
        Seam("pydantic_ai.agent", "Agent", agents.install),
        Seam("pydantic_ai.models", "Model", models.install),
        Seam("pydantic_ai.toolsets.function", "FunctionToolset", timeouts.install),
        Seam("pydantic_graph.graph_builder", "Graph", graphs.install),
    )

    def begin(self, session: Session, missing: list[str]) -> AdapterState:
        def state(session: Session) -> AdapterState:
            made = AdapterState(session, describing.of)
            made.target = PydanticAiTarget(made, missing)
            return made

        return for_each(session, state)

    def claims(self, made: object) -> bool:
        return isinstance(made, (Agent, Graph))

    def make_program(self, made: object, installed: Installed[AdapterState]) -> Program:
        return make_program(made, installed.state, installed.missing)


adapter = PydanticAi()
