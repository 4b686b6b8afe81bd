"""Whether the process of a run lives: a file for each run that its process keeps locked, and says who it is in.

The lock ends with the process, however that ends, so whoever owns the store next can tell, and is not taken in by a
process number that was given to another process since.  The server takes the lock and hands its descriptor to the
process that it starts, so there is no moment at which one lives without it; a script that was started by hand takes it
itself.  Where files cannot be locked, number and start time of the process tell.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys

from outtake_probe import clock
from outtake_probe.records import Json

if sys.platform != "win32":
    import fcntl

VARIABLE = "OUTTAKE_LIFE"
"""Environment variable with the inherited descriptor and the path of the file, for the first code of a process."""
_TRIES = 50
_BREATH = 0.02
"""Seconds between two looks at a process that holds no lock."""
_kept: tuple[int, str] | None = None
"""The descriptor and the file of this process."""


# -- the process -----------------------------------------------------------------------------------------------------


def keep_inherited() -> None:
    """Keep the lock that was handed to this process, for as long as it lives; what it starts does not have it."""
    told = os.environ.pop(VARIABLE, "")
    number, _, path = told.partition(":")
    if not path:
        return
    try:
        same = os.path.samestat(os.fstat(int(number)), os.stat(path))
    except (OSError, ValueError):
        same = False
    if same:
        os.set_inheritable(int(number), False)
        _keep(int(number), path)
    else:  # a wrapper around the interpreter closed it
        take(path)


def take(path: str) -> None:
    """Lock the file for this process, unless it has one already; without a lock its number and start time must do."""
    if _kept is not None:
        return
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError:
        return
    for _ in range(_TRIES):  # who looks whether it is locked has it for a moment
        if _lock(file):
            break
        clock.sleep(_BREATH)
    _keep(file, path)


def say(**fields: Json) -> None:
    """Tell whoever owns the store, now or later, something of this process."""
    if _kept is not None:
        with contextlib.suppress(OSError):
            os.write(_kept[0], (json.dumps(fields) + "\n").encode())


def release() -> None:
    """This is the process of no run any more; it may join another one."""
    global _kept  # noqa: PLW0603
    if _kept is not None:
        with contextlib.suppress(OSError):
            os.close(_kept[0])
    _kept = None


def _keep(file: int, path: str) -> None:
    global _kept  # noqa: PLW0603  a process has one life at a time
    _kept = (file, path)
    if sys.platform != "win32":
        os.register_at_fork(after_in_child=release)  # a forked child is not the process of the run
    say(pid=os.getpid(), started=started(os.getpid()))


# -- the server ------------------------------------------------------------------------------------------------------


def begin(path: str, **fields: Json) -> int:
    """Make the file of a run whose process is about to start; returns its locked descriptor, to be handed over."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    _lock(file)
    os.write(file, (json.dumps(fields) + "\n").encode())
    return file


def told(path: str) -> dict[str, Json]:
    """What was said of a process: what its server said first, then what it said itself."""
    fields: dict[str, Json] = {}
    with contextlib.suppress(OSError), open(path, encoding="utf-8") as file:
        for line in file:
            with contextlib.suppress(ValueError):  # the last one may have been cut short
                fields.update(json.loads(line))
    return fields


def alive(path: str) -> bool:
    """Whether the process whose file this is lives."""
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        if not _lock(file, wait=False, shared=True):
            return True
    finally:
        os.close(file)
    return _is_there(told(path))


def await_end(path: str) -> None:
    """Return when the process whose file this is has ended."""
    with contextlib.suppress(OSError):
        file = os.open(path, os.O_RDONLY)
        try:
            _lock(file, wait=True, shared=True)
        finally:
            os.close(file)
    while alive(path):  # it closed the descriptor, or nothing can be locked here
        clock.sleep(_BREATH)


def _is_there(said: dict[str, Json]) -> bool:
    """Whether a process with this number and start time exists."""
    pid, since = said.get("pid"), said.get("started")
    return isinstance(pid, int) and since is not None and started(pid) == since


def _lock(file: int, *, wait: bool = False, shared: bool = False) -> bool:
    """Lock a file; False where another process has it.  True, too, where locking is not possible at all."""
    if sys.platform == "win32":
        return True
    how = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB)
    try:
        fcntl.flock(file, how)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def started(pid: int) -> str | None:
    """When a process was started, as a text that no other process with this number ever has.

    None where there is no such process, or where the system does not say: then only the lock tells.
    """
    if sys.platform == "win32":
        return _started_on_windows(pid)
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            boot = file.read().strip()
    except OSError:
        return None
    return None if fields[0] in "ZX" else f"{boot}/{fields[19]}"


if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    _LIMITED_INFORMATION, _STILL_ACTIVE = 0x1000, 259

    def _started_on_windows(pid: int) -> str | None:
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.OpenProcess.restype = wintypes.HANDLE
        handle = wintypes.HANDLE(kernel.OpenProcess(_LIMITED_INFORMATION, False, pid))
        if not handle:
            return None
        code, times = wintypes.DWORD(), [wintypes.FILETIME() for _ in range(4)]
        try:
            kernel.GetExitCodeProcess(handle, ctypes.byref(code))
            got = kernel.GetProcessTimes(handle, *(ctypes.byref(t) for t in times))
        finally:
            kernel.CloseHandle(handle)
        if not got or code.value != _STILL_ACTIVE:
            return None
        return f"{times[0].dwHighDateTime}/{times[0].dwLowDateTime}"
