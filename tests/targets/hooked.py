"""Runs a program in this process with the hooks of one client library in place."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from outtake_probe.attached import active
from outtake_probe.commands import BadValue
from outtake_probe.conditions import Breakpoint
from outtake_probe.gate.decision import Answer, Stance
from outtake_probe.records import InvocationEnded, InvocationStarted
from outtake_probe.session import Session
from outtake_probe.targets.toolkit.adapter import Adapter
from tests.probe.inprocess import Log, execute


class Executed(list[str]):
    """What was really executed: as a class of its own it is none of what a served tool changes again."""


def run(target: Adapter[Any], program: Callable[[], Any], **options: Any) -> Log:
    """As `execute`, hooks in, hooks out."""

    def hooked() -> Any:
        session = active()
        assert session is not None
        target.install(session)
        try:
            return program()
        finally:
            target.remove()

    return execute(hooked, **options)


def held(target: Adapter[Any], program: Callable[[], Any], where: str, answer: Answer) -> tuple[Log, list[BadValue]]:
    """Give this answer to whatever is held there; what is refused goes on as it was.  The refusals come along."""
    refused: list[BadValue] = []

    def give(session: Session, hold: int) -> None:
        try:
            session.release(hold, answer)
        except BadValue as error:
            refused.append(error)
            session.release(hold, Answer("proceed"))

    def on_held(session: Session, fields: dict[str, Any]) -> None:
        threading.Thread(target=give, args=(session, fields["hold"])).start()

    log = run(target, program, stance=Stance(breakpoints=[Breakpoint(where, 1)]), on_held=on_held)
    return log, refused


def models(log: Log) -> list[InvocationStarted]:
    return [r for r in log.records if isinstance(r, InvocationStarted) and r.call == "model"]


def ends(log: Log) -> list[InvocationEnded]:
    return [r for r in log.records if isinstance(r, InvocationEnded) and r.call == "model"]


def everything(log: Log) -> str:
    """All that leaves the process, as one text."""
    nodes = b"".join(log.nodes.values()).decode("utf-8", "replace")
    return f"{log.records} {log.told} {nodes}"
