"""A run's records by what they are about: which invocation lies in which, what came back when, who sent what."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from outtake_probe.records import Json

Entry = Mapping[str, Json]
"""A record in JSON form."""
LEAVES = ("model", "tool")
OFTEN = 1000
"""Items of a walk after which it is asked whether it is still wanted."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Changes:
    """What a step did beside its result: the names of the state that it read and set, the messages that it sent."""

    read: frozenset[str] = frozenset()
    set: frozenset[str] = frozenset()
    sent: tuple[int, ...] = ()


@dataclass(slots=True)
class Story:
    """The records of one run."""

    entries: dict[int, Entry] = field(default_factory=dict)
    starts: dict[int, Entry] = field(default_factory=dict)
    """Invocations by their number: the record with which each began."""
    ends: dict[int, Entry] = field(default_factory=dict)
    """The record with which each came back."""
    inside: dict[int | None, list[int]] = field(default_factory=lambda: defaultdict(list))
    """The invocations right inside each, in order."""
    messages: dict[int, Entry] = field(default_factory=dict)
    sent_in: dict[int | None, list[int]] = field(default_factory=lambda: defaultdict(list))
    delivered: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    """The invocations that a message led to."""
    caused: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    """The invocations and messages that name a record as their cause."""
    edits: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    """Edits, by the invocation or message that they changed."""
    check: Callable[[], None] = lambda: None
    """Called now and then by what walks through all of it: raises where nobody wants to know any more."""
    _edits_of: dict[tuple[str, str | None], int] = field(default_factory=dict)
    """Edits that were written before what they changed, by component and new body."""

    @classmethod
    def of(cls, records: Iterable[Entry], check: Callable[[], None] = lambda: None) -> Story:
        story = cls(check=check)
        for record in records:
            story._add(record)
        return story

    def _add(self, record: Entry) -> None:
        seq, kind = record["seq"], record["kind"]
        self.entries[seq] = record
        for cause in record.get("caused_by") or ():
            self.caused[cause].append(seq)
        if kind == "invocation_started":
            self._started(record)
        elif kind == "invocation_ended":
            self.ends[record.get("invocation", -1)] = record
        elif kind == "message_queued":
            self.messages[seq] = record
            self.sent_in[record.get("parent")].append(seq)
            self._was_edited(record)
        elif kind in ("edited", "message_dropped", "message_moved"):
            self._edited(record)

    def _started(self, record: Entry) -> None:
        seq = record["seq"]
        self.starts[seq] = record
        self.inside[record.get("parent")].append(seq)
        if record.get("message") is not None:
            self.delivered[record["message"]].append(seq)
        self._was_edited(record)

    def _edited(self, record: Entry) -> None:
        changed = record.get("message", record.get("invocation"))
        if changed is None:
            self._edits_of[record.get("component", ""), record.get("body")] = record["seq"]
        else:
            self.edits[changed].append(record["seq"])

    def _was_edited(self, record: Entry) -> None:
        """An edit of the plan is written just before what it changed."""
        if record.get("edited"):
            edit = self._edits_of.get((record.get("component", ""), record.get("body")))
            if edit is not None:
                self.edits[record["seq"]].append(edit)

    def wanted(self, items: Iterable[T]) -> Iterator[T]:
        """The items, as long as somebody wants to know."""
        for number, item in enumerate(items):
            if number % OFTEN == 0:
                self.check()
            yield item

    # -- what is asked of it -----------------------------------------------------------------------------------------

    @property
    def last(self) -> int:
        return max(self.entries, default=-1)

    def ended(self, invocation: int) -> int:
        """When an invocation came back; after everything where it never did."""
        end = self.ends.get(invocation)
        return end["seq"] if end is not None else self.last + 1

    def known(self, invocation: int, seq: int) -> int:
        """What there is of an invocation at record `seq`: its result, or, while it goes on, its input."""
        end = self.ends.get(invocation)
        return end["seq"] if end is not None and end["seq"] < seq else invocation

    def parent(self, invocation: int | None) -> int | None:
        start = self.starts.get(invocation) if invocation is not None else None
        return start.get("parent") if start is not None else None

    def path(self, invocation: int | None) -> str | None:
        """The component that an invocation is of."""
        start = self.starts.get(invocation) if invocation is not None else None
        return start.get("component") if start is not None else None

    def around(self, invocation: int | None) -> Iterator[int | None]:
        """What encloses the inside of an invocation: itself, then its parents, then the program."""
        while invocation is not None:
            yield invocation
            parent = self.parent(invocation)
            if parent is not None and parent >= invocation:  # no record of ours says so
                break
            invocation = parent
        yield None

    def is_leaf(self, invocation: int) -> bool:
        return self.starts[invocation].get("call") in LEAVES

    def about(self, seq: int) -> int | None:
        """The invocation or message that a record is about."""
        record = self.entries[seq]
        if record["kind"] in ("invocation_started", "message_queued"):
            return seq
        if record["kind"] == "edited" and record.get("message") is record.get("invocation") is None:
            return next((changed for changed, edits in self.edits.items() if seq in edits), None)
        about = record.get("message") if record["kind"] in _OF_MESSAGES else None
        found: int | None = about if about is not None else record.get("invocation")
        return found


_OF_MESSAGES = ("edited", "message_dropped", "message_moved")


_READ = ("read",)
_SET = ("set", "deleted", "grown", "entries")
_GATHERED = "collects"


def changes(value: Json, component: str) -> Changes | None:
    """What `InvocationEnded.changes` says; None where a record cannot say it.

    What a step gathers over several invocations of its own, until it has enough, is state that it reads and sets.
    """
    if not isinstance(value, dict):
        return None
    own = (f"what {component} gathers",) if _GATHERED in value else ()
    sent = value.get("sent")
    numbers = [item.get("message") if isinstance(item, dict) else item for item in sent or ()]
    return Changes(
        frozenset((*(name for key in _READ for name in value.get(key, ())), *own)),
        frozenset((*(name for key in _SET for name in value.get(key, ())), *own)),
        tuple(seq for seq in numbers if isinstance(seq, int)),
    )
