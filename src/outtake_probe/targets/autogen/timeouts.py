"""A team's own time-out, `TimeoutTermination`: it stands still while something is held."""

from __future__ import annotations

import functools
import sys
from collections.abc import Awaitable, Callable
from typing import Any
from weakref import WeakKeyDictionary

from outtake_probe.targets.autogen.adapter_state import AdapterState
from outtake_probe.targets.toolkit.patches import Patches

MODULE = "autogen_agentchat.conditions"
_STARTED = "_start_time"
_MISSING = f"time-outs of teams run while something is held: TimeoutTermination has no {_STARTED}"


def install(adapter_state: AdapterState, patches: Patches) -> list[str]:
    """Wrap what begins a time-out and what looks whether it is over."""
    condition = getattr(sys.modules[MODULE], "TimeoutTermination", None)
    begins = getattr(getattr(condition, "__init__", None), "__code__", None)
    if condition is None or begins is None or _STARTED not in begins.co_names:
        return [_MISSING]
    counted: WeakKeyDictionary[Any, float] = WeakKeyDictionary()
    """Seconds held that the start of each condition has been moved by already."""

    def made(method: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(method)
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            method(self, *args, **kwargs)
            counted[self] = adapter_state.session.standstill.seconds

        return __init__

    def reset(method: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        @functools.wraps(method)
        async def reset(self: Any) -> None:
            await method(self)
            counted[self] = adapter_state.session.standstill.seconds

        return reset

    def asked(method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        @functools.wraps(method)
        async def __call__(self: Any, messages: Any) -> Any:
            held = adapter_state.session.standstill.seconds
            self._start_time += max(0.0, held - counted.get(self, 0.0))
            counted[self] = held
            return await method(self, messages)

        return __call__

    wrapped = [
        patches.wrap(condition, name, wrap)
        for name, wrap in (("__init__", made), ("reset", reset), ("__call__", asked))
    ]
    return [] if all(wrapped) else [_MISSING]
