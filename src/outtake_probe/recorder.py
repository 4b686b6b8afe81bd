"""The recorder: numbers the records, sends them, keeps them until they are acknowledged, and resends after a break.

Records are handed to the socket in batches, some milliseconds late, or at once when something waits for their
acknowledgement.  While the server is away nothing is lost and nothing that needs an acknowledgement goes on.
"""

from __future__ import annotations

import heapq
import threading
from collections import deque
from collections.abc import Iterator, Sequence

from outtake_probe import clock, threads
from outtake_probe.bodies import Bodies
from outtake_probe.records import Json, Record, written
from outtake_probe.waits import Wait
from outtake_probe.wire import Connection, Node

Item = tuple[str, dict[str, Json]]
"""A frame's kind and fields, or "record" and a record."""
LATE = 0.02
"""Seconds that a record may wait for company."""
_TOLD = frozenset({"component", "recipient", "type", "name", "source", "value", "key", "reason"})
"""Fields of records that hold what the program says, beside their bodies."""
_HASHES = frozenset({"body", "names", "files"})
"""Fields of frames that hold hashes only."""


class Recorder:
    """Numbers records and delivers them.  `lock` is the session's: whoever emits holds it."""

    def __init__(self, bodies: Bodies, lock: threading.RLock, first: int = 0) -> None:
        self.bodies = bodies
        self._next = first
        self._lock = lock
        self._sender = 0
        """The thread that sends, 0 where none does; `_is_sending` once it has begun."""
        self._is_sending = False
        self._changed = threading.Condition(lock)
        self._unsent: list[Item] = []
        self._unacked: deque[tuple[int, dict[str, Json] | None, list[Node]]] = deque()
        self._waits: list[tuple[int, int, Wait]] = []
        self._acked = first
        self._count = 0
        self._connection: Connection | None = None
        self._closed = False
        threads.start("outtake-writer", self._write)

    @property
    def next(self) -> int:
        """Number of the next record.

        It follows from the last one, too: a signal handler of the program may raise between a record and its count.
        """
        last = self._unsent[-1] if self._unsent else None
        if last is not None and last[0] == "record" and last[1]["seq"] >= self._next:
            self._next = last[1]["seq"] + 1
        return self._next

    def start_at(self, seq: int) -> None:
        """Number records from `seq`: what comes before is the parent's."""
        self._next = self._acked = seq

    def emit(self, cls: type[Record], fields: dict[str, Json]) -> int:
        """Append a record; returns its number.  After `close` it is only numbered."""
        seq = self.next
        clean = {name: self.bodies.told(value) if name in _TOLD else value for name, value in fields.items()}
        record = written(cls, seq, round(clock.time(), 6), clean)
        if not self._closed:
            self._unsent.append(("record", record))
        self._next = seq + 1
        if len(self._unsent) == 1:
            self._changed.notify()
        return seq

    def stored(self, seq: int) -> Wait:
        """What to wait for until record `seq` is acknowledged; sends what is unsent at once."""
        wait = Wait()
        with self._lock:
            if seq < self._acked or self._closed:
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
        with self._lock:
            while self._is_sending:  # to the connection before, which fails
                self._changed.wait(LATE)
            self._sender, self._is_sending = threading.get_ident(), True
            kept = list(self._unacked)
            self._connection = connection
        try:
            if kept:
                nodes = [node for _, _, part in kept for node in part]
                self._deliver(connection, [record for _, record, _ in kept if record is not None], nodes)
        finally:
            self._is_sending, self._sender = False, 0
        with self._lock:
            self._changed.notify()
        self.flush()

    def disconnect(self) -> None:
        """The server went away: keep everything until `connect`."""
        with self._lock:
            self._connection = None

    def send(self, kind: str, fields: dict[str, Json]) -> None:
        """Send something that is no record, after all records before it, without secrets.

        It is dropped while the server is away.
        """
        fields = {name: value if name in _HASHES else self.bodies.cleaned(value) for name, value in fields.items()}
        with self._lock:
            if self._connection is not None:
                _ = self.next  # it follows from the last item, as long as that is a record
                self._unsent.append((kind, fields))
        self.flush()

    def flush(self) -> None:
        """Send what is unsent, in order, unless the server is away.

        One thread sends at a time.  Whoever finds another one sending leaves its items to it and waits for nothing, so
        that this may be called under any lock.
        """
        me = threading.get_ident()
        while self._may_send(me):
            try:
                self._is_sending = True
                self._drain()
            finally:
                self._is_sending, self._sender = False, 0

    def _may_send(self, thread: int) -> bool:
        """Whether there is something to send and this thread is to do it, from now on.

        A signal handler of the program may raise before it begins: then the same thread, and no other, begins anew.
        """
        with self._lock:
            if self._connection is None or not self._unsent or self._sender not in (0, thread) or self._is_sending:
                return False
            self._sender = thread
            return True

    def _drain(self) -> None:
        """Send what is unsent.

        It is kept as unacknowledged before it is taken from what is unsent, and where a signal handler of the program
        raises in between, the connection is given up: the next one gets all that was not acknowledged.
        """
        connection = self._connection
        if connection is None:
            return
        try:
            with self._lock:
                following, items, nodes = self.next, list(self._unsent), self.bodies.fresh()
                if nodes:
                    self._unacked.append((following, None, nodes))
                self._unacked.extend((item["seq"], item, []) for kind, item in items if kind == "record")
                self.bodies.taken(len(nodes))
                del self._unsent[: len(items)]
            for kind, fields in _batches(items, bool(nodes)):
                if kind == "records":
                    self._deliver(connection, fields["records"], nodes)
                    nodes = []
                else:
                    self._tell(connection, kind, fields)
        except BaseException:
            with self._lock:
                if self._connection is connection:
                    self._connection = None
            connection.close()
            raise

    @property
    def is_sending(self) -> bool:
        """Whether this thread sends right now: nothing else does until it has."""
        return self._sender == threading.get_ident()

    def close(self) -> None:
        """Nothing is kept or sent any more; who waits for an acknowledgement goes on."""
        with self._lock:
            self._closed = True
            self._unsent.clear()
            self._unacked.clear()
            self._changed.notify()
            following = self.next
        self.acknowledged(following)

    def abandon(self, lock: threading.RLock) -> None:
        """This is a forked child, which keeps and sends nothing."""
        self._lock, self._changed = lock, threading.Condition(lock)
        self._closed, self._connection = True, None

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
            clock.sleep(LATE)
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
