"""What an adapter calls: one invocation through the gate, sync or async, whole or streamed; one message through it.

`run` does the real thing.  It is given None, or a `NewInput` when an edit replaced the input; it is not called at all
when the record, a mock or a drop answers instead.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from outtake_probe.bodies import Unresolvable
from outtake_probe.calls import Call, Message, Usage, current
from outtake_probe.codec import decode_error, describe_error, opaque
from outtake_probe.faults import is_from_signal_handler
from outtake_probe.gate.decision import PROCEED, Answer
from outtake_probe.gate.enter import before
from outtake_probe.gate.exit import abrupt, after, chunk, redo, served_chunk, served_output, until_cancelled
from outtake_probe.gate.pass_state import Passage
from outtake_probe.gate.send import Queued, queue
from outtake_probe.records import Json
from outtake_probe.session import Session, Stopped
from outtake_probe.states import inside
from outtake_probe.states.repeating import Flavour, Repeat
from outtake_probe.waits import adrive, drive

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class NewInput:
    """The input to use instead of the program's own, decoded by the call's `decode_input`."""

    value: Any


def call(session: Session, what: Call, run: Callable[[NewInput | None], T]) -> T:
    """One invocation in this thread."""
    session = session.here
    if (caught := inside.inside()) is not None:
        repeated: T = inside.call(caught, what, run)
        return repeated
    _keep(session, what, "call", run)
    passage = None if session.closed else _before(session, what)
    if passage is None:
        return run(None)
    try:
        if passage.verb != "proceed":
            with _readable(session, passage):
                output = drive(served_output(session, passage))
            drive(until_cancelled(session, passage, output))
            answer = _after(session, passage, output, passage.failed)
            given: T = _given(session, passage, answer, output)
            return given
        try:
            with _inside(passage):
                _watch(passage)
                result = run(_new_input(passage))
        except Exception as error:  # noqa: BLE001  the program is the boundary
            passage.interrupted = isinstance(error, what.signals)
            instead: T = _caught(passage, _after(session, passage, describe_error(error), True), error)
            return instead
        output, usage = _told(session, what, result)
        return _result(passage, _after(session, passage, output, False, usage), result)
    except BaseException as error:
        _left(session, passage, error)
        raise


async def acall(session: Session, what: Call, run: Callable[[NewInput | None], Awaitable[T]]) -> T:
    """One invocation on the running loop; holding it blocks nobody else."""
    session = session.here
    if (caught := inside.inside()) is not None:
        repeated: T = await inside.acall(caught, what, run)
        return repeated
    _keep(session, what, "acall", run)
    passage = None if session.closed else await _abefore(session, what)
    if passage is None:
        return await run(None)
    try:
        if passage.verb != "proceed":
            with _readable(session, passage):
                output = await adrive(served_output(session, passage))
            await adrive(until_cancelled(session, passage, output))
            answer = await _aafter(session, passage, output, passage.failed)
            given: T = _given(session, passage, answer, output)
            return given
        try:
            with _inside(passage):
                _watch(passage)
                result = await run(_new_input(passage))
        except Exception as error:  # noqa: BLE001  the program is the boundary
            passage.interrupted = isinstance(error, what.signals)
            instead: T = _caught(passage, await _aafter(session, passage, describe_error(error), True), error)
            return instead
        output, usage = _told(session, what, result)
        return _result(passage, await _aafter(session, passage, output, False, usage), result)
    except BaseException as error:
        _left(session, passage, error)
        raise


def stream(session: Session, what: Call, run: Callable[[NewInput | None], Iterator[T]]) -> Generator[T, None, None]:
    """One invocation that answers in pieces; the output of record is the list of all pieces."""
    session = session.here
    if (caught := inside.inside()) is not None:
        yield from inside.stream(caught, what, run)
        return
    _keep(session, what, "stream", run)
    passage = None if session.closed else _before(session, what)
    if passage is None:
        yield from run(None)
        return
    source: Iterator[T] | None = None
    pieces: list[Json] = []
    last: T | None = None
    try:
        if passage.verb != "proceed":
            yield from _served_stream(session, passage)
            return
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
            _close(source)
            _after(session, passage, pieces, False, _usage(session, what, last))
            raise
        except Exception as error:  # noqa: BLE001  the program is the boundary
            passage.interrupted = isinstance(error, what.signals)
            _caught(passage, _after(session, passage, describe_error(error), True), error)
        else:
            _streamed(passage, _after(session, passage, pieces, False, _usage(session, what, last)))
    except BaseException as error:
        _left(session, passage, error)
        raise


async def astream(
    session: Session, what: Call, run: Callable[[NewInput | None], AsyncIterator[T]]
) -> AsyncGenerator[T, None]:
    """`stream`, on the running loop."""
    session = session.here
    if (caught := inside.inside()) is not None:
        async for item in inside.astream(caught, what, run):
            yield item
        return
    _keep(session, what, "astream", run)
    passage = None if session.closed else await _abefore(session, what)
    if passage is None:
        async for item in run(None):
            yield item
        return
    source: AsyncIterator[T] | None = None
    pieces: list[Json] = []
    last: T | None = None
    try:
        if passage.verb != "proceed":
            async with aclosing(_aserved_stream(session, passage)) as given:
                async for item in given:
                    yield item
            return
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
            await _aclose(source)
            _abandoned(session, passage, pieces, False, _usage(session, what, last))
            raise
        except Exception as error:  # noqa: BLE001  the program is the boundary
            passage.interrupted = isinstance(error, what.signals)
            _caught(passage, await _aafter(session, passage, describe_error(error), True), error)
        else:
            _streamed(passage, await _aafter(session, passage, pieces, False, _usage(session, what, last)))
    except BaseException as error:
        # Before Python 3.12 the collection of garbage does not see that an async generator keeps its event loop: kept
        # by a frame of a traceback that the loop leads to, it and all of that would live for ever.
        source = None
        _left(session, passage, error)
        raise


class Opened:
    """An invocation in this thread that encloses whatever is called `inside` of it, until it is closed."""

    def __init__(self, session: Session, what: Call) -> None:
        self._session = session = session.here
        self._passage = None if session.closed else _before(session, what)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """What is called now happens inside of it."""
        if self._passage is None:
            yield
            return
        with _inside(self._passage):
            yield

    def close(self, output: Json) -> None:
        """It came back with this."""
        if self._passage is not None:
            _after(self._session, self._passage, output)


def _close(source: Iterator[Any] | None) -> None:
    """The program has closed a stream: so is what it came from."""
    if isinstance(source, Generator):
        source.close()


async def _aclose(source: AsyncIterator[Any] | None) -> None:
    if isinstance(source, AsyncGenerator):
        await source.aclose()


def send(session: Session, message: Message) -> Queued:
    """One message, from a thread."""
    return drive(queue(session.here, message))


async def asend(session: Session, message: Message) -> Queued:
    """One message, on the running loop."""
    return await adrive(queue(session.here, message))


def _keep(session: Session, what: Call, flavour: Flavour, run: Callable[[NewInput | None], Any]) -> None:
    """A fork may have to execute a tool again that its record answers now: keep how."""
    if session.replay is not None and what.kind == "tool":
        what.repeat = Repeat(flavour, lambda edited, value: run(NewInput(what.decode_input(value)) if edited else None))


# -- the gate, and its faults ----------------------------------------------------------------------------------------


def _before(session: Session, what: Call) -> Passage | None:
    """The way out through the gate.

    None where it is called inside the probe or the gate itself failed: then what is called runs without it.
    """
    if session.is_entered:
        return None
    begun: list[Passage] = []
    try:
        return drive(before(session, what, begun))
    except BaseException as error:
        for passage in begun:
            _left(session, passage, error)
        if not isinstance(error, Exception):
            raise
        session.fault(error)
        return None


async def _abefore(session: Session, what: Call) -> Passage | None:
    begun: list[Passage] = []
    try:
        return await adrive(before(session, what, begun))
    except BaseException as error:
        for passage in begun:
            _left(session, passage, error)
        if not isinstance(error, Exception):
            raise
        session.fault(error)
        return None


def _after(
    session: Session, passage: Passage, output: Json, failed: bool = False, usage: Usage | None = None
) -> Answer:
    """The way back through the gate; where the gate itself failed, what came back goes on."""
    if session.closed:
        return PROCEED
    if session.is_entered:
        session.defer(partial(_abandoned, session, passage, output, failed, usage))
        return PROCEED
    try:
        return drive(after(session, passage, output, failed, usage))
    except Exception as error:  # noqa: BLE001  a fault of the probe is not the program's
        session.fault(error)
        return PROCEED


async def _aafter(
    session: Session, passage: Passage, output: Json, failed: bool = False, usage: Usage | None = None
) -> Answer:
    if session.closed:
        return PROCEED
    try:
        return await adrive(after(session, passage, output, failed, usage))
    except Exception as error:  # noqa: BLE001  a fault of the probe is not the program's
        session.fault(error)
        return PROCEED


@contextmanager
def _readable(session: Session, passage: Passage) -> Iterator[None]:
    """While the record answers: one that cannot be read ends the run."""
    try:
        yield
    except Unresolvable as error:
        session.fail(f"the recorded result of {passage.call.component} cannot be read: {error}")
        session.check()
        raise


def _told(session: Session, what: Call, result: Any) -> tuple[Json, Usage | None]:
    """A result as JSON, and what it consumed."""
    try:
        return what.encode(result), what.usage(result)
    except Exception as error:  # noqa: BLE001  it may hold objects of the user's
        session.fault(error)
        return opaque(result), None


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
    with _readable(session, passage):
        output = drive(served_output(session, passage))
        try:
            for record in passage.recorded_chunks:
                for piece in drive(served_chunk(session, passage, record)):
                    yield passage.call.decode(piece)
        except GeneratorExit:
            _after(session, passage, output, passage.failed)
            raise
        drive(until_cancelled(session, passage, output))
        answer = _after(session, passage, output, passage.failed)
        redo(session, passage)
    yield from _rest(passage, answer, output)


async def _aserved_stream(session: Session, passage: Passage) -> AsyncGenerator[Any, None]:
    with _readable(session, passage):
        output = await adrive(served_output(session, passage))
        try:
            for record in passage.recorded_chunks:
                for piece in await adrive(served_chunk(session, passage, record)):
                    yield passage.call.decode(piece)
        except GeneratorExit:
            _abandoned(session, passage, output, passage.failed, None)
            raise
        await adrive(until_cancelled(session, passage, output))
        answer = await _aafter(session, passage, output, passage.failed)
        redo(session, passage)
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
    if session.closed:
        return None
    try:
        piece = passage.call.encode(item)
        chunk(session, passage, piece)
    except Exception as error:  # noqa: BLE001  it may hold objects of the user's
        session.fault(error)
        return opaque(item)
    return piece


def _usage(session: Session, what: Call, last: Any) -> Usage | None:
    try:
        return what.usage(last) if last is not None else None
    except Exception as error:  # noqa: BLE001  it may hold objects of the user's
        session.fault(error)
        return None


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
    try:
        raise decode_error(answer.value) if answer.verb == "serve" else error
    finally:
        del error  # this frame, in its traceback, would keep it and all frames alive until they are collected


def _streamed(passage: Passage, answer: Answer) -> None:
    if answer.verb == "serve" and answer.failed:
        raise decode_error(answer.value)


def _left(session: Session, passage: Passage, error: BaseException) -> None:
    """The program leaves an invocation: where its end is not written yet, write it without waiting for anything.

    It was cancelled, the program is ending, or a signal handler of the program raised, be it inside the gate.
    """
    if passage.is_ended or session.closed or isinstance(error, (Stopped, GeneratorExit)):
        return
    if not isinstance(error, Exception) or is_from_signal_handler(error):
        abrupt(session, passage, describe_error(error))


def _abandoned(session: Session, passage: Passage, output: Json, failed: bool, usage: Usage | None) -> None:
    """It has come back where nothing can be waited for: its consumer left an async stream, or it is deferred."""
    if session.closed:
        return
    try:
        for _ in after(session, passage, output, failed, usage):
            continue
    except Exception as error:  # noqa: BLE001  a fault of the probe is not the program's
        session.fault(error)
