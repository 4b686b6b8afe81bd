"""What the program prints inside of what the record may answer for: written down there, and printed again.

A step, a model or a tool that a fork serves does not run, but what it printed belongs to what it did.  So whatever is
written to standard output or error inside of one is a note under its invocation, and where the record answers, those
notes are printed again, in their turn.  What is printed anywhere else is code between the gates, which prints it again
by itself; a note says how often that had written before, and is not printed before it has as often again.

Bytes that are written past these two streams (to file descriptors, by child processes) are nobody's.
"""

from __future__ import annotations

import sys
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from outtake_probe.calls import Frame, current
from outtake_probe.records import STREAMS, Noted
from outtake_probe.redaction.pieces import Printed
from outtake_probe.waits import Steps, Wait

if TYPE_CHECKING:
    from outtake_probe.gate.pass_state import Passage
    from outtake_probe.replay.scheduler import Replay
    from outtake_probe.session import Session

LIMIT = 8 << 20
"""Characters that are written down in one run."""
TOGETHER = 1 << 16
"""Characters that are written down together, at most."""

PATIENCE = 0.5
"""Seconds for which the code between the gates is waited for, when it has not printed as much as in the record."""

Key = tuple[int | None, str]
"""An invocation, and the name of a stream."""


class Between:
    """How often the code between the gates has written to each stream."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # what is collected as garbage meanwhile may print
        self._writes = dict.fromkeys(STREAMS, 0)
        self._waiting: list[_Waiting] = []
        self._otherwise = False
        """It was waited for in vain: it prints less than in the record, and is not waited for any more."""

    def add(self, stream: str) -> None:
        """It has written once more."""
        with self._lock:
            self._writes[stream] = writes = self._writes[stream] + 1
            if not self._waiting:
                return
            due = [each for each in self._waiting if each.stream == stream and each.writes <= writes]
            self._waiting = [each for each in self._waiting if each not in due]
        for each in due:
            each.watch.cancel()
            each.wait.set()

    def writes(self, stream: str) -> int:
        """How often so far."""
        return self._writes[stream]

    def wait(self, stream: str, writes: int) -> Wait | None:
        """What is true once it has written as often, or was waited for in vain; None where it has."""
        with self._lock:
            if self._writes[stream] >= writes:
                self._otherwise = False
                return None
            if self._otherwise:
                return None
            made = _Waiting(stream, writes, Wait(order=True))
            made.watch = threading.Timer(PATIENCE, self._give_up, [made])
            made.watch.name, made.watch.daemon = "outtake-printing", True
            self._waiting.append(made)
        made.watch.start()
        return made.wait

    def _give_up(self, waiting: _Waiting) -> None:
        with self._lock:
            if waiting not in self._waiting:
                return
            self._waiting.remove(waiting)
            self._otherwise = True
        waiting.wait.set()


@dataclass(eq=False)
class _Waiting:
    """Somebody waits until a stream was written to as often."""

    stream: str
    writes: int
    wait: Wait
    watch: threading.Timer = field(init=False)


class Printing:
    """What is printed inside invocations of one session.  Whoever calls holds the session's lock, but for `note`."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.between = Between()
        self._waiting: list[tuple[Frame, str, str, int]] = []
        """What is not written down yet, and how often the code between the gates had written before."""
        self._size = 0
        self._left = LIMIT
        self._cleaners: dict[Key, Printed] = {}
        self._held: dict[Key, int] = {}
        """Characters that a cleaner holds back, since what was written down last."""
        self._expected: dict[Key, deque[list[int]]] = defaultdict(deque)
        """What the record says that each invocation prints: number and characters, in order."""
        self._order = threading.RLock()
        for r in session.replay.index.prints if session.replay is not None else ():
            self._expected[r.parent or 0, r.type].append([r.seq, r.size])

    @contextmanager
    def in_order(self) -> Iterator[None]:
        """What several threads print is written down in the order in which it is printed.

        What is printed inside the probe, by a finalizer, does not wait; others not for long: the stream may be one of
        the program's own, with a lock that is held by who prints.
        """
        mine = self._order.acquire(timeout=0 if self._session.is_entered else 1.0)
        try:
            yield
        finally:
            if mine:
                self._order.release()

    def note(self, frame: Frame, stream: str, text: str) -> None:
        """The code inside an invocation has printed this."""
        session = self._session
        if session.is_entered:
            session.defer(partial(self._note, frame, stream, text))
            return
        self._note(frame, stream, text)

    def _note(self, frame: Frame, stream: str, text: str) -> None:
        session = self._session
        with session.lock:
            text = text[self._repeated(frame.matched, stream, len(text)) :]
            text = text[: self._left]
            if not text:
                return
            self._left -= len(text)
            if frame.invocation in session.streaming:
                session.flush_streams()
            if not self._waiting:
                session.streams.append(self._flush)
            self._waiting.append((frame, stream, text, self.between.writes(stream)))
            self._size += len(text)
            if self._size > TOGETHER:
                session.flush_streams()

    def _repeated(self, matched: int | None, stream: str, size: int) -> int:
        """How many of these characters the record holds already, before the cut; who waits for them goes on."""
        expected = self._expected.get((matched, stream)) if matched is not None else None
        replay = self._session.replay
        known, done = 0, []
        while expected and size and replay is not None:
            part = min(size, expected[0][1])
            size -= part
            known += part if expected[0][0] < replay.index.cut else 0
            done.append(expected[0][0])
            expected[0][1] -= part
            if not expected[0][1]:
                expected.popleft()
        if done and replay is not None:
            replay.settle(done)
        return known

    def passed(self, matched: int | None, before: int | None = None) -> None:
        """An invocation is executed again and comes to this record, or to its end: what it has not printed by now, it
        does not print any more, and nobody is to wait for it."""
        replay = self._session.replay
        done: list[int] = []
        for stream in STREAMS if matched is not None and self._expected else ():
            expected = self._expected.get((matched, stream))
            while expected and (before is None or expected[0][0] < before):
                done.append(expected.popleft()[0])
        if done and replay is not None:
            replay.settle(done)

    def waits_for(self, invocation: int) -> bool:
        """Whether something that an invocation printed is not written down yet."""
        return any(frame.invocation == invocation for frame, *_ in self._waiting)

    def _flush(self) -> None:
        """Write down what waits: what was printed by one invocation without anything in between, together."""
        waiting, self._waiting, self._size = self._waiting, [], 0
        begin = 0
        for end in range(1, len(waiting) + 1):
            frame, stream, _, writes = waiting[begin]
            if end == len(waiting) or waiting[end][0] is not frame or waiting[end][1::2] != (stream, writes):
                self._write(frame, stream, "".join(text for _, _, text, _ in waiting[begin:end]), writes)
                begin = end

    def _write(self, frame: Frame, stream: str, text: str, writes: int) -> None:
        key = (frame.invocation, stream)
        size = self._held.pop(key, 0) + len(text)
        clean = self._session.bodies.clean
        if clean is not None:
            text = self._cleaners.setdefault(key, Printed(clean)).add(text)
        if text:
            self._emit(frame, stream, text, size, writes)
        else:
            self._held[key] = size

    def _emit(self, frame: Frame, stream: str, text: str, size: int, writes: int) -> None:
        body, told = self._session.bodies.put(text), {"size": size, "writes": writes}
        self._session.emit(Noted, type=stream, component=frame.component, parent=frame.invocation, body=body, **told)

    def ended(self, frame: Frame) -> None:
        """An invocation has come back: what may have been the beginning of a secret is written down as it is."""
        self._session.flush_streams()
        for stream in STREAMS if self._cleaners else ():
            key = (frame.invocation, stream)
            cleaner = self._cleaners.pop(key, None)
            rest = cleaner.add("", is_last=True) if cleaner is not None else ""
            size = self._held.pop(key, 0)
            if rest or size:
                self._emit(frame, stream, rest, size, self.between.writes(stream))


# -- the streams -----------------------------------------------------------------------------------------------------

_again = threading.local()
"""Whether this thread prints what the record says."""


def install(session: Session) -> Callable[[], None]:
    """See what is written to standard output and error from now on; returns what takes that out again.

    The streams stay the objects that they are: who holds one already is seen, too.
    """
    undo = [_see(session, name) for name in STREAMS]

    def take_out() -> None:
        for each in undo:
            each()

    return take_out


def _see(session: Session, name: str) -> Callable[[], None]:
    stream: Any = getattr(sys, name)
    real = getattr(stream, "write", None)
    if real is None:
        return lambda: None

    def write(text: str, /) -> Any:
        frame = current.get()
        if getattr(_again, "on", False) or session.closed:
            return real(text)
        if frame is None or not frame.may_be_served:
            with session.printing.in_order():
                written = real(text)
                session.printing.between.add(name)
            return written
        if frame.caught is not None and _is_served(session):
            return len(text)  # it is executed again for the sake of a state: this was printed when it was served
        with session.printing.in_order():
            written = real(text)
            if isinstance(text, str):
                session.printing.note(frame, name, text)
        return written

    def take_out() -> None:
        if vars(stream).get("write") is write:
            del stream.write

    try:
        stream.write = write
    except AttributeError:  # an object of the program's own that cannot be seen into
        return lambda: None
    return take_out


def _is_served(session: Session) -> bool:
    """Whether the record holds what is printed: one of an earlier version does not."""
    return session.replay is not None and bool(session.replay.index.prints)


# -- again -----------------------------------------------------------------------------------------------------------


def fetch(session: Session, passage: Passage) -> Steps[None]:
    """Have at hand what a served passage printed."""
    for r in passage.prints if session.replay is not None else ():
        if r.body is not None and session.replay is not None:
            passage.texts[r.seq] = yield from session.replay.body(r.body)


def print_again(session: Session, passage: Passage, before: int | None = None) -> Steps[None]:
    """Print, each in its turn, what a served passage printed before this record."""
    replay = session.replay
    while replay is not None and passage.prints and (before is None or passage.prints[0].seq < before):
        r = passage.prints[0]
        yield from replay.turn(r.seq)
        wait = session.printing.between.wait(r.type, r.writes)
        if wait is not None:
            yield wait
        with session.lock:
            if not passage.prints or passage.prints[0] is not r:
                return  # it was left meanwhile
            del passage.prints[0]
            _write_until(replay, passage, r.seq)
        _print(r.type, passage.texts.pop(r.seq, ""))
        with session.lock:
            replay.settle([r.seq])


def _write_until(replay: Replay, passage: Passage, seq: int) -> None:
    """Write what the record holds inside a served passage, up to what is printed now: others may print in between."""
    while passage.inside and passage.inside[0] <= seq:
        inner = passage.inside.popleft()
        if inner not in passage.written:
            passage.written.add(inner)
            replay.copy(replay.index.records[inner])


def left(session: Session, passage: Passage) -> None:
    """A served passage is left before it has printed everything: nobody is to wait for that."""
    prints, passage.prints = passage.prints, []
    if session.replay is not None and prints:
        session.replay.settle([r.seq for r in prints])


def _print(name: str, text: str) -> None:
    stream = getattr(sys, name)
    if stream is None:
        return
    _again.on = True
    try:
        stream.write(text)
    finally:
        _again.on = False
