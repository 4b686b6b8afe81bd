"""LangGraph: graphs of any kind (state graphs, agents, functions with `@entrypoint`), and scripts that run them.

What is put in place: a gate before each node and task, at the one place where LangGraph runs them (`steps`); runs of
graphs as flows (`graphs`); what is read from and written to stores (`stores`).  Models and tools are LangChain's
(`outtake_probe.targets.langchain`).  Everything is undone by `remove`.
"""

from __future__ import annotations

from collections.abc import Sequence

from langgraph.pregel.main import Pregel

from outtake_probe.session import Session
from outtake_probe.sessions import for_each
from outtake_probe.targets import langchain
from outtake_probe.targets.base import Capability, Program
from outtake_probe.targets.langchain.context import around
from outtake_probe.targets.langgraph import codec, describing, graphs, interrupts, steps, stores, timeouts
from outtake_probe.targets.langgraph.hub import Hub
from outtake_probe.targets.langgraph.program import is_builder, make_program
from outtake_probe.targets.langgraph.target import CAPABILITIES, GraphTarget
from outtake_probe.targets.patches import Patches
from outtake_probe.values import register

TRIGGERS = ("langgraph.pregel.main",)
"""Modules after whose import `install` puts in place what has become possible; it can be called at any time."""

name = "langgraph"
capabilities: Sequence[Capability] = CAPABILITIES


class _Installed:
    """The hooks of this process."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.patches = Patches()
        self.missing: list[str] = []
        self.hub = for_each(session, lambda each: Hub(each, describing.of_graph))
        self.target = GraphTarget(self.hub, self.missing)


_installed: _Installed | None = None


def install(session: Session) -> Sequence[str]:
    """Put the hooks in place; called again, it adds what has become possible for LangChain's."""
    global _installed  # noqa: PLW0603  an adapter is a module, and a process has one session
    if _installed is not None and _installed.session is not session:
        remove()
    missing = [*langchain.install(session)]
    if _installed is None:
        _installed = _Installed(session)
        hub, patches = _installed.hub, _installed.patches
        for family in codec.FAMILIES:
            register(family)
        missing += graphs.install(hub, patches)
        missing += steps.install(hub, patches)
        missing += stores.install(patches, hub.watch_store)
        missing += timeouts.install(session, patches)
        interrupts.install(hub, patches, around)
    _installed.missing += missing
    return missing


def remove() -> None:
    """Take every hook out again."""
    global _installed  # noqa: PLW0603
    if _installed is not None:
        _installed.patches.undo()
        _installed = None
    langchain.remove()


def claims(made: object) -> bool:
    """Whether this is a graph, or one that is not compiled yet."""
    return isinstance(made, Pregel) or is_builder(made)


def program(made: object, session: Session) -> Program:
    """How to run it."""
    install(session)
    if _installed is None:
        raise RuntimeError("the hooks of LangGraph are not in place")
    return make_program(made, _installed.hub, _installed.target)
