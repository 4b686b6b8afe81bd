"""Whether this code is being debugged, and by which session: that of its request, or that of its process."""

from __future__ import annotations

import os
import threading
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outtake_probe.requests import Requests
    from outtake_probe.session import Session

_lock = threading.Lock()
_session: Session | None = None
_requests: Requests | None = None
_pid = 0
of_request: ContextVar[Session | None] = ContextVar("outtake_request", default=None)
"""The session of the request that the running code handles, where its run is a run of its own."""


def active() -> Session | None:
    """The session of the running code, or None.  A child that was forked is not debugged: it has no connection."""
    if _session is None or _pid != os.getpid():
        return None
    return of_request.get() or _session


def requests() -> Requests | None:
    """What opens a run for each request; None where a request would be part of the run that goes on already."""
    if _requests is None or _pid != os.getpid() or of_request.get() is not None:
        return None
    return _requests


def attach_session(session: Session, requests: Requests | None = None) -> None:
    """From now on everything in this process passes `session`, but for what has a run of its own."""
    global _session, _requests, _pid
    with _lock:
        _session, _requests, _pid = session, requests, os.getpid()


def detach_session() -> None:
    """From now on nothing is recorded or held."""
    global _session, _requests  # noqa: PLW0603
    with _lock:
        _session = _requests = None
