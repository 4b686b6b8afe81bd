"""AutoGen (autogen-core, -agentchat and -ext): teams, single agents and programs of routed agents.

What is put in place: a runtime of our own for AutoGen's (`runtime`, `desk`), wrappers around the implementations of
models, tools, workbenches, code executors and questions to the user (`calls`), the names under which a team registers
its members (`paths`), and teams' time-outs (`timeouts`).  Everything is undone by `remove`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import autogen_core

from outtake_probe.session import Session
from outtake_probe.sessions import for_each
from outtake_probe.targets.autogen import hooks
from outtake_probe.targets.autogen.hub import Hub, new_runtime_class
from outtake_probe.targets.autogen.program import make_program
from outtake_probe.targets.autogen.target import CAPABILITIES, AutoGenTarget
from outtake_probe.targets.base import Capability, Program
from outtake_probe.targets.patches import Patches
from outtake_probe.targets.toolkit.seams import is_ready

TRIGGERS = ("autogen_core", "autogen_agentchat.agents", "autogen_agentchat.teams", "autogen_agentchat.conditions")
"""Modules after whose import `install` puts in place what has become possible; it can be called at any time."""

name = "autogen"
capabilities: Sequence[Capability] = CAPABILITIES


class _Installed:
    """The hooks of this process."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.patches = Patches()
        self.done: set[str] = set()
        self.missing: list[str] = []
        self.runtime_class = new_runtime_class()
        self.hub = for_each(session, self._hub)
        self.runtime_class.hub = self.hub

    def _hub(self, session: Session) -> Hub:
        hub = Hub(session, self.runtime_class)
        hub.target = AutoGenTarget(hub, self.missing)
        session.on_stance.append(hub.stance_changed)
        return hub


_installed: _Installed | None = None


def install(session: Session) -> Sequence[str]:
    """Put the hooks in place; called again when more of AutoGen has been imported, it adds what is new."""
    global _installed  # noqa: PLW0603  an adapter is a module, and a process has one session
    if _installed is not None and _installed.session is not session:
        remove()
    if _installed is None:
        _installed = _Installed(session)
    missing = []
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
    session = _installed.hub.session
    if _installed.hub.stance_changed in session.on_stance:
        session.on_stance.remove(_installed.hub.stance_changed)
    _installed.patches.undo()
    _installed = None


def claims(made: object) -> bool:
    """Whether this is a team, an agent that runs by itself, or a runtime with its agents."""
    return hooks.is_runner(made) or isinstance(made, autogen_core.SingleThreadedAgentRuntime)


def program(made: object, session: Session) -> Program:
    """How to run it."""
    install(session)
    if _installed is None:
        raise RuntimeError("the hooks of AutoGen are not in place")
    return make_program(made, _installed.hub, AutoGenTarget(_installed.hub, _installed.missing))
