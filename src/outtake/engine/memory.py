"""Memory that nobody uses any more, given back to the system.

The C library keeps what its threads have freed for them, in an arena of each: a server that lives for weeks and has a
thread per connection would grow by what every one of them has held once.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable


def give_back() -> None:
    """Return what the C library holds unused, where it is one that can (glibc); takes about a millisecond."""
    if _trim is not None:
        _trim(0)


def _found() -> Callable[[int], int] | None:
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None), "malloc_trim", None)


_trim = _found()
