"""Saved files: how a reader sleeps until one of a program's files is written, replaced or removed."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterable

import watchfiles

from outtake.service.watch import ChangeSignal

GATHER = 100
"""Milliseconds in which changes are gathered; also the time until a thread notices that it is to end."""
LOOK = 2000
"""Milliseconds after which files are looked at though the system told of nothing, as file systems of a network do."""
Stamp = tuple[int, int, int] | None
log = logging.getLogger(__name__)


class SavedFiles(ChangeSignal):
    """Wakes one reader when one of `paths` was saved, by whatever means an editor has: in place, or under another name.

    Files in folders that are not there are not watched; `idle` where there is nothing to watch.  Where the system
    allows no more watches, nothing is noticed, and the log says so.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        own = {os.path.abspath(path) for path in paths}
        self._folders = sorted({folder for folder in map(os.path.dirname, own) if os.path.isdir(folder)})
        self._paths = sorted(path for path in own if os.path.dirname(path) in self._folders)
        self._stamps = [_stamp(path) for path in self._paths]
        self._saves = 0
        self._stop = threading.Event()
        self._saved = threading.Condition()
        self.idle = not self._folders
        super().__init__(self._saved, lambda: self._saves)
        if not self.idle:
            threading.Thread(target=self._look, name="outtake-saved-files", daemon=True).start()

    def close(self) -> None:
        self._stop.set()
        super().close()

    def _look(self) -> None:
        try:
            for _ in watchfiles.watch(
                *self._folders,
                watch_filter=None,
                step=GATHER,
                stop_event=self._stop,
                rust_timeout=LOOK,
                yield_on_timeout=True,
                recursive=False,
                raise_interrupt=False,
            ):
                self._compare()
        except OSError as error:
            log.warning("saved files are not noticed while the window is open: %s", error)

    def _compare(self) -> None:
        now = [_stamp(path) for path in self._paths]
        if now == self._stamps:
            return
        self._stamps = now
        with self._saved:
            self._saves += 1
            self._saved.notify_all()


def _stamp(path: str) -> Stamp:
    """What changes when a file is written or replaced; None where there is no file."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
