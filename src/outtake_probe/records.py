"""The records of a run's log: a closed list of small frozen types.

A log is append-only.  Records are numbered from 0 by the probe (``seq``); an invocation is named by the ``seq`` of the
record that says it went out, a message by the ``seq`` of the record that says it was queued, so a name never depends on
a memory address or a random id.  Bodies (inputs, outputs, messages) are not in the record: it holds their hash, see
`outtake_probe.bodies`.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

FORMAT = 1
"""Number of the log format, see docs/formats.md.  1: the first release."""

CallKind = Literal["agent", "step", "task", "model", "tool", "flow"]
Effects = Literal["pure", "read", "write", "irreversible"]
How = Literal["executed", "reused", "mocked", "dropped"]
Restored = Literal["loaded", "repeated", "skipped"]
Status = Literal["completed", "failed", "held", "stopped", "diverged"]
STREAMS = ("stdout", "stderr")
"""Types of the notes that hold what was printed."""
TIMER = "timer "
"""What the source of a `value_read` begins with that says which timers were over; the name of who set them follows."""
PROCESS_STARTED = "process_started"
"""Type of the note that says which process the program starts: ``{"how", "command"}``."""
CALL_KINDS: tuple[CallKind, ...] = get_args(CallKind)
EFFECTS: tuple[Effects, ...] = get_args(Effects)

Json = Any
"""A JSON value: None, bool, int, float, str, list or dict with string keys."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What every record says: its number, when, who, inside which invocation, about which message, because of what."""

    kind: ClassVar[str]
    seq: int
    at: float
    """Seconds since the epoch."""
    component: str = ""
    """Path of the component that the record is about; the sender, for a message."""
    invocation: int | None = None
    parent: int | None = None
    """The invocation inside which this happened."""
    message: int | None = None
    caused_by: tuple[int, ...] = ()
    """Numbers of the records (messages, as a rule) that led to this one."""
    body: str | None = None
    """Hash of the input, output, error, message or value that the record is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(Record):
    """Written first, before any code of the target runs."""

    kind = "run_started"
    format: int = FORMAT
    python: str = ""
    seed: int = 0
    """Seed of the program's `random` and of the ids that the probe controls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageQueued(Record):
    """Written when a component has sent a message, before it can be delivered."""

    kind = "message_queued"
    recipient: str = ""
    type: str = ""
    digest: str = ""
    edited: bool = False
    """An edit changed it: `digest` is what was sent, the body what is queued."""
    injected: bool = False
    """Sent by the user of the debugger, not by the program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageDropped(Record):
    """Written when a queued message was taken out of the queue; it will not be delivered."""

    kind = "message_dropped"
    edited: bool = False
    """An edit of a fork's plan dropped it before it was queued; otherwise the user took it out of the queue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageMoved(Record):
    """Written when the user moved a queued message before another one, or to the end."""

    kind = "message_moved"
    before: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InvocationStarted(Record):
    """Written when the gate lets an invocation go out: what it describes is about to happen."""

    kind = "invocation_started"
    call: CallKind
    digest: str = ""
    effects: Effects | None = None
    type: str = ""
    """Name of the type of the input, where it has one."""
    edited: bool = False
    """An edit changed it: `digest` is what was asked, the body what goes out."""
    functions: tuple[str, ...] = ()
    """The program's own functions that it executes, as ``path:qualname``, see `outtake_probe.code_hash`."""
    code: str = ""
    """Fingerprint of their code; empty where none is the program's own."""
    state: str = ""
    """Name of the state outside the process that it uses: a browser, a shell, a connection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamChunk(Record):
    """Written when an invocation's answer arrives in pieces; holds the pieces that no other record came between."""

    kind = "stream_chunk"
    index: int = 0
    """Number of the first piece."""
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class InvocationEnded(Record):
    """Written when an invocation came back, before its result goes anywhere."""

    kind = "invocation_ended"
    call: CallKind
    failed: bool = False
    how: How = "executed"
    seconds: float = 0.0
    """What it took; of one that the record answered for, what it took when it was executed."""
    interrupted: bool = False
    """It was left before it came to a result, and that is no failure: it was cancelled, or its framework took control
    by an exception, to wait for a person.  The body is the exception."""
    opaque: bool = False
    """The body shows the result but cannot bring it back: the invocation cannot be served from the record."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    """In US dollars, where the target knows it."""
    changes: str | None = None
    """Hash of what it read and changed beside its result, as `outtake_probe.calls.Whole` says: the record can answer
    instead of executing it.  None: only executing it does it again."""
    state: str = ""
    """Name of the state that it uses, where that could not be determined when it started: the call made it."""
    saved: str | None = None
    """Hash of that state after the call, where the object that holds it can save it."""
    keeps: bool = False
    """Of a tool with invocations inside: it keeps what happened there in the process, or may do so, or the program was
    streamed what happened there.  Where nothing is declared of it, a fork executes it again, with these served."""
    kept: str | None = None
    """Hash of what a tool without invocations inside changed in the process, and of the events that a tool streamed to
    the program, as `outtake_probe.kept` says: a fork that serves the call changes and streams it again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueRead(Record):
    """Written when the program's own code reads the clock, and when timers were over: the value is then a list of the
    seconds that these took, all together, and pairs of the first and last number of those that were set there."""

    kind = "value_read"
    source: str = ""
    value: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited(Record):
    """Written when an edit took effect: on a message before delivery, an input before the call, an output after it."""

    kind = "edited"
    op: str = ""
    was: str | None = None
    """Hash of what the edit replaced."""
    by: Literal["plan", "user"] = "plan"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigSet(Record):
    """Written when a setting of a component was changed; the change holds from here on."""

    kind = "config_set"
    key: str = ""
    by: Literal["plan", "user"] = "plan"


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted(Record):
    """Written when a program or its framework reports an event (a thought, a log line).  Nothing depends on it.

    One whose type is a stream (`STREAMS`) holds what the invocation `parent` printed there: where the record answers
    for that, it is printed again.
    """

    kind = "noted"
    type: str = ""
    span: int | None = None
    """The span in which it happened."""
    size: int = 0
    """Of what was printed, its characters."""
    writes: int = 0
    """Of what was printed, how often the code between the gates had written there before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanStarted(Record):
    """Written when the framework's own instrumentation opens a span, a part of the work of the invocation `parent`.

    The body holds its tags.  Nothing depends on it.
    """

    kind = "span_started"
    span: int | None = None
    """Its own number."""
    within: int | None = None
    """The span that encloses it."""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanEnded(Record):
    """Written when a span closes; the body holds its error, or what the framework says of its result."""

    kind = "span_ended"
    span: int | None = None
    failed: bool = False
    seconds: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StateRestored(Record):
    """Written for each step that brings a state outside the process to where the record left it.

    That happens before the first live call of the state goes out; `parent` encloses that call.  Nothing depends on it.
    `component` and `invocation` name the earlier call that was executed again, or whose saved state was loaded; the
    body holds what it gave this time.
    """

    kind = "state_restored"
    state: str = ""
    how: Restored = "repeated"
    same: bool = True
    """Whether it gave what is recorded; false for what was left out, and for a state that could not be loaded."""
    was: str | None = None
    """Hash of what is recorded."""
    failed: bool = False
    number: int = 1
    """Which of the steps this is, from 1."""
    total: int = 1
    seconds: float = 0.0
    reason: str = ""
    """Why it was left out or failed, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded(Record):
    """Written last, when the target has returned, failed, been stopped, or diverged from the record it replayed."""

    kind = "run_ended"
    status: Status = "completed"
    unused: tuple[int, ...] = ()
    """Which of the plan's edits, from 0, never applied: nothing that they name, or that they match, happened."""


KINDS: dict[str, type[Record]] = {
    cls.kind: cls
    for cls in (
        RunStarted,
        MessageQueued,
        MessageDropped,
        MessageMoved,
        InvocationStarted,
        StreamChunk,
        InvocationEnded,
        ValueRead,
        Edited,
        ConfigSet,
        Noted,
        SpanStarted,
        SpanEnded,
        StateRestored,
        RunEnded,
    )
}


_DEFAULTS: dict[type[Record], dict[str, object]] = {
    cls: {f.name: f.default for f in dataclasses.fields(cls)} for cls in KINDS.values()
}


def written(cls: type[Record], seq: int, at: float, fields: dict[str, Json]) -> dict[str, Json]:
    """A record of kind `cls` as a JSON object; fields that hold their default are left out.

    This is on the path of every record, so no instance is made.  Raises `TypeError` for a field that `cls` has not.
    """
    defaults = _DEFAULTS[cls]
    try:
        told = {name: value for name, value in fields.items() if value != defaults[name]}
    except KeyError as error:
        raise TypeError(f"{cls.__name__} has no field {error}") from error
    return {"kind": cls.kind, "seq": seq, "at": at, **told}


def to_json(record: Record) -> dict[str, Json]:
    """The record as a JSON object; fields that hold their default are left out."""
    fields = {name: getattr(record, name) for name in _DEFAULTS[type(record)] if name not in ("seq", "at")}
    return written(type(record), record.seq, record.at, fields)


def from_json(data: dict[str, Json]) -> Record:
    """The record that `to_json` wrote.  Raises `ValueError` for a kind, or a field, that this version does not know."""
    if not isinstance(data, dict):
        raise ValueError(f"a record is a JSON object, not {data!r:.80}")
    fields = dict(data)
    kind = fields.pop("kind", None)
    cls = KINDS.get(kind) if isinstance(kind, str) else None
    if cls is None:
        raise ValueError(f"unknown kind of record {kind!r}; known: {', '.join(KINDS)}")
    try:
        for name in ("caused_by", "unused", "functions"):
            if name in fields:
                fields[name] = tuple(fields[name])
        return cls(**fields)
    except TypeError as error:
        raise ValueError(f"no record of kind {kind}: {error}") from error
