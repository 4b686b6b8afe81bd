"""Timers of event loops and `time.sleep`, led through `outtake_probe.timers`.

Event loops that are not written in Python (uvloop), and waits of threads with a time-out (locks, queues, events), are
not seen.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from asyncio.base_events import BaseEventLoop
from collections.abc import Callable
from functools import partial
from typing import Any, SupportsIndex, TypeGuard

from outtake_probe import clock
from outtake_probe.session import Session
from outtake_probe.sessions import for_each
from outtake_probe.timers import Timer, Timers, caller
from outtake_probe.waits import SETTLE, on_loop

BREATH = 0.01
"""Seconds that a thread has, after a sleep in a replay, to do what it woke up for, before others go on."""

_WAKING = ("asyncio", "_asyncio", "anyio")
"""Modules whose callbacks do no more than wake tasks up, or cancel them."""


def install(session: Session, *, everywhere: bool = True) -> Callable[[], None]:
    """See every timer that is set from now on, or those inside of invocations; returns what takes that out again."""
    timers = for_each(session, lambda each: Timers(each, everywhere=everywhere))
    return _join([_see_loops(timers), _see_sleep(timers)])


def _join(undo: list[Callable[[], None]]) -> Callable[[], None]:
    def take_out() -> None:
        for each in undo:
            each()

    return take_out


# -- event loops -----------------------------------------------------------------------------------------------------


def _see_loops(timers: Timers) -> Callable[[], None]:
    real = BaseEventLoop.call_at

    def call_at(
        self: BaseEventLoop,
        when: float,
        callback: Callable[..., object],
        *args: Any,
        context: contextvars.Context | None = None,
    ) -> asyncio.TimerHandle:
        made = timers.set(caller())
        if made is None:
            return real(self, when, callback, *args, context=context)
        around = context if context is not None else contextvars.copy_context()
        timer = _LoopTimer(timers, made, self, partial(callback, *args), around)
        timer.handle = real(self, when, timer, context=around)
        timer.begin()
        return timer.handle

    def take_out() -> None:
        if BaseEventLoop.call_at is call_at:
            BaseEventLoop.call_at = real  # type: ignore[method-assign]

    BaseEventLoop.call_at = call_at  # type: ignore[method-assign,assignment]
    return take_out


class _LoopTimer:
    """What a loop calls instead of a timer's callback: at its time by the clock, which may not be its turn."""

    __slots__ = ("__wrapped__", "called", "context", "handle", "is_late", "is_over", "loop", "made", "seq", "timers")

    def __init__(
        self, timers: Timers, made: Timer, loop: BaseEventLoop, called: partial[object], context: contextvars.Context
    ) -> None:
        self.timers = timers
        self.made = made
        self.loop = loop
        self.called = called
        self.__wrapped__ = called.func
        self.context = context
        self.handle: asyncio.TimerHandle | None = None
        self.seq: int | None = None
        self.is_late = False
        """Its time has come, and it waits for its turn."""
        self.is_over = False

    def begin(self) -> None:
        """It was set: where the record knows it, it is over when its turn comes."""
        if not self.timers.binds:
            return
        self.seq, wait = self.timers.turn(self.made)
        if self.seq is None:
            return
        if wait is None:
            self._called(SETTLE)
        else:
            wait.then(self._call_from_anywhere)

    def __call__(self) -> None:
        """Its time has come."""
        if self.is_over:
            return
        if self.timers.binds and self.seq is None:
            wait = self.timers.late(self.made)
            if wait is not None:
                self.is_late = True
                wait.then(self._call_from_anywhere)
                return
        elif self.timers.binds and self.seq is not None and not self.timers.has_come(self.seq):
            self.is_late = True
            return
        self._go()

    def _go(self) -> None:
        """Do what it was set for.  What wakes a task is over when that comes to run, after this turn of the loop."""
        self.is_over = True
        if (getattr(self.__wrapped__, "__module__", None) or "").startswith(_WAKING):
            self.loop.call_soon(self.timers.over, self.made)
        else:
            self.timers.over(self.made)
        self._settle(SETTLE)
        self.called()

    def _call_from_anywhere(self) -> None:
        try:
            self.loop.call_soon_threadsafe(self._called, SETTLE)
        except RuntimeError:  # the loop was closed: nobody waits any more
            self._done()

    def _called(self, turns: int) -> None:
        """Its turn has come, or turns are not waited for any more; who came before it runs first."""
        if turns:
            self.loop.call_soon(self._called, turns - 1)
            return
        if self.is_over or self.handle is None:
            return
        if self.handle.cancelled():
            self.is_over = True
            self._done()
        elif self.is_late or (self.seq is not None and self.timers.has_come(self.seq)):
            self.is_over = True
            if not self.is_late:
                self.handle.cancel()
            self.loop.call_soon(self._go, context=self.context)

    def _settle(self, turns: int) -> None:
        """Let what it woke up do what it is woken up for, before others go on."""
        if self.seq is None:
            return
        if turns:
            self.loop.call_soon(self._settle, turns - 1)
        else:
            self._done()

    def _done(self) -> None:
        if self.seq is not None:
            self.timers.settle(self.seq)


# -- threads ---------------------------------------------------------------------------------------------------------


class _Woken:
    """A thread that goes on after a sleep of the record: others wait until it has done what it woke up for."""

    def __init__(self, timers: Timers, seq: int) -> None:
        self._timers = timers
        self._seq = seq
        self._once = threading.Lock()

    def done(self) -> None:
        """It sleeps again, or has had its time."""
        if self._once.acquire(blocking=False):
            self._timers.settle(self._seq)

    def in_time(self) -> None:
        """Do not wait for its next sleep for ever."""
        watch = threading.Timer(BREATH, self.done)
        watch.name, watch.daemon = "outtake-breath", True
        watch.start()


def _see_sleep(timers: Timers) -> Callable[[], None]:
    real = time.sleep
    woken = threading.local()

    def sleep(seconds: float | SupportsIndex, /) -> None:
        before: _Woken | None = getattr(woken, "last", None)
        if before is not None:
            woken.last = None
            before.done()
        is_ours = threading.current_thread().name.startswith("outtake-")
        if is_ours or not _is_some(seconds) or (made := timers.set(caller())) is None:
            real(seconds)
            return
        seq, wait = timers.turn(made) if timers.binds else (None, None)
        if seq is None:
            real(seconds)
            wait = timers.late(made) if timers.binds else None
            if wait is not None and not on_loop():
                wait.block()
            timers.over(made)
            return
        if wait is not None and not on_loop():
            wait.block()
        if not timers.has_come(seq):
            real(max(0.0, made.at + seconds - clock.monotonic()))
        timers.over(made)
        woken.last = last = _Woken(timers, seq)
        last.in_time()

    def take_out() -> None:
        if time.sleep is sleep:
            time.sleep = real

    time.sleep = sleep
    return take_out


def _is_some(seconds: object) -> TypeGuard[float]:
    """Whether a thread that sleeps this long lets others go on in between."""
    return isinstance(seconds, (int, float)) and seconds > 0
