"""Where in a program a graph runs: its path, who caused each of its tasks, what its states looked like.

A *place* is one run of one graph.  What caused a task are the invocations whose writes triggered it: those that wrote
to a channel that the task listens to, or that sent its packet.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from langgraph.constants import TAG_HIDDEN

from outtake_probe.calls import Frame, current
from outtake_probe.targets.langgraph.codec import States

PUSH = "__pregel_push"
TASKS = "__pregel_tasks"
HANDLER = "node_error_handler"


class Ledger:
    """Who wrote what, in one graph on one thread of its checkpointer."""

    def __init__(self) -> None:
        self.numbers: dict[str, tuple[int, ...]] = {}
        """Invocations by task; of a task that no one sees, what caused it."""
        self._writers: dict[str, list[int]] = {}
        self._senders: list[tuple[int, ...]] = []
        self._failed: list[tuple[tuple[Any, ...], str]] = []

    def causes(self, task: Any) -> tuple[int, ...]:
        """The invocations that caused a task which is about to run."""
        path = tuple(task.path)
        if HANDLER in path:
            return self._of_failed(path)
        if path and path[0] == PUSH:
            index = path[1] if len(path) > 1 else None
            if isinstance(index, int) and index < len(self._senders):
                return self._senders[index]
            return ()
        found = [number for channel in task.triggers for number in self._writers.get(channel, ())]
        return tuple(sorted(dict.fromkeys(found)))

    def _of_failed(self, path: tuple[Any, ...]) -> tuple[int, ...]:
        start = path[: path.index(HANDLER)]
        for failed, task in reversed(self._failed):
            if failed[: len(start)] == start:
                return self.numbers.get(task, ())
        return ()

    def ran(self, task: Any, numbers: tuple[int, ...]) -> None:
        """A task came to an end, whichever."""
        self.numbers[task.id] = numbers
        self._failed.append((tuple(task.path), task.id))

    def applied(self, tasks: Sequence[Any], cause: tuple[int, ...], triggers: Container[str]) -> None:
        """A superstep is over: what its tasks wrote is there, in this order.  `cause` is what wrote the graph's input.

        Only channels that trigger a node matter.
        """
        for task in tasks:
            for channel in task.triggers:
                self._writers.pop(channel, None)
        senders: list[tuple[int, ...]] = []
        for task in tasks:
            numbers = self.numbers.get(getattr(task, "id", ""), cause)
            for channel, _ in task.writes:
                if channel == TASKS:
                    senders.append(numbers)
                elif channel in triggers:
                    self._writers.setdefault(channel, []).extend(numbers)
        self._senders = senders
        self._failed.clear()


@dataclass
class Ready:
    """A task that was prepared: what caused it, and the frame for what is done for it outside of its node."""

    causes: tuple[int, ...]
    frame: Frame | None


@dataclass
class GraphRun:
    """One run of one graph."""

    graph: Any
    path: str
    ledger: Ledger
    outer: GraphRun | None = None
    states: States = field(default_factory=States)
    ready: dict[str, Ready] = field(default_factory=dict)
    channels: Mapping[str, Any] = field(default_factory=dict)
    cause: tuple[int, ...] = ()
    """What led to this run's input: a message of the user's."""
    streams: frozenset[str] = frozenset()
    """What the program gets to see while this runs: kinds of events, and `subgraphs`."""
    answered: bool = False
    """The answer with which the outermost run was resumed has been taken by a node."""
    threaded: bool = False
    """The ledger is that of a checkpointer's thread."""

    @property
    def hears_events(self) -> bool:
        """Whether anybody hears the events that nodes stream themselves."""
        return "custom" in self.streams

    @property
    def root(self) -> GraphRun:
        """The run around all the others."""
        return self if self.outer is None else self.outer.root

    def prepared(self, tasks: Iterable[Any], step: int) -> None:
        """Tasks are about to run."""
        for index, task in enumerate(tasks):
            if task.id not in self.ready:
                self.ready[task.id] = Ready(self.ledger.causes(task), _beside(task.name, step, index))

    def causes(self, task: Any) -> tuple[int, ...]:
        """The invocations that caused a task."""
        ready = self.ready.get(task.id)
        return ready.causes if ready is not None else self.ledger.causes(task)


def _beside(name: str, step: int, index: int) -> Frame | None:
    """A frame beside those of the nodes: ids that are made there follow from the task, not from whose turn it was."""
    frame = current.get()
    if frame is None:
        return None
    key = f"{frame.key}>{name}~{step}.{index}"
    about = (frame.invocation, frame.matched, frame.lineage, frame.component, frame.message)
    return Frame(*about, key, kind=frame.kind)


UNNAMED = "LangGraph"
"""What LangGraph calls a graph without a name."""


def name_of(graph: Any) -> str:
    """How a graph is called in paths; the graph of an `@entrypoint` as its function."""
    name = graph.get_name()
    if name == UNNAMED:
        name = next(iter(graph.nodes)) if is_function(graph) else "graph"
    return str(name).replace("/", "_")


def is_function(graph: Any) -> bool:
    """Whether this is what `@entrypoint` makes: a graph with one node and nothing before it."""
    return len(graph.nodes) == 1 and "__start__" not in graph.nodes


here: ContextVar[GraphRun | None] = ContextVar("outtake_langgraph_place", default=None)


def is_hidden(task: Any) -> bool:
    """Whether a task is the framework's own (it writes the input)."""
    return TAG_HIDDEN in ((task.config or {}).get("tags") or ())
