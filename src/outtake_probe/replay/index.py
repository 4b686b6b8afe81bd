"""Replay: what a run's record says about the program that is being executed again.

Matching is by identity and content (component, kind, digest of what was asked, the enclosing invocation, and the
occurrence among equals), never by position.  What was recorded is let through in the recorded order, so that parallel
parts of a program meet the same interleaving again; a program that departs from the record before the cut diverges,
and the first difference is named.  After the cut, order is kept until the first difference (an edit that took effect,
a call that had to be executed); from there on only content decides.

This module is data and decisions; waiting is in `outtake_probe.session`.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeGuard

from outtake_probe.conditions import names
from outtake_probe.edits import Edit
from outtake_probe.patterns import matches
from outtake_probe.records import (
    STREAMS,
    TIMER,
    ConfigSet,
    Edited,
    Effects,
    InvocationEnded,
    InvocationStarted,
    Json,
    MessageDropped,
    MessageMoved,
    MessageQueued,
    Noted,
    Record,
    RunEnded,
    RunStarted,
    SpanEnded,
    SpanStarted,
    StateRestored,
    StreamChunk,
    ValueRead,
)
from outtake_probe.waits import Wait

Reuse = Literal["matching", "prefix", "none"]
Repeat = Literal["ask", "serve", "run"]
REUSES: tuple[Reuse, ...] = ("matching", "prefix", "none")
REPEATS: tuple[Repeat, ...] = ("ask", "serve", "run")
LEAVES = ("model", "tool")


@dataclass(slots=True)
class Past:
    """One recorded invocation: how it started, what it gave, what happened inside it."""

    start: InvocationStarted
    end: InvocationEnded | None = None
    chunks: list[StreamChunk] = field(default_factory=list)
    output_edit: Edited | None = None
    own: list[int] = field(default_factory=list)
    """Numbers of the records right inside it; see `ReplayIndex.inside`."""
    sent: list[int] = field(default_factory=list)
    """Numbers of the messages that its own code sent."""
    edited_inside: bool = False
    state: str = ""
    """Name of the state outside the process that it uses."""
    history: str = ""
    """Names what had been done to that state before: equal for two calls that find it alike."""
    states: frozenset[str] = frozenset()
    """The states that it and what happened inside it use."""
    effects: Effects = "write"
    """The gravest of its own effects and of those of the tools inside it."""
    reaches_out: bool = False
    """What happened inside it changed a state outside that no record holds: its code is executed again, with the calls
    inside served."""

    rebuilt: bool = False
    """It keeps in the process what happened inside it, or something inside it does: its code is executed again, with
    the calls inside served.  Of a tool, unless the program says what it does to the world."""

    @property
    def mocked(self) -> bool:
        return self.end is not None and self.end.how == "mocked"


@dataclass(frozen=True, slots=True)
class Difference:
    """The first point at which the program departs from its record."""

    seq: int
    component: str
    recorded: str
    asked: str

    def __str__(self) -> str:
        return f"record {self.seq} ({self.component or 'run'}): recorded {self.recorded}; asked {self.asked}"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a fork is: the parent's records, the cut, and what to do with them."""

    records: Sequence[Record]
    cut: int
    reuse: Reuse = "matching"
    repeat: Repeat = "ask"
    live: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()
    serve_failures: bool = False
    """Whether a model or tool call that failed is served after the cut, too, instead of tried again."""
    first: bool = True
    """Nothing but this fork can have done what comes after the record's end: no other fork, nor the program unseen."""

    @property
    def complete(self) -> bool:
        """Whether the parent ended by itself, so that its record holds all that it would ever ask."""
        last = self.records[-1] if self.records else None
        return isinstance(last, RunEnded) and last.status in ("completed", "failed")


class ReplayIndex:
    """The record of the parent during the execution of a fork: who matched what, and whose turn it is."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.cut = plan.cut if plan.reuse != "none" else 0
        self.records = plan.records
        self.calls: dict[int, Past] = {}
        self.messages: dict[int, MessageQueued] = {}
        self.prints: list[Noted] = []
        """What was printed inside of what the record may answer for."""
        self.dropped: set[int] = set()
        """Messages that an edit in the record dropped before they were queued."""
        self.child: dict[int, int] = {}
        """Numbers in this run of what was matched, by their numbers in the parent."""
        self.different = plan.reuse == "none"
        self.difference: Difference | None = None
        self.pointer = 0
        self.timers = RecordedTimers()
        self._late: list[tuple[str, Wait]] = []
        """Timers whose time has come, and which the record does not know."""
        self._left_to_the_clock: set[str] = set()
        """Who sets timers that do not come as recorded."""
        self._settled = bytearray(len(plan.records))
        self._horizon = len(plan.records) if plan.reuse == "matching" else self.cut
        self._index: dict[Hashable, deque[int]] = defaultdict(deque)
        self._values: dict[tuple[int | None, str], deque[ValueRead]] = defaultdict(deque)
        self._turns: list[tuple[int, int, Wait]] = []
        self._departures: list[Wait] = []
        self._due: list[Record] = []
        self._count = 0
        self._occurrences: Counter[tuple[str, str]] = Counter()
        self._edits = [e for e in plan.edits if e.op not in ("inject", "set_config")]
        self._hits: Counter[int] = Counter()
        self._applied: set[int] = set()
        self._read(plan.records)
        self._mark_edited()
        self._end = self._prefix_end()

    @property
    def continues(self) -> bool:
        """Whether this only goes on with an interrupted run: what is new there happens for the first time."""
        plan = self.plan
        return not plan.edits and self.cut == len(plan.records) and not plan.complete

    # -- reading the record ------------------------------------------------------------------------------------------

    def _read(self, records: Sequence[Record]) -> None:
        for r in records:
            if isinstance(r, InvocationStarted):
                self.calls[r.seq] = Past(r)
                self._index[(r.component, r.call, r.digest)].append(r.seq)
            elif isinstance(r, MessageQueued):
                self.messages[r.seq] = r
                if not r.injected:
                    self._index[(r.component, r.recipient, r.type, r.digest)].append(r.seq)
            elif is_print(r):
                self.prints.append(r)
            elif is_timer(r):
                self.timers.read(r)
            elif isinstance(r, ValueRead):
                self._values[(r.parent, r.source)].append(r)
            elif isinstance(r, MessageDropped) and r.edited and r.message is not None and self.recorded_holds(r.seq):
                self.dropped.add(r.message)
            elif r.invocation in self.calls:
                self._result(self.calls[r.invocation], r)
            if isinstance(r, (*_FREE, Edited, MessageDropped)) and not commands(r) and not is_soft(r):
                self._settled[r.seq] = 1
            self._nest(r)

    def _result(self, past: Past, r: Record) -> None:
        if isinstance(r, InvocationEnded):
            past.end = r
        elif isinstance(r, StreamChunk):
            if r.index == 0:
                past.chunks.clear()  # an interrupted stream was asked for again
            past.chunks.append(r)
        elif isinstance(r, Edited) and past.end is not None:
            past.output_edit = r

    def _nest(self, r: Record) -> None:
        own = r.invocation if isinstance(r, (InvocationEnded, StreamChunk, Edited)) else None
        at = self.calls[own].start.parent if own in self.calls else r.parent
        if isinstance(r, MessageQueued) and at in self.calls and not r.injected:
            self.calls[at].sent.append(r.seq)
        if at is not None and at < r.seq and at in self.calls:
            self.calls[at].own.append(r.seq)

    def inside(self, past: Past) -> list[int]:
        """Numbers of all records inside an invocation, at any depth, in order."""
        found: list[int] = []
        todo = [past]
        while todo:
            own = todo.pop().own
            found += own
            todo += [self.calls[seq] for seq in own if seq in self.calls]
        return sorted(found)

    def will_print(self, past: Past) -> list[Noted]:
        """What a served invocation printed: as it does so again, others that come after it wait for their turn."""
        if not self.prints:
            return []
        return [r for seq in self.inside(past) if is_print(r := self.records[seq])]

    def _prefix_end(self) -> int:
        """The number after the last record before the cut that has to happen again: what is printed may be left out."""
        end = self.cut
        while end > 0 and isinstance(self.records[end - 1], Noted):
            end -= 1
        return end

    def _mark_edited(self) -> None:
        """What encloses something that is to change, or to be executed, is not served as a whole."""
        named = [edit.seq for edit in self._edits if edit.seq is not None]
        again = [
            past.start.seq for past in self.calls.values() if past.start.call in LEAVES and self._tried_again(past)
        ]
        for seq in {*named, *again, *self._named_otherwise()}:
            r = self.records[seq]
            at = r.parent if isinstance(r, (MessageQueued, InvocationStarted)) else r.invocation
            while at is not None and at in self.calls and not self.calls[at].edited_inside:
                self.calls[at].edited_inside = True
                at = self.calls[at].start.parent

    def _named_otherwise(self) -> Iterator[int]:
        """Invocations and messages that an edit without a number may change, or that are to be executed in any case."""
        edits = [edit for edit in self._edits if edit.seq is None]
        seen: Counter[tuple[str, str]] = Counter()
        starts = sorted([*self.calls, *self.messages]) if edits or self.plan.live else []
        for seq in starts:
            r = self.records[seq]
            call = r.call if isinstance(r, InvocationStarted) else "message"
            seen[r.component, call] += 1
            live = call != "message" and any(names(pattern, r.component) for pattern in self.plan.live)
            if live or any(_may_change(edit, r.component, call, seen[r.component, call]) for edit in edits):
                yield seq

    # -- matching ----------------------------------------------------------------------------------------------------

    def match(self, key: Hashable, parent: int | None) -> int | None:
        """The recorded invocation or message that this is, taken out of what is still to come; or None."""
        waiting = self._index.get(key)
        if not waiting:
            return None
        for seq in waiting:
            if self.records[seq].parent == parent:
                waiting.remove(seq)
                return seq
        return waiting.popleft() if self.different else None

    def unmatch(self, key: Hashable, seq: int | None, component: str, call: str) -> None:
        """It was withdrawn before it went anywhere: give back what `match` and `occurrence` took."""
        self._occurrences[component, call] -= 1
        if seq is not None:
            waiting = self._index[key]
            waiting.append(seq)
            self._index[key] = deque(sorted(waiting))

    def occurrence(self, component: str, call: str) -> int:
        """Which invocation (or message) of this component this is, from 1."""
        self._occurrences[component, call] += 1
        return self._occurrences[component, call]

    def edit_for(
        self,
        matched: int | None,
        component: str,
        call: str,
        occurrence: int,
        ops: Iterable[str],
        *,
        input: Json = None,
    ) -> Edit | None:
        """The edit of the plan that changes this invocation (with this input) or message; asked once for each."""
        for edit in self._edits:
            if edit.op not in ops or (edit.call is not None and edit.call != call):
                continue
            if edit.seq is not None and matched is not None:
                found = edit.seq == matched
            else:
                found = self._placed(edit, component, occurrence, input)
            if found:
                self._applied.add(id(edit))
                if edit.seq is not None:
                    self._edits.remove(edit)  # one record, one change
                return edit
        return None

    def pass_by(self, past: Past, occurrence: int, input: Json) -> None:
        """An invocation before the cut, which no edit changes: it counts among what a pattern matches.

        Where the record holds a mock's answer, the mock has been of use.
        """
        for edit in self._edits:
            named = edit.seq is None and edit.call in (None, past.start.call)
            if named and self._placed(edit, past.start.component, occurrence, input) and past.mocked:
                self._applied.add(id(edit))

    def _placed(self, edit: Edit, component: str, occurrence: int, input: Json) -> bool:
        """Whether an edit names this by component, occurrence and input; with a pattern, matches are counted."""
        if edit.component is None or not names(edit.component, component):
            return False
        if edit.where is not None:
            if not matches(edit.where, input):
                return False
            self._hits[id(edit)] += 1
            occurrence = self._hits[id(edit)]
        return edit.occurrence is None or edit.occurrence == occurrence

    @property
    def unused(self) -> tuple[int, ...]:
        """Which of the plan's edits never applied; a message or a setting of the user's always does, or fails."""
        free = ("inject", "set_config")
        edits = enumerate(self.plan.edits)
        return tuple(n for n, edit in edits if edit.op not in free and id(edit) not in self._applied)

    def skip(self, seqs: Iterable[int]) -> None:
        """Count what is not asked for because what encloses it is served as a whole."""
        for seq in seqs:
            r = self.records[seq]
            if isinstance(r, InvocationStarted):
                self._occurrences[r.component, r.call] += 1
            elif isinstance(r, MessageQueued) and not r.injected:
                self._occurrences[r.component, "message"] += 1

    def served(self, seq: int) -> bool:
        """Whether the record answers instead of the program: model and tool calls whose result it may use.

        Other invocations, too, where it says all that they did, or a mock answered for them.
        """
        past = self.calls[seq]
        if past.end is None or past.end.opaque or past.end.how == "dropped":
            return False
        if past.reaches_out and past.end.how != "mocked":
            return False
        if past.start.call not in LEAVES and past.end.how != "mocked" and past.end.changes is None:
            return False
        if past.end.seq < self.cut:
            return True
        if self.plan.reuse == "prefix":
            return any(chunk.seq < self.cut for chunk in past.chunks)
        if self.plan.reuse == "none" or past.edited_inside or self._tried_again(past):
            return False
        return not any(names(pattern, past.start.component) for pattern in self.plan.live)

    def _tried_again(self, past: Past) -> bool:
        """Whether this failed after the cut: a failure is tried again, unless it was declared, or is none."""
        end = past.end
        if end is None or end.seq < self.cut or not end.failed or end.interrupted or self.plan.serve_failures:
            return False
        return not past.mocked and past.output_edit is None

    def never_ended(self, past: Past) -> bool:
        """Whether this call was still out when the parent's program ended by itself, and left it behind."""
        is_out = past.start.call in LEAVES and past.end is None and not past.chunks
        return is_out and self.plan.complete and not self.different

    def happened(self, past: Past) -> bool:
        """Whether everything that was recorded inside an invocation has happened again."""
        return all(self._settled[seq] for seq in self.inside(past))

    def recorded_holds(self, seq: int) -> bool:
        """Whether what the record says of `seq` still goes, its recorded edits included."""
        return seq < self.cut or self.plan.reuse == "matching"

    def output_of(self, seq: int) -> tuple[str | None, bool]:
        """Hash of the output (or error) that the record gives for an invocation, and whether it failed."""
        past = self.calls[seq]
        if past.end is None:
            raise ValueError(f"record {seq} has no result")
        if past.output_edit is not None and self.recorded_holds(past.output_edit.seq):
            return past.output_edit.body, past.output_edit.op == "raise"
        return past.end.body, past.end.failed

    def value(self, parent: int | None, source: str) -> ValueRead | None:
        """The next value that the program read there, while its record holds."""
        values = self._values.get((parent, source))
        if values and self.recorded_holds(values[0].seq):
            return values.popleft()
        return None

    # -- order -------------------------------------------------------------------------------------------------------

    @property
    def ordered(self) -> bool:
        """Whether the recorded order still binds."""
        return not self.different and self.pointer < self._horizon

    @property
    def in_prefix(self) -> bool:
        return self.pointer < self._end

    def turn(self, seq: int) -> Wait | None:
        """What to wait for until everything recorded before `seq` has happened again; None where it has."""
        seq = min(seq, self._horizon)
        if self.pointer >= seq or self.different:
            return None
        wait = Wait(order=True)
        self._count += 1
        heapq.heappush(self._turns, (seq, self._count, wait))
        self._advance()
        return wait

    @property
    def waiting(self) -> bool:
        return bool(self._turns or self._late)

    def settle(self, seqs: Iterable[int]) -> None:
        """These records have happened again."""
        for seq in seqs:
            self._settled[seq] = 1
        if not self.different:
            self._advance()

    def take_due(self) -> list[Record]:
        """The user's commands whose turn has come since the last call."""
        due, self._due = self._due, []
        return due

    def _advance(self) -> None:
        while self.pointer < self._horizon:
            r = self.records[self.pointer]
            if not self._settled[self.pointer] and not (is_timer(r) and r.source in self._left_to_the_clock):
                if not self._is_due(r):
                    break
                self._due.append(r)
                self._settled[self.pointer] = 1
            self.pointer += 1
        while self._turns and self._turns[0][0] <= self.pointer:
            heapq.heappop(self._turns)[2].set()
        if self._late and not self.ordered:
            self._wake_late()

    def _wake_late(self) -> None:
        late, self._late = self._late, []
        for _, wait in late:
            wait.set()

    def _is_due(self, r: Record) -> bool:
        """Whether it is the turn of a command of the user's.

        A setting was changed while the program was about to do what is recorded next, with the old one: the program
        has to come there first.  A message may be what the program waits for.
        """
        return commands(r) and (not isinstance(r, ConfigSet) or bool(self._turns))

    def depart(self) -> None:
        """From here on the program differs from the record: order binds no more."""
        if self.in_prefix:
            raise ValueError("the program cannot depart from its record before the cut")
        self.different = True
        self.wake()

    def departure(self) -> Wait:
        """What to wait for until the program differs from the record, or nobody is to wait any more."""
        wait = Wait(order=True)
        if self.different:
            wait.set()
        else:
            self._departures.append(wait)
        return wait

    def wake(self) -> None:
        """Nobody waits for a turn any more."""
        while self._turns:
            heapq.heappop(self._turns)[2].set()
        self._wake_late()
        departures, self._departures = self._departures, []
        for wait in departures:
            wait.set()

    def recut(self) -> int:
        """Cut at the first record that has not happened again, and go on from there; returns the new cut."""
        self.cut = self.pointer
        self._end = self._prefix_end()
        self.depart()
        return self.cut

    def missing(self) -> Record | None:
        """The first record before the cut that has not happened again; what was printed and timers do not count."""
        unsettled = (r for r in self.records[self.pointer : self.cut] if not self._settled[r.seq] and not is_soft(r))
        return next(unsettled, None) if self.in_prefix else None

    def give_up(self) -> bool:
        """Whether what is waited for is something printed, or a timer, which nobody waits for any more."""
        at = self.pointer
        if at < self._horizon and is_soft(r := self.records[at]):
            if is_timer(r):
                self._left_to_the_clock.add(r.source)
            self.settle([at])
            return True
        if self._late:
            source, wait = self._late.pop(0)
            self._left_to_the_clock.add(source)
            wait.set()
            return True
        return False

    # -- timers ------------------------------------------------------------------------------------------------------

    def late(self, source: str) -> Wait | None:
        """What a timer waits for whose time has come, and which the record does not know: it was cancelled in time."""
        if not self.ordered or source in self._left_to_the_clock:
            return None
        wait = Wait(order=True)
        self._late.append((source, wait))
        return wait

    def has_come(self, seq: int) -> bool:
        """Whether everything recorded before `seq` has happened again."""
        return not self.different and self.pointer >= seq

    @property
    def has_late(self) -> bool:
        """Whether a timer waits that the record does not know."""
        return bool(self._late)

    def timers_until(self, past: Past) -> Sequence[int]:
        """The records of timers right inside an invocation that has come to its end: nobody is to wait for them."""
        end = past.end.seq if past.end is not None else len(self.records)
        return [seq for seq in self.timers.inside(past.start.seq) if seq < end]


def _may_change(edit: Edit, component: str, call: str, occurrence: int) -> bool:
    """Whether an edit without a number may change this; what its pattern says of the input is not known here."""
    if edit.component is None or not names(edit.component, component) or edit.call not in (None, call):
        return False
    return edit.occurrence is None or edit.where is not None or edit.occurrence == occurrence


def is_print(r: Record) -> TypeGuard[Noted]:
    """Whether a record holds what an invocation printed."""
    return isinstance(r, Noted) and r.type in STREAMS and r.parent is not None and r.size > 0


def is_timer(r: Record) -> TypeGuard[ValueRead]:
    """Whether a record says which timers were over."""
    return isinstance(r, ValueRead) and r.source.startswith(TIMER)


def is_soft(r: Record) -> bool:
    """Whether a replay goes on without it where it does not happen again."""
    return is_print(r) or is_timer(r)


class RecordedTimers:
    """What a record says of the timers of its program: which were over, and when."""

    def __init__(self) -> None:
        self._by_number: dict[tuple[int | None, str, int], int] = {}
        self._inside: dict[int, list[int]] = defaultdict(list)
        self._left: Counter[int] = Counter()
        self.waited: dict[int, float] = {}
        """Seconds that the timers of a record took, all together."""

    def read(self, r: ValueRead) -> None:
        """Take in one record."""
        self.waited[r.seq], *ranges = r.value
        for first, last in ranges:
            self._left[r.seq] += last - first + 1
            self._by_number.update(((r.parent, r.source, number), r.seq) for number in range(first, last + 1))
        if r.parent is not None:
            self._inside[r.parent].append(r.seq)

    def take(self, parent: int | None, source: str, number: int) -> int | None:
        """The record that says when a timer was over."""
        return self._by_number.pop((parent, source, number), None)

    def is_over(self, seq: int) -> bool:
        """One timer of a record is over; whether it was the last one."""
        self._left[seq] -= 1
        return self._left[seq] <= 0

    def inside(self, invocation: int) -> Sequence[int]:
        """The records of timers that were set right inside an invocation."""
        return self._inside.get(invocation, ())


_FREE = (RunStarted, RunEnded, Noted, SpanStarted, SpanEnded, StateRestored, ValueRead)


def commands(r: Record) -> bool:
    """Whether the user did this to a message or a setting of the live program: it is done again when its turn comes."""
    if isinstance(r, Edited):
        return r.by == "user" and r.message is not None
    if isinstance(r, ConfigSet):
        return True
    if isinstance(r, MessageDropped):
        return not r.edited
    return isinstance(r, MessageMoved) or (isinstance(r, MessageQueued) and r.injected)


def describe(r: Record) -> Json:
    """A record in a few words, for the report of a difference."""
    if isinstance(r, InvocationStarted):
        return f"{r.call} call of {r.component} with input {r.digest[:8]}"
    if isinstance(r, MessageQueued):
        return f"message {r.type} from {r.component} to {r.recipient} with content {r.digest[:8]}"
    if isinstance(r, InvocationEnded):
        return f"the end of the {r.call} call of {r.component}"
    return f"{r.kind} of {r.component or 'the run'}"
