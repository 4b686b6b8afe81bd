"""A session without a server: runs a program in this process, keeps what it records, and replays it."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from outtake_probe import timer_hooks
from outtake_probe.attached import attach_session, detach_session
from outtake_probe.bodies import Bodies, resolve
from outtake_probe.calls import Call, top
from outtake_probe.code_hash import OwnCode
from outtake_probe.codec import describe_error
from outtake_probe.edits import Edit
from outtake_probe.gate.decision import Stance
from outtake_probe.gate.invoke import call
from outtake_probe.own_files import OwnFiles
from outtake_probe.records import InvocationEnded, Json, Record, Status, from_json
from outtake_probe.replay.index import Plan, Repeat, Reuse
from outtake_probe.session import Session, Stopped
from outtake_probe.wire import Connection, Node

TESTS = str(Path(__file__).resolve().parent.parent)
CODE = OwnCode(OwnFiles(TESTS, [TESTS]))
"""The programs of the tests are the program's own files."""


@dataclass
class Log:
    """What a run recorded."""

    records: list[Record] = field(default_factory=list)
    nodes: dict[str, bytes] = field(default_factory=dict)
    told: list[tuple[str, dict[str, Json]]] = field(default_factory=list)
    status: Status = "completed"
    output: Json = None

    def body(self, name: str | None) -> Json:
        return None if name is None else resolve(name, self.nodes.__getitem__)

    def executed(self, *kinds: str) -> Counter[str]:
        """How often each component was really called."""
        return Counter(
            r.component
            for r in self.records
            if isinstance(r, InvocationEnded) and r.how == "executed" and (not kinds or r.call in kinds)
        )


class Server:
    """Answers a session as the server would, at once."""

    def __init__(self, log: Log, known: dict[str, bytes]) -> None:
        self.log = log
        self.known = known
        self.session: Session | None = None
        self.on_held: Callable[[Session, dict[str, Json]], None] | None = None

    def send(self, kind: str, fields: dict[str, Json], nodes: Sequence[Node] = ()) -> None:
        session = self.session
        assert session is not None
        self.log.nodes.update(nodes)
        if kind == "records":
            self.log.records += [from_json(record) for record in fields["records"]]
            if fields["records"]:
                session.recorder.acknowledged(fields["records"][-1]["seq"] + 1)
            return
        self.log.told.append((kind, fields))
        if kind == "need" and session.replay is not None:
            session.replay.nodes([(name, self.known[name]) for name in self.known])
        elif kind == "held" and self.on_held is not None:
            self.on_held(session, fields)
        elif kind == "replay" and fields["state"] == "diverged":
            threading.Thread(target=session.stop).start()


def execute(
    program: Callable[[], Any],
    *,
    parent: Log | None = None,
    cut: int | None = None,
    edits: Sequence[Edit] = (),
    reuse: Reuse = "matching",
    live: tuple[str, ...] = (),
    repeat: Repeat = "run",
    serve_failures: bool = False,
    stance: Stance | None = None,
    on_held: Callable[[Session, dict[str, Json]], None] | None = None,
) -> Log:
    """Run `program` as a target's root; with a parent, as a fork of it.  The log holds the parent's prefix, too."""
    plan = None
    if parent is not None:
        at = len(parent.records) if cut is None else cut
        plan = Plan(parent.records, at, reuse, repeat, live, tuple(edits), serve_failures)
    log = Log()
    session = Session(Bodies(), plan=plan, stance=stance)
    session.code = CODE
    server = Server(log, parent.nodes if parent is not None else {})
    server.session, server.on_held = session, on_held
    top.counts.clear()
    attach_session(session)
    take_out = timer_hooks.install(session)
    try:
        session.recorder.connect(cast(Connection, server), session.recorder.next)
        session.begin(None, python="", seed=0)
        session.ready(None)
        try:
            log.output = call(session, Call("flow", "main", None), lambda _: program())
            status: Status = "completed"
        except (Stopped, asyncio.CancelledError):
            status = "diverged" if session.replay is not None and session.replay.diverged else "stopped"
        except Exception as error:  # noqa: BLE001  the program is the boundary
            status, log.output = "failed", describe_error(error)
        log.status, log.output = session.finish(status, log.output)
        session.recorder.flush()
        session.recorder.stored(session.recorder.next - 1).block()  # another thread may be sending
    finally:
        take_out()
        detach_session()
        session.recorder.close()
    if parent is not None and session.replay is not None:
        log.nodes = {**parent.nodes, **log.nodes}
        log.records = [*parent.records[: session.replay.index.cut], *log.records]
    return log
