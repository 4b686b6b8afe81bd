"""What the server hands to a process that it starts: where the server is, and the secret of the process's run.

It comes through a descriptor that is read once and closed: no other process sees it, not in the list of processes and
not in an environment, and what the program starts does not inherit it.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass

if sys.platform == "win32":
    import msvcrt


@dataclass(frozen=True, slots=True)
class Handed:
    """How a process reaches its server, and as which run."""

    address: str
    secret: str
    run: str
    store: str
    """The store's folder, in which the next server says where it is."""


_received: list[tuple[int, Handed]] = []
"""For which process it is, and what was handed over."""


def receive(argument: str) -> None:
    """Read what is handed over, through the descriptor (on Windows: the handle) with this number."""
    descriptor = int(argument)
    if sys.platform == "win32":
        descriptor = msvcrt.open_osfhandle(descriptor, os.O_RDONLY)
    with open(descriptor, "rb") as pipe:
        _received.append((os.getpid(), Handed(**json.loads(pipe.read()))))


def claim() -> Handed | None:
    """What was handed over, once; None later, and in a process that was forked from the one that it is for."""
    if not _received:
        return None
    process, handed = _received.pop()
    return handed if process == os.getpid() else None
