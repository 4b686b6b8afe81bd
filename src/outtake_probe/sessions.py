"""The sessions of one process, by context: each request of a server has its own, all other code that of the process.

Hooks are put in place once.  They are given what stands for the session that the running code belongs to, and keep what
they know of it in one object for each session.  In a process of one run, both are the things themselves.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar, cast

from outtake_probe.attached import of_request
from outtake_probe.session import Session

T = TypeVar("T")


class _Here:
    """Stands for the session of the running code."""

    __slots__ = ("_process",)

    def __init__(self, process: Session) -> None:
        object.__setattr__(self, "_process", process)

    @property
    def here(self) -> Session:
        """The session itself."""
        process: Session = object.__getattribute__(self, "_process")
        return of_request.get() or process

    def __getattr__(self, name: str) -> Any:
        return getattr(self.here, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.here, name, value)


class _OfEach:
    """Stands for what is kept for the session of the running code; made when it is first asked for."""

    __slots__ = ("_lock", "_make", "_session")

    def __init__(self, session: _Here, make: Callable[[Session], object]) -> None:
        object.__setattr__(self, "_session", session)
        object.__setattr__(self, "_make", make)
        object.__setattr__(self, "_lock", threading.RLock())

    @property
    def here(self) -> Any:
        """The object itself."""
        own = object.__getattribute__
        session = own(self, "_session").here
        kept: dict[object, Any] = session.kept
        with own(self, "_lock"):
            if self not in kept:
                kept[self] = own(self, "_make")(session)
            return kept[self]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.here, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.here, name, value)


def by_context(process: Session) -> Session:
    """What stands for the session of the running code, in a process whose requests are runs of their own."""
    return cast(Session, _Here(process))


def for_each(session: Session, make: Callable[[Session], T]) -> T:
    """What an adapter keeps for a session; for one that goes by context, what stands for that of each."""
    if isinstance(session, _Here):
        return cast(T, _OfEach(session, make))
    return make(session)
