"""Waiting, in two flavours from one description.

The steps through the gate are written once, as generators that yield a `Wait` where they must wait.  `drive` runs such
a generator in a thread, `adrive` on an event loop: holding one invocation never blocks the loop.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Generator
from typing import TypeVar

T = TypeVar("T")
Link = Callable[["asyncio.Future[None]"], object]
"""Has a future cancelled by something of the program's, such as a token of its framework."""


class Wait:
    """Something that will be true once: set it from any thread, wait for it in a thread or on a loop.

    It has no lock: the collection of garbage may run code of the program in any thread at any time, which may need a
    lock that somebody holds who sets this.
    """

    __slots__ = ("_called", "done", "link", "order", "yields")

    def __init__(self, *, yields: bool = False, order: bool = False, link: Link | None = None) -> None:
        self.done = False
        self.yields = yields
        """On a loop, only let others run first; in a thread, nothing."""
        self.order = order
        """Waits for others of the program: a thread that runs an event loop must not, they may need that loop."""
        self.link = link
        """On a loop, by what else than its task the program may cancel it."""
        self._called: deque[Callable[[], None]] = deque()

    def set(self) -> None:
        self.done = True
        self._call()

    def then(self, callback: Callable[[], None]) -> None:
        """Call `callback` once when set, or now."""
        self._called.append(callback)
        if self.done:
            self._call()

    def _call(self) -> None:
        while True:
            try:
                callback = self._called.popleft()
            except IndexError:
                return
            callback()

    def block(self) -> None:
        """Wait in this thread.

        With a bare lock: where a signal handler raises inside `threading.Event`, that keeps its own lock, and whoever
        sets it waits for ever.
        """
        gate = threading.Lock()
        gate.acquire()
        self.then(gate.release)
        gate.acquire()

    async def arrive(self) -> None:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        self.then(lambda: _tell(loop, future))
        if self.link is not None:
            self.link(future)
        await future


def _tell(loop: asyncio.AbstractEventLoop, future: asyncio.Future[None]) -> None:
    try:
        loop.call_soon_threadsafe(_finish, future)
    except RuntimeError:  # the loop was closed: nobody waits any more
        return


def _finish(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


class Work(Wait):
    """Something that whoever drives the steps does, instead of waiting: it may call code of the program."""

    __slots__ = ()

    def perform(self) -> None:
        """Do it in this thread."""
        raise NotImplementedError

    async def aperform(self) -> None:
        """Do it on the running loop."""
        raise NotImplementedError


Steps = Generator[Wait, None, T]
SETTLE = 12
"""Turns of the loop after which whatever was ready to run has run, as a rule."""


def on_loop() -> bool:
    """Whether this thread runs an event loop right now, so that blocking it would stop everybody else."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def drive(steps: Steps[T]) -> T:
    """Run the steps in this thread."""
    try:
        while True:
            wait = next(steps)
            if isinstance(wait, Work):
                wait.perform()
            elif not (wait.done or wait.yields or (wait.order and on_loop())):
                wait.block()
    except StopIteration as end:
        result: T = end.value
        return result
    finally:
        steps.close()


async def adrive(steps: Steps[T]) -> T:
    """Run the steps on the running loop."""
    try:
        while True:
            wait = next(steps)
            if isinstance(wait, Work):
                await wait.aperform()
            elif wait.yields:
                for _ in range(SETTLE):
                    await asyncio.sleep(0)
            elif not wait.done:
                await wait.arrive()
    except StopIteration as end:
        result: T = end.value
        return result
    finally:
        steps.close()
