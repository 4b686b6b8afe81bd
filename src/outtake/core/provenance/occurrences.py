"""The hands that a text passed through: every record that says it, in any form, from the first one on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from outtake.core.provenance.contents import Contents, Path, Position, Search
from outtake.core.provenance.matchers import Match, Sought, seek
from outtake.core.provenance.numbers import tokens
from outtake.core.provenance.run_index import Entry, Story
from outtake_probe.records import STREAMS, TIMER

Role = Literal["input", "output", "error", "message", "note", "edit", "setting", "value"]
_ROLES: dict[str, Role] = {
    "run_started": "input",
    "invocation_started": "input",
    "invocation_ended": "output",
    "message_queued": "message",
    "noted": "note",
    "edited": "edit",
    "config_set": "setting",
    "value_read": "value",
    "run_ended": "output",
}
"""What a record of each kind has the text as; the others keep the books, or repeat what the framework reports."""
_REPEATING = frozenset((*STREAMS, "imported"))
"""Types of notes that repeat what was printed, or what a log says of the whole run."""


@dataclass(frozen=True, slots=True)
class Hand:
    """One record that says the text."""

    seq: int
    role: Role
    match: Match
    path: Path = ()
    source: int | None = None
    """The hand it came from; None where it was new."""
    again: bool = False
    """The same component had it in the same role and wording before."""


@dataclass(slots=True)
class Trail:
    """Finds a text in the records of a run."""

    story: Story
    contents: Contents
    sought: Sought
    _search: Search = field(init=False)
    _latest: dict[int | None, int] = field(default_factory=dict)
    """The last hand that the code of each invocation knows."""
    _memory: dict[str, int] = field(default_factory=dict)
    """The last hand of each component, and (without a name) of all: it may remember what it was told before."""

    def __post_init__(self) -> None:
        self._search = Search(self.contents, self.sought)

    def hands(self, until: int | None = None) -> list[Hand]:
        """Every record that says the text, up to record `until`, in order."""
        found: dict[int, Hand] = {}
        seen: set[tuple[object, ...]] = set()
        for seq, record in self.story.wanted(self.story.entries.items()):
            if until is not None and seq > until:
                break
            place = self._place(record)
            if place is None:
                continue
            role = "error" if record.get("failed") else _ROLES[record["kind"]]
            same = (record.get("component", ""), record.get("recipient"), role, place.match.said)
            source = next((before for before in self._before(record) if before in found), None)
            found[seq] = Hand(seq, role, place.match, place.path, source, same in seen)
            seen.add(same)
            self._known(record)
        return list(found.values())

    def nearest(self) -> Hand | None:
        """Where nothing was found: the first record with the number that is nearest to the one that is sought."""
        number = self.sought.number
        if number is None:
            return None
        found = ((number.distance(token), token.said) for text in self.contents.texts() for token in tokens(text))
        said = min(found, default=None)
        hands = Trail(self.story, self.contents, seek(said[1])).hands() if said is not None else []
        return hands[0] if hands else None

    def _known(self, record: Entry) -> None:
        """What the code of an invocation has it from: its own input, then the last result inside."""
        if record["kind"] == "invocation_started":
            self._latest[record["seq"]] = record["seq"]
        elif record["kind"] in ("invocation_ended", "run_started") or _is_reading(record):
            self._latest[record.get("parent")] = record["seq"]
        elif record["kind"] == "noted":  # whatever is around may be what it was written for
            for frame in self.story.around(record.get("parent")):
                self._latest[frame] = record["seq"]
        for path in (record.get("component", ""), self.story.path(record.get("parent")), ""):
            if path is not None:
                self._memory[path] = record["seq"]

    def _place(self, record: Entry) -> Position | None:
        if record["kind"] == "value_read":
            return self._search.value(record.get("value")) if _is_reading(record) else None
        body = record.get("body")
        if body is None or record["kind"] not in _ROLES or record.get("type") in _REPEATING:
            return None
        return self._search.find(body, pieces=record["kind"] == "invocation_ended")

    def _before(self, record: Entry) -> Iterator[int]:
        """The hands from which this record may have it, the nearest first."""
        number, kind = record.get("invocation"), record["kind"]
        about = number if kind == "invocation_ended" and number is not None else record["seq"]
        yield from reversed(self.story.edits.get(about, ()))
        frames = list(self.story.around(number if kind == "invocation_ended" else record.get("parent")))
        new = kind == "invocation_ended" and record.get("call") != "flow"
        frames = frames[:1] if new else frames  # what it gives is from inside, or new
        latest = [self._latest[frame] for frame in frames if frame in self._latest]
        if kind == "message_queued" and frames[0] in self._latest:
            yield latest[0]  # its cause only says what the sender was doing
        if kind == "invocation_started" and record.get("message") is not None:
            yield record["message"]
        for cause in record.get("caused_by") or ():
            yield self.story.known(cause, record["seq"])
        yield from latest
        if not new:
            yield from (self._memory[path] for frame in frames if (path := self.story.path(frame)) in self._memory)
            yield self._memory.get("", -1)


def line(hands: list[Hand], seq: int) -> list[Hand]:
    """The hands that lead to record `seq`, from the first one on; none where it does not say the text."""
    by_seq = {hand.seq: hand for hand in hands}
    found: list[Hand] = []
    at = by_seq.get(seq)
    while at is not None:
        found.append(at)
        at = by_seq.get(at.source) if at.source is not None else None
    return found[::-1]


def _is_reading(record: Entry) -> bool:
    """Whether the program read a value there; that a timer was over tells it nothing that it could say."""
    return record["kind"] == "value_read" and not record.get("source", "").startswith(TIMER)
