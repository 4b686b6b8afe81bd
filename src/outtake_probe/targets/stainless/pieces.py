"""What a stream of a client library iterates over: the pieces that the gate lets through."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, Protocol

from outtake_probe.targets.stainless.answers import Answered, Served
from outtake_probe.targets.stainless.errors import Errors


class Opening(Protocol):
    """Who asks for the stream."""

    errors: Errors
    opened: bool
    """Whether the server has answered with a stream."""


class _Queue:
    """The pieces that the gate let through and the program has not taken.

    The first piece is fetched before the program gets the stream, because that is when the request goes out, and when
    the library raises what the server answers instead of a stream.
    """

    build: Callable[..., Any]
    """Makes the library's object of a piece's JSON."""

    def __init__(self, exchange: Opening) -> None:
        self.exchange = exchange
        self.ready: deque[Answered | Served] = deque()
        self.error: Exception | None = None
        self.busy = False

    def put(self, item: Answered | Served | None) -> bool:
        """One more from the gate; False where there are no more."""
        if item is not None:
            self.ready.append(item)
        return item is not None

    def check(self) -> None:
        """Raise the error that came instead of the first piece."""
        error, self.error = self.error, None
        if error is not None:
            try:
                raise error
            finally:
                del error  # see `outtake_probe.gate.invoke`: a frame must not keep an error

    def take(self) -> Any:
        item = self.ready.popleft()
        return item.made if isinstance(item, Answered) else self.build(data=item.json)


class Pieces(_Queue):
    """What a stream of the library iterates over."""

    def __init__(self, exchange: Opening, source: Iterator[Any]) -> None:
        super().__init__(exchange)
        self._source = source

    def __iter__(self) -> Pieces:
        return self

    def __next__(self) -> Any:
        self.check()
        while not self.ready:
            if not self._fetch():
                raise StopIteration
        return self.take()

    def prime(self) -> None:
        """Fetch the first piece."""
        try:
            self._fetch()
        except Exception as error:
            if not self.exchange.opened:
                raise
            self.error = error

    def _fetch(self) -> bool:
        self.busy = True
        try:
            with self.exchange.errors.outside:
                return self.put(next(self._source, None))
        finally:
            self.busy = False

    def close(self) -> None:
        """The program wants no more pieces.  (The library itself closes a response that it has read to its end.)"""
        if not self.busy:
            self.busy = True
            self._source.close()  # type: ignore[attr-defined]
            self.busy = False

    def closing(self, response: Any) -> Callable[[], None]:
        """What closes the response, and these pieces with it."""
        pieces, weak = weakref.ref(self), weakref.ref(response)

        def close() -> None:
            found, still = pieces(), weak()
            if found is not None:
                found.close()
            if still is not None:
                type(still).close(still)

        return close


class AsyncPieces(_Queue):
    """`Pieces`, for a stream that is awaited."""

    def __init__(self, exchange: Opening, source: AsyncIterator[Any]) -> None:
        super().__init__(exchange)
        self._source = source

    def __aiter__(self) -> AsyncPieces:
        return self

    async def __anext__(self) -> Any:
        self.check()
        while not self.ready:
            if not await self._fetch():
                raise StopAsyncIteration
        return self.take()

    async def prime(self) -> None:
        try:
            await self._fetch()
        except Exception as error:
            if not self.exchange.opened:
                raise
            self.error = error

    async def _fetch(self) -> bool:
        self.busy = True
        try:
            with self.exchange.errors.outside:
                return self.put(await anext(self._source, None))
        finally:
            self.busy = False

    async def aclose(self) -> None:
        if not self.busy:
            self.busy = True
            await self._source.aclose()  # type: ignore[attr-defined]
            self.busy = False

    def closing(self, response: Any) -> Callable[[], Coroutine[Any, Any, None]]:
        pieces, weak = weakref.ref(self), weakref.ref(response)

        async def aclose() -> None:
            found, still = pieces(), weak()
            if found is not None:
                await found.aclose()
            if still is not None:
                await type(still).aclose(still)

        return aclose
