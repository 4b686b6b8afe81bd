"""The journal of a live run: what was acknowledged and is not in the store yet.

A process waits for an acknowledgement before each model or tool call, and a transaction takes several times as long as
writing a few bytes to a file that outlives this process.  So frames of records are written here, acknowledged, and then
stored; the file is emptied once they are.  What a killed server left here is stored when the next one begins.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from outtake.store import Store
from outtake_probe.wire import Frame, read_frames

FOLDER = "journal"


class Journal:
    """One file for one run."""

    def __init__(self, folder: Path, run: str) -> None:
        (folder / FOLDER).mkdir(exist_ok=True)
        self._path = folder / FOLDER / run
        self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write(self, frame: Frame) -> None:
        """Keep a frame, whatever happens to this process.  Raises `OSError`, for example when the disk is full."""
        rest = memoryview(frame.raw)
        while rest:
            rest = rest[os.write(self._file, rest) :]

    def clear(self) -> None:
        """Everything in it is in the store."""
        os.ftruncate(self._file, 0)

    def close(self) -> None:
        """The run is over and stored."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
            self._path.unlink(missing_ok=True)


def recover(folder: Path, store: Store) -> None:
    """Store what killed servers left behind; a frame that was not written to its end was never acknowledged."""
    for path in sorted((folder / FOLDER).glob("r*")):
        for frame in _left(path):
            store.append(path.name, frame.fields["records"], frame.nodes)
        path.unlink()


def _left(path: Path) -> Iterator[Frame]:
    return read_frames(path.read_bytes())
