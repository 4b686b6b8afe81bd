"""What the processes of runs leave in the store's folder: the lock that says that one lives, and its last words.

Both outlive the server, so that the next one finds the runs that go on without it.  What a process writes to its own
standard error, past the console that is recorded, goes to a file: a pipe would break with the server.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from outtake_probe import life
from outtake_probe.records import Json

FOLDER = "processes"
ERRORS = ".stderr"
WORDS = 4000
"""Bytes of a process's last words that are read."""
ROOM = 4 << 20
"""Bytes of them that are kept before what is there is thrown away."""


class Traces:
    """The files of one run's process."""

    def __init__(self, folder: Path, run: str) -> None:
        place = folder / FOLDER
        place.mkdir(exist_ok=True, mode=0o700)
        self.life = str(place / run)
        self._errors = place / f"{run}{ERRORS}"

    @property
    def alive(self) -> bool:
        """Whether the process lives."""
        return life.alive(self.life)

    def told(self) -> dict[str, Json]:
        """What its server and the process itself said: pid, started, headless, stdin, attached, alone."""
        return life.told(self.life)

    def open_errors(self) -> int:
        """A descriptor for the standard error of a process that is about to start."""
        return os.open(self._errors, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def last_words(self) -> str:
        """What the process said last outside of its console."""
        try:
            with open(self._errors, "rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - WORDS))
                return file.read().decode("utf-8", "backslashreplace").strip()
        except OSError:
            return ""

    def trim(self) -> None:
        """Keep what the process says from filling the disk."""
        with contextlib.suppress(OSError):
            if self._errors.stat().st_size > ROOM:
                os.truncate(self._errors, 0)

    def remove(self) -> None:
        """The process has ended, and all is known of it."""
        for path in (Path(self.life), self._errors):
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)


def left(folder: Path) -> Iterator[tuple[str, Traces]]:
    """The runs whose processes were not seen to end, and their traces."""
    for path in sorted((folder / FOLDER).glob("r*")):
        if path.suffix != ERRORS:
            yield path.name, Traces(folder, path.name)
