"""What the parts of the CrewAI adapter share while one program is debugged, and how they call crews, agents and tasks.

Paths are made of what the program's author wrote: names of crews and tasks, roles of agents before anything is put into
their placeholders.  Ids of CrewAI are new in every run and stand nowhere.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from outtake_probe.calls import current
from outtake_probe.commands import Target
from outtake_probe.records import Json
from outtake_probe.session import Session
from outtake_probe.targets.crewai.config_files import ConfigFiles
from outtake_probe.targets.toolkit.conversations import Conversation
from outtake_probe.targets.toolkit.paths import child_path
from outtake_probe.targets.toolkit.weak_maps import ByIdentity, Known

_TELEMETRY = "CrewAI's telemetry and tracing are off while it is debugged: nothing of this run is sent to its makers"
Described = tuple[list[Json], list[Json]]
"""The components and edges of a crew or a flow."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The messages of a prompt as they were at one moment."""

    messages: Sequence[Json]

    def begins_with(self, before: Prompt) -> bool:
        """Whether the first messages are those of `before`."""
        return list(self.messages[: len(before.messages)]) == list(before.messages)


@dataclass(slots=True)
class Emitted:
    """What a model call told beside its answer."""

    usage: Counter[str] = field(default_factory=Counter)
    """Tokens, by CrewAI's own names."""
    pieces: list[str] = field(default_factory=list)
    """Pieces of its answer that it streamed."""
    is_told: bool = False
    """It told CrewAI's event bus of the call."""

    def to_json(self) -> dict[str, Json]:
        told: dict[str, Json] = {}
        if any(self.usage.values()):
            told["usage"] = {name: count for name, count in self.usage.items() if count}
        if self.pieces:
            told["pieces"] = list(self.pieces)
        return {**told, "emits": True} if self.is_told else told

    @staticmethod
    def from_json(value: Json) -> Emitted:
        return Emitted(Counter(value.get("usage") or {}), list(value.get("pieces") or []), bool(value.get("emits")))


@dataclass(slots=True)
class _At:
    path: str = ""


class AdapterState:
    """One debugged program: its session, its crews and flows by path."""

    def __init__(self, session: Session, describe: Callable[[AdapterState, str, Any], Described]) -> None:
        self.session = session
        self.target: Target | None = None
        self.runnables: Known[Described] = Known(functools.partial(describe, self))
        """Crews, flows and agents that run by themselves, by path, the newest for each."""
        self.conversations: dict[str, Conversation[Prompt]] = {}
        """The last prompt of each model, by its path."""
        self.emitted: dict[int, Emitted] = {}
        """What model calls that are under way told beside their answers, by the number of the invocation."""
        self.files = ConfigFiles()
        self._is_told = False
        self._paths: ByIdentity[_At] = ByIdentity()

    def adopt(self, runnable: Any, path: str) -> None:
        """A crew, a flow or an agent is about to run at a path."""
        self._paths.get(runnable, _At).path = path
        self.runnables.add(path, runnable, newest=True)
        if self.session.target is None and self.target is not None:
            self.session.ready(self.target)

    def begins(self, path: str) -> None:
        """Something runs: say once what the debugger changes about it."""
        if not self._is_told:
            self._is_told = True
            self.session.note("telemetry", path, _TELEMETRY)

    def path_of(self, runnable: Any) -> str:
        """Where a crew or a flow runs; empty for one that does not."""
        return self._paths.get(runnable, _At).path

    def agent_path(self, agent: Any) -> str:
        """The path of an agent: below its crew, or below what uses it."""
        around = self._around(agent)
        name = agent_name(agent)
        if around:
            return f"{around}/{name}"
        frame = current.get()
        inside_itself = frame is not None and frame.kind == "agent" and frame.component.endswith(f"/{name}")
        return frame.component if frame is not None and inside_itself else child_path(name)

    def task_path(self, task: Any, agent: Any) -> str:
        """The path of a task: below the crew of its agent."""
        around = self._around(agent)
        if not around:
            return child_path(f"tasks/{agent_name(agent) if agent is not None else 'task'}")
        return f"{around}/tasks/{task_name(task, agent.crew.tasks)}"

    def _around(self, agent: Any) -> str:
        """The path of an agent's crew; empty where it has none that runs."""
        crew = getattr(agent, "crew", None)
        return self.path_of(crew) if crew is not None and not isinstance(crew, str) else ""


def agent_name(agent: Any) -> str:
    """What an agent is called: its role, as the program's author wrote it."""
    role = getattr(agent, "_original_role", None) or getattr(agent, "role", None) or type(agent).__name__
    return _plain(str(role))


def task_name(task: Any, tasks: Sequence[Any]) -> str:
    """What a task is called: its name, or else its place among those of its crew, from 1."""
    if task.name:
        return _plain(str(task.name))
    return str(next((number for number, each in enumerate(tasks, 1) if each is task), "task"))


def runnable_name(runnable: Any) -> str:
    """What a crew or a flow is called: as the program names it, or by its class."""
    name = getattr(runnable, "name", None)
    return _plain(str(name)) if name else type(runnable).__name__


def _plain(name: str) -> str:
    return " ".join(name.replace("/", "-").split())
