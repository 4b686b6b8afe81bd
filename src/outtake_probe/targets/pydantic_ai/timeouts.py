"""Time-outs of tools stand still while something is held."""

from __future__ import annotations

import asyncio
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import anyio
from pydantic_ai.toolsets import function

from outtake_probe.targets.pydantic_ai.adapter_state import AdapterState
from outtake_probe.targets.toolkit.patches import Patches

_NAME = "anyio"


class _Anyio(types.ModuleType):
    """The library, as one module of the framework sees it, with another function for time-outs."""

    def __init__(self, state: AdapterState) -> None:
        super().__init__(_NAME)
        self._state = state

    def __getattr__(self, name: str) -> Any:
        return getattr(anyio, name)

    @contextmanager
    def fail_after(self, delay: float | None, shield: bool = False) -> Iterator[Any]:
        """As that of the library; what was held meanwhile is added when the time is over."""
        if delay is None or not _is_asyncio():
            with anyio.fail_after(delay, shield) as scope:
                yield scope
            return
        limit = _Limit(lambda: self._state.session.standstill.seconds, delay, shield)
        with limit.scope:
            try:
                yield limit.scope
            finally:
                limit.timer.cancel()
        if limit.is_over and limit.scope.cancelled_caught:
            raise TimeoutError


class _Limit:
    """A time that is over when so many seconds have passed in which nothing was held; then a scope is cancelled."""

    def __init__(self, held: Callable[[], float], delay: float, shield: bool) -> None:
        self.scope = anyio.CancelScope(shield=shield)
        self.is_over = False
        self._held = held
        self._counted = held()
        self._loop = asyncio.get_running_loop()
        self.timer = self._loop.call_later(delay, self._end)

    def _end(self) -> None:
        more = self._held() - self._counted
        if more > 0:
            self._counted += more
            self.timer = self._loop.call_later(more, self._end)
        else:
            self.is_over = True
            self.scope.cancel()


def _is_asyncio() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def install(state: AdapterState, patches: Patches) -> list[str]:
    """Give the module that calls tools the other function."""
    if not hasattr(function, _NAME):
        return [f"time-outs of tools run while something is held: {function.__name__} has no {_NAME}"]
    patches.set(function, _NAME, _Anyio(state))
    return []
