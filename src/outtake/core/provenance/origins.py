"""Where the value of a record came from: the records that led to it, and those that led to these.

What led to an invocation is the message that it delivers, the causes that the record names, and the state that it read.
What a record does not say follows from content: a value in an input that an earlier result holds came from there; of
several such results from the nearest, which is the last one in the code around it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from outtake.core.provenance.contents import Contents
from outtake.core.provenance.matchers import Match
from outtake.core.provenance.run_index import LEAVES, Changes, Entry, Story, changes
from outtake.core.provenance.values import Values, overlap

Relation = Literal["message", "cause", "state", "value", "input", "inside", "called", "edit", "result"]
LINKS = 8
"""Sources that one record is given; what has more is told how many."""
VALUES = 1000
"""Values of one record that are traced, the last ones."""
NEAREST = 100
"""Records with the same value among which the nearest is sought, the last ones."""
SPAN = 40
"""Results in the code around a record that are searched for a part of what it says."""
_STRINGS = 30


@dataclass(frozen=True, slots=True)
class Source:
    """One record that led to another, and how."""

    seq: int
    relation: Relation
    name: str = ""
    """Of the state."""
    match: Match | None = None
    """The value that both hold, where the later one has it."""


@dataclass(slots=True)
class Hand:
    """One record of the chain."""

    seq: int
    depth: int
    sources: list[Source] = field(default_factory=list)
    more: int = 0
    """Sources that are not reported."""


@dataclass(slots=True)
class Chain:
    """The records that led to one, nearest first; `more` were not followed."""

    hands: list[Hand] = field(default_factory=list)
    more: int = 0


class Origins:
    """Answers where the values of a run's records came from."""

    def __init__(self, story: Story, contents: Contents) -> None:
        self.story = story
        self.contents = contents
        self.values = Values(contents)
        self._results: dict[int | None, list[int]] = {}
        self._sets: dict[str, list[int]] = {}
        self._changes: dict[int, Changes | None] = {}
        for seq, record in story.wanted(story.entries.items()):
            if record.get("body") is not None and self._gives(record):
                self.values.give(seq, record["body"])
            if record["kind"] == "invocation_ended":
                self._results.setdefault(record.get("parent"), []).append(seq)
                known = self.changes(record.get("invocation", -1))
                for name in known.set if known is not None else ():
                    self._sets.setdefault(name, []).append(seq)
        self.values.index()

    @staticmethod
    def _gives(record: Entry) -> bool:
        """Whether later records can have a value from this one."""
        return record["kind"] in ("run_started", "invocation_ended", "message_queued", "edited", "config_set") or (
            record["kind"] == "invocation_started"
        )

    def changes(self, invocation: int) -> Changes | None:
        """What an invocation read and changed beside its result."""
        if invocation not in self._changes:
            end = self.story.ends.get(invocation, {})
            told = self.contents.value(end.get("changes"))
            self._changes[invocation] = changes(told, end.get("component", ""))
        return self._changes[invocation]

    def holders(self, invocation: int) -> set[int]:
        """The invocations whose input holds a value that was new in the result of one."""
        end = self.story.ends.get(invocation, {})
        found: set[int] = set()
        for value in self.values.of(end.get("body"), VALUES):
            givers = self.values.givers(value)
            if givers and givers[0] > invocation:
                found.update(seq for seq in givers if seq in self.story.starts)
        return found

    def chain(self, seq: int, limit: int) -> Chain:
        """What led to record `seq`, at most `limit` records."""
        hands = {seq: Hand(seq, 0)}
        todo = deque([seq])
        left_out: set[int] = set()
        while todo:
            self.story.check()
            hand = hands[todo.popleft()]
            found = self.sources(hand.seq)
            hand.sources, hand.more = found[:LINKS], max(0, len(found) - LINKS)
            for source in hand.sources:
                if source.seq in hands:
                    continue
                if len(hands) >= limit:
                    left_out.add(source.seq)
                    continue
                hands[source.seq] = Hand(source.seq, hand.depth + 1)
                todo.append(source.seq)
        return Chain(list(hands.values()), len(left_out))

    def sources(self, seq: int) -> list[Source]:
        """The records that led to one directly, each once."""
        record = self.story.entries[seq]
        found: dict[int, Source] = {}
        for source in self._told(record):
            if source.seq < seq and source.seq in self.story.entries:
                found.setdefault(source.seq, source)
        for source in self._by_content(record, set(found)):
            known = found.get(source.seq)
            if known is None or known.match is None:
                found[source.seq] = (
                    source if known is None else Source(known.seq, known.relation, known.name, source.match)
                )
        if not any(source.relation != "edit" for source in found.values()):
            found.update((source.seq, source) for source in self._around(record))
        return list(found.values())

    # -- what the record says ----------------------------------------------------------------------------------------

    def _told(self, record: Entry) -> Iterator[Source]:
        seq, kind = record["seq"], record["kind"]
        for edit in self.story.edits.get(seq if kind != "invocation_ended" else record.get("invocation", -1), ()):
            yield Source(edit, "edit")
        if record.get("message") is not None and kind == "invocation_started":
            yield Source(record["message"], "message")
        for cause in record.get("caused_by") or ():
            yield Source(*self._cause(cause, seq))
        if kind == "invocation_started":
            yield from self._state(record)
        elif kind == "invocation_ended":
            yield Source(record.get("invocation", -1), "input")
        elif kind in ("stream_chunk", "edited", "message_dropped", "message_moved"):
            about = self.story.about(seq)
            if about is not None:
                yield Source(about, "result" if kind == "stream_chunk" else "edit")
        elif kind == "run_ended" and (results := self._results.get(None)):
            yield Source(results[-1], "result")

    def _cause(self, cause: int, seq: int) -> tuple[int, Relation]:
        """What a cause of record `seq` is: a message, a result, or the input of what is still going on."""
        if cause in self.story.messages:
            return cause, "message"
        return self.story.known(cause, seq), "cause"

    def _state(self, record: Entry) -> Iterator[Source]:
        """The invocations that last set what this one read."""
        number = record.get("invocation", record["seq"])
        known = self.changes(number)
        for name in sorted(known.read) if known is not None else ():
            setters = [seq for seq in self._sets.get(name, ()) if seq < record["seq"]]
            setters = [seq for seq in setters if self.story.entries[seq].get("invocation") != number]
            if setters:
                yield Source(setters[-1], "state", name)

    def _around(self, record: Entry) -> Iterator[Source]:
        """Where nothing is known: the input of what encloses it, the last thing that happened in there."""
        parent = record.get("parent")
        if record["kind"] == "invocation_started" and parent is None and 0 in self.story.entries:
            yield Source(0, "input")
        elif parent is not None and parent in self.story.starts:
            yield Source(parent, "called")

    # -- what content tells ------------------------------------------------------------------------------------------

    def _by_content(self, record: Entry, told: set[int]) -> list[Source]:
        if record["kind"] not in ("invocation_started", "invocation_ended", "message_queued"):
            return []
        seq = record["seq"]
        frames = self._frames(record)
        best: dict[int, Source] = {}
        left: list[str] = []
        for value in self.values.of(record.get("body"), VALUES):
            giver = self._giver(value, record, frames, told)
            if giver is None:
                left.append(value)
            elif giver not in best or len(value) > len(_said(best[giver])):
                best[giver] = Source(giver, self._relation(giver, record), match=Match("verbatim", value))
        for source in self._in_parts(left[:_STRINGS], record, frames):
            best.setdefault(source.seq, source)
        if record["kind"] == "invocation_ended" and not any(s.relation == "inside" for s in best.values()):
            inner = [end for end in self._results.get(record.get("invocation"), ()) if end < seq]
            best.update({inner[-1]: Source(inner[-1], "inside")} if inner else {})
        return sorted(best.values(), key=lambda source: (self._rank(source.seq, frames), -source.seq))

    def _frames(self, record: Entry) -> list[int | None]:
        """What encloses a record, the innermost first; a result is inside its own invocation."""
        inner = record.get("invocation") if record["kind"] == "invocation_ended" else record.get("parent")
        return list(self.story.around(inner))

    def _giver(self, value: str, record: Entry, frames: list[int | None], told: set[int]) -> int | None:
        """The nearest record before that gave out a value."""
        own = record.get("invocation") if record["kind"] == "invocation_ended" else None
        if own is not None and self.story.starts.get(own, {}).get("call") in LEAVES:
            frames = frames[:1]  # what a model or a tool says comes from what it was asked, or is new
        givers = self.values.givers(value)
        earlier = givers[max(0, bisect_left(givers, record["seq"]) - NEAREST) : bisect_left(givers, record["seq"])]
        known = [seq for seq in earlier if self._reaches(seq, own, frames)]
        if both := told.intersection(known):
            return max(both)
        return min(known, key=lambda seq: (self._rank(seq, frames), -seq), default=None)

    def _reaches(self, seq: int, own: int | None, frames: list[int | None]) -> bool:
        """An input is known to what it encloses, a message to who did not send it; a leaf knows nothing else."""
        record = self.story.entries[seq]
        if record["kind"] == "invocation_started":
            return seq in frames
        if record["kind"] == "message_queued" and record.get("parent") in frames:
            return False
        return own is None or None in frames or self._rank(seq, frames) < len(frames)

    def _rank(self, seq: int, frames: list[int | None]) -> int:
        """How far out the code is that has a record's value; what the same component was told before comes next."""
        record = self.story.entries[seq]
        frame = seq if record["kind"] == "invocation_started" else record.get("parent")
        if frame in frames:
            return frames.index(frame)
        paths = {self.story.path(inner) for inner in frames}
        receivers = self.story.delivered.get(seq, ()) if record["kind"] == "message_queued" else [frame]
        return len(frames) + (not any(self.story.path(receiver) in paths for receiver in receivers))

    def _relation(self, giver: int, record: Entry) -> Relation:
        given = self.story.entries[giver]
        if record["kind"] == "invocation_ended" and given.get("parent") == record.get("invocation"):
            return "inside"
        return "input" if giver == record.get("invocation") else "value"

    def _in_parts(self, values: list[str], record: Entry, frames: list[int | None]) -> Iterator[Source]:
        """Results of which these values hold a part, or that hold these values as a part."""
        done: set[tuple[str, str]] = set()
        for giver in self._near(record, frames):
            match = self._part(giver, values, done)
            if match is not None:
                yield Source(giver, self._relation(giver, record), match=match)

    def _part(self, giver: int, values: list[str], done: set[tuple[str, str]]) -> Match | None:
        """The longest value of a record that one of these holds, verbatim if there is such a one."""
        found: tuple[Match, tuple[str, str]] | None = None
        parts = self.values.of(self.story.entries[giver].get("body"), _STRINGS)
        for pair in ((value, part) for part in sorted(parts, key=len, reverse=True) for value in values):
            match = overlap(*pair) if pair not in done else None
            if match is not None and (found is None or match.how == "verbatim"):
                found = match, pair
                if match.how == "verbatim":
                    break
        if found is not None:
            done.add(found[1])
        return found[0] if found is not None else None

    def _near(self, record: Entry, frames: list[int | None]) -> Iterator[int]:
        """Records whose values the code around a record has, the nearest first."""
        for frame in frames:
            results = self._results.get(frame, [])
            until = bisect_left(results, record["seq"])
            yield from reversed(results[max(0, until - SPAN) : until])
            if frame is not None and frame < record["seq"]:
                yield frame
            elif frame is None and 0 in self.story.entries and record["seq"] > 0:
                yield 0


def _said(source: Source) -> str:
    return source.match.said if source.match is not None else ""
