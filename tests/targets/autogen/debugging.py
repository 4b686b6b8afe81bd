"""A program under the debugger in this process, and a user in a thread of its own who sees what is held and answers."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from outtake_probe.attached import active
from outtake_probe.gate.decision import PROCEED, Answer, Stance
from outtake_probe.records import InvocationStarted, Json, MessageQueued
from outtake_probe.session import Session
from outtake_probe.targets.autogen import adapter
from tests.probe.inprocess import Log
from tests.targets.autogen import programs
from tests.targets.hooked import run

PATIENCE = 30.0


class User:
    """Answers what is held.  A script is a function that is given the user and does what a person would."""

    def __init__(self) -> None:
        self._held: queue.SimpleQueue[dict[str, Json] | None] = queue.SimpleQueue()
        self._session: Session | None = None
        self.error: BaseException | None = None
        self.seen: list[dict[str, Json]] = []

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
                self.seen += [fields] if fields is not None else []
                return fields

    def until(self, component: str, type: str = "") -> dict[str, Json]:
        """Step until this is held."""
        while True:
            held = self.next()
            assert held is not None, f"the program ended before {component} was held"
            if held["component"] == component and type in ("", held["type"]):
                return held
            self.step(held)

    def step(self, held: dict[str, Json], answer: Answer = PROCEED) -> None:
        """Let what is held go on."""
        self.session.release(held["hold"], answer)

    def command(self, verb: str, **fields: Json) -> Json:
        return self.session.command(verb, fields)

    def go(self) -> None:
        """Let the program run."""
        self.session.set_stance(Stance())
        for hold in list(self.session.holds):
            self.session.release(hold, PROCEED)


def debug(program: Callable[[], Any], script: Callable[[User], None], **options: Any) -> Log:
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
        return run(adapter, program, on_held=user.on_held, **options)
    finally:
        user.end()
        thread.join(PATIENCE)
        if user.error is not None:
            raise user.error


def of_team(make: Callable[[], Any]) -> Callable[[], Any]:
    """A program that makes a team, runs it, and returns its transcript."""
    return lambda: asyncio.run(_transcript(make()))


async def _transcript(team: Any) -> list[list[Any]]:
    return programs.transcript(await team.run(task="go"))


def of_coroutine(make: Callable[[], Coroutine[Any, Any, Any]]) -> Callable[[], Any]:
    return lambda: asyncio.run(make())


def record(program: Callable[[], Any], **options: Any) -> Log:
    """Run a program that nobody watches."""
    return run(adapter, program, **options)


def session() -> Session:
    found = active()
    assert found is not None
    return found


def started(log: Log, component: str, type: str = "") -> list[InvocationStarted]:
    return [
        r for r in log.records if isinstance(r, InvocationStarted) and r.component == component and type in ("", r.type)
    ]


def queued(log: Log, recipient: str, type: str = "", sender: str = "") -> list[MessageQueued]:
    return [
        r
        for r in log.records
        if isinstance(r, MessageQueued)
        and r.recipient == recipient
        and type in ("", r.type)
        and sender in ("", r.component)
    ]
