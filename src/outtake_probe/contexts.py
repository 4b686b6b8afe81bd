"""Threads know which invocation they were started in.

A context variable says which invocation the running code is inside of; asyncio carries it into tasks, but threads and
thread pools start without it.  Only this one variable is carried over: the program's own keep their meaning.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from outtake_probe.calls import Frame, current

_thread_start = threading.Thread.start
_pool_submit = ThreadPoolExecutor.submit


def install() -> None:
    """Carry the invocation over into new threads and into what is given to thread pools."""
    threading.Thread.start = _start  # type: ignore[method-assign]
    ThreadPoolExecutor.submit = _submit  # type: ignore[method-assign,assignment]


def remove() -> None:
    threading.Thread.start = _thread_start  # type: ignore[method-assign]
    ThreadPoolExecutor.submit = _pool_submit  # type: ignore[method-assign]


def _start(self: threading.Thread) -> None:
    frame = current.get()
    if frame is not None:
        self.run = functools.partial(_run_in, frame, self.run)  # type: ignore[method-assign]
    _thread_start(self)


def _submit(self: ThreadPoolExecutor, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
    frame = current.get()
    if frame is None:
        return _pool_submit(self, fn, *args, **kwargs)
    return _pool_submit(self, functools.partial(_run_in, frame, fn), *args, **kwargs)


def _run_in(frame: Frame, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    token = current.set(frame)
    try:
        return fn(*args, **kwargs)
    finally:
        current.reset(token)
