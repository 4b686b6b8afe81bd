"""The probe's end of the connection: says hello, keeps the session connected, and obeys what the server says."""

from __future__ import annotations

import os
import platform
import queue
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from outtake_probe import wire
from outtake_probe.bodies import Bodies
from outtake_probe.edits import edit_from
from outtake_probe.gate import Answer, Stance, stance_from
from outtake_probe.records import Json, from_json
from outtake_probe.redact import SECRET_KEYS, cleaner
from outtake_probe.replay import Plan
from outtake_probe.session import BadValue, Session, Settings
from outtake_probe.values import encode_error
from outtake_probe.wire import Connection, Frame

PATIENCE = 60.0
"""Seconds for which a process waits for a server that went away before it gives up."""


class RefusedByServer(ConnectionError):
    """The server does not take this probe; the message says why."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server is, and what to say there."""

    place: str
    token: str
    run: str | None = None
    hello: dict[str, Json] = field(default_factory=dict)


@dataclass(slots=True)
class Link:
    """A session and its connection."""

    address: Address
    session: Session
    welcome: dict[str, Json]
    gave_up: Callable[[], None] = lambda: os._exit(75)
    closing: bool = False
    connection: Connection | None = None
    commands: queue.SimpleQueue[tuple[int, str, Json]] = field(default_factory=queue.SimpleQueue)

    def start(self, connection: Connection) -> None:
        self.connection = connection
        self.session.recorder.connect(connection, self.welcome["acked"])
        threading.Thread(target=self._read, name="outtake-reader", daemon=True).start()
        threading.Thread(target=self._perform, name="outtake-commands", daemon=True).start()

    def close(self) -> None:
        """Send what is unsent and leave."""
        self.closing = True
        wait = self.session.recorder.stored(self.session.recorder.next - 1)
        done = threading.Event()
        wait.then(done.set)
        done.wait(PATIENCE)
        self.session.recorder.close()
        if self.connection is not None:
            self.connection.close()

    # -- reading -----------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        while True:
            try:
                frame = self.connection.receive() if self.connection is not None else None
            except OSError:
                frame = None
            if frame is not None:
                self._obey(frame)
            elif self.closing or not self._reconnect():
                return

    def _reconnect(self) -> bool:
        self.session.recorder.disconnect()
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and not self.closing:
            try:
                connection, frame = greet(self.address, self.session.recorder.next)
                welcome = frame.fields
            except RefusedByServer:
                break
            except OSError:
                time.sleep(0.2)
                continue
            self.connection = connection
            self.session.set_stance(stance_from(welcome["stance"], self.session.stance))
            self.session.tell_holds(connection)
            self.session.recorder.connect(connection, welcome["acked"])
            return True
        if not self.closing:
            self.gave_up()
        return False

    def _obey(self, frame: Frame) -> None:
        session, fields = self.session, frame.fields
        if frame.kind == "ack":
            session.recorder.acknowledged(fields["upto"])
        elif frame.kind == "stance":
            session.set_stance(stance_from(fields, session.stance))
        elif frame.kind == "nodes" and session.rerun is not None:
            session.rerun.nodes(frame.nodes)
        elif frame.kind == "stop":
            session.stop()
        elif frame.kind in ("do", "release"):
            self.commands.put((fields["id"], frame.kind, fields))

    # -- commands ----------------------------------------------------------------------------------------------------

    def _perform(self) -> None:
        """Commands have a thread of their own: one may wait for the program's loop, and acknowledgements must go on."""
        while True:
            number, kind, fields = self.commands.get()
            try:
                act = self._release if kind == "release" else self._do
                reply: dict[str, Json] = {"id": number, "result": self.session.bodies.cleaned(act(fields))}
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
        self.session.release(fields["hold"], answer)


def greet(address: Address, next_record: int) -> tuple[Connection, Frame]:
    """Connect and say hello; returns what the server welcomes with.  Raises `RefusedByServer`, `OSError`."""
    connection = wire.connect(address.place)
    hello = {
        "protocol": wire.PROTOCOL,
        "role": "probe",
        "token": address.token,
        "run": address.run,
        "pid": os.getpid(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "next": next_record,
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
    settings = welcome.get("settings", {})
    session = Session(
        Bodies(cleaner(settings.get("redact", ())), SECRET_KEYS),
        plan=_plan(welcome.get("plan")),
        stance=stance_from(welcome["stance"], Stance()),
        settings=Settings(settings.get("effects", {})),
        first=welcome["acked"],
    )
    if session.rerun is not None:
        session.rerun.nodes(frame.nodes)
    place = Address(address.place, address.token, welcome["run"], address.hello)
    link = Link(place, session, welcome)
    link.start(connection)
    return link


def _plan(data: Json) -> Plan | None:
    if data is None:
        return None
    return Plan(
        [from_json(r) for r in data["records"]],
        data["cut"],
        data["reuse"],
        data["repeat"],
        tuple(data["live"]),
        tuple(edit_from(e) for e in data["edits"]),
    )


def say(text: str) -> None:
    """A word to the user on the process's own standard error."""
    print(f"outtake: {text}", file=sys.__stderr__, flush=True)
