"""What an importer makes of a file: runs as trees of calls, messages and events, which nobody can run again.

An importer says what happened, inside what, and when, where its log tells; `outtake.importers.recording` turns that
into the records of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from outtake.core.annotations import Note
from outtake.importers.source import Source
from outtake_probe.records import CallKind, Json

USER, TEAM = "user", "team"
"""The component of a person, and the one that holds all agents where a log names no other."""


class BadLog(ValueError):
    """A log that is not as its kind should be; the message names what is wrong."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The first `count` of a conversation's messages, as the input of a model call, with what else was asked.

    Calls of one conversation share the list `said`: the prompt of turn n repeats the n - 1 messages before it.
    """

    said: Sequence[Json]
    count: int
    rest: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Usage:
    """What a model call consumed; zero: the log does not tell."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    """In US dollars."""


@dataclass(slots=True, kw_only=True, eq=False)
class LogMessage:
    """A message from one component to another."""

    component: str
    recipient: str
    message: Json
    at: float | None = None
    """Seconds since the epoch; None: the log does not tell."""
    heard: Sequence[LogMessage] = ()
    """The messages that led to this one."""


@dataclass(slots=True, kw_only=True, eq=False)
class Event:
    """Something that is neither a message nor a call, such as a thought."""

    component: str
    type: str
    body: Json
    at: float | None = None


@dataclass(slots=True, kw_only=True, eq=False)
class Call:
    """One invocation, with what happened inside it, in order."""

    kind: CallKind
    component: str
    input: Json | Prompt = None
    output: Json = None
    error: str | None = None
    """Why it failed; None: it did not, or the log does not tell."""
    error_type: str = ""
    """Name of the error's class."""
    type: str = ""
    """Of a model call, the API whose requests its input is like: ``chat.completions``, ``responses``, ``messages``."""
    began: float | None = None
    ended: float | None = None
    is_over: bool = True
    """False: the log ends, or breaks off, before the call came back."""
    usage: Usage = Usage()
    heard: Sequence[LogMessage] = ()
    inside: list[Call | LogMessage | Event] = field(default_factory=list)


Part = Call | LogMessage | Event


@dataclass(frozen=True, slots=True)
class Remark:
    """What a log says about a run, or about one of its parts, such as a score: an annotation, not a record."""

    note: Note
    about: Part | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """One run of a file."""

    name: str = ""
    """What the file calls it, where it holds several."""
    input: Json
    output: Json
    error: str | None = None
    """Why the run failed as a whole."""
    config: Mapping[str, Json] = field(default_factory=dict)
    """What is known of the components' settings, by ``component.key``."""
    parts: Sequence[Part]
    told: Mapping[str, Json] = field(default_factory=dict)
    """What else the log says of the run: it is kept as the event ``imported``."""
    remarks: Sequence[Remark] = ()
    guessed: Sequence[str] = ()
    """What the log does not say and the importer took for likely, one sentence without an end each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Importer:
    """One kind of log: how it is known by its content, and how it is read."""

    name: str
    """What it is a log of, to go on with after "a log of"."""
    looks: str
    """What such a file looks like, for who brought another one."""
    recognise: Callable[[Source], str]
    """What was seen that makes a file one of these, in words; empty: it is none."""
    read: Callable[[Source], Sequence[Log]]
    """The runs of a file that was recognised, one or more.  Raises `BadLog`."""
