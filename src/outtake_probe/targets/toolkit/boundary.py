"""Boundaries: methods of a framework whose calls pass the gate, wrapped in the same way in all flavours.

A method returns its result (`call`, `acall`), is a generator function (`stream`, `astream`), or opens a stream and
returns it (`open_stream`, `aopen_stream`).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, aclosing, closing, nullcontext
from dataclasses import dataclass
from typing import Any

from outtake_probe.calls import Call
from outtake_probe.gate import invoke
from outtake_probe.gate.invoke import NewInput
from outtake_probe.session import Session

Method = Callable[..., Any]
Arguments = tuple[tuple[Any, ...], Mapping[str, Any]]
"""Positional and by name."""


@dataclass(frozen=True, slots=True)
class Bound:
    """One call of a wrapped method as an invocation."""

    call: Call
    rebind: Callable[[Any], Arguments]
    """The arguments of the method for an edited input, which is decoded already."""
    replaced: Callable[[], None] = lambda: None
    """Called after the call has ended without the method being called: the record or an edit answered instead."""
    inside: Callable[[], AbstractContextManager[object]] = nullcontext
    """Makes the context in which a method that returns its result is executed."""
    finish: Callable[[Any], Any] = lambda result: result
    """What the program gets for a result, or for a piece of a stream, wherever that comes from."""
    translate: Callable[[Exception], Exception] = lambda error: error
    """The error to raise for one that came out of a method that returns its result, wherever that comes from."""


Describe = Callable[..., Bound | None]
"""Is given the method and the arguments of its call.  None: this call is part of another invocation, and passes."""


class Boundary:
    """Wraps methods for `Patches`; each wrapper keeps the method's flavour and signature."""

    def __init__(
        self,
        session: Callable[[], Session],
        describe: Describe,
        around: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        """`session` gives that of the running code: requests of one process may have sessions of their own.

        `around` makes the context in which a call passes the gate, and for a stream, in which it is consumed.
        """
        self._session = session
        self._describe = describe
        self._around = around

    def call(self, method: Method) -> Method:
        """A method that returns its result."""

        @functools.wraps(method)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            bound = self._describe(method, *args, **kwargs)
            if bound is None:
                return method(*args, **kwargs)
            run = _Run(method, bound, args, kwargs)
            try:
                with self._around():
                    result = invoke.call(self._session(), bound.call, run.whole)
            except Exception as error:
                instead = bound.translate(error)
                if instead is error:
                    raise
                raise instead from error
            return run.finish(result)

        return wrapper

    def acall(self, method: Method) -> Method:
        """A coroutine function that returns its result."""

        @functools.wraps(method)
        async def wrapper(*args: Any, **kwargs: Any) -> Any:
            bound = self._describe(method, *args, **kwargs)
            if bound is None:
                return await method(*args, **kwargs)
            run = _Run(method, bound, args, kwargs)
            try:
                with self._around():
                    result = await invoke.acall(self._session(), bound.call, run.awhole)
            except Exception as error:
                instead = bound.translate(error)
                if instead is error:
                    raise
                raise instead from error
            return run.finish(result)

        return wrapper

    def stream(self, method: Method) -> Method:
        """A generator function: it is asked when the first piece is."""

        @functools.wraps(method)
        def wrapper(*args: Any, **kwargs: Any) -> Iterator[Any]:
            bound = self._describe(method, *args, **kwargs)
            if bound is None:
                yield from method(*args, **kwargs)
            else:
                yield from self._pieces(bound, _Run(method, bound, args, kwargs))

        return wrapper

    def astream(self, method: Method) -> Method:
        """An async generator function."""

        @functools.wraps(method)
        async def wrapper(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
            bound = self._describe(method, *args, **kwargs)
            if bound is None:
                async for piece in method(*args, **kwargs):
                    yield piece
                return
            async with aclosing(self._apieces(bound, _Run(method, bound, args, kwargs))) as pieces:
                async for piece in pieces:
                    yield piece

        return wrapper

    def open_stream(self, method: Method) -> Method:
        """A method that returns an iterator: what it is given is looked at before the first piece is asked for."""

        @functools.wraps(method)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            bound = self._describe(method, *args, **kwargs)
            if bound is None:
                return method(*args, **kwargs)
            return self._pieces(bound, _Run(method, bound, args, kwargs))

        return wrapper

    def aopen_stream(self, method: Method) -> Method:
        """A coroutine function that returns an async iterator."""

        @functools.wraps(method)
        async def wrapper(*args: Any, **kwargs: Any) -> Any:
            bound = self._describe(method, *args, **kwargs)
            if bound is None:
                return await method(*args, **kwargs)
            return self._apieces(bound, _Run(method, bound, args, kwargs))

        return wrapper

    def _pieces(self, bound: Bound, run: _Run) -> Generator[Any, None, None]:
        with self._around(), closing(invoke.stream(self._session(), bound.call, run.pieces)) as pieces:
            for piece in pieces:
                yield bound.finish(piece)
        run.ended()

    async def _apieces(self, bound: Bound, run: _Run) -> AsyncGenerator[Any, None]:
        with self._around():
            async with aclosing(invoke.astream(self._session(), bound.call, run.apieces)) as pieces:
                async for piece in pieces:
                    yield bound.finish(piece)
        run.ended()


class _Run:
    """Calls the method, with the program's arguments or those of an edited input."""

    __slots__ = ("_args", "_bound", "_kwargs", "_method", "_ran")

    def __init__(self, method: Method, bound: Bound, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        self._method = method
        self._bound = bound
        self._args = args
        self._kwargs = kwargs
        self._ran = False

    def _call(self, new: NewInput | None) -> Any:
        self._ran = True
        args, kwargs = (self._args, self._kwargs) if new is None else self._bound.rebind(new.value)
        return self._method(*args, **kwargs)

    def whole(self, new: NewInput | None) -> Any:
        with self._bound.inside():
            return self._call(new)

    async def awhole(self, new: NewInput | None) -> Any:
        with self._bound.inside():
            return await self._call(new)

    def pieces(self, new: NewInput | None) -> Iterator[Any]:
        return iter(self._call(new))

    def apieces(self, new: NewInput | None) -> AsyncIterator[Any]:
        opened = self._call(new)
        return _awaited(opened) if inspect.isawaitable(opened) else opened

    def finish(self, result: Any) -> Any:
        """What the program gets for the result."""
        self.ended()
        return self._bound.finish(result)

    def ended(self) -> None:
        """The call has come back with a result."""
        if not self._ran:
            self._bound.replaced()


async def _awaited(opening: Awaitable[AsyncIterator[Any]]) -> AsyncIterator[Any]:
    """The pieces of a stream that is still being opened."""
    opened = await opening
    try:
        async for piece in opened:
            yield piece
    finally:
        if isinstance(opened, AsyncGenerator):
            await opened.aclose()
