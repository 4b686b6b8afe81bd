"""The user's commands for a live AutoGen program: edit, drop, move and send messages, read and change settings."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from autogen_core import AgentId, CancellationToken, MessageContext, TopicId

from outtake_probe.commands import BadValue, Outgoing
from outtake_probe.records import Json
from outtake_probe.targets.autogen import graph, messages, settings
from outtake_probe.targets.autogen.adapter_state import AdapterState
from outtake_probe.targets.autogen.delivery_queue import Item
from outtake_probe.targets.autogen.runtime import Runtime
from outtake_probe.targets.base import Capability
from outtake_probe.targets.toolkit.live_target import LiveTarget

CAPABILITIES: Sequence[Capability] = (
    "hold:message",
    "hold:agent",
    "hold:model",
    "hold:tool",
    "edit",
    "mock",
    "drop",
    "inject",
    "queue",
    "configure",
    "state",
)
Place = tuple[Runtime, AgentId]


class AutoGenTarget(LiveTarget):
    """The commands of one program."""

    def __init__(self, adapter_state: AdapterState, missing: list[str]) -> None:
        super().__init__(CAPABILITIES, missing)
        self._adapter_state = adapter_state

    @property
    def loop(self) -> asyncio.AbstractEventLoop | None:
        delivery_queue = self._adapter_state.delivery_queues.live()
        return delivery_queue.loop if delivery_queue is not None else None

    # -- queued messages ---------------------------------------------------------------------------------------------

    def normalize(self, message: int, value: Json) -> Json:
        """The full new content of a queued message, of a value that may say only part of it."""
        _, items = self._adapter_state.delivery_queues.find(message)
        return messages.normalize(items[0].message, value)

    def replace(self, message: int, value: Json) -> None:
        """Give a queued message another content; whoever shares the message object shares the change."""
        delivery_queue, items = self._adapter_state.delivery_queues.find(message)
        for item in items:
            item.revise(messages.apply(item.message, value))
        delivery_queue.revise()

    def drop(self, message: int) -> None:
        """Take a message out of the queue."""
        delivery_queue, items = self._adapter_state.delivery_queues.find(message)
        for item in items:
            delivery_queue.take(item)
            if self._adapter_state.session.stance.paused:
                item.runtime.dropped(item)
            else:
                item.runtime.discarded(item)

    def move(self, message: int, before: int | None) -> None:
        """Put a queued message before another one, or last."""
        delivery_queue, _ = self._adapter_state.delivery_queues.find(message)
        delivery_queue.move(message, before)

    # -- new messages ------------------------------------------------------------------------------------------------

    def send(self, component: str, type: str, value: Json) -> Sequence[Outgoing]:
        """Check a new message for a component or ``topic:NAME``: what is queued for each recipient."""
        message, places, topic = self.address(component, type, value)
        outgoing = [self._outgoing(runtime, agent, message, topic) for runtime, agent in places]
        if not outgoing:
            raise BadValue(f"nobody listens to {component}")
        return outgoing

    def address(self, component: str, type: str, value: Json) -> tuple[Any, list[Place], TopicId | None]:
        """A new message, the agents that it goes to, and its topic where it is for one."""
        if component.startswith("topic:") or component in self._adapter_state.paths.teams:
            topic, places = self._hearers(component.removeprefix("topic:"))
            return self._message(places, type, value), places, topic
        found = self._adapter_state.agents().get(component)
        if found is None:
            known = ", ".join(sorted(self._adapter_state.agents()))
            raise BadValue(f"there is no agent {component!r}; known: {known or 'none yet'}; or say topic:NAME")
        return self._message([found], type, value), [found], None

    def _hearers(self, name: str) -> tuple[TopicId, list[Place]]:
        kind, _, source = name.rpartition("/") if self._adapter_state.paths.topic_type(name) is None else (name, "", "")
        kind, source = (kind, source) if kind else (name, "default")
        known = self._adapter_state.paths.topic_type(kind) or kind
        topic = TopicId(known, source or "default")
        runtimes = list(self._adapter_state.runtimes)
        places = [(runtime, agent) for runtime in runtimes for agent in self._listening(runtime, topic)]
        if not places:
            topics = dict.fromkeys(
                self._adapter_state.paths.topic(kind) for runtime in runtimes for kind in runtime.topics()
            )
            raise BadValue(f"nobody listens to topic {name!r}; known: {', '.join(topics) or 'none yet'}")
        return topic, places

    def _listening(self, runtime: Runtime, topic: TopicId) -> list[AgentId]:
        found = runtime.hearers(topic)
        team = next(
            (key for key in (self._adapter_state.paths.key(agent.type) for agent in found) if key != "default"), None
        )
        return runtime.hearers(TopicId(topic.type, team)) if team is not None else found

    def _message(self, places: Sequence[Place], type: str, value: Json) -> Any:
        accepted = graph.accepts(self._adapter_state, places[0])
        chat = graph.is_chat(self._adapter_state, places[0])
        if not type and isinstance(value, dict) and isinstance(value.get("type"), str):
            type = value["type"]
        if not type:
            type = "TextMessage" if chat else _guess(accepted, value)
        cls = accepted.get(type)
        if cls is None:
            raise BadValue(
                f"a message of type {type!r} is not accepted; accepted: {', '.join(sorted(accepted))}",
                {name: messages.schema(known) for name, known in accepted.items()},
            )
        if messages.is_chat_class(cls):
            given = {"content": value} if isinstance(value, str) else value
            if not isinstance(given, dict):
                raise BadValue(f"a {type} is an object or a text", messages.schema(cls))
            return messages.build(cls, {"source": "user", **given})
        return messages.build(cls, _only_field(cls, value))

    def _outgoing(self, runtime: Runtime, agent: AgentId, message: Any, topic: TopicId | None) -> Outgoing:
        if messages.is_chat_message(message) and graph.is_chat(self._adapter_state, (runtime, agent)):
            message = graph.wrap(self._adapter_state, runtime, agent, message, topic is not None)
        path = runtime.path(agent)

        def put(number: int) -> None:
            delivery_queue = runtime.home or self._adapter_state.delivery_queues.live()
            if delivery_queue is None:
                raise BadValue("the program is not running")
            body = messages.body(message)
            context = MessageContext(
                sender=None,
                topic_id=topic,
                is_rpc=graph.takes_calls_only(self._adapter_state, (runtime, agent), message),
                cancellation_token=CancellationToken(),
                message_id=str(uuid.uuid4()),
            )
            graph.expect_answer(self._adapter_state, runtime, agent, message)
            item = Item(number, runtime, agent, path, message, messages.identity(message, body), context, body=body)
            item.injected = True
            runtime.enqueue(delivery_queue, item)

        return Outgoing(path, type(message).__name__, messages.plain(message), put)

    # -- settings ----------------------------------------------------------------------------------------------------

    def configure(self, component: str, key: str, value: Json) -> None:
        """Change a setting of a component, from its next turn on."""
        settings.change(self._adapter_state, component, key, value)

    def graph(self) -> Mapping[str, Json]:
        return graph.describe(self._adapter_state)


def _guess(accepted: dict[str, Any], value: Json) -> str:
    """The type that a value without one must have: the only type that accepts it."""
    fits = list(_fitting(accepted, value))
    if len(fits) != 1:
        options = ", ".join(fits or accepted)
        raise BadValue(
            f"say the type of the message: {options}", {name: messages.schema(cls) for name, cls in accepted.items()}
        )
    return fits[0]


def _fitting(accepted: dict[str, Any], value: Json) -> Iterator[str]:
    for name, cls in accepted.items():
        try:
            messages.build(cls, _only_field(cls, value))
        except BadValue:
            continue
        yield name


def _only_field(cls: Any, value: Json) -> Json:
    """A text for a type with one field is that field."""
    names = messages.field_names(cls)
    return {names[0]: value} if len(names) == 1 and not isinstance(value, dict) else value
