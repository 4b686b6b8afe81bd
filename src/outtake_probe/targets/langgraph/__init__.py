"""LangGraph: graphs of any kind (state graphs, agents, functions with `@entrypoint`), and scripts that run them.

What is put in place: a gate before each node and task, at the one place where LangGraph runs them (`steps`); runs of
graphs as flows (`graphs`); what is read from and written to stores (`stores`).  Models and tools are LangChain's
(`outtake_probe.targets.langchain`).  Everything is undone by `remove`.
"""

from __future__ import annotations


from collections.abc import Sequence

from langgraph.pregel import Pregel

from outtake_probe.session import Session
from outtake_probe.targets import langchain
from outtake_probe.targets.base import Capability, Program
from outtake_probe.targets.langchain.context import around
from outtake_probe.targets.langgraph import codec, graphs, steps, stores
from outtake_probe.targets.langgraph.hub import Hub
from outtake_probe.targets.patches import Patches
from outtake_probe.values import register

TRIGGERS = ("langgraph.pregel.main", "langgraph.pregel")
"""Modules after whose import `install` puts in place what has become possible; it can be called at any time."""

name = "langgraph"


class _Installed:
    """The hooks of this process."""

    def __init__(self, session: Session) -> None:
        self.hub = Hub(session)
        self.patches = Patches()


_installed: _Installed | None = None


def install(session: Session) -> Sequence[str]:
    """Put the hooks in place."""
    global _installed  # noqa: PLW0603  an adapter is a module, and a process has one session
    if _installed is not None and _installed.hub.session is not session:
        remove()
    if _installed is not None:
        return []
    _installed = _Installed(session)
    for family in codec.FAMILIES:
        register(family)
    hub, patches = _installed.hub, _installed.patches
    missing = [*langchain.install(session)]
    missing += graphs.install(hub, patches)
    missing += steps.install(hub, patches)
    missing += stores.install(patches, hub.watch_store)
    patches.set(around, "leaf", hub.leaf)
    return missing


def remove() -> None:
    """Take every hook out again."""
    global _installed  # noqa: PLW0603
    if _installed is not None:
        _installed.patches.undo()
        _installed = None
    langchain.remove()
