"""The intake of a live run: what its process records is kept at once, and stored a moment later, many in one go.

What is kept may be acknowledged: it is in the journal.  Readers see it once it is stored.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from outtake.engine.journal import Journal
from outtake.store import NotWritten, Store
from outtake_probe.records import Json
from outtake_probe.wire import Frame

LATE = 0.02
"""Seconds that frames wait for company before they are stored."""
MANY = 64
"""Frames that may wait to be stored; then the process waits, too."""
RETRY = 1.0
"""Seconds until what could not be written is tried again."""


class Intake:
    """One thread keeps frames, another one stores them; while there is no room for them, both wait.

    `stored` is told the records that readers can see from now on; `troubled` why the store does not take any ("" once
    it does).
    """

    def __init__(
        self,
        store: Store,
        run: str,
        stored: Callable[[Sequence[Mapping[str, Json]]], None],
        troubled: Callable[[str], None],
    ) -> None:
        self._append = partial(store.append, run)
        self._stored = stored
        self._troubled = troubled
        self._journal = Journal(store.folder, run)
        self._changed = threading.Condition()
        self._storing = threading.Lock()
        self._kept: list[Frame] = []
        self._thread: threading.Thread | None = None
        self._stuck = False
        self._broken: Exception | None = None
        self._closed = False

    def keep(self, frame: Frame) -> None:
        """Keep a frame of records; it may be acknowledged then.  Raises what broke the storing of those before it.

        What comes after the end of the run is not kept: a thread of a program that was stopped may still write.
        """
        with self._changed:
            if self._closed:
                return
            self._changed.wait_for(lambda: self._broken or not (self._stuck or len(self._kept) >= MANY))
            if self._broken is not None:
                raise self._broken
            while not self._works(lambda: self._journal.write(frame)):
                self._changed.wait(RETRY)
            self._kept.append(frame)
            self._changed.notify_all()
        if self._thread is None:
            self._thread = threading.Thread(target=self._store_late, name="outtake-intake", daemon=True)
            self._thread.start()

    def store(self) -> None:
        """Store what is kept, now.  Raises what broke that, or broke it before: then it stays in the journal."""
        with self._storing:
            if self._broken is not None:
                raise self._broken
            with self._changed:
                kept, self._kept = self._kept, []
                if kept:
                    self._journal.turn()
                self._changed.notify_all()
            if not kept:
                return
            records = [record for frame in kept for record in frame.fields["records"]]
            nodes = [node for frame in kept for node in frame.nodes]
            try:
                while not self._works(lambda: self._append(records, nodes)):
                    time.sleep(RETRY)
            except Exception as error:
                with self._changed:
                    self._broken = error
                    self._changed.notify_all()
                raise
            self._journal.clear()
            self._stored(records)

    def close(self) -> None:
        """Nothing more comes: store the rest.  What cannot be stored stays in the journal, for the next server."""
        try:
            if self._broken is None:
                self.store()
        finally:
            with self._changed:
                self._closed = True
                self._changed.notify_all()
            self._journal.close(keep=self._broken is not None)

    def _store_late(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._kept or self._closed)
                if self._closed:
                    return
            time.sleep(LATE)
            try:
                self.store()
            except Exception:  # noqa: BLE001  raised again in the thread that takes the frames
                return

    def _works(self, write: Callable[[], None]) -> bool:
        try:
            write()
        except (NotWritten, OSError) as error:
            self._stuck = True
            self._troubled(str(error))
            return False
        if self._stuck:
            with self._changed:
                self._stuck = False
                self._changed.notify_all()
            self._troubled("")
        return True
