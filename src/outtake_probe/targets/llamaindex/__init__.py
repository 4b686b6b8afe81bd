"""LlamaIndex: workflows (llama-index-workflows) with or without llama-index-core and its agents.

What is put in place: the seams of every runtime (`runtime`), through which each call of a step passes the gate
(`steps`), with what it reads and changes watched (`state`, `store`, `own`); and, where llama-index-core is there, its
models, embeddings and tools (`core`).  Everything is undone by `remove`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from workflows import Workflow

from outtake_probe.session import Session
from outtake_probe.sessions import for_each
from outtake_probe.targets.base import Capability, Program
from outtake_probe.targets.llamaindex import events, graph, hooks
from outtake_probe.targets.llamaindex.hub import Hub
from outtake_probe.targets.llamaindex.program import make_program
from outtake_probe.targets.llamaindex.target import CAPABILITIES, LlamaIndexTarget
from outtake_probe.targets.patches import Patches
from outtake_probe.targets.toolkit.seams import is_ready

TRIGGERS = ("workflows", "llama_index.core")
"""Modules after whose import `install` puts in place what has become possible; it can be called at any time."""

name = "llamaindex"
capabilities: Sequence[Capability] = CAPABILITIES


class _Installed:
    """The hooks of this process."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.patches = Patches()
        self.done: set[str] = set()
        self.missing: list[str] = []
        self.hub = for_each(session, self._hub)

    def _hub(self, session: Session) -> Hub:
        hub = Hub(session, graph.of_workflow)
        hub.target = LlamaIndexTarget(hub, self.missing)
        return hub


_installed: _Installed | None = None


def install(session: Session) -> Sequence[str]:
    """Put the hooks in place; called again when more of LlamaIndex has been imported, it adds what is new."""
    global _installed  # noqa: PLW0603  an adapter is a module, and a process has one session
    if _installed is not None and _installed.session is not session:
        remove()
    if _installed is None:
        _installed = _Installed(session)
        events.install()
    missing: list[str] = []
    for module, needed, hook in hooks.HOOKS:
        if module in sys.modules and module not in _installed.done and is_ready(module, needed):
            _installed.done.add(module)
            missing += hook(_installed.hub, _installed.patches)
    _installed.missing += missing
    return missing


def remove() -> None:
    """Take every hook out again."""
    global _installed  # noqa: PLW0603
    if _installed is None:
        return
    _installed.hub.let_go()
    _installed.patches.undo()
    _installed = None


def claims(made: object) -> bool:
    """Whether this is a workflow."""
    return isinstance(made, Workflow)


def program(made: object, session: Session) -> Program:
    """How to run it."""
    install(session)
    if _installed is None:
        raise RuntimeError("the hooks of LlamaIndex are not in place")
    return make_program(made, _installed.hub, LlamaIndexTarget(_installed.hub, _installed.missing))
