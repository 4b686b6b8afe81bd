"""What a fork did: every invocation executed, served from the record, mocked or not reached, and what was saved.

Invocations are aligned with the parent's by identity, as in `outtake.core.diff`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from outtake.core.wrapping import is_same_call
from outtake_probe.records import PROCESS_STARTED, Json

Fate = Literal["executed", "served", "mocked", "dropped", "running", "not reached"]
FATES: tuple[Fate, ...] = ("executed", "served", "mocked", "dropped", "running", "not reached")
Reason = Literal["", "code", "failure"]
"""Why the record did not answer for what was executed: its code has changed, or it had failed in the parent."""
LEAVES = ("model", "tool")
_FATE_OF: Mapping[str, Fate] = {"executed": "executed", "reused": "served", "mocked": "mocked", "dropped": "dropped"}


@dataclass(frozen=True, slots=True)
class Line:
    """One invocation of a fork, or one of its parent's that the fork did not come to."""

    fate: Fate
    kind: str
    component: str
    occurrence: int
    """Which of its component, from 1."""
    seq: int | None
    """Number of the invocation in the fork."""
    parent_seq: int | None
    """Number of the same invocation in the parent run."""
    failed: bool = False
    seconds: float = 0.0
    """What it took, or, not executed, what it took in the parent."""
    tokens_in: int = 0
    tokens_out: int = 0
    reason: Reason = ""


@dataclass(slots=True)
class Saved:
    """What a fork did not have to do again."""

    calls: Counter[str] = field(default_factory=Counter)
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    """Of whole invocations that were served, each counted once: not again for what happened inside it."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step that brought a state outside the process to where the record left it."""

    seq: int
    state: str
    how: str
    component: str
    invocation: int | None
    same: bool
    seconds: float
    reason: str


@dataclass(frozen=True, slots=True)
class ProcessStart:
    """A process that the run started outside of its model and tool calls; in a fork, all that ran live."""

    seq: int
    """Number of the note that says so: before the cut, that of the parent."""
    component: str
    body: str | None
    """Hash of how it was started, and with which command."""
    again: bool
    """Whether the parent had started the same."""


@dataclass(slots=True)
class Report:
    """All lines in the order of the fork, then what it did not come to; the counts of each fate by kind."""

    lines: list[Line] = field(default_factory=list)
    counts: dict[Fate, Counter[str]] = field(default_factory=lambda: {fate: Counter() for fate in FATES})
    saved: Saved = field(default_factory=Saved)
    unused: Sequence[int] = ()
    """Which edits, from 0, never applied."""
    restored: list[Step] = field(default_factory=list)
    processes: list[ProcessStart] = field(default_factory=list)


Key = tuple[str, str, int]


@dataclass(slots=True)
class _Item:
    start: Mapping[str, Json]
    end: Mapping[str, Json] | None = None


def report(records: Iterable[Mapping[str, Json]], parent: Iterable[Mapping[str, Json]], cut: int) -> Report:
    """What became of each invocation of the run `records`, a fork of `parent` at `cut`; no parent: a run of its own."""
    own = _read(records)
    mine, theirs = own.items, _read(parent)
    restored = [_step(step) for step in own.steps if step["seq"] >= cut]
    made = Report(unused=own.last.get("unused", ()), restored=restored)
    made.processes = _processes(own, theirs, cut)
    served: set[int] = set()
    for key, item in mine.items():
        line = _line(key, item, theirs.items.get(key), cut)
        _add(made, line)
        start = item.start
        if line.fate == "served" and _whole(item, theirs.items.get(key)):
            if start.get("parent") not in served:
                made.saved.seconds += line.seconds
            served.add(start["seq"])
        elif start.get("parent") in served:
            served.add(start["seq"])
        if line.fate == "served" and line.kind in LEAVES:
            _save(made.saved, line, item.end or {})
    for key, item in theirs.items.items():
        if key not in mine:
            _add(made, _line(key, None, item, cut))
    return made


@dataclass(slots=True)
class _Read:
    """What is looked at of a run's records."""

    items: dict[Key, _Item] = field(default_factory=dict)
    """Invocations by identity, in order; a function that is the run itself is one."""
    by_number: dict[int, _Item] = field(default_factory=dict)
    last: Mapping[str, Json] = field(default_factory=dict)
    """The record that ends the run, where it has ended."""
    steps: list[Mapping[str, Json]] = field(default_factory=list)
    """What restored states."""
    starts: list[Mapping[str, Json]] = field(default_factory=list)
    """What says that a process was started."""


def _read(records: Iterable[Mapping[str, Json]]) -> _Read:
    read = _Read()
    keys: dict[int, Key] = {}
    seen: Counter[tuple[str, str]] = Counter()
    for r in records:
        if r["kind"] == "invocation_started":
            what = (r["call"], r.get("component", ""))
            around = keys.get(r.get("parent", -1))
            if around is not None and is_same_call(around[:2], what):
                read.items.pop(around, None)
            seen[what] += 1
            key = keys[r["seq"]] = (*what, seen[what])
            read.items[key] = read.by_number[r["seq"]] = _Item(r)
        elif r["kind"] == "invocation_ended" and r.get("invocation") in read.by_number:
            read.by_number[r["invocation"]].end = r
        elif r["kind"] == "state_restored":
            read.steps.append(r)
        elif r["kind"] == "noted" and r.get("type") == PROCESS_STARTED:
            read.starts.append(r)
        elif r["kind"] == "run_ended":
            read.last = r
    return read


def _processes(own: _Read, theirs: _Read, cut: int) -> list[ProcessStart]:
    """The processes that a run started: a fork executes the code again that did, but for what was answered as a whole.

    What a replay that diverged came to before its cut is not known.
    """
    known = Counter((r.get("component", ""), r.get("body")) for r in theirs.starts)
    found = []
    for r in own.starts:
        what = (r.get("component", ""), r.get("body"))
        again = known[what] > 0
        known[what] -= again
        unknown = r["seq"] < cut and own.last.get("status") == "diverged"
        if not unknown and not _answered(own, r.get("parent"), cut):
            found.append(ProcessStart(r["seq"], *what, again))
    return found


def _answered(own: _Read, invocation: int | None, cut: int) -> bool:
    """Whether an invocation, or one around it, was answered without being executed."""
    while invocation is not None and invocation in own.by_number:
        item = own.by_number[invocation]
        fate = _fate(item, cut)
        if fate in ("mocked", "dropped") or (fate == "served" and _whole(item, None)):
            return True
        invocation = item.start.get("parent")
    return False


def _step(record: Mapping[str, Json]) -> Step:
    named = {name: record.get(name) for name in ("invocation", "state", "reason")}
    return Step(
        seq=record["seq"],
        how=record.get("how", "repeated"),
        component=record.get("component", ""),
        same=record.get("same", True),
        seconds=record.get("seconds", 0.0),
        invocation=named["invocation"],
        state=named["state"] or "",
        reason=named["reason"] or "",
    )


def _line(key: Key, mine: _Item | None, theirs: _Item | None, cut: int) -> Line:
    kind, component, occurrence = key
    end = (mine.end if mine is not None else None) or {}
    fate = _fate(mine, cut)
    spent = end if fate == "executed" or theirs is None else theirs.end or {}
    return Line(
        fate,
        kind,
        component,
        occurrence,
        seq=mine.start["seq"] if mine is not None else None,
        parent_seq=theirs.start["seq"] if theirs is not None else None,
        failed=bool((end if mine is not None else spent).get("failed")),
        seconds=spent.get("seconds", 0.0),
        tokens_in=spent.get("tokens_in", 0),
        tokens_out=spent.get("tokens_out", 0),
        reason=_reason(mine, theirs) if fate == "executed" and mine is not None and theirs is not None else "",
    )


def _reason(mine: _Item, theirs: _Item) -> Reason:
    """Why this was executed though the parent had done the same; empty where that was asked for, or is not known."""
    if mine.start.get("digest") != theirs.start.get("digest"):
        return ""
    if mine.start.get("code") and theirs.start.get("code") and mine.start["code"] != theirs.start["code"]:
        return "code"
    failed = theirs.end is not None and theirs.end.get("failed") and not theirs.end.get("interrupted")
    return "failure" if failed and mine.start["call"] in LEAVES else ""


def _fate(mine: _Item | None, cut: int) -> Fate:
    if mine is None:
        return "not reached"
    if mine.end is None:
        return "running"
    if mine.end["seq"] < cut:
        return "served"
    return _FATE_OF[mine.end["how"]]


def _whole(item: _Item, theirs: _Item | None) -> bool:
    """Whether the record answered for it; other code runs again, with what is inside it served."""
    end = (theirs.end if theirs is not None else None) or item.end or {}
    return item.start["call"] in LEAVES or bool(end.get("changes")) or end.get("how") == "mocked"


def _add(made: Report, line: Line) -> None:
    made.lines.append(line)
    made.counts[line.fate][line.kind] += 1


def _save(saved: Saved, line: Line, end: Mapping[str, Json]) -> None:
    saved.calls[line.kind] += 1
    saved.tokens_in += line.tokens_in
    saved.tokens_out += line.tokens_out
    saved.cost += end.get("cost", 0.0)
