"""Provenance: what led to a record, the hands of a text, what a change could reach."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from outtake.server.models.base import Answer

Call = Literal["agent", "step", "task", "model", "tool", "flow"]


class RecordOutline(Answer):
    """What a record is about."""

    seq: int
    kind: str
    component: str
    call: Call | None
    recipient: str | None
    invocation: int | None
    hash: str | None
    failed: bool


class TextMatch(Answer):
    """Where a text was found: what is written there, between what stands around it, and how the form differs."""

    how: Literal["verbatim", "re-formatted", "rounded"]
    said: str
    before: str
    after: str
    form: str


class ChainSource(Answer):
    """A record that led to another; `match` is the value that both hold, `name` that of the state."""

    seq: int
    relation: Literal["message", "cause", "state", "value", "input", "inside", "called", "edit", "result"]
    name: str
    match: TextMatch | None


class ChainLink(RecordOutline):
    """One record of a chain; `more` sources are not reported."""

    depth: int
    sources: list[ChainSource]
    more: int


class Hand(RecordOutline):
    """One record that says a text.

    `source` is the hand that it came from, null where it was new; `again`, that the same component had it in the same
    role and wording before.
    """

    role: Literal["input", "output", "error", "message", "note", "edit", "setting", "value"]
    match: TextMatch
    path: list[str | int]
    source: int | None
    again: bool


class Why(Answer):
    """What led to a record, nearest first; with a text, the hands that it passed through, the first one first."""

    run: str
    seq: int | None
    text: str | None = None
    first: int | None = None
    """The first record that says the text."""
    chain: list[ChainLink] = Field(default_factory=list)
    hands: list[Hand] = Field(default_factory=list)
    more: int
    """Records that are not reported."""
    elsewhere: int = 0
    """Records that say the text and did not lead to this one."""


class PathStep(RecordOutline):
    """One record of the path to a wrong answer.

    `says`: it says the wrong thing (`match`); else it led there, and `relation` is how the next record of the path came
    from it, `match` what the two share.
    """

    says: bool
    relation: Literal["message", "cause", "state", "value", "input", "inside", "called", "edit", "result"] | None
    match: TextMatch | None


class ChangeUse(Answer):
    """How far the change of a fork went that is wrong all the same."""

    at: int | None
    """The record of the parent that was changed."""
    calls: int
    """Model and tool calls that were executed and are not in the parent, or there with another input."""
    first: int | None
    """The first of them."""
    again: int | None
    """The first record after it that says the wrong thing all the same."""


class Explanation(Answer):
    """Why a run came out wrong: what it said instead of what was expected, or its error, and the path to it, in order.

    `path` is empty for a run that was not wrong.  `said` is null where it cannot be determined which words are wrong.
    """

    run: str
    outcome: Literal["passed", "failed"] | None
    expected: str | None
    answer: str | None
    said: str | None
    first: int | None
    """The first record that says it."""
    origin: Literal["input", "tool", "person", "model", "agent", "program", "error"] | None
    """Where it came from: a model said it first, a tool gave it, ..."""
    path: list[PathStep]
    change: ChangeUse | None
    """Of a fork with edits."""


class Because(Answer):
    """Why something could change: the link, the record that it leads from, in words."""

    link: str
    of: int
    name: str
    told: str


class Reached(RecordOutline):
    """What could change: its input, or only its result; `race`: only if parts that run at once finish otherwise."""

    changes: Literal["input", "result"]
    race: bool
    because: Because


class ComponentReach(Answer):
    """A component with how many of its invocations could change, could not, and were made in all."""

    component: str
    call: Call
    could: int
    cannot: int
    all: int


class TokensSpent(Answer):
    """Tokens of prompts, and of answers."""

    in_: int = Field(alias="in")
    out: int


class CallReach(Answer):
    """Model and tool calls: all, those that could change, those after the record that cannot.

    `tokens`, `cost` (US dollars) and `seconds` are what those that could change took in this run.
    """

    all: int
    could: int
    cannot: int
    tokens: TokensSpent
    cost: float
    seconds: float


class Affected(Answer):
    """What a change of a record could reach."""

    run: str
    seq: int
    could: list[Reached]
    messages: list[Reached]
    cannot: list[RecordOutline]
    components: list[ComponentReach]
    calls: CallReach
    share: float
