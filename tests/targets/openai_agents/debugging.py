"""Agents under the debugger in this process, as scripts and as targets, with a person who answers."""

from __future__ import annotations

import asyncio
import threading
import uuid
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from outtake_probe import nondeterminism
from outtake_probe.attached import active
from outtake_probe.bodies import Bodies
from outtake_probe.calls import Call
from outtake_probe.commands import BadValue
from outtake_probe.conditions import Breakpoint
from outtake_probe.edits import Edit
from outtake_probe.gate.decision import Answer, Stance
from outtake_probe.gate.invoke import acall
from outtake_probe.records import InvocationEnded, InvocationStarted, Json
from outtake_probe.session import Session
from outtake_probe.targets.openai_agents import adapter
from tests.probe.inprocess import Log, execute

Program = Callable[[], Awaitable[Any]]


@contextmanager
def seeded() -> Iterator[None]:
    """Ids follow from the run, as in a debugged process."""
    real = uuid.uuid4
    nondeterminism.seed_all(Session(Bodies()), 7)
    try:
        yield
    finally:
        uuid.uuid4 = real


def record(program: Program, **options: Any) -> Log:
    """Run a script that runs its agents itself."""

    def hooked() -> Any:
        session = active()
        assert session is not None
        adapter.install(session)
        try:
            return asyncio.run(_awaited(program))
        finally:
            adapter.remove()

    with seeded():
        return execute(hooked, **options)


async def _awaited(program: Program) -> Any:
    return await program()


def run_target(make: Callable[[], Any], given: Json = None, **options: Any) -> Log:
    """Run what a factory makes."""

    async def run(session: Session) -> Any:
        program = adapter.program(make(), session)
        session.ready(program.target)
        root = Call("flow", program.name, {"input": given})
        return await acall(session, root, lambda _: program.run(given))

    def program() -> Any:
        session = active()
        assert session is not None
        try:
            return asyncio.run(run(session))
        finally:
            adapter.remove()

    with seeded():
        return execute(program, **options)


def fork(program: Program, parent: Log, edits: Sequence[Edit] = (), **options: Any) -> Log:
    cut = min((edit.seq for edit in edits if edit.seq is not None), default=len(parent.records))
    return record(program, parent=parent, edits=edits, **{"cut": cut, **options})


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


def replace(at: InvocationStarted, value: Json) -> Edit:
    return Edit(op="replace_input", seq=at.seq, component=at.component, call=at.call, value=value)


class Person:
    """Answers what is held at a condition, each time in turn; what is refused goes on as it was."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.asked: list[dict[str, Json]] = []
        self.refused: list[str] = []

    def on_held(self, session: Session, fields: dict[str, Json]) -> None:
        self.asked.append(fields)
        threading.Thread(target=self._answer, args=(session, fields["hold"]), daemon=True).start()

    def _answer(self, session: Session, hold: int) -> None:
        answer = self._answers.pop(0) if self._answers else Answer("proceed")
        try:
            session.release(hold, answer)
        except BadValue as error:
            self.refused.append(str(error))
            session.release(hold, Answer("proceed"))


def held_at(condition: str) -> Stance:
    return Stance(breakpoints=[Breakpoint(condition, 1)])
