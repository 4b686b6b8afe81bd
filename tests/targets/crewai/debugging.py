"""Programs of CrewAI under the debugger in this process."""

from __future__ import annotations

import contextlib
from typing import Any

from outtake_probe import nondeterminism, thread_context
from outtake_probe.attached import active
from outtake_probe.records import InvocationEnded, InvocationStarted
from outtake_probe.targets.crewai import adapter
from tests.probe.inprocess import Log
from tests.targets.crewai.programs import Program
from tests.targets.hooked import run


def record(program: Program, **options: Any) -> Log:
    """Run a program; what it asks a person is asked the user of the debugger."""

    def asking() -> Any:
        session = active()
        assert session is not None
        with contextlib.ExitStack() as stack:
            stack.callback(nondeterminism.install_input(session, "ask"))
            stack.callback(nondeterminism.seed_all(session, 7))
            stack.callback(thread_context.remove)
            thread_context.install()
            return program()

    return run(adapter, asking, **options)


def started(log: Log, *calls: str) -> list[InvocationStarted]:
    return [r for r in log.records if isinstance(r, InvocationStarted) and (not calls or r.call in calls)]


def ended(log: Log, start: InvocationStarted) -> InvocationEnded:
    return next(r for r in log.records if isinstance(r, InvocationEnded) and r.invocation == start.seq)


def paths(log: Log, *calls: str) -> list[str]:
    return [r.component for r in started(log, *calls)]
