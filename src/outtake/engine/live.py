"""A live run: one debugged process, seen and steered from the server.

It stores what the process records, knows what is held and what is pending, and passes on what the user wants.  Every
change wakes whoever follows the run.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial

from outtake.core.runs import Counts, Run, State
from outtake.engine.intake import RETRY, Intake
from outtake.engine.launch import Process
from outtake.store import NotWritten, Store, StoreError
from outtake_probe.records import Json, from_json
from outtake_probe.wire import Connection, Frame

ANSWER = 30.0
"""Seconds to wait for the answer of a command."""
DRAIN = 10.0


class NotLive(Exception):
    """The run has no process that could obey; the message says what to do instead."""


class Refused(ValueError):
    """The target refused a command; `schema` says what it accepts."""

    def __init__(self, message: str, schema: Json = None) -> None:
        super().__init__(message)
        self.schema = schema


@dataclass(slots=True)
class Control:
    """What the user wants of the program, as it is pushed to the probe."""

    paused: bool = False
    through: list[int] = field(default_factory=list)
    until: int | None = None
    run_to: int | None = None
    breakpoints: list[dict[str, Json]] = field(default_factory=list)

    def json(self) -> dict[str, Json]:
        return {
            "paused": self.paused,
            "through": self.through,
            "until": self.until,
            "run_to": self.run_to,
            "breakpoints": self.breakpoints,
        }


class LiveRun:
    """One run while its process lives, and just after.  `changed` guards everything and tells of every change."""

    def __init__(self, store: Store, run: Run, control: Control, *, headless: bool) -> None:
        self.store = store
        self.id = run.id
        self.cut = run.fork.cut if run.fork is not None else 0
        self.headless = headless
        self.describing = False
        """The target is only built, to be described."""
        self.control = control
        self.changed = threading.Condition(threading.RLock())
        self.state: State = run.status
        self.records = run.records
        self.holds: dict[int, dict[str, Json]] = {}
        self.pending: dict[int, dict[str, Json]] = {}
        self.counts = Counts()
        self.ended: dict[str, Json] | None = None
        self.difference: Json = None
        self.trouble = ""
        """Why the store does not take what the process records, while it does not."""
        self.missing: list[str] = []
        self.process: Process | None = None
        self.exit_status: int | None = None
        self.version = 0
        self.settings: dict[str, Json] = {}
        self._connection: Connection | None = None
        self._numbers = itertools.count(1)
        self._answers: dict[int, Future[Json]] = {}
        self._stop_asked = False
        self._last: Mapping[str, Json] | None = None
        """The record that ends the run, once it is there."""
        self._intake = Intake(store, run.id, self._stored, self._troubled)
        for record in store.records(run.id):
            self._note(record)

    # -- what happens ------------------------------------------------------------------------------------------------

    def connected(self, connection: Connection) -> None:
        """The process said hello."""
        with self.changed:
            self._connection = connection
            self.holds.clear()
            self._enter("replaying" if self.cut and self.state == "starting" else "running")

    def serve(self, connection: Connection, on_frame: Callable[[LiveRun, Frame], None]) -> None:
        """Take what the process sends, until it hangs up."""
        while True:
            frame = connection.receive()
            if frame is None:
                break
            if frame.kind == "records":
                self._intake.keep(frame)
                if records := frame.fields["records"]:
                    with contextlib.suppress(OSError):  # it is gone; what it sent before is there
                        connection.send("ack", {"upto": records[-1]["seq"] + 1})
            else:
                self._intake.store()  # what it tells comes after those records
                on_frame(self, frame)
        self._intake.store()
        with self.changed:
            if self._connection is connection:
                self._connection = None
                self._hung_up()
            self._touch()

    def _hung_up(self) -> None:
        """The process will say no more: if its last record ends the run, that is how it ended."""
        if self.ended is None and self._last is not None:
            value = self.store.body(self._last["body"])
            self.finished({"status": self._last.get("status", "completed"), "output": value})
        elif self.ended is None and self.process is None:
            self._end("lost", None, None)

    def close(self) -> None:
        """Nothing more comes from this run."""
        self._intake.close()

    def _stored(self, records: Sequence[Mapping[str, Json]]) -> None:
        """Readers can see these records."""
        with self.changed:
            for record in records:
                if record["seq"] >= self.records:  # it may come twice when the process had to connect anew
                    self._note(record)
                    self.records = record["seq"] + 1
            self._touch()

    def _troubled(self, trouble: str) -> None:
        """The store does not take what the process records, or takes it again."""
        with self.changed:
            self.trouble = trouble
            self._touch()

    def insist(self, write: Callable[[], None]) -> None:
        """Write what is no record: again and again while there is no room; others see the run meanwhile."""
        refused = False
        with self.changed:
            while True:
                try:
                    write()
                    break
                except NotWritten as error:
                    refused = True
                    self._troubled(str(error))
                self.changed.wait_for(lambda: False, RETRY)
            if refused:
                self._troubled("")

    def _note(self, record: Mapping[str, Json]) -> None:
        """Keep the queue and the counts in step with the records."""
        kind, message = record["kind"], record.get("message")
        if kind == "message_queued":
            self.pending[record["seq"]] = dict(record)
        elif kind in ("invocation_started", "message_dropped") and message is not None:
            self.pending.pop(message, None)
        elif kind == "edited" and message in self.pending:
            self.pending[message]["body"] = record["body"]
        elif kind == "message_moved" and message in self.pending:
            self._move(message, record.get("before"))
        elif kind == "run_ended" and record["seq"] >= self.cut:
            self._last = record
        elif kind == "invocation_ended":
            self.counts.add(from_json(dict(record)), self.cut)

    def _move(self, message: int, before: int | None) -> None:
        moved = self.pending.pop(message)
        items = list(self.pending.items())
        at = next((i for i, (seq, _) in enumerate(items) if seq == before), len(items))
        items.insert(at, (message, moved))
        self.pending = dict(items)

    def held(self, fields: dict[str, Json]) -> None:
        with self.changed:
            if fields["reason"] == "paused" and not self.control.paused:
                # it was held just before it was told to go on
                self._send("release", {"id": 0, "hold": fields["hold"], "answer": {"verb": "proceed"}})
                return
            self.holds[fields["hold"]] = {**fields, "since": time.time()}
            self._enter("held")

    def freed(self, hold: int) -> None:
        with self.changed:
            self.holds.pop(hold, None)
            if not self.holds and self.state == "held":
                self._enter("paused" if self.control.paused else "running")

    def replayed(self, fields: Mapping[str, Json]) -> None:
        """The replay came to the cut, or diverged before it."""
        with self.changed:
            if fields["state"] == "diverged":
                self.difference = fields["difference"]
                if self.headless:
                    self._send("stop", {})
            else:
                if fields["state"] == "recut":
                    self.insist(partial(self.store.recut, self.id, fields["cut"]))
                    self.cut = self.records = fields["cut"]
                    self.difference = None
                if self.state == "replaying":
                    self._enter("running")
            self._touch()

    def done(self, fields: Mapping[str, Json]) -> None:
        """A command was answered."""
        future = self._answers.pop(fields["id"], None)
        if future is None:
            return
        if "error" in fields:
            future.set_exception(Refused(fields["error"], fields.get("schema")))
        else:
            future.set_result(fields["result"])

    def finished(self, fields: dict[str, Json]) -> None:
        """The target ended and said how."""
        with self.changed:
            self.ended = fields
            self.missing = fields.get("missing", [])
            status: State = "stopped" if self._stop_asked and fields["status"] != "diverged" else fields["status"]
            output, error = fields["output"], None
            if status in ("failed", "diverged"):
                output, error = None, output
            self._end(status, output, error)

    def broke(self, reason: str) -> None:
        """The server failed at this run: end it, and say so."""
        with self.changed:
            try:
                self._end("failed", None, {"message": reason})
            except StoreError:  # that is what the server failed at
                self._enter("failed")
        self.end_process()

    def gone(self, status: int) -> None:
        """The process ended.  If it did not say how, that is an error, unless the user wanted it."""
        with self.changed:
            # what it said last may still be on its way
            self.changed.wait_for(lambda: self.ended is not None or self._connection is None, DRAIN)
            self.exit_status = status
            self._connection = None
            if self.ended is None and self.state not in ("completed", "failed", "stopped", "diverged"):
                words = self.process.last_words.strip() if self.process is not None else ""
                error = {"message": _exit_words(status) + (f": {words[-1500:]}" if words else "")}
                self._end("stopped" if self._stop_asked else "failed", None, None if self._stop_asked else error)
            for future in self._answers.values():
                if not future.done():
                    future.set_exception(NotLive(f"the process of {self.id} ended"))
            self._touch()

    def _end(self, status: State, output: Json, error: Json) -> None:
        self.holds.clear()
        ended = {"status": status, "ended": time.time(), "output": output, "error": error}
        self.insist(partial(self.store.change, self.id, **ended, counts=self.counts.json()))
        self._enter(status)

    def _enter(self, state: State) -> None:
        if state != self.state:
            self.state = state
            if state in ("running", "replaying", "held", "paused"):
                self.insist(partial(self.store.change, self.id, status=state))
        self._touch()

    def wake(self) -> None:
        """Something that is no record has changed."""
        with self.changed:
            self._touch()

    def _touch(self) -> None:
        self.version += 1
        self.changed.notify_all()

    # -- what the user wants -----------------------------------------------------------------------------------------

    def set_control(self, **changes: Json) -> None:
        """Change what the user wants, and push it."""
        with self.changed:
            for name, value in changes.items():
                setattr(self.control, name, value)
            if self._connection is not None:
                self._send("stance", self.control.json())
            self._touch()

    def command(self, verb: str, fields: dict[str, Json]) -> Json:
        """Have the target obey; returns its answer.  Raises `Refused`, `NotLive`."""
        return self._ask("do", {"verb": verb, "fields": fields})

    def release(self, hold: int, answer: Mapping[str, Json]) -> None:
        """Answer what is held.  Raises `Refused`, `NotLive`."""
        self._ask("release", {"hold": hold, "answer": dict(answer)})

    def stop(self) -> None:
        """End the program: at its gates, or if it comes to none, by force."""
        with self.changed:
            if self.state in ("completed", "failed", "stopped", "diverged", "lost"):
                return
            self._stop_asked = True
            if self._connection is not None:
                self._send("stop", {})
            self.changed.wait_for(lambda: self.ended is not None or self.exit_status is not None, timeout=1.0)
        self.end_process()

    def end_process(self) -> None:
        """End the process, whatever it does."""
        if self.process is not None and self.process.alive:
            self.process.end()
            with self.changed:
                self.changed.wait_for(lambda: self.exit_status is not None, timeout=5.0)

    def _ask(self, kind: str, fields: dict[str, Json]) -> Json:
        number = next(self._numbers)
        future: Future[Json] = Future()
        with self.changed:
            if self._connection is None:
                raise NotLive(f"{self.id} has no live process; fork it to go on from any of its records")
            self._answers[number] = future
            self._send(kind, {"id": number, **fields})
        try:
            return future.result(ANSWER)
        except TimeoutError:
            raise Refused(f"{self.id} did not answer within {ANSWER:.0f} s: its program may be busy") from None

    def _send(self, kind: str, fields: dict[str, Json]) -> None:
        if self._connection is not None:
            try:
                self._connection.send(kind, fields)
            except OSError:
                self._connection = None  # its reader will see the end, too

    def nodes(self, names: Iterable[str]) -> None:
        """The process asks for nodes: send them with all that they refer to."""
        found = self.store.tree(names)
        connection = self._connection
        if connection is not None:
            connection.send("nodes", {}, list(found.items()))

    def wait(self, until: Callable[[LiveRun], bool], timeout: float | None = None) -> bool:
        """Wait until `until` holds of this run; whether it does."""
        with self.changed:
            return self.changed.wait_for(lambda: until(self), timeout)


def _exit_words(status: int) -> str:
    if status < 0:
        return f"the process was killed by signal {-status}"
    return f"the process ended with exit status {status} without saying how the run ended"
