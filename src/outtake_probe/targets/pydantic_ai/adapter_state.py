"""What the parts of the pydantic-ai adapter share while one program is debugged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from outtake_probe.commands import Target
from outtake_probe.records import Json
from outtake_probe.session import Session
from outtake_probe.targets.toolkit.conversations import Conversation
from outtake_probe.targets.toolkit.weak_maps import Known

Described = tuple[list[Json], dict[str, Any]]
"""The components and edges of an agent or a graph, and the agents among them by path."""


class AdapterState:
    """One debugged program: its session, its agents and graphs by path, and the settings that a person changed."""

    def __init__(self, session: Session, describe: Callable[[str, Any], Described]) -> None:
        self.session = session
        self.target: Target | None = None
        self.made: Known[Described] = Known(describe)
        """Agents and graphs by path, the newest for each."""
        self.conversations: dict[str, Conversation[Any]] = {}
        """The last prompt of each model, and the last history of each agent, by path."""
        self.changed: dict[str, dict[str, Json]] = {}
        """Settings that were changed, by the path of their agent."""

    def changes(self, path: str) -> dict[str, Json]:
        """Where the changed settings of an agent are kept."""
        return self.changed.setdefault(path, {})

    def adopt(self, path: str, made: Any) -> None:
        """An agent or a graph is about to run at this path."""
        self.made.add(path, made, newest=True)
        session = self.session.here
        if session.target is None and self.target is not None:
            session.ready(self.target)
