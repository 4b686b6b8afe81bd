"""A workflow under the debugger in this process, and a user in a thread of its own who answers what is held."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any

from outtake_probe.gate.decision import PROCEED, Answer, Stance
from outtake_probe.records import InvocationEnded, InvocationStarted, Json
from outtake_probe.session import Session
from outtake_probe.targets.llamaindex import adapter
from tests.probe.inprocess import Log
from tests.targets.hooked import run

PATIENCE = 30.0
Program = Callable[[], Coroutine[Any, Any, Any]]


def record(program: Program, **options: Any) -> Log:
    """Run a program that nobody watches."""
    return run(adapter, lambda: asyncio.run(program()), **options)


def started(log: Log, component: str = "", call: str = "") -> list[InvocationStarted]:
    found = (r for r in log.records if isinstance(r, InvocationStarted))
    return [r for r in found if component in ("", r.component) and call in ("", r.call)]


def ended(log: Log, start: InvocationStarted) -> InvocationEnded:
    return next(r for r in log.records if isinstance(r, InvocationEnded) and r.invocation == start.seq)


def how(log: Log, *calls: str) -> Counter[tuple[str, str]]:
    """How the steps of a run came to their results, by component."""
    found = (r for r in log.records if isinstance(r, InvocationEnded) and r.call in (calls or ("step",)))
    return Counter((r.component, r.how) for r in found)


class User:
    """Answers what is held.  A script is a function that is given the user and does what a person would."""

    def __init__(self) -> None:
        self._held: queue.SimpleQueue[dict[str, Json] | None] = queue.SimpleQueue()
        self._session: Session | None = None
        self.error: BaseException | None = None

    @property
    def session(self) -> Session:
        assert self._session is not None
        return self._session

    def on_held(self, session: Session, fields: dict[str, Json]) -> None:
        self._session = session
        self._held.put(fields)

    def end(self) -> None:
        self._held.put(None)

    def next(self) -> dict[str, Json] | None:
        """What is held next; None at the end of the program."""
        while True:
            fields = self._held.get(timeout=PATIENCE)
            if fields is None or fields["hold"] in self.session.holds:
                return fields

    def until(self, component: str, when: str = "before") -> dict[str, Json]:
        """Step until this is held."""
        while True:
            held = self.next()
            assert held is not None, f"the program ended before {component} was held"
            if held["component"] == component and held["when"] == when:
                return held
            self.step(held)

    def step(self, held: dict[str, Json], answer: Answer = PROCEED) -> None:
        self.session.release(held["hold"], answer)

    def command(self, verb: str, **fields: Json) -> Json:
        return self.session.command(verb, fields)

    def go(self) -> None:
        """Let the program run."""
        self.session.set_stance(Stance())
        for hold in list(self.session.holds):
            self.session.release(hold, PROCEED)


def debug(program: Program, script: Callable[[User], None], **options: Any) -> Log:
    """Run a program, paused from its start, with a user who follows the script and then lets it go."""
    user = User()

    def follow() -> None:
        try:
            script(user)
            if user._session is not None:
                user.go()
        except BaseException as error:  # noqa: BLE001  it is the test's error, raised again below
            user.error = error
            if user._session is not None:
                user.session.stop()

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    options.setdefault("stance", Stance(paused=True))
    try:
        return record(program, on_held=user.on_held, **options)
    finally:
        user.end()
        thread.join(PATIENCE)
        if user.error is not None:
            raise user.error
