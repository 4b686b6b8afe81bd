"""Steering live runs: stepping, breakpoints, what is held and what is queued, settings."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence

from outtake.core.runs import ENDED
from outtake.engine import live as engine
from outtake.engine.live import LiveRun, NotLive
from outtake.service.errors import BadBody, Conflict, NotFound, WrongUse, translated
from outtake.service.methods import command, question
from outtake.service.reading import Reading, common, told_hold
from outtake.service.rpc_server import Document
from outtake_probe.conditions import BadCondition, parse
from outtake_probe.records import Json

STEPS = ("step", "next", "out", "continue", "pause", "stop")


@translated
class Steering(Reading):
    """Everything that a user can do to a program that runs."""

    @question
    def wait(self, run: str, until: Sequence[str] = (), timeout: float | None = None) -> Document:
        """Wait until a run has ended, or is in one of the states `until`; gives its document."""
        live = self._live.get(self._run(run).id)
        if live is not None:
            live.wait(lambda r: r.state in ENDED or r.state in until, timeout)
            if live.state in ENDED and live.process is not None:
                live.wait(lambda r: r.exited, 10.0)
        return self.info(run)

    @question
    def pending(self, run: str) -> Document:
        """What is about to happen: held invocations, then queued messages, in order."""
        live = self._alive(run)
        with live.changed:
            holds = list(live.holds.values())
            queued = [self._with_body(common(r)) for r in live.pending.values()]
        return {"run": run, "status": live.state, "held": [self._hold(h) for h in holds], "queued": queued}

    def _hold(self, hold: Document) -> Document:
        value = self.store.body(hold["body"]) if hold.get("body") else None
        return {**told_hold(hold), "value": value, "given": hold.get("given")}

    @command
    def control(self, run: str, verb: str, hold: int | None = None) -> Document:
        """`step` (in), `next` (over), `out`, `continue`, `pause`, `stop`; the first three let one held thing go."""
        if verb not in STEPS:
            raise WrongUse(f"unknown verb {verb!r}; known: {', '.join(STEPS)}")
        live = self._alive(run)
        if verb == "stop":
            live.stop()
        elif verb == "pause":
            live.set_control(paused=True, through=[], until=None)
        elif verb == "continue":
            live.set_control(paused=False, through=[], until=None)
            self._release_all(live)
        else:
            self._step(live, verb, hold)
        return self.info(run)

    def _step(self, live: LiveRun, verb: str, hold: int | None) -> None:
        held = self._held(live, hold) if live.holds else None
        inside = held.get("parent") if held is not None else None
        if verb == "out" and inside is not None:
            live.set_control(paused=True, through=[inside], until=inside)
        else:
            live.set_control(paused=True, through=[], until=None)
        if held is not None:
            over = verb == "next" and held["when"] == "before"
            self._answer(live, held["hold"], {"verb": "over" if over else "proceed"})

    def _release_all(self, live: LiveRun) -> None:
        for hold in list(live.holds):
            with contextlib.suppress(engine.Refused, NotLive):
                self._answer(live, hold, {"verb": "proceed"})

    @command
    def release(self, run: str, hold: int | None = None, answer: Mapping[str, Json] | None = None) -> Document:
        """Answer something that is held.

        `answer` is ``{"verb": "proceed"}``, with ``"value"`` and ``"edited": true`` for another input;
        ``{"verb": "serve", "value": ...}`` for an output, with ``"failed": true`` for an error; ``drop``; ``record``;
        ``skip`` to leave a state as it is that would be restored; ``stop``.
        """
        live = self._alive(run)
        self._answer(live, self._held(live, hold)["hold"], answer or {"verb": "proceed"})
        return self.info(run)

    @command
    def set_answer(self, run: str, hold: int | None = None, answer: Mapping[str, Json] | None = None) -> Document:
        """Set what something that is held goes on with, as `release` takes it, and hold it still.

        It is given when the hold is let go, by whatever verb; ``{"verb": "proceed"}`` takes it back.
        """
        live = self._alive(run)
        with _told():
            live.set_answer(self._held(live, hold)["hold"], answer or {"verb": "proceed"})
        return self.info(run)

    def _held(self, live: LiveRun, hold: int | None) -> Document:
        with live.changed:
            if hold is None and live.holds:
                return next(iter(live.holds.values()))
            if hold not in live.holds:
                known = ", ".join(map(str, live.holds)) or "nothing is held"
                raise NotFound(f"{live.id} has no hold {hold}; held: {known}")
            return live.holds[hold]

    def _answer(self, live: LiveRun, hold: int, answer: Mapping[str, Json]) -> None:
        with _told():
            live.release(hold, answer)
        live.freed(hold)  # who asks right after the answer is not told that it is still held

    @question
    def breakpoints(self, run: str) -> Document:
        """The breakpoints of a live run."""
        return {"run": run, "breakpoints": self._alive(run).control.breakpoints}

    @command
    def add_breakpoint(self, run: str, condition: str) -> Document:
        """Hold where the condition is true, from now on."""
        live = self._alive(run)
        known = live.control.breakpoints
        number = max((b["id"] for b in known), default=0) + 1
        (made,) = breakpoint_list([condition])
        live.set_control(breakpoints=[*known, {**made, "id": number}])
        return self.breakpoints(run)

    @command
    def change_breakpoint(self, run: str, id: int, enabled: bool | None = None, remove: bool = False) -> Document:
        """Switch a breakpoint on or off, or remove it."""
        live = self._alive(run)
        if all(b["id"] != id for b in live.control.breakpoints):
            raise NotFound(f"{run} has no breakpoint {id}")
        kept = [b for b in live.control.breakpoints if not (remove and b["id"] == id)]
        live.set_control(
            breakpoints=[{**b, "enabled": enabled} if b["id"] == id and enabled is not None else b for b in kept]
        )
        return self.breakpoints(run)

    @command
    def run_to(self, run: str, message: int) -> Document:
        """Go on until a queued message is about to be delivered."""
        live = self._alive(run)
        live.set_control(run_to=message, paused=False)
        self._release_all(live)
        return self.info(run)

    @command
    def edit(self, run: str, message: int, value: Json) -> Document:
        """Give a queued message another content."""
        return self._do(run, "edit", {"message": message, "value": value})

    @command
    def drop(self, run: str, message: int) -> Document:
        """Take a message out of the queue."""
        return self._do(run, "drop", {"message": message})

    @command
    def move(self, run: str, message: int, before: int | None = None) -> Document:
        """Put a queued message before another one, or last."""
        return self._do(run, "move", {"message": message, "before": before})

    @command
    def send(self, run: str, component: str, value: Json, type: str = "") -> Document:
        """Queue a new message to a component, or to ``topic:NAME``."""
        return self._do(run, "send", {"component": component, "type": type, "value": value})

    @command
    def configure(self, run: str, component: str, key: str, value: Json) -> Document:
        """Change a setting of a component, from now on."""
        return self._do(run, "configure", {"component": component, "key": key, "value": value})

    def _do(self, run: str, verb: str, fields: Document) -> Document:
        with _told():
            return {"run": run, "seq": self._alive(run).command(verb, fields)}


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """The engine's errors as the service's."""
    try:
        yield
    except engine.Refused as error:
        raise BadBody(str(error), error.schema) from error
    except NotLive as error:
        raise Conflict(str(error)) from error


def breakpoint_list(conditions: Sequence[str]) -> list[Document]:
    for condition in conditions:
        try:
            parse(condition)
        except BadCondition as error:
            raise WrongUse(str(error)) from error
    return [{"id": i, "text": text, "enabled": True} for i, text in enumerate(conditions, 1)]
