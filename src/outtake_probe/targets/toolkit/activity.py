"""What in a program may still act by itself while a part of it waits: its tasks, timers, servers and threads.

A part that waits for something from outside waits for ever where nothing of this is left.  Tasks and threads are looked
at where they are suspended, so the answer holds for this moment only.  In doubt, something may act.
"""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator, Sequence
from types import AsyncGeneratorType, CodeType, CoroutineType, FrameType, GeneratorType
from typing import Any

_STANDARD = os.path.join(os.path.realpath(sysconfig.get_path("stdlib")), "")
_POOL = os.path.join("concurrent", "futures", "thread.py")
_OF_OTHERS = {("tasks.py", "wait"), ("tasks.py", "_wait"), ("taskgroups.py", "__aexit__")}
"""Code of asyncio that waits for tasks, which are looked at themselves."""
_JOINING = {("threading.py", "_wait_for_tstate_lock"), ("threading.py", "join"), ("_base.py", "result")}
"""Code of a thread that waits for another one, or for a loop."""
_SERVING = ("run_forever", "serve_forever", "_run_once")
Passive = Callable[[Sequence[str]], bool]
"""Whether a task waits for what is asked about that is suspended in these source files, outermost first."""


def may_act(loop: asyncio.AbstractEventLoop, passive: Passive) -> bool:
    """Whether anything of the program may act.  Called on the loop."""
    return _tasks(loop, passive) or _timers(loop) or _servers(loop) or any(map(_is_active, _threads()))


# -- tasks -----------------------------------------------------------------------------------------------------------


def _tasks(loop: asyncio.AbstractEventLoop, passive: Passive) -> bool:
    here = asyncio.current_task(loop)
    return any(_is_free(task, passive) for task in asyncio.all_tasks(loop) if task is not here)


def _is_free(task: asyncio.Task[Any], passive: Passive) -> bool:
    """Whether a task waits for something else than other tasks and what is `passive`."""
    waits_for = getattr(task, "_fut_waiter", None)
    if waits_for is None:
        return True  # it runs in this turn of the loop
    if isinstance(waits_for, asyncio.Task) or type(waits_for).__name__ == "_GatheringFuture":
        return False
    files: list[str] = []
    for frame in _suspended(task.get_coro()):
        file = frame.f_code.co_filename
        if not file.startswith(_STANDARD):
            files.append(file)
        elif _place(frame.f_code) in _OF_OTHERS and not passive(files) and frame.f_locals.get("timeout") is None:
            return False
    return not passive(files)


def _suspended(coroutine: Any) -> Iterator[FrameType]:
    """The frames in which a coroutine is suspended, outermost first."""
    at = coroutine
    while at is not None:
        frame: FrameType | None
        if isinstance(at, CoroutineType):
            frame, inner = at.cr_frame, at.cr_await
        elif isinstance(at, GeneratorType):
            frame, inner = at.gi_frame, at.gi_yieldfrom
        elif isinstance(at, AsyncGeneratorType):
            frame, inner = at.ag_frame, at.ag_await
        else:
            found = (
                gc.get_referents(at) if type(at).__name__.startswith(("async_generator", "coroutine_wrapper")) else ()
            )
            at = next((each for each in found if isinstance(each, (AsyncGeneratorType, CoroutineType))), None)
            continue
        if frame is None:
            return
        yield frame
        at = inner


def _place(code: CodeType) -> tuple[str, str]:
    return os.path.basename(code.co_filename), code.co_name


# -- what a loop has beside its tasks --------------------------------------------------------------------------------


def _timers(loop: asyncio.AbstractEventLoop) -> bool:
    """Whether a function of the program's is to be called later."""
    return any(not handle.cancelled() and _is_own(handle) for handle in getattr(loop, "_scheduled", ()))


def _is_own(handle: Any) -> bool:
    callback = getattr(handle, "_callback", None)
    module = getattr(getattr(callback, "__wrapped__", callback), "__module__", None) or ""
    return not module.startswith(("asyncio", "_asyncio"))


def _servers(loop: asyncio.AbstractEventLoop) -> bool:
    """Whether the loop accepts connections."""
    selector = getattr(loop, "_selector", None)
    keys = selector.get_map() if selector is not None else None
    return any(_accepts(key.fd) for key in (keys or {}).values())


def _accepts(descriptor: int) -> bool:
    try:
        looked = socket.socket(fileno=descriptor)
    except OSError:  # no socket, or closed
        return False
    try:
        return bool(looked.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))
    except OSError:
        return False
    finally:
        looked.detach()


# -- threads ---------------------------------------------------------------------------------------------------------


def _threads() -> Iterator[threading.Thread]:
    here = threading.current_thread()
    return (each for each in threading.enumerate() if each is not here and not each.name.startswith("outtake"))


def _is_active(thread: threading.Thread) -> bool:
    """Whether a thread runs code of the program's, or serves, and does not only wait for another one."""
    if isinstance(thread, threading.Timer):
        return not thread.finished.is_set()
    frame = sys._current_frames().get(thread.ident or 0)
    if frame is None or (frame.f_code.co_filename.endswith(_POOL) and frame.f_code.co_name == "_worker"):
        return False
    codes = [frame.f_code]
    while frame.f_back is not None:
        frame = frame.f_back
        codes.append(frame.f_code)
    if any(_place(code) in _JOINING for code in codes[:3]):
        return False
    return any(code.co_name in _SERVING or _is_program(code.co_filename) for code in codes)


def _is_program(file: str) -> bool:
    return not (file.startswith(("<frozen", _STANDARD)) or "site-packages" in file or "outtake_probe" in file)
