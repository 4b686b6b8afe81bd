"""Time limits of agents (`max_execution_time`) do not run while something is held.

CrewAI measures them in one module, where it waits for a future, or for a coroutine; there, the wait is given what was
held on top.
"""

from __future__ import annotations

import asyncio
import concurrent
import concurrent.futures
import functools
import types
from collections.abc import Awaitable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from crewai.agent import core

from outtake_probe.session import Session
from outtake_probe.targets.toolkit.patches import Patches


class _Module:
    """A module, as one other module sees it, with some of its names replaced."""

    def __init__(self, module: types.ModuleType, **instead: Any) -> None:
        self._module = module
        self.__dict__.update(instead)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def install(session: Session, patches: Patches) -> list[str]:
    """Replace what waits in the module of agents."""
    waits = _Waits(session)
    instead = {
        "concurrent": _Module(concurrent, futures=_Module(concurrent.futures, ThreadPoolExecutor=waits.pool)),
        "asyncio": _Module(asyncio, wait_for=waits.wait_for),
    }
    lost = []
    for name, module in instead.items():
        if hasattr(core, name):
            patches.set(core, name, module)
        else:
            lost.append(f"time limits of agents run while something is held: {core.__name__} has no {name}")
    return lost


class _Waits:
    """Waits whose time-outs do not count what was held."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def pool(self, *args: Any, **kwargs: Any) -> ThreadPoolExecutor:
        """A pool whose futures wait so."""
        made = ThreadPoolExecutor(*args, **kwargs)
        submit = made.submit

        def patient(*args: Any, **kwargs: Any) -> Future[Any]:
            future = submit(*args, **kwargs)
            future.result = functools.partial(self._result, future)  # type: ignore[method-assign]
            return future

        made.submit = patient  # type: ignore[method-assign]
        return made

    def _result(self, future: Future[Any], timeout: float | None = None) -> Any:
        while True:
            before = self._session.standstill.seconds
            try:
                return Future.result(future, timeout)
            except concurrent.futures.TimeoutError:
                timeout = self._session.standstill.seconds - before
                if future.done() or timeout <= 0:
                    raise

    async def wait_for(self, awaited: Awaitable[Any], timeout: float | None) -> Any:
        """`asyncio.wait_for`."""
        task = asyncio.ensure_future(awaited)
        try:
            while not task.done():
                before = self._session.standstill.seconds
                done, _ = await asyncio.wait({task}, timeout=timeout)
                if not done:
                    timeout = self._session.standstill.seconds - before
                    if timeout <= 0:
                        raise asyncio.TimeoutError
            return task.result()
        finally:
            task.cancel()
