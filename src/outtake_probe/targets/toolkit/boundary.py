"""Boundaries: methods of a framework whose calls pass the gate, wrapped in the same way in all four flavours."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from outtake_probe import calling
from outtake_probe.calling import NewInput
from outtake_probe.calls import Call
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
            with self._around():
                result = calling.call(self._session(), bound.call, run)
            run.ended()
            return result

        return wrapper

    def acall(self, method: Method) -> Method:
        """A coroutine function."""

        @functools.wraps(method)
        async def wrapper(*args: Any, **kwargs: Any) -> Any:
            bound = self._describe(method, *args, **kwargs)
            if bound is None:
                return await method(*args, **kwargs)
            run = _Run(method, bound, args, kwargs)
            with self._around():
                result = await calling.acall(self._session(), bound.call, run)
            run.ended()
            return result

        return wrapper

    def stream(self, method: Method) -> Method:
        """A generator function, or a method that returns an iterator."""

        @functools.wraps(method)
        def wrapper(*args: Any, **kwargs: Any) -> Iterator[Any]:
            bound = self._describe(method, *args, **kwargs)
            if bound is None:
                yield from method(*args, **kwargs)
                return
            run = _Run(method, bound, args, kwargs)
            with self._around():
                yield from calling.stream(self._session(), bound.call, run)
            run.ended()

        return wrapper

    def astream(self, method: Method) -> Method:
        """An async generator function, or a method that returns an async iterator."""

        @functools.wraps(method)
        async def wrapper(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
            bound = self._describe(method, *args, **kwargs)
            if bound is None:
                async for piece in method(*args, **kwargs):
                    yield piece
                return
            run = _Run(method, bound, args, kwargs)
            with self._around():
                async for piece in calling.astream(self._session(), bound.call, run):
                    yield piece
            run.ended()

        return wrapper


class _Run:
    """Calls the method, with the program's arguments or those of an edited input."""

    __slots__ = ("_args", "_bound", "_kwargs", "_method", "_ran")

    def __init__(self, method: Method, bound: Bound, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        self._method = method
        self._bound = bound
        self._args = args
        self._kwargs = kwargs
        self._ran = False

    def __call__(self, new: NewInput | None) -> Any:
        self._ran = True
        args, kwargs = (self._args, self._kwargs) if new is None else self._bound.rebind(new.value)
        return self._method(*args, **kwargs)

    def ended(self) -> None:
        """The call has come back with a result."""
        if not self._ran:
            self._bound.replaced()
