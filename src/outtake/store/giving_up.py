"""Whether anybody still wants an answer that takes long: who asked may be gone.

What walks through a whole log asks now and then.  Who asks for the walk says how it is known, see `wanted_while`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar


class GivenUp(Exception):
    """Nobody wants the answer any more."""


_is_wanted: ContextVar[Callable[[], bool] | None] = ContextVar("outtake_is_wanted", default=None)


@contextlib.contextmanager
def wanted_while(is_wanted: Callable[[], bool]) -> Iterator[None]:
    """What is done in here ends with `GivenUp` once `is_wanted` says no."""
    before = _is_wanted.set(is_wanted)
    try:
        yield
    finally:
        _is_wanted.reset(before)


def check() -> None:
    """Raises `GivenUp` where nobody wants the answer any more."""
    is_wanted = _is_wanted.get()
    if is_wanted is not None and not is_wanted():
        raise GivenUp("who asked for this is gone")
