"""The queue of one event loop: which message is delivered next, and what the user may do to those that wait.

Every message waits in one list, in the order in which it was sent, until its delivery has passed the gate.  Messages
are brought to the gate in that order; one that is held there keeps back only what comes after it for the same agent.
While the user steps, they are brought there one at a time, when nothing else is on its way: a handler that is waiting
for something that no gate knows of (an answer, another agent, a timer) keeps nobody back.

A message at the gate can go back into the list: its task is cancelled, and it is brought there again when it is its
turn.  Nothing has been recorded of it until it passes.
"""

from __future__ import annotations

import asyncio
import functools
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import Context, ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from autogen_core import AgentId, MessageContext

from outtake_probe.calls import Call
from outtake_probe.commands import BadValue
from outtake_probe.gate.invoke import NewInput, acall
from outtake_probe.records import Json
from outtake_probe.session import Session, Stopped
from outtake_probe.targets.autogen import messages

if TYPE_CHECKING:
    from autogen_core._telemetry import EnvelopeMetadata

    from outtake_probe.targets.autogen.runtime import Runtime
    from outtake_probe.targets.autogen.spans import Published

QUIET = 24
"""Turns of the loop after which a handler that is in no model or tool call is waiting for something."""
QUEUED, OFFERED, PASSED, GONE = "queued", "offered", "passed", "gone"


@dataclass(eq=False)
class Batch:
    """What was queued together: AutoGen's own runtime has one entry in its queue for all who hear a message."""

    asked_for: bool = False
    """Whoever delivers by hand has asked for it."""


@dataclass(eq=False)
class Item:
    """One message for one agent."""

    id: int
    runtime: Runtime
    recipient: AgentId
    path: str
    message: Any
    identity: Json
    """What was sent, before any edit: names the delivery in every run."""
    context: MessageContext
    future: asyncio.Future[Any] | None = None
    """Who waits for the answer."""
    batch: Batch = field(default_factory=Batch)
    state: str = QUEUED
    body: Json = None
    task: asyncio.Task[None] | None = None
    call: Call | None = None
    open: int = 0
    """Model and tool calls in progress inside its handler."""
    grant: asyncio.Future[None] | None = None
    """Who asked for the next message, and waits until this one is delivered."""
    served: bool = False
    unmade: bool = False
    """Its recipient could not be constructed."""
    injected: bool = False
    envelope: EnvelopeMetadata | None = None
    """Links its spans to the one in which it was sent."""
    published: Published | None = None
    """The span around all deliveries of what was published."""

    def revise(self, message: Any) -> None:
        """Give it another content; the delivery that waits at the gate takes it along."""
        self.message = message
        self.body = messages.body(message)
        if self.call is not None:
            self.call.input, self.call.revised = self.body, True


_delivery: ContextVar[weakref.ref[Item] | None] = ContextVar("outtake_autogen_delivery", default=None)
"""The delivery inside which the running code is.  What a handler starts keeps its context, but not the runtime."""


class DeliveryQueue:
    """The queue of one event loop."""

    def __init__(self, session: Session, loop: asyncio.AbstractEventLoop) -> None:
        self.session = session
        self.loop = loop
        self.items: list[Item] = []
        self.running: set[Item] = set()
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    # -- the list ----------------------------------------------------------------------------------------------------

    def put(self, item: Item) -> None:
        """Queue a message, last."""
        self.items.append(item)
        self.wake()

    def find(self, number: int) -> list[Item]:
        """The queued messages of that number: one for each agent that a user's message to a topic goes to."""
        return [item for item in self.items if item.id == number]

    def move(self, number: int, before: int | None) -> None:
        """Put a message before another one, or last; what now comes too late at the gate goes back into the list."""
        moved = self.find(number)
        rest = [item for item in self.items if item.id != number]
        at = len(rest) if before is None else next((i for i, item in enumerate(rest) if item.id == before), None)
        if at is None:
            raise BadValue(f"message {before} is not queued any more")
        self.items = [*rest[:at], *moved, *rest[at:]]
        self._withdraw_late()
        self.wake()

    def revise(self) -> None:
        """A message was changed in place: others that wait may be about the same object."""
        for item in self.items:
            item.revise(item.message)

    def take(self, item: Item) -> None:
        """Take a message out of the list for good."""
        self._withdraw(item)
        item.state = GONE
        self.items.remove(item)
        self.wake()

    def _withdraw_late(self) -> None:
        first: set[tuple[int, AgentId]] = set()
        serial = self._serial()
        for number, item in enumerate(self.items):
            key = (id(item.runtime), item.recipient)
            if item.state == OFFERED and (key in first or (serial and number > 0)):
                self._withdraw(item)
            first.add(key)

    def _withdraw(self, item: Item) -> None:
        task, item.task, item.call = item.task, None, None
        if item.state == OFFERED:
            item.state = QUEUED
            item.runtime.take_back(item)
        if task is not None:
            task.cancel()

    # -- bringing messages to the gate -------------------------------------------------------------------------------

    def wake(self) -> None:
        """Something changed: look at the list again."""
        self._changed.set()
        if self.items and (self._task is None or self._task.done()) and not self.loop.is_closed():
            self._task = Context().run(self.loop.create_task, self._run())

    async def _run(self) -> None:
        while self.items:
            self._changed.clear()
            if self._serial() and not await self._quiet():
                await self._changed.wait()
                continue
            item = self._next()
            if item is None:
                await self._changed.wait()
                continue
            self._offer(item)
            await asyncio.sleep(0)

    def _serial(self) -> bool:
        """Whether messages come to the gate one at a time.  A replay follows the record instead."""
        return self.session.stance.paused and not self.session.is_ordered

    async def _quiet(self) -> bool:
        """Whether nothing is on its way, so that the next message may come to the gate."""
        if any(item.state == OFFERED for item in self.items):
            return False
        for _ in range(QUIET if self.running else 0):
            await asyncio.sleep(0)
        return not any(item.open for item in self.running)

    def _next(self) -> Item | None:
        kept: set[tuple[int, AgentId]] = set()
        for item in self.items:
            key = (id(item.runtime), item.recipient)
            if item.state == QUEUED and key not in kept and item.runtime.delivers(item):
                return item
            kept.add(key)
        return None

    def _offer(self, item: Item) -> None:
        item.state = OFFERED
        item.runtime.offered(item)
        item.task = item.runtime.context().run(self.loop.create_task, self._deliver(item))

    # -- delivering --------------------------------------------------------------------------------------------------

    async def _deliver(self, item: Item) -> None:
        task = asyncio.current_task()
        _delivery.set(weakref.ref(item))
        call = item.call = item.runtime.delivery_call(item)
        try:
            value = await acall(self.session, call, functools.partial(self._pass, item))
        except asyncio.CancelledError as error:
            if item.task is task:
                self._done(item)
                item.runtime.failed(item, error)
        except Stopped as error:
            self._done(item)
            self._end(item, error)
        except BaseException as error:  # noqa: BLE001  the program's handler is the boundary, and somebody waits for it
            self._done(item)
            item.runtime.failed(item, error)
        else:
            self._done(item)
            await item.runtime.answered(item, value)

    async def _pass(self, item: Item, new: NewInput | None) -> Any:
        """The delivery has passed the gate: call the handler."""
        item.state = PASSED
        item.runtime.grant(item)
        self.items.remove(item)
        self.running.add(item)
        self.wake()
        if new is not None:
            item.message = new.value
        return await item.runtime.handle(item)

    def _done(self, item: Item) -> None:
        if item.state != PASSED:
            item.state = GONE
            item.runtime.grant(item)
            self.items.remove(item)
        self.running.discard(item)
        self.wake()

    def _end(self, item: Item, error: Stopped) -> None:
        """The user ended the program: nobody on this loop goes on."""
        item.runtime.failed(item, error)
        for task in asyncio.all_tasks(self.loop):
            if task is not asyncio.current_task():
                task.cancel()


@contextmanager
def inside_call(wake: Callable[[], None]) -> Iterator[None]:
    """A model or tool call is in progress in the delivery that is running."""
    here = _delivery.get()
    item = here() if here is not None else None
    if item is None:
        yield
        return
    item.open += 1
    try:
        yield
    finally:
        item.open -= 1
        if not item.open:
            wake()


@dataclass
class DeliveryQueues:
    """The queues of a program: one for each event loop that it has run."""

    session: Session
    _all: list[DeliveryQueue] = field(default_factory=list)

    def here(self) -> DeliveryQueue:
        """The queue of the running loop."""
        loop = asyncio.get_running_loop()
        for delivery_queue in self._all:
            if delivery_queue.loop is loop:
                return delivery_queue
        self._all = [delivery_queue for delivery_queue in self._all if not delivery_queue.loop.is_closed()]
        self._all.append(DeliveryQueue(self.session, loop))
        return self._all[-1]

    def live(self) -> DeliveryQueue | None:
        """The newest queue whose loop is running."""
        return next(
            (delivery_queue for delivery_queue in reversed(self._all) if delivery_queue.loop.is_running()), None
        )

    def find(self, number: int) -> tuple[DeliveryQueue, list[Item]]:
        """The queue that holds a message, and the message.  Raises `BadValue`."""
        for delivery_queue in self._all:
            found = delivery_queue.find(number) if not delivery_queue.loop.is_closed() else []
            if found:
                return delivery_queue, found
        raise BadValue(f"message {number} is not queued any more: it was delivered, dropped, or never sent")

    def wake_here(self) -> None:
        """Look at the running loop's list again."""
        self.here().wake()

    def each(self, act: Callable[[DeliveryQueue], None]) -> None:
        """From any thread: do this on every loop that runs."""
        for delivery_queue in list(self._all):
            with suppress(RuntimeError):  # it was closed just now
                if delivery_queue.loop.is_running():
                    delivery_queue.loop.call_soon_threadsafe(act, delivery_queue)
