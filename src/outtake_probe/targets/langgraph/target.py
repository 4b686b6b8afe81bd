"""The user's commands for a live graph: answer what it asks, change its state, read and change its settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from outtake_probe.commands import BadValue, Outgoing
from outtake_probe.records import Json
from outtake_probe.targets.base import Capability
from outtake_probe.targets.langgraph import describing, outputs, settings
from outtake_probe.targets.langgraph.adapter_state import AdapterState
from outtake_probe.targets.langgraph.causality import GraphRun
from outtake_probe.targets.langgraph.waiting import RESUME, UPDATE, AnswerQueue, Reply
from outtake_probe.targets.toolkit.live_target import LiveTarget

CAPABILITIES: Sequence[Capability] = (
    "hold:step",
    "hold:task",
    "hold:model",
    "hold:tool",
    "edit",
    "mock",
    "drop",
    "configure",
    "state",
)


class GraphTarget(LiveTarget):
    """The commands of one program."""

    no_queue = "a graph has no queue of messages: change what a step gets (replace_input) or returns (mock_output)"

    def __init__(self, adapter_state: AdapterState, missing: list[str]) -> None:
        super().__init__(CAPABILITIES, missing)
        self._adapter_state = adapter_state
        self._graph: Any = None
        self._name = ""
        self.answer_queue = AnswerQueue(adapter_state.session)

    def adopt(self, name: str, graph: Any) -> None:
        """This graph is what the program is."""
        self._graph, self._name = graph, name
        self._adapter_state.graphs.add(name, graph, newest=True)

    def send(self, component: str, type: str, value: Json) -> Sequence[Outgoing]:
        """Check an answer, or a change of the state: what the graph gets."""
        if self._graph is None:
            raise BadValue("this program runs its graphs itself: answer them there, or make a graph the target")
        if component not in ("", "user", self._name) and not component.startswith(f"{self._name}/"):
            raise BadValue(f"there is no {component!r} to send to; say {self._name}")
        kind = type or RESUME
        if kind == UPDATE:
            value = self._checked(value)
        elif kind != RESUME:
            raise BadValue(f"a graph takes no message of type {kind!r}: {RESUME} answers, {UPDATE} changes its state")
        if not self.answer_queue.is_waiting and not self._adapter_state.session.is_fork:
            raise BadValue(f"{self._name} does not wait for an answer now; it can be answered when it asks")
        return [Outgoing(self._name, kind, value, lambda number: self.answer_queue.put(Reply(kind, value, number)))]

    def _checked(self, value: Json) -> Json:
        """A change of the state: its values, and which node is to have returned them."""
        if not isinstance(value, dict):
            raise BadValue('an update is {"values": {...}, "as_node": NAME}, or some keys of the state')
        given = value if "values" in value else {"values": value}
        nodes = [name for name in self._graph.nodes if name != "__start__"]
        node = given.get("as_node")
        if node is not None and node not in nodes:
            raise BadValue(f"there is no node {node!r}; the graph has {', '.join(nodes)}", {"enum": nodes})
        place = GraphRun(self._graph, self._name, self._adapter_state.blank)
        return {**given, "values": outputs.full(place, outputs.Named(str(node or self._name)), given["values"])}

    def configure(self, component: str, key: str, value: Json) -> None:
        """Change a setting of a component, from its next call on."""
        self._adapter_state.changed.append(
            settings.change(dict(self._adapter_state.graphs.items()), component, key, value)
        )

    def graph(self) -> Mapping[str, Json]:
        return describing.describe(self._adapter_state)
