"""Time-outs of tools stand still while something is held."""

from __future__ import annotations

import asyncio
import types
from collections.abc import Iterator
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
        clock = self._state.session.standstill
        if delay is None or not _is_asyncio():
            with anyio.fail_after(delay, shield) as scope:
                yield scope
            return
        loop, counted, is_over = asyncio.get_running_loop(), clock.seconds, False
        scope = anyio.CancelScope(shield=shield)

        def end() -> None:
            nonlocal counted, is_over, timer
            more = clock.seconds - counted
            if more > 0:
                counted += more
                timer = loop.call_later(more, end)
            else:
                is_over = True
                scope.cancel()

        timer = loop.call_later(delay, end)
        with scope:
            try:
                yield scope
            finally:
                timer.cancel()
        if is_over and scope.cancelled_caught:
            raise TimeoutError


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
