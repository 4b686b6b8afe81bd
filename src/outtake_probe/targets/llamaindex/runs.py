"""One run of a workflow: where it stands in the program, and what caused what in it."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from workflows import Workflow
from workflows.events import Event, StartEvent, StepFailedEvent

from outtake_probe.calls import Frame
from outtake_probe.targets.llamaindex import attribute_tracking
from outtake_probe.targets.llamaindex.access_tracking import Shared
from outtake_probe.waits import SETTLE

SLACK = 0.05
"""Seconds by which two readings of the same due time may differ."""
TURNS = 1000
"""Turns of the loop in which an event that was sent has been received, as a rule."""


@dataclass(eq=False)
class Run:
    """Causes are known by the identity of events: each is held here, so that none is mistaken for another."""

    id: str
    workflow: Workflow
    path: str
    frame: Frame | None
    store: Shared | None = None
    adapter: Any = None
    """The framework's, into which events are sent."""
    hold: Any = None
    """What waits for a person."""
    loop: asyncio.AbstractEventLoop | None = None
    outside: list[Event] = field(default_factory=list)
    """Events that the program sent from outside of the run's steps and that are not received yet."""
    expected: list[Event] = field(default_factory=list)
    """Events of a person that were sent and are not received yet."""
    awaited: dict[str, type[Event]] = field(default_factory=dict)
    """Types of events that steps wait for, by waiter."""
    asks: bool = False
    """It has streamed a question to a person, and nothing has arrived since."""
    timer: bool = False
    """It goes on by itself when some time is over: that of a waiter or of a retry, not its own time-out."""
    unheard: str = ""
    """The last event that a step returned or sent and no step accepts, in words."""
    failure: Exception | None = None
    """Why the debugger ended it."""
    _deadline: float | None = None
    _passing: int = 0
    _passed: list[asyncio.Future[None]] = field(default_factory=list)
    _order: dict[asyncio.Task[Any], int] = field(default_factory=dict)
    _count: int = 0
    _causes: dict[int, tuple[Event, tuple[int, ...], bool]] = field(default_factory=dict)
    _givers: dict[type[Event], str] = field(default_factory=dict)
    _failed: dict[tuple[str, int], tuple[int, ...]] = field(default_factory=dict)
    _waited: dict[tuple[str, int], tuple[int, ...]] = field(default_factory=dict)

    # -- causes ------------------------------------------------------------------------------------------------------

    def emitted(self, event: Event, number: int, is_message: bool = False) -> Event:
        """An event was returned by an invocation, or sent as a message.  One that has a cause already is copied."""
        if id(event) in self._causes:
            event = event.model_copy()
        self._causes[id(event)] = (event, (number,), is_message)
        return event

    def gives(self, event: Event, who: str) -> None:
        """A step returns or sends an event."""
        self._givers[type(event)] = who

    def nobody_takes(self, qualified_name: str) -> None:
        """The framework says that an event was delivered to nobody."""
        for cls, who in self._givers.items():
            if f"{cls.__module__}.{cls.__name__}" == qualified_name:
                taken = {each.__name__ for config in self.configs.values() for each in config.accepted_events}
                known = ", ".join(sorted(taken))
                self.unheard = f"{who} {cls.__name__}, which no step accepts; the steps accept {known}"

    def is_closed(self) -> bool:
        """Whether nobody but its own steps makes the events that they accept, as far as they are declared."""
        made = {cls for config in self.configs.values() for cls in config.return_types}
        taken = {cls for config in self.configs.values() for cls in config.accepted_events}
        return not self.awaited and all(isinstance(c, type) and issubclass(c, StartEvent) for c in taken - made)

    def failed(self, step: str, event: Event, number: int) -> None:
        """An attempt at an event failed: it is what causes the next one, or the handling of the error."""
        self._failed[step, id(event)] = (number,)

    def waited(self, step: str, event: Event, number: int) -> None:
        """A step waits: when it goes on, that is because of this, too."""
        self._waited[step, id(event)] = (number,)

    def causes(self, step: str, events: Iterable[Event]) -> tuple[int, ...]:
        """Numbers of the invocations and messages that led to a step being called with these events."""
        found: list[int] = []
        for event in events:
            found += self._failed.get((step, id(event))) or self.cause(event)
            found += self._waited.get((step, id(event)), ())
        return tuple(dict.fromkeys(found))

    def cause(self, event: Event) -> tuple[int, ...]:
        known = self._causes.get(id(event))
        if known is not None:
            return known[1]
        if isinstance(event, StepFailedEvent):
            return self._failed.get((event.step_name, id(event.input_event)), ())
        return ()

    def message_of(self, events: Sequence[Event]) -> int | None:
        """The message that alone delivers this."""
        known = self._causes.get(id(events[0])) if len(events) == 1 else None
        return known[1][0] if known is not None and known[2] else None

    # -- time --------------------------------------------------------------------------------------------------------

    def waits(self, now: float, timeout: float | None) -> None:
        """The framework waits, at most `timeout` seconds from `now` on: for the next time at which something is due.

        At first, that is the time-out of the whole workflow, where it has one.
        """
        due = None if timeout is None else now + timeout
        if self._deadline is None:
            self._deadline = due if due is not None and self.workflow._timeout is not None else float("inf")
        self.timer = due is not None and due < self._deadline - SLACK

    # -- order -------------------------------------------------------------------------------------------------------

    def enter(self) -> None:
        """A step is at the gate: before its code, or after it."""
        self._passing += 1

    def leave(self) -> None:
        """It has passed, or its code runs."""
        self._passing -= 1
        if not self._passing:
            passed, self._passed = self._passed, []
            for future in passed:
                if not future.done():
                    future.set_result(None)

    async def let_in(self, event: Event) -> None:
        """Receive an event; one from outside that nobody takes yet waits until the steps had their first turns.

        Without a debugger a step waits for events at once, and what is sent at the same time finds it waiting.
        """
        count = len(self.outside)
        self.outside = [other for other in self.outside if other is not event]
        if len(self.outside) < count and not self._is_taken(event):
            await self._passed_the_gate()

    async def _passed_the_gate(self) -> None:
        turns = 0
        while self._passing or turns < SETTLE:
            if self._passing:
                turns = 0
                future = asyncio.get_running_loop().create_future()
                self._passed.append(future)
                await future
            else:
                turns += 1
                await asyncio.sleep(0)

    def _is_taken(self, event: Event) -> bool:
        """Whether a step accepts an event, or waits for it."""
        taken = (*(cls for config in self.configs.values() for cls in config.accepted_events), *self.awaited.values())
        return any(isinstance(cls, type) and isinstance(event, cls) for cls in taken)

    async def received(self, events: Sequence[Event]) -> None:
        """Wait until a person's events have been received that were sent before a step began.

        They were while the program stood still.  In a fork, where the record answers at once, the step's result would
        overtake them.
        """
        for _ in range(TURNS):
            if not any(event is other for event in events for other in self.expected):
                return
            await asyncio.sleep(0)

    def came_back(self) -> None:
        """The running task brings something to the run: a step's result, an event."""
        task = asyncio.current_task()
        if task is not None:
            self._count += 1
            self._order[task] = self._count

    def first(self, done: Sequence[asyncio.Task[Any]], otherwise: Any) -> Any:
        """Which of the tasks that are done the run goes on with: the first that was, whatever the framework picks.

        Results arrive in the order in which they passed the gate, so that a replay collects them in the recorded order.
        """
        known = [task for task in done if task in self._order]
        if not known or otherwise is None:
            return otherwise
        found = min(known, key=self._order.__getitem__)
        del self._order[found]
        return found

    # -- state -------------------------------------------------------------------------------------------------------

    def shared(self, prefix: str) -> Shared | None:
        """The cells of a prefix."""
        return attribute_tracking.own(self.workflow) if prefix == "self" else self.store

    def function(self, step: str) -> Any:
        """What a step executes."""
        return self.workflow._get_steps()[step]

    @functools.cached_property
    def configs(self) -> dict[str, Any]:
        """How each step is declared, by name: a workflow that runs gets no more of them."""
        return {name: step._step_config for name, step in self.workflow._get_steps().items()}

    def step_path(self, step: str) -> str:
        return f"{self.path}/{step}"
