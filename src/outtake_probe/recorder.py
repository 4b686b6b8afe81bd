"""The recorder: numbers the records, sends them, keeps them until they are acknowledged, and resends after a break.

Records are handed to the socket in batches, some milliseconds late, or at once when something waits for their
acknowledgement.  While the server is away nothing is lost and nothing that needs an acknowledgement goes on.
"""

from __future__ import annotations

import heapq
import threading
import time
from collections import deque
from collections.abc import Sequence

from outtake_probe.bodies import Bodies
from outtake_probe.records import Json, Record, written
from outtake_probe.waits import Wait
from outtake_probe.wire import Connection, Node

LATE = 0.02
"""Seconds that a record may wait for company."""


class Recorder:
    """Numbers records and delivers them.  `lock` is the session's: whoever emits holds it."""

    def __init__(self, bodies: Bodies, lock: threading.RLock, first: int = 0) -> None:
        self.bodies = bodies
        self.next = first
        self._lock = lock
        self._send_lock = threading.Lock()
        self._changed = threading.Condition(lock)
        self._unsent: list[tuple[int, dict[str, Json]]] = []
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

    def emit(self, cls: type[Record], **fields: Json) -> int:
        """Append a record; returns its number."""
        seq = self.next
        self.next = seq + 1
        record = written(cls, seq, round(time.time(), 6), fields)
        self._unsent.append((seq, record))
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
        with self._send_lock:
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

    def flush(self) -> None:
        """Send what is unsent, unless the server is away."""
        with self._send_lock:
            with self._lock:
                connection = self._connection
                if connection is None or not self._unsent:
                    return
                records, self._unsent = self._unsent, []
                nodes = self.bodies.take()
                for i, (seq, record) in enumerate(records):
                    self._unacked.append((seq, record, nodes if i == 0 else []))
            self._deliver(connection, [record for _, record in records], nodes)

    def send(self, kind: str, fields: dict[str, Json]) -> None:
        """Send something that is no record, after all records before it; dropped while the server is away."""
        self.flush()
        with self._lock:
            connection, nodes = self._connection, self.bodies.take()
            if nodes:
                self._unacked.append((self.next, None, nodes))
        if connection is None:
            return
        try:
            connection.send(kind, fields, nodes)
        except OSError:
            self._lose(connection)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._changed.notify()

    def _deliver(self, connection: Connection, records: Sequence[dict[str, Json]], nodes: Sequence[Node]) -> None:
        try:
            connection.send("records", {"records": records}, nodes)
        except OSError:
            self._lose(connection)

    def _lose(self, connection: Connection) -> None:
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
