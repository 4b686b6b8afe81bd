"""What an adapter calls: one invocation through the gate, sync or async, whole or streamed; one message through it.

`run` does the real thing.  It is given None, or a `NewInput` when an edit replaced the input; it is not called at all
when the record, a mock or a drop answers instead.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from outtake_probe.after import abrupt, after, chunk, redo, served_chunk, served_output
from outtake_probe.before import before
from outtake_probe.calls import Call, Message, current
from outtake_probe.gate import Answer
from outtake_probe.passage import Passage
from outtake_probe.queueing import Queued, queue
from outtake_probe.records import Json
from outtake_probe.session import Session, Stopped
from outtake_probe.values import decode_error, describe_error
from outtake_probe.waits import adrive, drive

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class NewInput:
    """The input to use instead of the program's own, decoded by the call's `decode_input`."""

    value: Any


def call(session: Session, what: Call, run: Callable[[NewInput | None], T]) -> T:
    """One invocation in this thread."""
    passage = drive(before(session, what))
    if passage.verb != "proceed":
        output = drive(served_output(session, passage))
        given: T = _given(session, passage, drive(after(session, passage, output, passage.failed)), output)
        return given
    try:
        with _inside(passage):
            _watch(passage)
            result = run(_new_input(passage))
    except Exception as error:  # noqa: BLE001  the program is the boundary
        instead: T = _caught(passage, drive(after(session, passage, describe_error(error), True)), error)
        return instead
    except BaseException as error:
        _interrupted(session, passage, error)
        raise
    return _result(passage, drive(after(session, passage, what.encode(result), False, what.usage(result))), result)


async def acall(session: Session, what: Call, run: Callable[[NewInput | None], Awaitable[T]]) -> T:
    """One invocation on the running loop; holding it blocks nobody else."""
    passage = await adrive(before(session, what))
    if passage.verb != "proceed":
        output = await adrive(served_output(session, passage))
        given: T = _given(session, passage, await adrive(after(session, passage, output, passage.failed)), output)
        return given
    try:
        with _inside(passage):
            _watch(passage)
            result = await run(_new_input(passage))
    except Exception as error:  # noqa: BLE001  the program is the boundary
        instead: T = _caught(passage, await adrive(after(session, passage, describe_error(error), True)), error)
        return instead
    except BaseException as error:
        _interrupted(session, passage, error)
        raise
    return _result(
        passage, await adrive(after(session, passage, what.encode(result), False, what.usage(result))), result
    )


def stream(session: Session, what: Call, run: Callable[[NewInput | None], Iterator[T]]) -> Iterator[T]:
    """One invocation that answers in pieces; the output of record is the list of all pieces."""
    passage = drive(before(session, what))
    if passage.verb != "proceed":
        yield from _served_stream(session, passage)
        return
    pieces: list[Json] = []
    last: T | None = None
    try:
        with _inside(passage):
            source = run(_new_input(passage))
        while True:
            try:
                with _inside(passage):
                    last = next(source)
            except StopIteration:
                break
            pieces.append(_piece(session, passage, last))
            yield last
    except GeneratorExit:
        drive(after(session, passage, pieces, False, _usage(what, last)))
        raise
    except Exception as error:  # noqa: BLE001  the program is the boundary
        _caught(passage, drive(after(session, passage, describe_error(error), True)), error)
    except BaseException as error:
        _interrupted(session, passage, error)
        raise
    else:
        _streamed(passage, drive(after(session, passage, pieces, False, _usage(what, last))))


async def astream(session: Session, what: Call, run: Callable[[NewInput | None], AsyncIterator[T]]) -> AsyncIterator[T]:
    """`stream`, on the running loop."""
    passage = await adrive(before(session, what))
    if passage.verb != "proceed":
        async for item in _aserved_stream(session, passage):
            yield item
        return
    pieces: list[Json] = []
    last: T | None = None
    try:
        with _inside(passage):
            source = run(_new_input(passage))
        while True:
            try:
                with _inside(passage):
                    last = await source.__anext__()
            except StopAsyncIteration:
                break
            pieces.append(_piece(session, passage, last))
            yield last
    except GeneratorExit:
        _abandoned(session, passage, pieces, _usage(what, last))
        raise
    except Exception as error:  # noqa: BLE001  the program is the boundary
        _caught(passage, await adrive(after(session, passage, describe_error(error), True)), error)
    except BaseException as error:
        _interrupted(session, passage, error)
        raise
    else:
        _streamed(passage, await adrive(after(session, passage, pieces, False, _usage(what, last))))


def send(session: Session, message: Message) -> Queued:
    """One message, from a thread."""
    return drive(queue(session, message))


async def asend(session: Session, message: Message) -> Queued:
    """One message, on the running loop."""
    return await adrive(queue(session, message))


@contextmanager
def _inside(passage: Passage) -> Iterator[None]:
    token = current.set(passage.frame)
    try:
        yield
    finally:
        current.reset(token)


def _watch(passage: Passage) -> None:
    if passage.call.whole is not None:
        passage.call.whole.begin()


def _new_input(passage: Passage) -> NewInput | None:
    return NewInput(passage.call.decode_input(passage.input)) if passage.edited else None


def _served_stream(session: Session, passage: Passage) -> Iterator[Any]:
    """The pieces of a recorded or mocked stream; a mock is the list of pieces, or one piece."""
    output = drive(served_output(session, passage))
    try:
        for record in passage.recorded_chunks:
            for piece in drive(served_chunk(session, passage, record)):
                yield passage.call.decode(piece)
    except GeneratorExit:
        drive(after(session, passage, output, passage.failed))
        raise
    answer = drive(after(session, passage, output, passage.failed))
    yield from _rest(passage, answer, output)


async def _aserved_stream(session: Session, passage: Passage) -> AsyncIterator[Any]:
    output = await adrive(served_output(session, passage))
    try:
        for record in passage.recorded_chunks:
            for piece in await adrive(served_chunk(session, passage, record)):
                yield passage.call.decode(piece)
    except GeneratorExit:
        _abandoned(session, passage, output, None)
        raise
    answer = await adrive(after(session, passage, output, passage.failed))
    for item in _rest(passage, answer, output):
        yield item


def _rest(passage: Passage, answer: Answer, output: Json) -> Iterator[Any]:
    if answer.verb == "serve":
        output, passage.failed = answer.value, answer.failed
    if passage.failed:
        raise decode_error(output)
    if passage.verb == "serve" and not passage.recorded_chunks:
        for piece in output if isinstance(output, list) else [output]:
            yield passage.call.decode(piece)


def _piece(session: Session, passage: Passage, item: Any) -> Json:
    piece = passage.call.encode(item)
    chunk(session, passage, piece)
    return piece


def _usage(what: Call, last: Any) -> Any:
    return what.usage(last) if last is not None else None


def _given(session: Session, passage: Passage, answer: Answer, output: Json) -> Any:
    """What a passage gives that did not execute: the record, a mock, or nothing for a drop."""
    redo(session, passage)
    if answer.verb == "serve":
        output, passage.failed = answer.value, answer.failed
    elif passage.verb == "drop":
        return None
    if passage.failed:
        raise decode_error(output)
    return passage.call.decode(output)


def _result(passage: Passage, answer: Answer, result: T) -> T:
    if answer.verb != "serve":
        return result
    if answer.failed:
        raise decode_error(answer.value)
    decoded: T = passage.call.decode(answer.value)
    return decoded


def _caught(passage: Passage, answer: Answer, error: Exception) -> Any:
    """An error of the program: let through, or replaced by what the user said instead."""
    if answer.verb == "serve" and not answer.failed:
        return passage.call.decode(answer.value)
    raise decode_error(answer.value) if answer.verb == "serve" else error


def _streamed(passage: Passage, answer: Answer) -> None:
    if answer.verb == "serve" and answer.failed:
        raise decode_error(answer.value)


def _interrupted(session: Session, passage: Passage, error: BaseException) -> None:
    """Cancelled, or the program is ending: say so in the record without waiting for anything."""
    if not isinstance(error, Stopped):
        abrupt(session, passage, describe_error(error))


def _abandoned(session: Session, passage: Passage, output: Json, usage: Any) -> None:
    """The consumer of an async stream left: nothing may be awaited any more, so go on without waiting."""
    for _ in after(session, passage, output, passage.failed, usage):
        continue
