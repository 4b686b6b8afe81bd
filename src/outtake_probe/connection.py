"""The probe's end of the connection: says hello, keeps the session connected, and obeys what the server says."""

from __future__ import annotations

import contextlib
import gc
import os
import platform
import queue
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from outtake_probe import clock, life, threads, wire
from outtake_probe.attached import of_request
from outtake_probe.bodies import Bodies
from outtake_probe.codec import encode_error
from outtake_probe.commands import BadValue
from outtake_probe.edits import edit_from
from outtake_probe.gate.decision import Answer, Stance, stance_from
from outtake_probe.records import Json, Record, from_json
from outtake_probe.redaction.text import Cleaner
from outtake_probe.replay.index import Plan
from outtake_probe.session import Session, Settings
from outtake_probe.wire import Connection, Frame
from outtake_probe.wire.owners import announced

PATIENCE = 60.0
"""Seconds for which a process waits for a server that went away before it gives up."""


class RefusedByServer(ConnectionError):
    """The server does not take this probe; the message says why."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server is, and what to say there."""

    place: str
    token: str
    """The secret of the run, or, for a process that gets its run from the server, the token of this server."""
    run: str | None = None
    hello: dict[str, Json] = field(default_factory=dict)
    store: str = ""
    """The store's folder, if it is known."""

    def now(self) -> Address:
        """The same with the place where the owner of the store is by now."""
        found = announced(self.store) if self.store else None
        return self if found is None or "address" not in found else replace(self, place=found["address"])


@dataclass(slots=True)
class Link:
    """A session and its connection."""

    address: Address
    session: Session
    welcome: dict[str, Json]
    gave_up: Callable[[], None] = lambda: os._exit(75)
    reconnected: Callable[[], None] = lambda: None
    """Called when another server was found: what is no record has to be told again."""
    closing: bool = False
    is_request: bool = False
    """Whether this is a run of its own beside that of its process."""
    stance: Json = None
    """What the user wants, as the server said it last: the next server goes on from there."""
    connection: Connection | None = None
    commands: queue.SimpleQueue[tuple[int, str, Json] | None] = field(default_factory=queue.SimpleQueue)
    """What the server asks for; None when nothing more comes."""

    def start(self, connection: Connection, heard: Sequence[Frame] = ()) -> None:
        """Use a connection, on which some frames were read already."""
        self.connection = connection
        self.stance = self.welcome["stance"]
        self.session.recorder.connect(connection, self.welcome["acked"])
        for frame in heard:
            self._obey(frame)
        threads.start("outtake-reader", self._read)
        threading.Thread(target=self._perform, name="outtake-commands", daemon=True).start()

    def close(self) -> None:
        """Send what is unsent, to the next server where this one went away, and leave."""
        wait = self.session.recorder.stored(self.session.recorder.next - 1)
        done = threading.Event()
        wait.then(done.set)
        done.wait(2 * PATIENCE)
        self.closing = True
        self.session.recorder.close()
        if self.connection is not None:
            self.connection.close()

    def abandon(self) -> None:
        """This is a forked child: close its copy of the connection, which stays its parent's."""
        self.closing = True
        if self.connection is not None:
            self.connection.abandon()

    def _belong(self) -> None:
        """What this thread asks of adapters is about this session."""
        if self.is_request:
            of_request.set(self.session)

    # -- reading -----------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        self._belong()
        while True:
            try:
                frame = self.connection.receive() if self.connection is not None else None
            except OSError:
                frame = None
            if frame is not None:
                self._obey(frame)
            elif self.closing or not self._reconnect():
                self.commands.put(None)
                return

    def _reconnect(self) -> bool:
        self.session.recorder.disconnect()
        end = clock.monotonic() + PATIENCE
        while clock.monotonic() < end and not self.closing:
            try:
                connection, frame = greet(self.address.now(), self.session.recorder.next, **self._stands())
                welcome = frame.fields
            except RefusedByServer:
                break
            except OSError:
                clock.sleep(0.2)
                continue
            if self.connection is not None:
                self.connection.close()
            self.connection = connection
            self.stance = welcome["stance"]
            self.session.set_stance(stance_from(welcome["stance"], self.session.stance))
            with contextlib.suppress(OSError):  # it has gone again: that is seen when it is read from
                self.session.tell_holds(connection)
            self.session.recorder.connect(connection, welcome["acked"])
            if self.session.replay is not None:
                self.session.replay.ask_again()
            self.reconnected()
            return True
        if not self.closing:
            self.gave_up()
        return False

    def _stands(self) -> dict[str, Json]:
        """What a server that knows nothing of this process yet has to know beside the records."""
        replay = self.session.replay
        return {"stance": self.stance, "cut": replay.index.cut if replay is not None else None}

    def _obey(self, frame: Frame) -> None:
        session, fields = self.session, frame.fields
        if frame.kind == "ack":
            session.recorder.acknowledged(fields["upto"])
        elif frame.kind == "stance":
            self.stance = fields
            session.set_stance(stance_from(fields, session.stance))
        elif frame.kind == "nodes" and session.replay is not None:
            session.replay.nodes(frame.nodes)
        elif frame.kind == "stop":
            session.stop()
        elif frame.kind in ("do", "release"):
            self.commands.put((fields["id"], frame.kind, fields))

    # -- commands ----------------------------------------------------------------------------------------------------

    def _perform(self) -> None:
        """Commands have a thread of their own: one may wait for the program's loop, and acknowledgements must go on."""
        self._belong()
        while (command := self.commands.get()) is not None:
            number, kind, fields = command
            try:
                act = self._release if kind == "release" else self._do
                reply: dict[str, Json] = {"id": number, "result": act(fields)}
            except BadValue as error:
                reply = {"id": number, "error": str(error), "schema": error.schema}
            except Exception as error:  # noqa: BLE001  a command runs code of the target
                reply = {"id": number, "error": f"{type(error).__name__}: {error}", "detail": encode_error(error)}
            self.session.recorder.send("done", reply)

    def _do(self, fields: Json) -> Json:
        return self.session.command(fields["verb"], fields["fields"])

    def _release(self, fields: Json) -> Json:
        given = fields["answer"]
        answer = Answer(given["verb"], given.get("value"), given.get("failed", False), given.get("edited", False))
        self.session.release(fields["hold"], answer, keep=bool(fields.get("keep")))


def greet(address: Address, next_record: int, **stands: Json) -> tuple[Connection, Frame]:
    """Connect and say hello, with how the program stands; returns what the server welcomes with.

    Raises `RefusedByServer`, `OSError`.
    """
    connection = wire.connect(address.place)
    hello = {
        "protocol": wire.PROTOCOL,
        "role": "probe",
        "token": address.token,
        "run": address.run,
        "pid": os.getpid(),
        "started": life.started(os.getpid()),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "next": next_record,
        **stands,
        **address.hello,
    }
    connection.send("hello", hello)
    frame = connection.receive()
    if frame is None:
        connection.close()
        raise ConnectionError("the server hung up")
    if frame.kind != "welcome":
        connection.close()
        raise RefusedByServer(frame.fields.get("reason", f"the server answered {frame.kind}"))
    return connection, frame


def open_session(address: Address) -> Link:
    """Connect to the server and make the session that it describes."""
    connection, frame = greet(address, 0)
    welcome = frame.fields
    if welcome.get("life"):
        life.take(welcome["life"])
    settings = welcome.get("settings", {})
    told = welcome.get("plan")
    pages = _Pages(connection, told["records"] if told is not None else 0)
    session = Session(
        Bodies(Cleaner(settings.get("redact", ()), os.environ)),
        plan=_plan(told, pages.read()) if told is not None else None,
        stance=stance_from(welcome["stance"], Stance()),
        settings=Settings(settings.get("effects", {}), states=settings.get("states", {})),
        first=welcome["acked"],
    )
    if session.replay is not None:
        session.replay.nodes(pages.nodes)
    link = Link(
        replace(address, run=welcome["run"], token=welcome.get("token", address.token), hello={}), session, welcome
    )
    link.is_request = "request" in address.hello
    link.start(connection, pages.others)
    return link


class _Pages:
    """The records of a plan, which come some at a time after the welcome."""

    def __init__(self, connection: Connection, count: int) -> None:
        self._connection = connection
        self._count = count
        self.nodes: list[wire.Node] = []
        self.others: list[Frame] = []
        """What else came in between, to be obeyed when there is a session."""

    def read(self) -> list[Record]:
        """Nothing is collected meanwhile: every record is one more object to look at, again and again."""
        records: list[Record] = []
        collects = gc.isenabled()
        gc.disable()
        try:
            while len(records) < self._count:
                frame = self._connection.receive()
                if frame is None:
                    raise ConnectionError("the server hung up")
                if frame.kind != "plan":
                    self.others.append(frame)
                    continue
                records += [_record(r) for r in frame.fields["records"]]
                self.nodes += frame.nodes
        finally:
            if collects:
                gc.enable()
        return records


_REPEATED = ("component", "recipient", "type")


def _record(data: dict[str, Json]) -> Record:
    """A record; what many of them say is one text in memory."""
    for name in _REPEATED:
        if name in data:
            data[name] = sys.intern(data[name])
    return from_json(data)


def _plan(data: Json, records: Sequence[Record]) -> Plan:
    return Plan(
        records,
        data["cut"],
        data["reuse"],
        data["repeat"],
        tuple(data["live"]),
        tuple(edit_from(e) for e in data["edits"]),
        data.get("serve_failures", False),
        data.get("first", True),
    )


def say(text: str) -> None:
    """A word to the user on the process's own standard error."""
    print(f"outtake: {text}", file=sys.__stderr__, flush=True)
