"""The recorder: numbers the records, sends them, keeps them until they are acknowledged, and resends after a break.

Records are handed to the socket in batches, some milliseconds late, or at once when something waits for their
acknowledgement.  While the server is away nothing is lost and nothing that needs an acknowledgement goes on.
"""

from __future__ import annotations

import heapq
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence

from outtake_probe.bodies import Bodies
from outtake_probe.records import Json, Record, written
from outtake_probe.waits import Wait
from outtake_probe.wire import Connection, Node

Item = tuple[str, dict[str, Json]]
"""A frame's kind and fields, or "record" and a record."""
LATE = 0.02
"""Seconds that a record may wait for company."""


class Recorder:
    """Numbers records and delivers them.  `lock` is the session's: whoever emits holds it."""

    def __init__(self, bodies: Bodies, lock: threading.RLock, first: int = 0) -> None:
        self.bodies = bodies
        self.next = first
        self._lock = lock
        self._sending = threading.Lock()
        self._changed = threading.Condition(lock)
        self._unsent: list[Item] = []
        self._unacked: deque[tuple[int, dict[str, Json] | None, list[Node]]] = deque()
        self._waits: list[tuple[int, int, Wait]] = []
        self._acked = first
        self._count = 0
        self._connection: Connection | None = None
        self._closed = False
        threading.Thread(target=self._write, name="outtake-writer", daemon=True).start()

    def start_at(self, seq: int) -> None:
        """Number records from `seq`: what comes before is the parent's."""
        self.next = self._acked = seq

    def emit(self, cls: type[Record], fields: dict[str, Json]) -> int:
        """Append a record; returns its number."""
        seq = self.next
        self.next = seq + 1
        record = written(cls, seq, round(time.time(), 6), fields)
        self._unsent.append(("record", record))
        if len(self._unsent) == 1:
            self._changed.notify()
        return seq

    def stored(self, seq: int) -> Wait:
        """What to wait for until record `seq` is acknowledged; sends what is unsent at once."""
        wait = Wait()
        with self._lock:
            if seq < self._acked:
                wait.set()
                return wait
            self._count += 1
            heapq.heappush(self._waits, (seq, self._count, wait))
        self.flush()
        return wait

    def acknowledged(self, upto: int) -> None:
        """The server has stored every record before `upto`."""
        ready: list[Wait] = []
        with self._lock:
            self._acked = max(self._acked, upto)
            while self._unacked and self._unacked[0][0] < upto:
                self._unacked.popleft()
            while self._waits and self._waits[0][0] < upto:
                ready.append(heapq.heappop(self._waits)[2])
        for wait in ready:
            wait.set()

    def connect(self, connection: Connection, acked: int) -> None:
        """Use this connection from now on; resends what the server has not."""
        self.acknowledged(acked)
        with self._sending:
            with self._lock:
                kept = list(self._unacked)
                self._connection = connection
                self._changed.notify()
            if kept:
                nodes = [node for _, _, part in kept for node in part]
                self._deliver(connection, [record for _, record, _ in kept if record is not None], nodes)
        self.flush()

    def disconnect(self) -> None:
        """The server went away: keep everything until `connect`."""
        with self._lock:
            self._connection = None

    def send(self, kind: str, fields: dict[str, Json]) -> None:
        """Send something that is no record, after all records before it; dropped while the server is away."""
        with self._lock:
            if self._connection is not None:
                self._unsent.append((kind, fields))
        self.flush()

    def flush(self) -> None:
        """Send what is unsent, in order, unless the server is away.

        One thread sends at a time.  Whoever finds another one sending leaves its items to it and waits for nothing, so
        that this may be called under any lock.
        """
        while self._sendable() and self._sending.acquire(blocking=False):
            try:
                self._drain()
            finally:
                self._sending.release()

    def _sendable(self) -> bool:
        with self._lock:
            return self._connection is not None and bool(self._unsent)

    def _drain(self) -> None:
        with self._lock:
            connection = self._connection
            if connection is None:
                return
            items, self._unsent = self._unsent, []
            nodes = self.bodies.take()
            if nodes:
                self._unacked.append((self.next, None, nodes))
            self._unacked.extend((item["seq"], item, []) for kind, item in items if kind == "record")
        for kind, fields in _batches(items, bool(nodes)):
            if kind == "records":
                self._deliver(connection, fields["records"], nodes)
                nodes = []
            else:
                self._tell(connection, kind, fields)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._changed.notify()

    def _deliver(self, connection: Connection, records: Sequence[dict[str, Json]], nodes: Sequence[Node]) -> None:
        self._tell(connection, "records", {"records": records}, nodes)

    def _tell(self, connection: Connection, kind: str, fields: dict[str, Json], nodes: Sequence[Node] = ()) -> None:
        try:
            connection.send(kind, fields, nodes)
        except OSError:
            with self._lock:
                if self._connection is connection:
                    self._connection = None

    def _write(self) -> None:
        while True:
            with self._lock:
                self._changed.wait_for(lambda: self._closed or (self._unsent and self._connection is not None))
                if self._closed:
                    return
            time.sleep(LATE)
            self.flush()


def _batches(items: Sequence[Item], nodes: bool) -> Iterator[Item]:
    """The items with records that follow each other in one frame; new nodes travel with the first such frame."""
    records: list[dict[str, Json]] = []
    if nodes and items and items[0][0] != "record":
        yield "records", {"records": []}
    for kind, fields in items:
        if kind == "record":
            records.append(fields)
            continue
        if records:
            yield "records", {"records": records}
            records = []
        yield kind, fields
    if records:
        yield "records", {"records": records}
