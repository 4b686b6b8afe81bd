"""Why a run came out wrong: what it said instead of what was expected, where that was said first, and what led there.

The path goes from what began it to the answer.  It has two parts: what led to the first record that says the wrong
thing (of several sources the one that tells most is followed), and the hands through which it passed from there to the
answer.  Where it cannot be determined which words of the answer are wrong, the path leads to what the last model said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from outtake.core import words
from outtake.core.outcome import answer, outcome
from outtake.core.provenance.contents import Contents
from outtake.core.provenance.matchers import Match, seek
from outtake.core.provenance.numbers import read, tokens
from outtake.core.provenance.occurrences import Hand, Trail, line
from outtake.core.provenance.origins import Origins, Relation, Source
from outtake.core.provenance.run_index import LEAVES, Entry, Story
from outtake.core.provenance.values import telling
from outtake_probe.records import Json

Origin = Literal["input", "tool", "person", "model", "agent", "program", "error"]
"""Where the wrong thing came from: the input of the run, what a tool gave, a person, a model that said it first, an
agent of a log that holds no calls, code of the program between its calls, or an error that came up there."""
LONGEST = 80
"""Characters of an answer that is looked for as a whole."""
STEPS = 30
"""Records that led to the first one that says the wrong thing, at most."""


@dataclass(frozen=True, slots=True)
class Step:
    """One record of the path."""

    seq: int
    says: bool
    """Whether it says the wrong thing; else it led to it."""
    relation: Relation | None = None
    """How the next record of the path came from this one, where it led to that."""
    match: Match | None = None
    """The wrong thing as it is said here, or the value that this record and the next one share."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a run came out wrong."""

    said: str | None = None
    """What it said instead of what was expected, or its error; None where that cannot be determined."""
    first: int | None = None
    """The first record that says it."""
    origin: Origin | None = None
    path: Sequence[Step] = ()


class Explaining:
    """Explains one run, of its records and their bodies."""

    def __init__(self, story: Story, contents: Contents) -> None:
        self._story = story
        self._contents = contents
        self._origins = Origins(story, contents)

    def answer(self, output: Json, expected: str | None) -> Explanation:
        """Why an output is not what is expected."""
        told = answer(output)
        said = wrong_part(told, expected, self._asked()) if outcome(output, expected) == "failed" else None
        hands = Trail(self._story, self._contents, seek(said)).hands() if said is not None else []
        if said is not None and telling(said) is None and not self._knows_calls():
            hands = self._stated(hands)
        if not hands:
            return Explanation(said, path=self._led(self._last_model()))
        passed = line(hands, hands[-1].seq)
        led = self._led(passed[0].seq)
        if hands[0].seq not in {passed[0].seq, *(step.seq for step in led)}:
            led = self._led(hands[0].seq)
        known = {hand.seq: hand for hand in hands}
        path = {step.seq: _saying(known[step.seq]) if step.seq in known else step for step in led}
        path.update((hand.seq, _saying(hand)) for hand in self._tellings(passed) if hand.seq not in path)
        for seq in sorted(path.keys() & known.keys()):
            if (inside := self._said_inside(seq, hands)) is not None:
                del path[seq]
                path[inside.seq] = _saying(inside)
        first = hands[0]
        # What only led on to where it was said again carries nothing.
        kept = [path[seq] for seq in sorted(path) if seq <= first.seq or path[seq].says]
        return Explanation(said, first.seq, self._origin(first), tuple(kept))

    def failure(self, error: Json) -> Explanation:
        """Why a run failed: where its error came up first, and what led there."""
        said = words.error_line(error)
        failed = [end for end in self._story.ends.values() if end.get("failed") and not end.get("interrupted")]
        raised = [end["seq"] for end in failed if words.error_line(self._contents.value(end.get("body"))) == said]
        first = min(raised, default=None)
        return Explanation(said, first, "error" if first is not None else None, self._led(first))

    # -- the path ----------------------------------------------------------------------------------------------------

    def _led(self, seq: int | None) -> tuple[Step, ...]:
        """What led to a record, and the record itself, in order."""
        path: list[Step] = []
        found: Source | None = Source(seq, "result") if seq is not None else None
        while found is not None and len(path) < STEPS:
            path.append(Step(found.seq, False, found.relation if path else None, found.match))
            found = self._nearest(found.seq)
        kept = [step for step, after in zip(path, [None, *path], strict=False) if not self._is_input_of(step, after)]
        return tuple(reversed(kept))

    def _nearest(self, seq: int) -> Source | None:
        """The source of a record that tells most: a value that both hold, else what the record names."""
        self._story.check()
        sources = [source for source in self._origins.sources(seq) if source.seq < seq]
        shared = [source for source in sources if source.match is not None and source.relation != "edit"]
        edits = [source for source in sources if source.relation == "edit"]
        return next(iter([*edits, *shared, *sources]), None)

    def _is_input_of(self, step: Step, after: Step | None) -> bool:
        """Whether a record is the input of the call whose result is next: one of the two is enough."""
        if after is None or step.seq not in self._story.starts:
            return False
        end = self._story.entries[after.seq]
        return end["kind"] == "invocation_ended" and end.get("invocation") == step.seq

    def _tellings(self, passed: Sequence[Hand]) -> Iterator[Hand]:
        """Of the hands that say it, those that gave it out in a new way: results of models and tools, notes of who
        calls neither, and the end."""
        for before, hand in zip([None, *passed], passed, strict=False):
            record = self._story.entries[hand.seq]
            gave = record["kind"] == "invocation_ended" and record.get("call") in LEAVES
            noted = record["kind"] == "noted" and not self._repeats(record, before)
            if gave or noted or hand is passed[0] or hand is passed[-1]:
                yield hand

    def _said_inside(self, seq: int, hands: Sequence[Hand]) -> Hand | None:
        """Of what an agent gave back, the message or the note with which it said that in its turn."""
        record = self._story.entries[seq]
        if record["kind"] != "invocation_ended" or record.get("call") == "flow" or self._knows_calls():
            return None
        told = (hand for hand in hands if self._story.entries[hand.seq].get("parent") == record.get("invocation"))
        return next((hand for hand in told if hand.role in ("message", "note")), None)

    def _repeats(self, note: Entry, before: Hand | None) -> bool:
        """Whether a note only says what a model or a tool gave within the same invocation."""
        source = self._story.entries[before.seq] if before is not None else {}
        return source.get("call") in LEAVES and source.get("parent") == note.get("parent")

    def _origin(self, first: Hand) -> Origin:
        record = self._story.entries[first.seq]
        if record["kind"] == "edited" or record.get("injected") or record.get("how") == "mocked":
            return "person"
        if record["kind"] == "config_set" or _is_asked(record):
            return "input"
        call = record.get("call")
        if record["kind"] == "invocation_ended" and call in LEAVES:
            gave: Origin = call
            return gave
        return "program" if self._knows_calls() else "agent"

    def _knows_calls(self) -> bool:
        """Whether the calls of models and tools are told, and not only what was said around them."""
        return any(end.get("call") in LEAVES for end in self._story.ends.values())

    def _stated(self, hands: list[Hand]) -> list[Hand]:
        """The hands from the one on that stated the answer: pages and plans hold a small number by chance."""
        entries = self._story.entries
        givers = [h for h in hands if entries[h.seq]["kind"] != "run_ended" and entries[h.seq].get("call") != "flow"]
        return [hand for hand in hands if hand.seq >= givers[-1].seq] if givers else hands

    def _last_model(self) -> int | None:
        ends = [end["seq"] for end in self._story.ends.values() if end.get("call") == "model"]
        return max(ends, default=max((end["seq"] for end in self._story.ends.values()), default=None))

    def _asked(self) -> str:
        """What was asked of the run: its input, and that of its first call."""
        first = {0, min(self._story.starts, default=0)}.intersection(self._story.entries)
        values = [self._contents.value(self._story.entries[seq].get("body")) for seq in sorted(first)]
        return "\n".join(words.readable(value) for value in values)


def wrong_part(said: str, expected: str | None, asked: str) -> str | None:
    """The words of an answer that stand where the expected ones should; None where that cannot be determined.

    For an expected number it is the nearest number of the answer that the question does not have; else a short answer.
    """
    wanted = read(expected.strip()) if expected is not None and expected.strip() else None
    if wanted is not None:
        known = {token.said for token in tokens(asked)}
        numbers = [token for token in tokens(said) if token.said not in known and wanted.written(token) is None]
        if numbers:
            return min(numbers, key=wanted.distance).said
    short = said.strip()
    return short if 0 < len(short) <= LONGEST and "\n" not in short else None


def _saying(hand: Hand) -> Step:
    return Step(hand.seq, True, match=hand.match)


def _is_asked(record: Entry) -> bool:
    """Whether this is what the run, or its first call, was given."""
    kind: str = record["kind"]
    return kind == "run_started" or (kind == "invocation_started" and record.get("parent") is None)
