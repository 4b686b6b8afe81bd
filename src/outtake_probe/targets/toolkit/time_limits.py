"""Time limits of frameworks: they do not run while something is held.

A framework's module that waits is given its own view of the modules by which it does (`ModuleView`), in which the
functions that wait go on by what was held meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any


class ModuleView:
    """A module or another object, as one other module sees it, with some of its functions replaced."""

    def __init__(self, viewed: object, **instead: Any) -> None:
        self._viewed = viewed
        self.__dict__.update(instead)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._viewed, name)


def without_holds(held: Callable[[], float]) -> ModuleView:
    """`asyncio` for a module whose limits are those of `wait`, `wait_for`, and the clock of the running loop.

    `held` gives the seconds for which anything was held, in all, up to now.
    """

    async def wait(fs: Any, *, timeout: float | None = None, return_when: str = asyncio.ALL_COMPLETED) -> Any:
        while True:
            before = held()
            done, pending = await asyncio.wait(fs, timeout=timeout, return_when=return_when)
            more = held() - before
            if timeout is None or done or more <= 0:
                return done, pending
            timeout = more

    async def wait_for(awaited: Awaitable[Any], timeout: float | None) -> Any:
        task = asyncio.ensure_future(awaited)
        try:
            done, _ = await wait({task}, timeout=timeout)
            if not done:
                raise asyncio.TimeoutError
            return task.result()
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task})

    def get_running_loop() -> Any:
        loop = asyncio.get_running_loop()
        return ModuleView(loop, time=lambda: loop.time() - held())

    return ModuleView(asyncio, wait=wait, wait_for=wait_for, get_running_loop=get_running_loop)
