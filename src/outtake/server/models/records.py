"""The records of a run's log as the API gives them: one type for each kind, distinguished by `kind`.

They say what those of `outtake_probe.records` say, and leave out what holds its default.  `hash` names the body; with
``bodies=true`` the body itself is there, too, as `input`, `output`, `error` or `body`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from outtake.server.models.base import Answer, Json, Lean

CallKind = Literal["agent", "step", "task", "model", "tool", "flow"]
Effects = Literal["pure", "read", "write", "irreversible"]
By = Literal["plan", "user"]


class Glance(Answer):
    """How a body begins, in words where it says something; `size` is how many characters all of it has."""

    form: Literal["text", "json", "error", "thought", "empty"]
    """`thought`: nothing was said, and the text is what was thought."""
    text: str
    size: int
    type: str
    thought: str
    """The beginning of what was thought and not said."""
    calls: int
    """How many tool calls it asks for."""


class RecordBase(Lean):
    """What every record says: its number, when, who, inside which invocation, about which message, because of what."""

    seq: int
    at: float
    component: str = ""
    invocation: int | None = None
    parent: int | None = None
    message: int | None = None
    caused_by: list[int] = Field(default_factory=list)
    hash: str | None = None


class RunStarted(RecordBase):
    """Written first, before any code of the target runs."""

    kind: Literal["run_started"]
    format: int = 1
    python: str = ""
    seed: int = 0
    input: Json = None


class MessageQueued(RecordBase):
    """Written when a component has sent a message, before it can be delivered."""

    kind: Literal["message_queued"]
    recipient: str = ""
    type: str = ""
    digest: str = ""
    """Of what was sent, where that is not what is queued."""
    edited: bool = False
    injected: bool = False
    body: Json = None


class MessageDropped(RecordBase):
    """Written when a queued message was taken out of the queue; it will not be delivered."""

    kind: Literal["message_dropped"]
    edited: bool = False
    body: Json = None


class MessageMoved(RecordBase):
    """Written when the user moved a queued message before another one, or to the end."""

    kind: Literal["message_moved"]
    before: int | None = None
    body: Json = None


class InvocationStarted(RecordBase):
    """Written when the gate lets an invocation go out: what it describes is about to happen."""

    kind: Literal["invocation_started"]
    call: CallKind
    digest: str = ""
    """Of what was asked, where that is not what goes out."""
    effects: Effects | None = None
    type: str = ""
    edited: bool = False
    functions: list[str] = Field(default_factory=list)
    """The program's own functions that it executes, as ``path:qualname``."""
    code: str = ""
    """Fingerprint of their code."""
    state: str = ""
    """Name of the state outside the process that it uses."""
    input: Json = None


class StreamChunk(RecordBase):
    """Written when an invocation's answer arrives in pieces; holds the pieces that no other record came between."""

    kind: Literal["stream_chunk"]
    index: int = 0
    count: int = 1
    body: Json = None


class InvocationEnded(RecordBase):
    """Written when an invocation came back, before its result goes anywhere."""

    kind: Literal["invocation_ended"]
    call: CallKind
    failed: bool = False
    how: Literal["executed", "reused", "mocked", "dropped"] = "executed"
    seconds: float = 0.0
    interrupted: bool = False
    """It was left before it came to a result, and that is no failure."""
    opaque: bool = False
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    changes: str | None = None
    """Hash of what it read and changed beside its result, where the record can answer instead of executing it."""
    state: str = ""
    """Name of the state that it uses, where the call made it."""
    saved: str | None = None
    """Hash of that state after the call."""
    keeps: bool = False
    """Of a tool: it keeps in the process what happened inside it, or may do so."""
    kept: str | None = None
    """Hash of what a tool without calls inside changed in the process; a fork that serves it changes it so again."""
    output: Json = None
    error: Json = None


class ValueRead(RecordBase):
    """Written when the program's own code reads the clock, and when timers were over (`source` begins with "timer ").

    The value is then a list of the seconds that these took, all together, and pairs of the first and last number of
    those that were set there.
    """

    kind: Literal["value_read"]
    source: str = ""
    value: Json = None
    body: Json = None


class Edited(RecordBase):
    """Written when an edit took effect: on a message before delivery, on an input, or on an output."""

    kind: Literal["edited"]
    op: str = ""
    was: str | None = None
    by: By = "plan"
    body: Json = None


class ConfigSet(RecordBase):
    """Written when a setting of a component was changed; the change holds from here on."""

    kind: Literal["config_set"]
    key: str = ""
    by: By = "plan"
    body: Json = None


class Noted(RecordBase):
    """Written when a framework or a program reports an event of its own that nothing depends on."""

    kind: Literal["noted"]
    type: str = ""
    span: int | None = None
    size: int = 0
    writes: int = 0
    body: Json = None


class SpanStarted(RecordBase):
    """Written when the framework's own instrumentation opens a span, a part of the work of the invocation `parent`."""

    kind: Literal["span_started"]
    span: int | None = None
    within: int | None = None
    name: str = ""
    body: Json = None


class SpanEnded(RecordBase):
    """Written when a span closes; the body holds its error, or what the framework says of its result."""

    kind: Literal["span_ended"]
    span: int | None = None
    failed: bool = False
    seconds: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0
    body: Json = None


class StateRestored(RecordBase):
    """Written for each step that brings a state outside the process to where the record left it.

    `component` and `invocation` name the earlier call that was executed again, or whose saved state was loaded; the
    body holds what it gave this time, `was` is the hash of what is recorded.
    """

    kind: Literal["state_restored"]
    state: str = ""
    how: Literal["loaded", "repeated", "skipped"] = "repeated"
    same: bool = True
    was: str | None = None
    failed: bool = False
    number: int = 1
    total: int = 1
    seconds: float = 0.0
    reason: str = ""
    body: Json = None


class RunEnded(RecordBase):
    """Written last, when the target has returned, failed, been stopped, or diverged from the record it replayed."""

    kind: Literal["run_ended"]
    status: Literal["completed", "failed", "held", "stopped", "diverged"] = "completed"
    unused: list[int] = Field(default_factory=list)
    """Which of the plan's edits, from 0, never applied."""
    output: Json = None
    error: Json = None


AnyRecord = (
    RunStarted
    | MessageQueued
    | MessageDropped
    | MessageMoved
    | InvocationStarted
    | StreamChunk
    | InvocationEnded
    | ValueRead
    | Edited
    | ConfigSet
    | Noted
    | SpanStarted
    | SpanEnded
    | StateRestored
    | RunEnded
)
Record = Annotated[AnyRecord, Field(discriminator="kind")]


class RecordPage(Answer):
    """Some records of a run, in order.  `total` is how many the run has, `more` whether others follow these."""

    run: str
    total: int
    more: bool
    records: list[Record]


class Picked(Answer):
    """The records that were asked for by number, in order, and a glance at each body, by its hash."""

    run: str
    records: list[Record]
    glances: dict[str, Glance]


class Gists(Answer):
    """What the same component did not say shortly before, of the records that say much, by number."""

    run: str
    gists: dict[str, str]


class Columns(Answer):
    """A number for each record in each column.  References (`invocation`, `message`, `span`) say how many records back
    it is, 0 for none; `parent` by how much its number is higher than that of the record before, -1 for none and before
    the first; names count in `names`, -1 for none; `at` is milliseconds since the record before.
    """

    kind: list[int]
    at: list[int]
    component: list[int]
    call: list[int]
    invocation: list[int]
    parent: list[int]
    message: list[int]
    recipient: list[int]
    type: list[int]
    span: list[int]
    flags: list[int]


class RecordsOutline(Answer):
    """What `count` records of a run from number `first` on are about; `origin` is when the first was written."""

    run: str
    first: int
    count: int
    total: int
    origin: float
    kinds: list[str]
    calls: list[str]
    flags: list[str]
    names: list[str]
    columns: Columns


class Body(Answer):
    """The value that a hash names."""

    body: str
    value: Json
    thought: str
    """What was thought in it and not said."""
    said: str | None
    """What was said in words beside that; None where nothing was thought or nothing said."""


MODELS: dict[str, type[RecordBase]] = {get_args(m.model_fields["kind"].annotation)[0]: m for m in get_args(AnyRecord)}
"""Each type by its kind."""
_BODIES = frozenset({"input", "output", "error", "body"})
_DEFAULTS: dict[str, dict[str, Any]] = {
    kind: {
        name: field.get_default(call_default_factory=True)
        for name, field in model.model_fields.items()
        if name not in _BODIES
    }
    for kind, model in MODELS.items()
}


def slim(record: Mapping[str, Json]) -> dict[str, Json]:
    """A record of the service without what goes without saying: the digest of what its body has, and defaults."""
    defaults = _DEFAULTS[record["kind"]]
    out = {name: value for name, value in record.items() if name not in defaults or value != defaults[name]}
    if out.get("digest") == out.get("hash"):
        out.pop("digest", None)
    return out
