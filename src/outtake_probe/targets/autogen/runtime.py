"""A runtime that takes the place of AutoGen's `SingleThreadedAgentRuntime`, written against its public protocol.

Deliveries overlap as they do there.  What differs is what a debugger needs: a publish becomes one queued message for
each agent that hears it, every message passes the gate before it is queued and every delivery before it happens, errors
stay the objects that were raised, and nothing that fails, is dropped or is stopped leaves the runtime waiting for ever.
"""

from __future__ import annotations

import asyncio
import contextvars
import itertools
import logging
import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING, Any

from autogen_core import (
    EVENT_LOGGER_NAME,
    Agent,
    AgentId,
    CancellationToken,
    DefaultTopicId,
    DropMessage,
    InterventionHandler,
    MessageContext,
    MessageHandlerContext,
    TopicId,
)
from autogen_core.exceptions import MessageDroppedException
from autogen_core.logging import (
    DeliveryStage,
    MessageDroppedEvent,
    MessageEvent,
    MessageHandlerExceptionEvent,
    MessageKind,
)

from outtake_probe.calls import Call, Message
from outtake_probe.gate.invoke import asend
from outtake_probe.records import Json
from outtake_probe.session import Stopped
from outtake_probe.targets.autogen import messages, settings
from outtake_probe.targets.autogen.agents import Agents
from outtake_probe.targets.autogen.delivery_queue import Batch, DeliveryQueue, Item
from outtake_probe.targets.autogen.paths import here
from outtake_probe.targets.autogen.spans import Spans

if TYPE_CHECKING:
    from outtake_probe.targets.autogen.adapter_state import AdapterState

_events = logging.getLogger(EVENT_LOGGER_NAME)
_log = logging.getLogger("autogen_core")
_numbers = itertools.count(1)
_KEPT_OUT = ("GroupChatError", "ChatAgentContainer")
"""A message that this class of agents only ever refuses to handle: bringing it there makes an error of nothing."""


class Runtime(Agents):
    """One runtime.  Its class has the `adapter_state` that the runtimes of a program share."""

    adapter_state: AdapterState

    def __init__(
        self,
        *,
        intervention_handlers: list[InterventionHandler] | None = None,
        tracer_provider: Any = None,
        ignore_unhandled_exceptions: bool = True,
    ) -> None:
        self._spans = Spans(tracer_provider)
        self._interventions = intervention_handlers or []
        self._ignore = ignore_unhandled_exceptions
        self._error: BaseException | None = None
        super().__init__()
        self._context: contextvars.Context | None = None
        self._started = False
        self._grants: list[asyncio.Future[None]] = []
        self._empty = 0
        """Entries that AutoGen's own queue would hold and nothing is to be delivered for, while it is not started."""
        self._outstanding = 0
        self._idle: list[asyncio.Future[None]] = []
        self.kept_open = False
        self.home: DeliveryQueue | None = None
        """The queue of the loop that it runs on."""
        self.base = here()
        self.adapter_state.runtimes.add(self)

    # -- sending -----------------------------------------------------------------------------------------------------

    async def send_message(
        self,
        message: Any,
        recipient: AgentId,
        *,
        sender: AgentId | None = None,
        cancellation_token: CancellationToken | None = None,
        message_id: str | None = None,
    ) -> Any:
        """Queue a message for one agent, and wait for its answer."""
        if recipient.type not in self._factories:
            raise LookupError(f"Recipient not found: there is no agent of type {recipient.type!r}")
        context = _context(sender, None, cancellation_token, message_id)
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        with self._spans.created(recipient, message):
            self._open()
            try:
                for handler in self._interventions:
                    with self._spans.block("intercept", type(handler).__name__, self._spans.envelope()):
                        given = await handler.on_send(message, message_context=context, recipient=recipient)
                    message = self._kept(message, given, context, recipient)
                self._log_event(message, sender, recipient, MessageKind.DIRECT, DeliveryStage.SEND)
                _log.info("Sending message of type %s to %s: %s", _type(message), recipient.type, _Said(message))
                await self._queue(message, [recipient], context, future)
            except MessageDroppedException:
                self._nothing_to_deliver()
                raise
            finally:
                self._close()
            context.cancellation_token.link_future(future)
            return await future

    async def publish_message(
        self,
        message: Any,
        topic_id: TopicId,
        *,
        sender: AgentId | None = None,
        cancellation_token: CancellationToken | None = None,
        message_id: str | None = None,
    ) -> None:
        """Queue a message for every agent that hears the topic, its sender excepted."""
        context = _context(sender, topic_id, cancellation_token, message_id)
        with self._spans.created(topic_id, message):
            self._open()
            try:
                for handler in self._interventions:
                    with self._spans.block("intercept", type(handler).__name__, self._spans.envelope()):
                        given = await handler.on_publish(message, message_context=context)
                    message = self._kept(message, given, context, topic_id)
                self._log_event(message, sender, topic_id, MessageKind.PUBLISH, DeliveryStage.SEND)
                _log.info("Publishing message of type %s to all subscribers: %s", _type(message), _Said(message))
                hearers = self.hearers(topic_id)
                others = [agent for agent in hearers if agent != sender and self._takes(agent, message)]
                if others:
                    await self._queue(message, others, context, None)
                    return
                self._nothing_to_deliver()
                if not hearers:
                    with self._spans.block("publish", topic_id, self._spans.envelope()):
                        pass
                    body = {"topic": self.adapter_state.paths.topic(topic_id.type), "message": messages.body(message)}
                    self.adapter_state.session.note("unheard", self._sender(sender), body)
            except MessageDroppedException:
                self._nothing_to_deliver()
            finally:
                self._close()

    def _takes(self, agent: AgentId, message: Any) -> bool:
        cls = self._classes.get(agent.type)
        return (type(message).__name__, cls.__name__ if cls is not None else "") != _KEPT_OUT

    async def _queue(
        self, message: Any, recipients: Sequence[AgentId], context: MessageContext, future: asyncio.Future[Any] | None
    ) -> None:
        """Bring a message through the gate once for each recipient, and queue what passes."""
        delivery_queue = self.adapter_state.delivery_queues.here()
        body = messages.body(message)
        identity = messages.identity(message, body)
        sender = self._sender(context.sender)
        edited = False
        envelope, topic = self._spans.envelope(), context.topic_id
        published = self._spans.published(topic, envelope, len(recipients)) if topic is not None else None
        batch = Batch()
        for recipient in recipients:
            path = self.path(recipient, context.topic_id)
            said = Message(
                sender,
                path,
                type(message).__name__,
                body,
                identity=identity if edited or identity is not body else None,
                normalize=_normalizer(message),
            )
            queued = await asend(self.adapter_state.session, said)
            own = message
            if queued.edited:
                own = messages.apply(message, queued.value)
                edited = own is message
                if edited:
                    body = messages.body(message)
                    delivery_queue.revise()
            if queued.dropped:
                _refuse(future)
                if published is not None:
                    published.done()
                continue
            item = Item(queued.id, self, recipient, path, own, identity, context, future, batch=batch)
            item.envelope, item.published = envelope, published
            item.body = body if own is message else messages.body(own)  # a part of its own: nothing else says that
            self.enqueue(delivery_queue, item)

    def _kept(self, message: Any, given: Any, context: MessageContext, receiver: AgentId | TopicId | None) -> Any:
        """What an intervention handler made of a message, or of a response.  Raises `MessageDroppedException`."""
        if given is DropMessage or isinstance(given, DropMessage):
            if _events.isEnabledFor(logging.INFO):
                kind = _kind(context) if receiver is not None else MessageKind.RESPOND
                payload, sender = messages.text(message), context.sender
                _events.info(MessageDroppedEvent(payload=payload, sender=sender, receiver=receiver, kind=kind))
            raise MessageDroppedException
        if given is None and message is not None:
            warnings.warn(
                "An intervention handler returned None, which counts as no change. Return the message, or DropMessage.",
                RuntimeWarning,
                stacklevel=3,
            )
            return message
        return given

    def enqueue(self, delivery_queue: DeliveryQueue, item: Item) -> None:
        """Queue a message that has its number."""
        self._open()
        delivery_queue.put(item)
        self.release()

    def _sender(self, sender: AgentId | None) -> str:
        if sender is not None:
            return self.adapter_state.paths.agent(sender, self.base)
        return here() or "user"

    def path(self, agent: AgentId, topic: TopicId | None = None) -> str:
        """The path of an agent, as the recipient of what came on a topic."""
        output = self.adapter_state.paths.output(topic.type) if topic is not None else None
        return output or self.adapter_state.paths.agent(agent, self.base)

    # -- delivering, called by the desk ------------------------------------------------------------------------------

    def delivers(self, item: Item) -> bool:
        """Whether it was started, or asked for this message or the next one."""
        return self._started or item.batch.asked_for or bool(self._grants)

    def offered(self, item: Item) -> None:
        """A message is brought to the gate for whoever asked for the next one."""
        if not self._started and self._grants and not item.batch.asked_for:
            item.grant = self._grants.pop(0)
            item.batch.asked_for = True

    def take_back(self, item: Item) -> None:
        """It went back into the queue: another message comes first."""
        if item.grant is not None:
            self._grants.insert(0, item.grant)
            item.grant = None
            item.batch.asked_for = False

    def grant(self, item: Item) -> None:
        """It is delivered: whoever asked for it has it."""
        if item.grant is not None and not item.grant.done():
            item.grant.set_result(None)

    def context(self) -> contextvars.Context:
        """The context variables that handlers start with: those of whoever started the runtime."""
        return (self._context or contextvars.copy_context()).copy()

    def delivery_call(self, item: Item) -> Call:
        """The delivery of a message, as the gate sees it."""
        return Call(
            "agent",
            item.path,
            item.body,
            identity=item.identity if item.identity is not item.body else None,
            type=type(item.message).__name__,
            message=item.id,
            decode_input=lambda value: messages.apply(item.message, value),
            encode=messages.answer,
            decode=lambda value: self._mocked(item, value),
            normalize=lambda _, value: messages.normalize(item.message, value),
            normalize_output=lambda value: self._full_answer(item, value),
        )

    def _mocked(self, item: Item, value: Json) -> Any:
        item.served = True
        if _is_turn(item):
            return messages.build_chat(value, self.adapter_state.paths.name(item.path)) if value is not None else None
        return messages.from_answer(value, self._answers(item))

    def _full_answer(self, item: Item, value: Json) -> Json:
        """A mock in full: what a member of a team says in its turn, or what a handler returns."""
        if _is_turn(item):
            said = messages.build_chat(value, self.adapter_state.paths.name(item.path)) if value is not None else None
            return messages.plain(said)
        return messages.answer(messages.from_answer(value, self._answers(item)))

    def _answers(self, item: Item) -> list[Any]:
        """The types of answers that the recipient's handlers of this message declare."""
        handlers = getattr(self._agents.get(item.recipient), "_handlers", {}).get(type(item.message), [])
        return [cls for handler in handlers for cls in getattr(handler, "produced_types", [])]

    async def _make(self, agent: AgentId) -> Agent:
        made = await super()._make(agent)
        settings.apply_pending(self.adapter_state, self.path(agent), made)
        return made

    async def handle(self, item: Item) -> Any:
        """Call the recipient's handler."""
        try:
            agent = await self._agent(item.recipient)
        except BaseException:
            item.unmade = True
            raise
        receiver = item.recipient if item.context.is_rpc else None
        self._log_event(item.message, item.context.sender, receiver, _kind(item.context), DeliveryStage.DELIVER)
        _log.info("Calling message handler for %s with message type %s", *_delivery(item))
        if item.injected and type(item.message).__name__ == "GroupChatMessage":
            return await _hear(agent, item.message)
        with await self._process(item, agent), MessageHandlerContext.populate_context(agent.id):
            return await agent.on_message(item.message, ctx=item.context)

    async def _process(self, item: Item, agent: Agent) -> AbstractContextManager[object]:
        """The spans in which a handler runs."""
        stack = ExitStack()
        if self._spans.wanted:
            sender = await self._agent(item.context.sender) if item.context.sender is not None else None
            told = self._spans.attributes(messages.text(item.message), sender, agent, item.context)
            around = item.published.inside() if item.published is not None else None
            stack.enter_context(around or self._spans.block("send", item.recipient, item.envelope))
            stack.enter_context(self._spans.block("process", agent.id, item.envelope, told))
        return stack

    async def answered(self, item: Item, value: Any) -> None:
        """A handler returned, or its result was given by the record or the user."""
        future = item.future
        if future is not None:
            self._nothing_to_deliver()
        try:
            if future is None:
                if item.served and item.state != "passed" and _is_turn(item) and value is not None:
                    await self._say_for(item, value)
                return
            if item.state != "passed" and not item.served:
                _refuse(future)
                return
            asker = item.context.sender
            self._log_event(value, item.recipient, asker, MessageKind.RESPOND, DeliveryStage.SEND)
            for handler in self._interventions:
                given = await handler.on_response(value, sender=item.recipient, recipient=asker)
                value = self._kept(value, given, item.context, None)
            said = (_type(value), asker, item.recipient.type, _Said(value))
            _log.info("Resolving response with message type %s for recipient %s from %s: %s", *said)
            self._log_event(value, item.recipient, asker, MessageKind.RESPOND, DeliveryStage.DELIVER)
            with self._spans.block("ack", asker, item.envelope):
                if not future.done():
                    future.set_result(value)
        except Exception as error:  # noqa: BLE001  the program's intervention handler is the boundary
            if future is not None and not future.done():
                future.set_exception(error)
            elif future is None:
                self._keep(item, error)
        finally:
            self._over(item)

    def failed(self, item: Item, error: BaseException) -> None:
        """A handler raised."""
        future = item.future
        if not isinstance(error, Stopped) and _events.isEnabledFor(logging.INFO):
            payload = messages.text(item.message)
            _events.info(MessageHandlerExceptionEvent(payload=payload, handling_agent=item.recipient, exception=error))
        if future is not None:
            if not future.done():
                future.cancel() if isinstance(error, asyncio.CancelledError) else future.set_exception(error)
        elif not isinstance(error, Stopped):
            self._keep(item, error)
        self._over(item)

    def _keep(self, item: Item, error: BaseException) -> None:
        """Nobody waits for the answer: the error is for whoever stops the runtime."""
        if not isinstance(error, asyncio.CancelledError) and not item.unmade:
            _log.error("Error processing publish message for %s", item.recipient, exc_info=error)
        if not self._ignore and self._error is None:
            self._error = error

    async def _say_for(self, item: Item, said: Any) -> None:
        """A member's turn was mocked: say what it would have said."""
        member: Any = await self._agent(item.recipient)
        member._message_buffer.clear()
        await member._log_message(said)
        events = messages.events("GroupChatAgentResponse", "Response")
        response = events["GroupChatAgentResponse"](
            response=events["Response"](chat_message=said), name=self.adapter_state.paths.name(item.path)
        )
        await member.publish_message(
            response,
            topic_id=DefaultTopicId(type=member._parent_topic_type, source=item.recipient.key),
            cancellation_token=item.context.cancellation_token,
        )

    def discarded(self, item: Item) -> None:
        """A queued message was dropped, or the runtime was stopped before it was delivered."""
        _refuse(item.future)
        self._over(item)

    def _over(self, item: Item) -> None:
        """Nothing more is done with a message."""
        if item.published is not None:
            item.published.done()
        self._close()

    def dropped(self, item: Item) -> None:
        """The user dropped a message while stepping: where it was the last one, they may send another instead."""
        self.kept_open = item.future is None and self._outstanding == 1
        self.discarded(item)

    # -- running -----------------------------------------------------------------------------------------------------

    @property
    def unprocessed_messages_count(self) -> int:
        waiting = [item.batch for item in self.adapter_state.delivery_queues.here().items if item.runtime is self]
        return self._empty + len({batch for batch in waiting if not batch.asked_for})

    def start(self) -> None:
        """Deliver messages from now on."""
        if self._started:
            raise RuntimeError("Runtime is already started")
        self._started = True
        self._empty = 0
        self._context = contextvars.copy_context()
        self.home = self.adapter_state.delivery_queues.here()
        self.adapter_state.announce()
        self.home.wake()

    async def process_next(self) -> None:
        """Deliver the next message; its handler may go on after this returned."""
        await self._process_next()

    async def _process_next(self) -> None:
        self._raise()
        if self._empty:
            self._empty -= 1
            await asyncio.sleep(0)
            return
        grant: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._context = contextvars.copy_context()
        self._grants.append(grant)
        self.home = self.adapter_state.delivery_queues.here()
        self.home.wake()
        try:
            await grant
        finally:
            if grant in self._grants:
                self._grants.remove(grant)

    def _nothing_to_deliver(self) -> None:
        """AutoGen's own queue would hold an entry now, for an answer or for what nobody gets: it counts as the next
        one for whoever delivers by hand, though it is done with already."""
        if self._started:
            return
        grant = next((grant for grant in self._grants if not grant.done()), None)
        if grant is None:
            self._empty += 1
        else:
            self._grants.remove(grant)
            grant.set_result(None)

    async def stop(self) -> None:
        """Deliver no more; what is queued is discarded, and the log says so."""
        self._must_run()
        self._halt()
        delivery_queue = self.adapter_state.delivery_queues.here()
        for item in [item for item in delivery_queue.items if item.runtime is self]:
            delivery_queue.take(item)
            self.adapter_state.session.note(
                "discarded", item.path, {"message": item.id, "because": "the runtime was stopped"}
            )
            self.discarded(item)
        self._raise()

    async def stop_when_idle(self) -> None:
        """Stop when no message is queued and no handler is running."""
        self._must_run()
        await self._until_idle()
        self._halt()
        self._raise()

    async def stop_when(self, condition: Callable[[], bool]) -> None:
        """Stop when the condition holds."""
        self._must_run()
        while not condition():  # noqa: ASYNC110  as the method that this one takes the place of
            await asyncio.sleep(1.0)
        await self.stop()

    async def close(self) -> None:
        """Stop, and close every agent."""
        if self._started:
            await self.stop()
        for agent in list(self._agents.values()):
            await agent.close()

    def _must_run(self) -> None:
        if not self._started:
            raise RuntimeError("Runtime is not started")

    def _halt(self) -> None:
        self._started = False
        self._context = None

    def _raise(self) -> None:
        error, self._error = self._error, None
        if error is not None:
            try:
                raise error
            finally:
                del error  # see `outtake_probe.gate.invoke`: a frame must not keep an error

    def _open(self) -> None:
        self._outstanding += 1

    def _close(self) -> None:
        self._outstanding -= 1
        self._tell_idle()

    def _tell_idle(self) -> None:
        if not self._outstanding and not self.kept_open:
            waiting, self._idle = self._idle, []
            for future in waiting:
                if not future.done():
                    future.set_result(None)

    def release(self) -> None:
        """The program may end again: the user went on, after taking out the last message."""
        if self.kept_open:
            self.kept_open = False
            self._tell_idle()

    async def _until_idle(self) -> None:
        while self._outstanding or self.kept_open:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._idle.append(future)
            await future

    def _log_event(
        self,
        message: Any,
        sender: AgentId | None,
        receiver: AgentId | TopicId | None,
        kind: MessageKind,
        stage: DeliveryStage,
    ) -> None:
        """What the program's own log handlers see of a message; nothing is serialised where there are none."""
        if _events.isEnabledFor(logging.INFO):
            payload = messages.text(message)
            _events.info(
                MessageEvent(payload=payload, sender=sender, receiver=receiver, kind=kind, delivery_stage=stage)
            )


class _Said:
    """What the log says of a message: made only where somebody reads it."""

    def __init__(self, message: Any) -> None:
        self._message = message

    def __str__(self) -> str:
        return str(self._message.__dict__ if hasattr(self._message, "__dict__") else self._message)


def _type(message: Any) -> str:
    return type(message).__name__


def _kind(context: MessageContext) -> MessageKind:
    return MessageKind.DIRECT if context.is_rpc else MessageKind.PUBLISH


def _delivery(item: Item) -> tuple[str, str]:
    """Who is called with what, as the log says it."""
    sender = str(item.context.sender) if item.context.sender is not None else "Unknown"
    who = item.recipient if item.context.is_rpc else item.recipient.type
    return str(who), f"{_type(item.message)} {'sent' if item.context.is_rpc else 'published'} by {sender}"


def _is_turn(item: Item) -> bool:
    """Whether a delivery asks a member of a team to speak."""
    return type(item.message).__name__ == "GroupChatRequestPublish"


async def _hear(manager: Any, message: Any) -> None:
    """The user says something to a whole team: its manager adds it to the conversation, and shows it."""
    await manager.update_message_thread([message.message])
    await manager.handle_group_chat_message(message, None)


def _context(
    sender: AgentId | None, topic: TopicId | None, token: CancellationToken | None, message_id: str | None
) -> MessageContext:
    return MessageContext(
        sender=sender,
        topic_id=topic,
        is_rpc=topic is None,
        cancellation_token=token or CancellationToken(),
        message_id=message_id or f"00000000-0000-4000-8000-{next(_numbers):012x}",
    )


def _refuse(future: asyncio.Future[Any] | None) -> None:
    if future is not None and not future.done():
        future.set_exception(MessageDroppedException())


def _normalizer(message: Any) -> Callable[[Json, Json], Json]:
    return lambda _, value: messages.normalize(message, value)
