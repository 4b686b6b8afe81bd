"""Named moments of a program: where it waits until the suite lets it go, or where it kills itself.

The program's helper (`outtake.testing.stage`) reads the file and does what it says at the n-th real call.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from outtake.testing.stage import POINT
from outtake.testing.words import WAIT, Broken


def kill_at(folder: Path, call: int) -> None:
    """The program's process dies inside its n-th real call."""
    (folder / POINT).write_text(json.dumps({"at": call}), "utf-8")


class Point:
    """A program that waits inside its n-th real call."""

    def __init__(self, listening: socket.socket, call: int) -> None:
        self._listening = listening
        self._call = call
        self._waiting: socket.socket | None = None

    def arrived(self) -> None:
        """Wait until the program is there."""
        try:
            self._waiting, _ = self._listening.accept()
        except TimeoutError:
            raise Broken(f"the program did not come to its call {self._call} within {WAIT:.0f} s") from None

    def go(self) -> None:
        """Let the program go on."""
        if self._waiting is not None:
            self._waiting.close()
            self._waiting = None


@contextmanager
def wait_at(folder: Path, call: int) -> Iterator[Point]:
    """The program waits inside its n-th real call, until it is let go."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(WAIT)
        (folder / POINT).write_text(json.dumps({"at": call, "port": listening.getsockname()[1]}), "utf-8")
        point = Point(listening, call)
        try:
            yield point
        finally:
            point.go()
            (folder / POINT).unlink(missing_ok=True)
