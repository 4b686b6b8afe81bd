"""What happens inside a call that is executed again: no invocation of the run, nothing is held or written.

Models, and tools of other states, are answered by the record of the call where it holds the same question; the rest is
executed, because that is what the call is executed again for.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from outtake_probe.calls import Call, Frame, current
from outtake_probe.codec import decode_error
from outtake_probe.records import Json
from outtake_probe.replay.index import LEAVES, Past
from outtake_probe.waits import Steps, adrive, drive

if TYPE_CHECKING:
    from outtake_probe.session import Session


@dataclass(frozen=True, slots=True)
class Recorded:
    """What the record answers inside a call that is executed again."""

    value: Json
    failed: bool


class Caught:
    """The inside of one call that is executed again."""

    def __init__(self, session: Session, past: Past | None) -> None:
        self._session = session
        self._answers: dict[tuple[str, str, str], deque[Past]] = defaultdict(deque)
        replay = session.replay
        if past is None or replay is None:
            return
        for seq in replay.index.inside(past):
            inner = replay.index.calls.get(seq)
            if inner is not None and _answers(inner):
                self._answers[inner.start.call, inner.start.component, inner.start.digest].append(inner)

    def recorded(self, call: Call) -> Steps[Recorded | None]:
        """What the record holds for a call inside, each answer once."""
        session = self._session
        if session.replay is None:
            return None
        with session.lock:
            digest = session.bodies.put(call.input if call.identity is None else call.identity)
            found = self._answers.get((call.kind, call.component, digest))
            past = found.popleft() if found else None
        if past is None:
            return None
        body, failed = session.replay.index.output_of(past.start.seq)
        return Recorded((yield from session.replay.body(body)) if body is not None else None, failed)


def _answers(past: Past) -> bool:
    return past.start.call in LEAVES and not past.states and past.end is not None and not past.end.opaque


def inside() -> Caught | None:
    """The call that is executed again around the running code."""
    frame = current.get()
    return frame.caught if frame is not None else None


def call(caught: Caught, what: Call, run: Callable[[None], Any]) -> Any:
    """One call inside."""
    found = drive(caught.recorded(what))
    if found is not None:
        return _given(what, found)
    with _within(what):
        return run(None)


async def acall(caught: Caught, what: Call, run: Callable[[None], Awaitable[Any]]) -> Any:
    """One call inside, on the running loop."""
    found = await adrive(caught.recorded(what))
    if found is not None:
        return _given(what, found)
    with _within(what):
        return await run(None)


def stream(caught: Caught, what: Call, run: Callable[[None], Iterator[Any]]) -> Iterator[Any]:
    """One call inside that answers in pieces."""
    found = drive(caught.recorded(what))
    if found is not None:
        yield from _pieces(what, found)
        return
    with _within(what):
        source = run(None)
    yield from source


async def astream(caught: Caught, what: Call, run: Callable[[None], AsyncIterator[Any]]) -> AsyncIterator[Any]:
    """`stream`, on the running loop."""
    found = await adrive(caught.recorded(what))
    if found is not None:
        for piece in _pieces(what, found):
            yield piece
        return
    with _within(what):
        source = run(None)
    async for piece in source:
        yield piece


def _given(what: Call, found: Recorded) -> Any:
    if found.failed:
        raise decode_error(found.value)
    return what.decode(found.value)


def _pieces(what: Call, found: Recorded) -> Iterator[Any]:
    if found.failed:
        raise decode_error(found.value)
    for piece in found.value if isinstance(found.value, list) else [found.value]:
        yield what.decode(piece)


@contextmanager
def _within(what: Call) -> Iterator[None]:
    frame = current.get()
    inner: Frame | None = replace(frame, component=what.component, kind=what.kind) if frame is not None else None
    token = current.set(inner)
    try:
        yield
    finally:
        current.reset(token)
