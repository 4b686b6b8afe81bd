"""Whose fault an exception is: the probe's own never becomes the program's, the program's own is never kept from it."""

from __future__ import annotations

import signal
import traceback
from types import CodeType


def is_from_signal_handler(error: BaseException) -> bool:
    """Whether a handler of the program raised it, which may run between any two lines of the probe."""
    handlers = _handlers()
    return any(frame.f_code in handlers for frame, _ in traceback.walk_tb(error.__traceback__))


def _handlers() -> set[CodeType]:
    """The code of the functions that handle signals."""
    found = set()
    for number in signal.valid_signals():
        handler = signal.getsignal(number)
        code = getattr(getattr(handler, "__func__", handler), "__code__", None)
        if isinstance(code, CodeType):
            found.add(code)
    return found


def describe(error: BaseException) -> str:
    """A fault in one line: what was raised, and where in the probe, whatever of the program's that had called."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "outtake_probe" in frame.filename] or frames
    place = f" at {own[-1].filename}:{own[-1].lineno}" if own else ""
    try:
        return f"{type(error).__name__}: {error}{place}"
    except Exception:  # noqa: BLE001  an exception may be of the user's class
        return f"{type(error).__name__}{place}"
