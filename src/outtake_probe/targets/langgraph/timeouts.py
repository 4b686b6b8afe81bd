"""Time limits of graphs and nodes do not run while something is held.

LangGraph measures a superstep's time (`step_timeout`) and a node's (`TimeoutPolicy`) in two of its modules; there, the
functions that wait are given what was held on top.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import time
from collections.abc import AsyncIterator, Callable
from contextvars import ContextVar
from typing import Any

from langgraph.pregel import _retry, _runner

from outtake_probe.session import Session
from outtake_probe.targets.toolkit.context_variables import aiterate_with
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.time_limits import ModuleView

Method = Callable[..., Any]
_began: ContextVar[float | None] = ContextVar("outtake_langgraph_began", default=None)
"""How long something had been held when the superstep began that waits now."""


def install(session: Session, patches: Patches) -> list[str]:
    """Give the waiting of two modules what was held on top."""
    clock = _Clock(session)
    instead: dict[str, Any] = {
        "time": ModuleView(time, monotonic=clock.monotonic),
        "asyncio": ModuleView(asyncio, wait=clock.await_any, wait_for=clock.await_one, sleep=clock.sleep),
        "concurrent": ModuleView(concurrent, futures=ModuleView(concurrent.futures, wait=clock.wait_any)),
    }
    lost = []
    for module, names in ((_runner, ("time", "asyncio", "concurrent")), (_retry, ("time", "asyncio"))):
        for name in names:
            if hasattr(module, name):
                patches.set(module, name, instead[name])
            else:
                lost.append(f"time limits run while something is held: {module.__name__} has no {name}")
    patches.wrap(_runner.PregelRunner, "atick", clock.superstep)
    return lost


class _Clock:
    """Time without what was held."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def _held(self) -> float:
        return self._session.standstill.seconds

    def monotonic(self) -> float:
        return time.monotonic() - self._held()

    def wait_any(self, fs: Any, timeout: float | None = None, return_when: str = "ALL_COMPLETED") -> Any:
        """`concurrent.futures.wait`."""
        while True:
            before = self._held()
            result = concurrent.futures.wait(fs, timeout=timeout, return_when=return_when)
            more = self._held() - before
            if timeout is None or result.done or more <= 0:
                return result
            timeout = more

    async def await_any(self, fs: Any, *, timeout: float | None = None, return_when: str = "ALL_COMPLETED") -> Any:
        """`asyncio.wait`."""
        began = _began.get()
        if timeout is not None and began is not None:
            timeout += self._held() - began
        while True:
            before = self._held()
            done, pending = await asyncio.wait(fs, timeout=timeout, return_when=return_when)
            more = self._held() - before
            if timeout is None or done or more <= 0:
                return done, pending
            timeout = more

    async def await_one(self, awaited: Any, timeout: float | None) -> Any:
        """`asyncio.wait_for`."""
        began = _began.get()
        more = self._held() - began if began is not None else 0.0
        return await asyncio.wait_for(awaited, timeout if timeout is None else timeout + more)

    async def sleep(self, delay: float, result: Any = None) -> Any:
        """`asyncio.sleep`."""
        while delay > 0:
            before = self._held()
            await asyncio.sleep(delay)
            delay = self._held() - before
        return result

    def superstep(self, method: Method) -> Method:
        """Remember how long something had been held when a superstep began."""

        @functools.wraps(method)
        def atick(runner: Any, *args: Any, **kwargs: Any) -> AsyncIterator[None]:
            return aiterate_with(_began, self._held(), method(runner, *args, **kwargs))

        return atick
