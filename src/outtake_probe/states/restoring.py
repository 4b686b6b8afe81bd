"""Bringing a state outside the process to where the record left it, right before a call of it really goes out.

What was saved last is loaded where there is an object that can.  The calls after that are executed again, in order, and
what they give is compared with the record.  Calls that change the world are executed again only if the user says so;
where nobody can be asked, the call that needs the state is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from outtake_probe import clock
from outtake_probe.codec import describe_error, encode_error, opaque
from outtake_probe.gate.decision import Answer
from outtake_probe.gate.pass_state import Asked, hold_call
from outtake_probe.gate.pass_state import inside as around
from outtake_probe.records import Json
from outtake_probe.states import Served, effects_told, saving
from outtake_probe.states.inside import Caught
from outtake_probe.states.repeating import CannotRepeat, Doing
from outtake_probe.waits import Steps, Wait

if TYPE_CHECKING:
    from outtake_probe.session import Session

SKIP = "skip"
NAMED = 5
"""Calls that a question names."""


class NotRestored(Exception):
    """A call is refused: the state that it needs is not where the record left it, and nobody is there to ask."""


def restored(session: Session, asked: Asked, answer: Answer) -> Steps[Answer]:
    """Restore the state of a call that is about to go out; what the gate answers then."""
    name, states = asked.state, session.states
    if answer.verb != "proceed" or not name or session.replay is None or asked.call.kind != "tool":
        return answer
    mine = Wait(order=True)
    while True:
        with session.lock:
            due = states.due(name)
            busy = states.busy.setdefault(name, mine) if due else None
        if busy is None:
            return answer
        if busy is mine:
            break
        yield busy
        session.check()
        if not busy.done:  # this thread runs the loop on which it is restored
            return answer
    try:
        with session.lock:
            session.standstill.begin()
            session.replay.out += 1
        return (yield from _Restoring(session, asked, answer).steps(due))
    finally:
        with session.lock:
            session.replay.out -= 1
            session.standstill.end()
            del states.busy[name]
        mine.set()


class _Restoring:
    """One state that is brought to where the record left it."""

    def __init__(self, session: Session, asked: Asked, answer: Answer) -> None:
        self.session, self.asked, self.answer = session, asked, answer
        self.name = asked.state
        self.number = self.total = 0

    def steps(self, due: list[Served]) -> Steps[Answer]:
        self.total = len(due)
        due = yield from self._load(due)
        told = list(effects_told(due))
        if told:
            answer = yield from self._may(due, told)
            if answer is not None:
                return answer
        while due:
            if self.session.stance.paused and self.number:
                answer = yield from self._ask(due, f"{self.number} of {self.total} steps are done")
                if answer is not None:
                    return answer
            yield from self._repeat(due[0])
            self.session.check()
            due = due[1:]
        return self.answer

    # -- saved states ------------------------------------------------------------------------------------------------

    def _load(self, due: list[Served]) -> Steps[list[Served]]:
        """Load what was saved last; the calls that it does not know of."""
        session, replay = self.session, self.session.replay
        at = max((n for n, served in enumerate(due) if served.past.end and served.past.end.saved), default=None)
        holder = session.states.holder(self.name, self.asked.call)
        if at is None or replay is None or holder is None or not saving.offers(holder):
            return due
        last, rest = due[at], due[at + 1 :]
        saved = last.past.end.saved if last.past.end is not None else None
        began = clock.monotonic()
        error = yield from saving.load(session, holder, (yield from replay.body(saved or "")))
        self.total = len(rest) + 1 if error is None else self.total + 1
        reason = f"load_state raised {type(error).__name__}: {error}" if error is not None else ""
        self._write(last, "loaded", began, body=saved, was=saved, same=error is None, reason=reason)
        if error is not None:
            return due
        with session.lock:
            session.states.loaded(self.name, due[: at + 1])
        return rest

    # -- questions ---------------------------------------------------------------------------------------------------

    def _may(self, due: list[Served], told: Sequence[Served]) -> Steps[Answer | None]:
        """Whether calls that change the world may be executed again: None, or what happens to the call instead."""
        policy = self.session.replay.index.plan.repeat if self.session.replay is not None else "run"
        if policy == "run":
            return None
        if policy == "ask":
            return (yield from self._ask(due, f"{_names(told)} would be executed again"))
        refusal = (
            f"{self.asked.call.component} needs the state {self.name}, which is not where the record left it: "
            f"{_names(told)} would have to be executed again.  Allow that with --repeat run, or say in outtake.toml "
            f"that they only read ([effects]), or that there is no such state ([state])"
        )
        return Answer("serve", encode_error(NotRestored(refusal)), failed=True, edited=True)

    def _ask(self, due: list[Served], reason: str) -> Steps[Answer | None]:
        calls: list[Json] = [
            {"component": each.call.component, "invocation": each.invocation, "effects": each.past.effects}
            for each in due
        ]
        told: dict[str, Json] = {
            "when": "before",
            "reason": f"the state {self.name} is not where the record left it: {reason}",
            "offers": ["proceed", SKIP, "mock_output"],
            "restores": {"state": self.name, "calls": calls},
            "effects": self.session.effects(self.asked.call),
        }
        given = yield from hold_call(self.session, self.asked.call, self.asked.body, told)
        if given.verb == SKIP:
            self._skip(due)
            return self.answer
        if given.verb in ("proceed", "over", "record"):
            if given.edited:
                self.answer = given
            return None
        return given

    def _skip(self, due: list[Served]) -> None:
        for served in due:
            self._write(served, "skipped", clock.monotonic(), same=False, reason="left out by the user")
        with self.session.lock:
            self.session.states.settle(due)

    # -- executing ---------------------------------------------------------------------------------------------------

    def _repeat(self, served: Served) -> Steps[None]:
        """Execute one call again, and compare what it gives with the record."""
        session, replay, past, call = self.session, self.session.replay, served.past, served.call
        if replay is None or call.repeat is None:
            return
        edited = past.start.edited and past.start.body is not None
        value = (yield from replay.body(past.start.body or "")) if edited else None
        frame = replace(served.frame, caught=Caught(session, past))
        doing = Doing(call.repeat, frame, edited, value)
        began = clock.monotonic()
        yield doing
        error = doing.error
        recorded = past.end.body if past.end is not None else None
        given = self._told(served, doing)
        with session.lock:
            body = session.body(given)
            session.states.settle([served])
        same = body == recorded
        if past.end is not None and past.end.failed and recorded is not None:
            same = error is not None and _same_error(given, (yield from replay.body(recorded)))
        elif error is not None:
            same = False
        reason = str(error) if isinstance(error, CannotRepeat) else ""
        self._write(
            served, "repeated", began, body=body, was=recorded, same=same, failed=error is not None, reason=reason
        )

    def _told(self, served: Served, doing: Doing) -> Json:
        """What a call gave this time, or its error."""
        call = served.call
        if doing.error is not None:
            return describe_error(doing.error)
        try:
            is_stream = call.repeat is not None and call.repeat.flavour in ("stream", "astream")
            return [call.encode(piece) for piece in doing.result] if is_stream else call.encode(doing.result)
        except Exception as error:  # noqa: BLE001  it may hold objects of the user's
            self.session.fault(error)
            return opaque(doing.result)

    def _write(self, served: Served, how: str, began: float, **told: Json) -> None:
        self.number += 1
        fields: dict[str, Json] = {
            "component": served.call.component,
            "invocation": served.invocation,
            "parent": around(self.asked.frame),
            "state": self.name,
            "how": how,
            "number": self.number,
            "total": self.total,
            "seconds": round(clock.monotonic() - began, 6),
            **told,
        }
        with self.session.lock:
            self.session.states.write(self.session, fields)


def _same_error(one: Json, other: Json) -> bool:
    if not isinstance(one, dict) or not isinstance(other, dict):
        return False
    return all(one.get(name) == other.get(name) for name in ("class", "message"))


def _names(calls: Sequence[Served]) -> str:
    """The calls that change the world, in words: which tools, how often, with what effects."""
    told: dict[str, int] = {}
    for each in calls:
        name = f"{each.call.component} ({each.past.effects})"
        told[name] = told.get(name, 0) + 1
    words = [f"{count} times {name}" if count > 1 else name for name, count in told.items()]
    more = f" and {len(words) - NAMED} more tools" if len(words) > NAMED else ""
    return ", ".join(words[:NAMED]) + more
