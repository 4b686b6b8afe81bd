"""LangGraph: graphs of any kind (state graphs, agents, functions with `@entrypoint`), and scripts that run them.

What is put in place: a gate before each node and task, at the one place where LangGraph runs them (`steps`); runs of
graphs as flows (`graphs`); what is read from and written to stores (`stores`).  Models and tools are LangChain's
(`outtake_probe.targets.langchain`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from langgraph.pregel.main import Pregel

from outtake_probe.codec import register
from outtake_probe.session import Session
from outtake_probe.sessions import for_each
from outtake_probe.targets import langchain
from outtake_probe.targets.base import Program
from outtake_probe.targets.langchain.context import around
from outtake_probe.targets.langgraph import codec, describing, graphs, interrupts, steps, stores, timeouts
from outtake_probe.targets.langgraph.adapter_state import AdapterState
from outtake_probe.targets.langgraph.program import is_builder, make_program
from outtake_probe.targets.langgraph.target import CAPABILITIES, GraphTarget
from outtake_probe.targets.toolkit.adapter import Installed, RunnableAdapter
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.seams import Seam


@dataclass(frozen=True, slots=True)
class State:
    """What the hooks share."""

    session: Session
    """That of the running code."""
    adapter_state: AdapterState
    target: GraphTarget


def _hook(state: State, patches: Patches) -> Sequence[str]:
    adapter_state = state.adapter_state
    missing = [*graphs.install(adapter_state, patches), *steps.install(adapter_state, patches)]
    missing += stores.install(patches, adapter_state.watch_store)
    missing += timeouts.install(state.session, patches)
    interrupts.install(adapter_state, patches, around)
    return missing


class LangGraph(RunnableAdapter[State]):
    """With LangChain's hooks for models and tools."""

    name = "langgraph"
    capabilities = CAPABILITIES
    seams = (Seam("langgraph.pregel.main", "Pregel", _hook),)

    def begin(self, session: Session, missing: list[str]) -> State:
        for family in codec.FAMILIES:
            register(family)
        adapter_state = for_each(session, lambda each: AdapterState(each, describing.of_graph))
        return State(session, adapter_state, GraphTarget(adapter_state, missing))

    def install(self, session: Session) -> Sequence[str]:
        below, own = langchain.adapter.install(session), super().install(session)
        if self.installed is not None:
            self.installed.missing += below
        return [*below, *own]

    def remove(self) -> None:
        super().remove()
        langchain.adapter.remove()

    def claims(self, made: object) -> bool:
        return isinstance(made, Pregel) or is_builder(made)

    def make_program(self, made: object, installed: Installed[State]) -> Program:
        return make_program(made, installed.state.adapter_state, installed.state.target)


adapter = LangGraph()
