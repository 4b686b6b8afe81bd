"""Threads know which invocation they were started in, and in whose run.

Context variables say which invocation the running code is inside of, and which request it handles; asyncio carries them
into tasks, but threads and thread pools start without them.  Only these are carried over: the program's own keep their
meaning.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from outtake_probe.attached import of_request
from outtake_probe.calls import Frame, current
from outtake_probe.session import Session

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
        self.run = functools.partial(_run_in, frame, of_request.get(), self.run)  # type: ignore[method-assign]
    _thread_start(self)


def _submit(self: ThreadPoolExecutor, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
    frame = current.get()
    if frame is None:
        return _pool_submit(self, fn, *args, **kwargs)
    return _pool_submit(self, functools.partial(_run_in, frame, of_request.get(), fn), *args, **kwargs)


def _run_in(frame: Frame, session: Session | None, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    token, request = current.set(frame), of_request.set(session)
    try:
        return fn(*args, **kwargs)
    finally:
        of_request.reset(request)
        current.reset(token)
