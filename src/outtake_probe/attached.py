"""Whether this process is being debugged, and by which session."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outtake_probe.session import Session

_lock = threading.Lock()
_session: Session | None = None
_pid = 0


def active() -> Session | None:
    """The session of this process, or None.  A child that was forked is not debugged: it has no connection."""
    return _session if _session is not None and _pid == os.getpid() else None


def attach_session(session: Session) -> None:
    """From now on everything in this process passes `session`."""
    global _session, _pid
    with _lock:
        _session, _pid = session, os.getpid()


def detach_session() -> None:
    """From now on nothing is recorded or held."""
    global _session  # noqa: PLW0603
    with _lock:
        _session = None
