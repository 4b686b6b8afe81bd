"""Executing a call once more, whatever it was: a function, a coroutine, or a stream of pieces.

What drives the steps may be another flavour than the call.  A function that ran on a loop is called on one; one that
ran in a thread of its own is given one; a coroutine is awaited on the loop that it was on, as long as that runs.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Literal

from outtake_probe.calls import Frame, current
from outtake_probe.records import Json
from outtake_probe.waits import Work, on_loop

Flavour = Literal["call", "acall", "stream", "astream"]


def _loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


@dataclass(slots=True)
class Repeat:
    """One call, as it can be executed again: with what the program gave, or with another input."""

    flavour: Flavour
    run: Callable[[bool, Json], Any]
    """Executes it; with true, the second argument is the input of record, which an edit had changed."""
    context: contextvars.Context = field(default_factory=contextvars.copy_context)
    loop: asyncio.AbstractEventLoop | None = field(default_factory=_loop)

    @property
    def is_async(self) -> bool:
        return self.flavour in ("acall", "astream")


class CannotRepeat(Exception):
    """A call cannot be executed from here; the message says why."""


class Doing(Work):
    """Runs something of the program inside `frame`; then `result` is there, or `error`."""

    __slots__ = ("_context", "_edited", "_frame", "_repeat", "_value", "error", "result")

    def __init__(self, repeat: Repeat, frame: Frame, edited: bool = False, value: Json = None) -> None:
        super().__init__()
        self._repeat, self._frame, self._edited, self._value = repeat, frame, edited, value
        self._context = repeat.context.copy()
        self._context.run(current.set, frame)
        self.result: Any = None
        self.error: Exception | None = None

    def perform(self) -> None:
        try:
            self.result = self._in_thread()
        except Exception as error:  # noqa: BLE001  the program is the boundary
            self.error = error

    async def aperform(self) -> None:
        try:
            self.result = await self._on_loop()
        except Exception as error:  # noqa: BLE001  the program is the boundary
            self.error = error

    def _in_thread(self) -> Any:
        repeat = self._repeat
        if not repeat.is_async:
            return self._context.run(self._call)
        if repeat.loop is not None and repeat.loop.is_running():
            if repeat.loop is _loop():
                raise CannotRepeat("it is a coroutine on the event loop that this call blocks")
            return self._context.run(asyncio.run_coroutine_threadsafe, self._await(), repeat.loop).result()
        return _beside(lambda: self._context.run(asyncio.run, self._await()))

    async def _on_loop(self) -> Any:
        repeat, here = self._repeat, asyncio.get_running_loop()
        if not repeat.is_async:
            if repeat.loop is not None:
                return self._context.run(self._call)
            return await here.run_in_executor(None, self._context.run, self._call)
        if repeat.loop is not None and repeat.loop is not here and repeat.loop.is_running():
            future = self._context.run(asyncio.run_coroutine_threadsafe, self._await(), repeat.loop)
            return await asyncio.wrap_future(future)
        return await self._context.run(asyncio.ensure_future, self._await())

    def _call(self) -> Any:
        given = self._repeat.run(self._edited, self._value)
        return list(given) if self._repeat.flavour == "stream" else given

    def _await(self) -> Coroutine[Any, Any, Any]:
        return self._streamed() if self._repeat.flavour == "astream" else self._awaited()

    async def _awaited(self) -> Any:
        return await self._repeat.run(self._edited, self._value)

    async def _streamed(self) -> list[Any]:
        return [piece async for piece in self._repeat.run(self._edited, self._value)]


def _beside(run: Callable[[], Any]) -> Any:
    """Run what makes a loop of its own: here, or beside the loop that this thread runs."""
    if not on_loop():
        return run()
    given: list[Any] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            given.append(run())
        except BaseException as error:  # noqa: BLE001  raised again in the thread that waits
            errors.append(error)

    thread = threading.Thread(target=work, name="outtake-repeat")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return given[0]
