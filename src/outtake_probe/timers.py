"""Time that the program waits for: among what else it was over is recorded, and a replay keeps to that.

A program that sleeps, sets a time-out, or asks again and again whether something is done, goes on at some moment among
everything else that happens.  A replay is faster than its record, so the clock would choose another moment there.  So
each timer of an event loop and each `time.sleep` is known by who set it and how many they had set before, and a
`value_read` says when it was over.  In a replay it is over when its turn has come, however much time that takes.  One
that the record does not know (it was cancelled there, in time) waits for its time, and then until the record's order
binds no more.  Nothing diverges because of a timer: where a recorded one does not come, the replay goes on without it.

What this does to event loops and to `time.sleep` is in `outtake_probe.timer_hooks`.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING

from outtake_probe import clock
from outtake_probe.calls import current
from outtake_probe.records import TIMER, Json, ValueRead

if TYPE_CHECKING:
    from outtake_probe.session import Session
    from outtake_probe.waits import Wait

_BETWEEN = tuple(os.path.join(os.path.dirname(os.path.abspath(file)), "") for file in (asyncio.__file__, __file__))
_ALSO_BETWEEN = (os.path.join("anyio", "_"), f"{os.sep}contextlib.py", f"{os.sep}async_timeout{os.sep}")
_DEEPEST = 30


@dataclass(frozen=True, slots=True)
class Timer:
    """One timer that was set: in which invocation, by whom, and which of theirs it is, from 1."""

    parent: int | None
    matched: int | None
    """Number of that invocation in the parent run, where it was matched."""
    known: bool
    """Whether a record can know it: it was set outside of everything, or in an invocation that was matched."""
    source: str
    number: int
    at: float


class Timers:
    """The timers of one session."""

    def __init__(self, session: Session, *, everywhere: bool = True) -> None:
        self.session = session
        self._everywhere = everywhere
        """Whether those outside of every invocation are the program's, too."""
        self._counts: Counter[tuple[int | None, str]] = Counter()
        self._over: dict[tuple[int | None, str], list[Timer]] = {}
        """Those that are over since the last record was written, by where they were set."""

    def set(self, setter: FrameType) -> Timer | None:
        """A timer is set by the code of this frame; None where nobody is to know of it."""
        session, frame = self.session, current.get()
        if frame is None and not self._everywhere:
            return None
        if session.closed or session.is_entered:
            return None
        if frame is not None and (frame.caught is not None or frame.kind == "model"):
            return None  # what a model does meanwhile is never executed again for its own sake
        if session.replay is not None and frame is not None and session.replay.is_outside(frame):
            return None
        source = f"{TIMER}{_who(setter)}"
        parent = frame.invocation if frame is not None else None
        matched = frame.matched if frame is not None else None
        with session.lock:
            self._counts[parent, source] += 1
            number = self._counts[parent, source]
        known = frame is None or matched is not None
        return Timer(parent, matched, known, source, number, clock.monotonic())

    def over(self, timer: Timer) -> None:
        """It is over, and the program goes on: written down together with others before the next record."""
        session = self.session
        with session.lock:
            if session.closed or (session.replay is not None and session.replay.index.in_prefix):
                return
            if not self._over:
                session.streams.append(self._flush)
            self._over.setdefault((timer.parent, timer.source), []).append(timer)

    def _flush(self) -> None:
        over, self._over = self._over, {}
        now = clock.monotonic()
        for (parent, source), timers in over.items():
            waited = round(sum(now - timer.at for timer in timers), 3)
            numbers = sorted(timer.number for timer in timers)
            self.session.emit(ValueRead, source=source, value=[waited, *_ranges(numbers)], parent=parent)

    # -- in a replay -------------------------------------------------------------------------------------------------

    @property
    def binds(self) -> bool:
        """Whether the order of a record binds."""
        replay = self.session.replay
        return replay is not None and replay.index.ordered

    def turn(self, timer: Timer) -> tuple[int | None, Wait | None]:
        """The record that says when this timer is over, and what to wait for until then; None where it has come."""
        replay = self.session.replay
        if replay is None or not timer.known:
            return None, None
        with self.session.lock:
            seq = replay.index.timers.take(timer.matched, timer.source, timer.number) if self.binds else None
            return seq, replay.index.turn(seq) if seq is not None else None

    def has_come(self, seq: int) -> bool:
        """Whether it is the turn of a timer by the record, not because nobody waits for turns any more."""
        replay = self.session.replay
        return replay is not None and replay.index.has_come(seq)

    def late(self, timer: Timer) -> Wait | None:
        """What one that the record does not know waits for, once its time has come."""
        replay = self.session.replay
        if replay is None:
            return None
        with self.session.lock:
            return replay.index.late(timer.source)

    def settle(self, seq: int) -> None:
        """What a recorded timer has woken up has had its turn."""
        replay = self.session.replay
        if replay is not None:
            with self.session.lock:
                if replay.index.timers.is_over(seq):
                    replay.settle([seq])


def _ranges(numbers: Sequence[int]) -> list[Json]:
    """Numbers in order as pairs of the first and the last of each uninterrupted sequence."""
    found: list[list[Json]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return [*found]


def _who(frame: FrameType | None) -> str:
    """Name of the function that waits: the innermost one that is not of what offers to wait."""
    for _ in range(_DEEPEST):
        if frame is None:
            break
        file = frame.f_code.co_filename
        if not file.startswith(_BETWEEN) and not any(part in file for part in _ALSO_BETWEEN):
            return frame.f_code.co_name
        frame = frame.f_back
    return ""


def caller() -> FrameType:
    """The frame of whoever calls this."""
    return sys._getframe(1)
