"""A live run: one debugged process, seen and steered from the server.

It stores what the process records, knows what is held and what is pending, and passes on what the user wants.  Every
change wakes whoever follows the run.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial

from outtake.core.runs import ENDED, Counts, Run, State
from outtake.engine.intake import RETRY, Intake
from outtake.engine.launch import Process
from outtake.store import NotWritten, Store, StoreError
from outtake.store.queue import ended, still_queued
from outtake_probe.records import Json, from_json
from outtake_probe.redaction.text import Cleaner
from outtake_probe.wire import Connection, Frame

ANSWER = 30.0
"""Seconds to wait for the answer of a command."""
DRAIN = 10.0
ALONE: Mapping[str, Json] = {
    "message": "the program went on without the debugger for a while: what it did after the last record is not known",
    "alone": True,
}
"""Why a run of a script cannot simply be gone on with: it did not wait for a server."""
TRIM = 500
"""Frames after which it is seen to that the last words of the process do not fill the disk."""


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
        self.exited = False
        """The process has ended."""
        self.left = False
        self.adopted = False
        """Another server started the process, and ended before it."""
        self.version = 0
        self.settings: dict[str, Json] = {}
        self.environ: Mapping[str, str] = os.environ
        """The environment that its process was started with."""
        self._connection: Connection | None = None
        self._numbers = itertools.count(1)
        self._answers: dict[int, Future[Json]] = {}
        self._stop_asked = False
        self._closed = False
        self._steered = False
        self._told: tuple[Json, Json] | None = None
        """Number and start time of the process, as it said."""
        self._last: Mapping[str, Json] | None = None
        """The record that ends the run, once it is there."""
        self._intake = Intake(store, run.id, self._stored, self._troubled)
        for record in store.records(run.id, after=self._catch_up(store, run) - 1):
            self._note(record)

    def _catch_up(self, store: Store, run: Run) -> int:
        """Count what a fork shares with its parent, and put what was queued there in the queue.

        Returns the first record that is not told of yet.
        """
        queued = still_queued(store, run.id, self.cut) if self.cut else None
        if queued is None:
            return 0
        self.counts.reused.update(ended(store, run.id, self.cut))
        self.pending = {record["seq"]: record for record in store.picked(run.id, queued)}
        for record in store.records(run.id, before=self.cut, kind="edited") if queued else ():
            self._note(record)
        return self.cut

    # -- what happens ------------------------------------------------------------------------------------------------

    def adopt(self, process: Process) -> None:
        """The process was found alive: it connects when it sees that there is a server again."""
        with self.changed:
            self.process, self.adopted = process, True
            self._enter("reconnecting")

    def take_over(self, stance: Mapping[str, Json]) -> None:
        """What the user wanted when the last server went away holds on, but for what was said here since."""
        with self.changed:
            if self.adopted and not self._steered:
                self._steered = True
                for name in self.control.json():
                    if name in stance:
                        setattr(self.control, name, stance[name])

    def check_process(self, hello: Mapping[str, Json]) -> None:
        """Raises `NotLive` for a process that is not this run's: a child may have inherited how to reach us."""
        told = (hello.get("pid"), hello.get("started"))
        with self.changed:
            if self._told is not None and told != self._told and not self.exited and (self.here or self._lives()):
                raise NotLive(f"{self.id} is process {self._told[0]}, not {told[0]}")
            self._told = told

    def _lives(self) -> bool:
        return self.process is not None and self.process.alive

    @property
    def pid(self) -> int | None:
        """Number of the process, while it lives."""
        if self.exited or self.state in ENDED:
            return None
        if self._told is not None and isinstance(self._told[0], int):
            return self._told[0]
        return self.process.pid if self.process is not None else None

    def connected(self, connection: Connection) -> None:
        """The process said hello."""
        with self.changed:
            self._connection = connection
            self.holds.clear()
            self._enter("replaying" if self.cut and self.state == "starting" else "running")

    @property
    def here(self) -> bool:
        """Whether the process is connected."""
        return self._connection is not None

    @property
    def over(self) -> bool:
        """Whether nothing more can come from this run."""
        return self.state in ENDED and self._connection is None and (self.process is None or self.exited)

    def serve(self, connection: Connection, on_frame: Callable[[LiveRun, Frame], None]) -> None:
        """Take what the process sends, until it hangs up."""
        for number in itertools.count(1):
            frame = connection.receive()
            if frame is None:
                break
            if number % TRIM == 0 and self.process is not None:
                self.process.traces.trim()
            if frame.kind == "records":
                self._intake.keep(frame)
                if records := frame.fields["records"]:
                    with contextlib.suppress(OSError):  # it is gone; what it sent before is there
                        connection.send("ack", {"upto": records[-1]["seq"] + 1})
            else:
                self._intake.store()  # what it tells comes after those records
                on_frame(self, frame)
        self._intake.store()

    def hung_up(self, connection: Connection, found: Callable[[], Process | None] | None) -> None:
        """A connection of the process has ended.

        If its last record ends the run, that is how it ended; else it comes back, if it lives: `found` gives what is
        found of a process that somebody else started.  Without `found` it was us who hung up.
        """
        with self.changed:
            if self._connection is not connection:
                return
            self._connection = None
            if self.ended is None and self._last is not None:
                value = self.store.body(self._last["body"])
                self.finished({"status": self._last.get("status", "completed"), "output": value})
            elif self.ended is None and self.state not in ENDED and found is not None:
                self.process = self.process or found()
                if self.process is None:
                    self._end("lost", None, None)
                elif self.process.alive:
                    self._enter("reconnecting")
            self._touch()

    def close(self) -> None:
        """Nothing more comes from this run."""
        with self.changed:
            closed, self._closed = self._closed, True
        if not closed:
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
        elif kind in ("invocation_ended", "state_restored"):
            self.counts.add(from_json(dict(record)), self.cut)

    def _move(self, message: int, before: int | None) -> None:
        moved = self.pending.pop(message)
        items = list(self.pending.items())
        at = next((i for i, (seq, _) in enumerate(items) if seq == before), len(items))
        items.insert(at, (message, moved))
        self.pending = dict(items)

    def held(self, fields: dict[str, Json]) -> None:
        with self.changed:
            if fields["when"] == "diverged" and self.headless:
                self._send("stop", {})
            if fields["reason"] == "paused" and not self.control.paused:
                # it was held just before it was told to go on
                self._send("release", {"id": 0, "hold": fields["hold"], "answer": {"verb": "proceed"}})
                return
            self.holds[fields["hold"]] = {**fields, "since": time.time()}
            if fields.get("others"):
                self._touch()
            else:
                self._enter("held")

    def freed(self, hold: int) -> None:
        with self.changed:
            self.holds.pop(hold, None)
            if self.state == "held" and all(held.get("others") for held in self.holds.values()):
                self._enter("paused" if self.control.paused else "running")
            else:
                self._touch()

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
            if status == "diverged" and self.difference is not None:
                error = {**fields["output"], "first": self.difference}
            self._end(status, output, error)

    def broke(self, reason: str) -> None:
        """The server failed at this run: end it, and say so."""
        with self.changed:
            try:
                self._end("failed", None, {"message": reason})
            except StoreError:  # that is what the server failed at
                self._enter("failed")
        self.end_process()

    def cannot_start(self, reason: str) -> None:
        """There is no process."""
        with self.changed:
            self._end("failed", None, {"message": reason})

    def gone(self, status: int | None) -> None:
        """The process ended; nobody knows how, where somebody else had started it.

        If it did not say how the run ended, that is an error, unless the user wanted it.
        """
        with self.changed:
            # what it said last may still be on its way
            self.changed.wait_for(lambda: self.ended is not None or self._connection is None, DRAIN)
            self.exited = True
            self._connection = None
            if self.ended is None and self.state not in ENDED:
                self._end_with_process(status)
            for future in self._answers.values():
                if not future.done():
                    future.set_exception(NotLive(f"the process of {self.id} ended"))
            self._touch()

    def _end_with_process(self, status: int | None) -> None:
        alone = self.process is not None and self.process.traces.told().get("alone")
        if self._stop_asked:
            self._end("stopped", None, ALONE if alone else None)
        elif status is None:
            self._end("lost", None, ALONE if alone else None)
        else:
            words = self._last_words()
            self._end("failed", None, {"message": _exit_words(status) + (f": {words[-1500:]}" if words else "")})

    def _last_words(self) -> str:
        """What the process said outside of its console, such as when it broke down, without secrets."""
        words = self.process.traces.last_words() if self.process is not None else ""
        return Cleaner(self.settings.get("redact", ()), self.environ)(words)

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
            self._steered = True
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

    def set_answer(self, hold: int, answer: Mapping[str, Json]) -> None:
        """Set what is given when a hold is let go; a plain ``proceed`` takes it back.  Raises `Refused`, `NotLive`."""
        self._ask("release", {"hold": hold, "answer": dict(answer), "keep": True})
        plain = answer["verb"] == "proceed" and not answer.get("edited")
        given = {"verb": answer["verb"], "value": answer.get("value"), "failed": answer.get("failed", False)}
        with self.changed:
            if hold in self.holds:
                self.holds[hold]["given"] = None if plain else given
            self._touch()

    def stop(self) -> None:
        """End the program: at its gates, or if it comes to none, by force."""
        with self.changed:
            if self.state in ENDED:
                return
            self._stop_asked = True
            if self._connection is not None:
                self._send("stop", {})
                self.changed.wait_for(lambda: self.ended is not None or self.exited, timeout=1.0)
        if self.process is not None and (self.process.ours or not self.here):
            self.end_process()

    def end_process(self) -> None:
        """End the process, whatever it does."""
        if self.process is not None and self.process.alive:
            self.process.end()
            with self.changed:
                self.changed.wait_for(lambda: self.exited, timeout=5.0)

    def _ask(self, kind: str, fields: dict[str, Json]) -> Json:
        number = next(self._numbers)
        future: Future[Json] = Future()
        with self.changed:
            if self._connection is None:
                raise NotLive(self._away())
            self._answers[number] = future
            self._send(kind, {"id": number, **fields})
        try:
            return future.result(ANSWER)
        except TimeoutError:
            raise Refused(f"{self.id} did not answer within {ANSWER:.0f} s: its program may be busy") from None

    def _away(self) -> str:
        if self.state in ENDED:
            return f"{self.id} has no live process; fork it to go on from any of its records"
        return f"{self.id} lives, but its process has not connected yet; wait, or end it with outtake stop {self.id}"

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
            with contextlib.suppress(OSError):  # it has gone, and what it said last is still to be read
                connection.send("nodes", {}, list(found.items()))

    def wait(self, until: Callable[[LiveRun], bool], timeout: float | None = None) -> bool:
        """Wait until `until` holds of this run, or it goes on without this server; whether one does."""
        with self.changed:
            return self.changed.wait_for(lambda: self.left or until(self), timeout)

    def leave(self) -> None:
        """The server ends: whoever waits here does so at the next one."""
        with self.changed:
            self.left = True
            self._touch()


def _exit_words(status: int) -> str:
    if status < 0:
        return f"the process was killed by signal {-status}"
    return f"the process ended with exit status {status} without saying how the run ended"
