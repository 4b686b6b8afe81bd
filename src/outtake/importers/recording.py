"""The records of a run that was read from a log.

Records are in order of time where the log has times, and else in the order of the log.  Nothing is made up: what has no
time of its own has that of the record before it, and a log without any time says so (`Recorded.timed`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from outtake.core.annotations import Note
from outtake.core.nesting import is_too_deep
from outtake.importers.log import BadLog, Call, Event, Log, LogMessage, Part, Prompt
from outtake_probe.bodies import Bodies, Growing
from outtake_probe.records import (
    InvocationEnded,
    InvocationStarted,
    Json,
    MessageQueued,
    Noted,
    Record,
    RunEnded,
    RunStarted,
    written,
)

MOST = 1_000_000
"""Parts of one run."""
DEEPEST = 300
"""Calls inside calls."""
_BODY = 400
"""Levels of lists and objects in a body: a file has fewer, and an importer may put what it holds into others."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """The records of a run, and the annotations that go with them."""

    records: Sequence[Mapping[str, Json]]
    nodes: Sequence[tuple[str, bytes]]
    notes: Sequence[Note]
    timed: bool
    """Whether the log has times; if not, those of the records say when it was imported."""


@dataclass(slots=True)
class _Open:
    """A part that is gone through: when it began, and when it ended as far as is known."""

    part: Part
    began: float
    ended: float
    left: Iterator[Part]


@dataclass(frozen=True, slots=True)
class _Step:
    """What becomes one record: a part that begins, or a call that comes back."""

    at: float
    part: Part
    parent: Call | None
    returns: bool = False
    seconds: float = 0.0


def record(log: Log, now: float, about: Mapping[str, Json]) -> Recorded:
    """The records of a run; `now` is its time if it has none, `about` what is said of the import.  Raises `BadLog`."""
    times = [at for part in _each(log.parts) for at in _times(part)]
    origin = min(times, default=now)
    writer = _Writer()
    writer.started(origin, log.input)
    writer.noted(_Step(origin, Event(component="", type="imported", body={**log.told, **about}), None))
    steps = sorted(_steps(log.parts, origin), key=lambda step: step.at)  # stable: equal times stay in order
    for step in steps:
        writer.write(step)
    writer.ended(max(times, default=now), log)
    notes = [replace(remark.note, seq=writer.places.get(id(remark.about))) for remark in log.remarks]
    return Recorded(writer.records, writer.bodies.take(), notes, bool(times))


def _each(parts: Iterable[Part]) -> Iterator[Part]:
    """All parts.  Raises `BadLog` if there are too many."""
    waiting = list(parts)
    seen = 0
    while waiting:
        part = waiting.pop()
        seen += 1
        if seen > MOST:
            raise BadLog(f"it has more than {MOST:,} calls, messages and events; split it")
        yield part
        if isinstance(part, Call):
            waiting += part.inside


def _times(part: Part) -> list[float]:
    found = (part.began, part.ended) if isinstance(part, Call) else (part.at,)
    return [at for at in found if at is not None]


def _steps(parts: Sequence[Part], origin: float) -> list[_Step]:
    """What begins and comes back, each before what it encloses and after it; times of what has none are filled in."""
    steps: list[_Step] = []
    line = [_Open(Call(kind="flow", component=""), origin, origin, iter(parts))]
    while line:
        inner = line[-1]
        part = next(inner.left, None)
        if part is not None:
            own = _times(part)
            began = max(own[0], inner.began) if own else inner.ended
            parent = inner.part if len(line) > 1 and isinstance(inner.part, Call) else None
            steps.append(_Step(began, part, parent))
            line.append(_Open(part, began, began, iter(part.inside if isinstance(part, Call) else ())))
            if len(line) > DEEPEST:
                raise BadLog(f"its calls are nested more than {DEEPEST} levels deep")
            continue
        line.pop()
        part, ended = inner.part, inner.ended
        if line and isinstance(part, Call):
            ended = max(inner.began, part.ended) if part.ended is not None else inner.ended
            parent = line[-1].part if len(line) > 1 and isinstance(line[-1].part, Call) else None
            if part.is_over:
                known = part.began is not None and part.ended is not None
                steps.append(_Step(ended, part, parent, True, ended - inner.began if known else 0.0))
        if line:
            line[-1].ended = max(line[-1].ended, ended)
    return steps


class _Writer:
    """Writes records, and remembers which one each part became."""

    def __init__(self) -> None:
        self.bodies = Bodies()
        self.records: list[dict[str, Json]] = []
        self.places: dict[int, int] = {}
        """Number of the record that a part became, by the part's `id`."""
        self._prompts: dict[int, Growing] = {}

    def started(self, at: float, input: Json) -> None:
        self._write(RunStarted, at, body=self._body(input))

    def ended(self, at: float, log: Log) -> None:
        at = max(at, self.records[-1]["at"])
        failed = log.error is not None
        body = self._body(failure(log.error, "") if log.error is not None else log.output)
        self._write(RunEnded, at, body=body, status="failed" if failed else "completed")

    def write(self, step: _Step) -> None:
        match step.part:
            case LogMessage():
                self._said(step, step.part)
            case Event():
                self.noted(step)
            case Call() if step.returns:
                self._returned(step, step.part)
            case Call():
                self._called(step, step.part)

    def noted(self, step: _Step) -> None:
        assert isinstance(step.part, Event)
        event = step.part
        self.places[id(event)] = self._write(
            Noted,
            step.at,
            component=event.component,
            type=event.type,
            parent=self._parent(step),
            body=self._body(event.body),
        )

    def _said(self, step: _Step, said: LogMessage) -> None:
        body = self._body(said.message)
        self.places[id(said)] = self._write(
            MessageQueued,
            step.at,
            component=said.component,
            recipient=said.recipient,
            message=len(self.records),
            parent=self._parent(step),
            caused_by=self._numbers(said.heard),
            body=body,
            digest=body,
        )

    def _called(self, step: _Step, call: Call) -> None:
        body = self._body(call.input)
        heard = self._numbers(call.heard)
        self.places[id(call)] = self._write(
            InvocationStarted,
            step.at,
            call=call.kind,
            component=call.component,
            invocation=len(self.records),
            parent=self._parent(step),
            message=heard[-1] if heard else None,
            caused_by=heard,
            body=body,
            digest=body,
            type=call.type,
        )

    def _returned(self, step: _Step, call: Call) -> None:
        failed = call.error is not None
        self._write(
            InvocationEnded,
            step.at,
            call=call.kind,
            component=call.component,
            invocation=self.places[id(call)],
            parent=self._parent(step),
            body=self._body(failure(call.error, call.error_type) if call.error is not None else call.output),
            failed=failed,
            seconds=step.seconds,
            tokens_in=call.usage.tokens_in,
            tokens_out=call.usage.tokens_out,
            cost=call.usage.cost,
        )

    def _parent(self, step: _Step) -> int | None:
        return self.places.get(id(step.parent)) if step.parent is not None else None

    def _numbers(self, heard: Sequence[LogMessage]) -> list[int]:
        """The records of messages that were written before."""
        return [self.places[id(said)] for said in heard if id(said) in self.places]

    def _body(self, value: Json | Prompt) -> str:
        if isinstance(value, Prompt):
            last = self._prompts.get(id(value.said))
            said = itertools.islice(value.said, value.count)
            grown = Growing(said, last if last is not None and len(last) <= value.count else None)
            self._prompts[id(value.said)] = grown
            return self.bodies.put({**value.rest, "messages": grown})
        if is_too_deep(value, _BODY):
            raise BadLog(f"what it says is nested more than {_BODY} levels deep")
        return self.bodies.put(value)

    def _write(self, cls: type[Record], at: float, **fields: Json) -> int:
        seq = len(self.records)
        self.records.append(written(cls, seq, at, fields))
        return seq


def failure(message: str, type: str) -> Json:
    """An error as records hold it."""
    return {"$type": "exception", "class": f"log:{type or 'Error'}", "message": message}
