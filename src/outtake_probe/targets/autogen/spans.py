"""OpenTelemetry spans of messages, for the program's own tracer, as the runtime that is replaced makes them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from autogen_core import AgentId, MessageContext, TopicId
from autogen_core._telemetry import (
    EnvelopeMetadata,
    MessageRuntimeTracingConfig,
    TraceHelper,
    get_telemetry_envelope_metadata,
)
from opentelemetry.trace import ProxyTracerProvider, Span, TracerProvider, get_tracer_provider, use_span

if TYPE_CHECKING:
    from autogen_core import Agent

_NAME = "SingleThreadedAgentRuntime"
Operation = Literal["create", "send", "publish", "process", "intercept", "ack"]
Destination = AgentId | TopicId | str | None


class Published:
    """The span of a published message: around all of its deliveries, from the first one to the end of the last."""

    def __init__(self, begin: Callable[[], Span], deliveries: int) -> None:
        self._begin = begin
        self._span: Span | None = None
        self._left = deliveries

    def inside(self) -> AbstractContextManager[object]:
        """While one of its deliveries is handled."""
        self._span = self._span or self._begin()
        return use_span(self._span)

    def done(self) -> None:
        """One of its deliveries is over."""
        self._left -= 1
        if self._left == 0 and self._span is not None:
            self._span.end()


class Spans:
    """The spans of one runtime."""

    def __init__(self, provider: TracerProvider | None) -> None:
        self._helper = TraceHelper(provider, MessageRuntimeTracingConfig(_NAME))
        self._is_given = provider is not None

    @property
    def wanted(self) -> bool:
        """Whether somebody looks at them."""
        return self._is_given or not isinstance(get_tracer_provider(), ProxyTracerProvider)

    def envelope(self) -> EnvelopeMetadata | None:
        """What links the spans of a delivery to the one in which the message was sent."""
        return get_telemetry_envelope_metadata() if self.wanted else None

    def created(self, destination: Destination, message: Any) -> AbstractContextManager[object]:
        """While a message is sent."""
        if not self.wanted:
            return nullcontext()
        told: Any = {"message_type": type(message).__name__}
        return self._helper.trace_block("create", destination, parent=None, extraAttributes=told)

    def block(
        self,
        operation: Operation,
        destination: Destination,
        parent: EnvelopeMetadata | None = None,
        attributes: Mapping[str, str] | None = None,
    ) -> AbstractContextManager[object]:
        """While something is done with a message."""
        if not self.wanted:
            return nullcontext()
        return self._helper.trace_block(operation, destination, parent=parent, attributes=attributes)

    def published(self, topic: TopicId, parent: EnvelopeMetadata | None, deliveries: int) -> Published | None:
        """A message is published to so many agents."""
        return Published(partial(self._publish, topic, parent), deliveries) if self.wanted else None

    def _publish(self, topic: TopicId, parent: EnvelopeMetadata | None) -> Span:
        with self._helper.trace_block("publish", topic, parent=parent, end_on_exit=False) as span:
            return span

    def attributes(
        self, message: str, sender: Agent | None, recipient: Agent | None, context: MessageContext | None = None
    ) -> Mapping[str, str]:
        """What a span tells of a message, given as a text."""
        told: dict[str, str] = {}
        for role, agent in (("sender", sender), ("recipient", recipient)):
            if agent is not None:
                told[f"{role}_agent_type"] = agent.id.type
                told[f"{role}_agent_class"] = type(agent).__name__
        if context is not None:
            about = {
                "sender": str(context.sender),
                "topic_id": str(context.topic_id),
                "is_rpc": context.is_rpc,
                "message_id": context.message_id,
            }
            told["message_context"] = json.dumps(about)
        return {**told, "message": message}
