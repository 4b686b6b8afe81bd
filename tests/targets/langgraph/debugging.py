"""Graphs under the debugger in this process, as scripts and as targets, with a user who answers what is asked."""

from __future__ import annotations

import asyncio
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from outtake_probe import nondeterminism
from outtake_probe.attached import active
from outtake_probe.bodies import Bodies
from outtake_probe.calls import Call
from outtake_probe.edits import Edit
from outtake_probe.gate.decision import Stance
from outtake_probe.gate.invoke import acall
from outtake_probe.records import InvocationEnded, InvocationStarted, Json
from outtake_probe.session import Session
from outtake_probe.targets.langgraph import adapter
from tests.probe.inprocess import Log, execute

Make = Callable[[], Any]


@contextmanager
def seeded() -> Iterator[None]:
    """Ids follow from the run, as in a debugged process."""
    real = uuid.uuid4
    nondeterminism.seed_all(Session(Bodies()), 7)
    try:
        yield
    finally:
        uuid.uuid4 = real


def record(program: Callable[[], Any], **options: Any) -> Log:
    """Run a script that runs its graphs itself."""

    def hooked() -> Any:
        session = active()
        assert session is not None
        adapter.install(session)
        try:
            return program()
        finally:
            adapter.remove()

    with seeded():
        return execute(hooked, **options)


def run_target(make: Make, given: Json = None, then: Callable[[Session], None] | None = None, **options: Any) -> Log:
    """Run what a factory makes.  `then` is called with the session when it is ready, before the input."""

    def program() -> Any:
        session = active()
        assert session is not None
        adapter.install(session)
        parent: Log | None = options.get("parent")
        if session.replay is not None and parent is not None:
            session.replay.nodes(list(parent.nodes.items()))  # the server sends those of the user's commands ahead
        try:
            return asyncio.run(_run(session, make, given, then))
        finally:
            adapter.remove()

    with seeded():
        return execute(program, **options)


async def _run(session: Session, make: Make, given: Json, then: Callable[[Session], None] | None) -> Any:
    program = adapter.program(make(), session)
    session.ready(program.target)
    root = Call("flow", program.name, {"input": given})
    if then is not None:
        await asyncio.to_thread(then, session)
    return await acall(session, root, lambda new: program.run(given if new is None else new.value["input"]))


class Person:
    """Answers every question of a graph, in order."""

    def __init__(self, *answers: Any, by: str = "send") -> None:
        self._answers = list(answers)
        self._by = by
        self.asked: list[Json] = []
        self.errors: list[Exception] = []

    def on_held(self, session: Session, fields: dict[str, Json]) -> None:
        if fields["when"] == "input":
            threading.Thread(target=self._answer, args=(session, fields), daemon=True).start()

    def _answer(self, session: Session, fields: dict[str, Json]) -> None:
        self.asked.append(fields["prompt"])
        answer = self._answers.pop(0)
        try:
            if callable(answer):
                answer(session, fields)
            else:
                session.command("send", {"component": fields["component"], "type": "resume", "value": answer})
        except Exception as error:  # noqa: BLE001  the test looks at it
            self.errors.append(error)
            session.stop()


def started(log: Log, component: str = "", kind: str = "") -> list[InvocationStarted]:
    return [
        r
        for r in log.records
        if isinstance(r, InvocationStarted)
        and (not component or r.component == component or r.component.endswith(f"/{component}"))
        and kind in ("", r.call)
    ]


def ended(log: Log, start: InvocationStarted) -> InvocationEnded:
    return next(r for r in log.records if isinstance(r, InvocationEnded) and r.invocation == start.seq)


def output(log: Log, start: InvocationStarted) -> Json:
    return log.body(ended(log, start).body)


def mock(at: InvocationStarted, value: Json) -> Edit:
    return Edit(op="mock_output", seq=at.seq, component=at.component, call=at.call, value=value)


def fork(program: Callable[[], Any], parent: Log, edits: Sequence[Edit] = (), **options: Any) -> Log:
    cut = min((edit.seq for edit in edits if edit.seq is not None), default=len(parent.records))
    return record(program, parent=parent, edits=edits, **{"cut": cut, **options})


def paused() -> Stance:
    return Stance(paused=True)
