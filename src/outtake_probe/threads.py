"""The probe's own threads: what they do must go on whatever the program does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_own: set[int] = set()


def start(name: str, work: Callable[[], object]) -> None:
    """Run `work` in a daemon thread of the probe's."""

    def run() -> None:
        with own():
            work()

    threading.Thread(target=run, name=name, daemon=True).start()


@contextmanager
def own() -> Iterator[None]:
    """What this thread does now is the probe's: others wait for it, so nothing in it may wait for the program."""
    me = threading.get_ident()
    _own.add(me)
    try:
        yield
    finally:
        _own.discard(me)


def is_own() -> bool:
    """Whether this thread is one of them."""
    return threading.get_ident() in _own


def forget() -> None:
    """This is a forked child, which has none of them."""
    _own.clear()
