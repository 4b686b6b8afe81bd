"""The journal of a live run: what was acknowledged and is not in the store yet.

A process waits for an acknowledgement before each model or tool call, and a transaction takes several times as long as
writing a few bytes to a file that outlives this process.  So frames of records are written here, acknowledged, and then
stored, many in one transaction.  There are two files: while what is in one is being stored, frames go to the other.
What a killed server left here is stored when the next one begins.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path

from outtake.store import NotWritten, Store
from outtake_probe.wire import Frame, read_frames

FOLDER = "journal"
ASIDE = "aside-"
log = logging.getLogger(__name__)


class Journal:
    """Two files for one run."""

    def __init__(self, folder: Path, run: str) -> None:
        (folder / FOLDER).mkdir(exist_ok=True, mode=0o700)
        self._paths = [folder / FOLDER / name for name in (run, f"{run}.other")]
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        self._files = [os.open(path, flags, 0o600) for path in self._paths]

    def write(self, frame: Frame) -> None:
        """Keep a frame, whatever happens to this process.  Raises `OSError`, for example when the disk is full.

        Then nothing of the frame is here, so that it can be written again.
        """
        file, rest = self._files[0], memoryview(frame.raw)
        try:
            while rest:
                rest = rest[os.write(file, rest) :]
        except OSError:
            os.ftruncate(file, os.fstat(file).st_size - (len(frame.raw) - len(rest)))
            raise

    def turn(self) -> None:
        """What is here is about to be stored; what comes from now on is not among it."""
        self._files.reverse()

    def clear(self) -> None:
        """What was here at the last turn is in the store."""
        os.ftruncate(self._files[1], 0)

    def close(self, *, keep: bool = False) -> None:
        """The run is over, and what is here is stored; else `keep` it."""
        while self._files:
            os.close(self._files.pop())
        if not keep:
            for path in self._paths:
                path.unlink(missing_ok=True)


def recover(folder: Path, store: Store) -> None:
    """Store what killed servers left behind; a frame that was not written to its end was never acknowledged.

    What no store takes is put aside and said, so that it keeps nobody from the other runs.  Raises `NotWritten`.
    """
    for path in sorted((folder / FOLDER).glob("r*")):
        try:
            for frame in _left(path):
                store.append(path.stem, frame.fields["records"], frame.nodes)
        except NotWritten:
            raise
        except Exception as error:  # noqa: BLE001  it comes from a process that may have sent anything
            aside = path.rename(path.with_name(f"{ASIDE}{path.name}"))
            log.warning("some of %s cannot be stored (%s); it is kept in %s", path.stem, error, aside)
        else:
            path.unlink()


def _left(path: Path) -> Iterator[Frame]:
    return read_frames(path.read_bytes())
