"""One invocation on its way through the gate, and what both halves of the way share.

The way out is in `outtake_probe.before`, the way back in `outtake_probe.after`; messages take theirs in
`outtake_probe.queueing`.  Steps that wait are generators, so that threads and event loops share them; no lock is held
while waiting.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from outtake_probe.bodies import digest as shorter
from outtake_probe.calls import Call, Frame, Whole, current, top
from outtake_probe.edits import Edit
from outtake_probe.gate import Answer
from outtake_probe.records import How, Json, StreamChunk
from outtake_probe.replay import LEAVES, Past
from outtake_probe.session import BadValue, Session
from outtake_probe.values import encode_error
from outtake_probe.waits import Steps

KEY = 200
"""Characters from which the key of an invocation is shortened to its hash."""


@dataclass(slots=True)
class Asked:
    """An invocation that asks to go out: where in the program, with what, and what the record knows of it."""

    call: Call
    frame: Frame | None
    body: str
    digest: str
    past: Past | None = None
    occurrence: int = 0

    @property
    def matched(self) -> int | None:
        return self.past.start.seq if self.past is not None else None


@dataclass(slots=True)
class Passage:
    """One invocation on its way through the gate."""

    call: Call
    invocation: int
    frame: Frame
    past: Past | None = None
    verb: Literal["proceed", "serve", "drop"] = "proceed"
    how: How = "executed"
    output: str | None = None
    mock: Json = None
    changes: Json = None
    """What the invocation did beside its result, where it is served as a whole."""
    resent: set[int] = field(default_factory=set)
    """Messages of the parent, sent inside it, that are in this run's log already."""
    failed: bool = False
    input: Json = None
    edited: bool = False
    started: float = field(default_factory=time.monotonic)
    out: bool = False
    pieces: list[Json] = field(default_factory=list)
    piece_index: int = 0
    piece_since: float = 0.0

    @property
    def live(self) -> bool:
        """Whether a model or a tool is really called."""
        return self.verb == "proceed" and self.call.kind in LEAVES

    @property
    def recorded_chunks(self) -> Sequence[StreamChunk]:
        return self.past.chunks if self.how == "reused" and self.past is not None else ()


def ask(session: Session, call: Call) -> Asked:
    """What the running code asks for.  Raises `Stopped`."""
    with session.lock:
        session.check()
        body = session.bodies.put(call.input)
        digest = body if call.identity is None else session.bodies.put(call.identity)
    return Asked(call, current.get(), body, digest)


def enter(asked: Asked, invocation: int, matched: int | None) -> Frame:
    """Where code runs that the invocation encloses."""
    frame, call = asked.frame, asked.call
    lineage = (*(frame.lineage if frame else ()), invocation)
    message = call.message if call.message is not None else (frame.message if frame else None)
    around = frame or top
    name = f"{call.kind} {call.component}"
    around.counts[name] += 1
    key = f"{around.key}>{name}#{around.counts[name]}"
    short = key if len(key) < KEY else shorter(key.encode())
    return Frame(invocation, matched, lineage, call.component, message, short, kind=call.kind)


def whole(session: Session, call: Call) -> Whole | None:
    """What lets the record answer for it; a user who declares that it writes to the world wants it executed."""
    return call.whole if session.effects(call) in (None, "pure", "read") else None


def inside(frame: Frame | None) -> int | None:
    """The invocation that encloses the running code."""
    return frame.invocation if frame is not None else None


def matched_in(frame: Frame | None) -> int | None:
    """Its number in the parent run, where it was matched."""
    return frame.matched if frame is not None else None


# -- holding and editing ---------------------------------------------------------------------------------------------


def hold_call(session: Session, call: Call, body: str | None, told: dict[str, Json]) -> Steps[Answer]:
    """Hold an invocation; `told` says when, why, and what can be answered."""
    fields = {"component": call.component, "call": call.kind, "type": call.type, "message": call.message, "body": body}
    return (yield from session.hold({**fields, **told}, partial(_complete, call)))


def _complete(call: Call, given: Answer) -> Answer:
    """The user's answer with its value made complete.  Raises `BadValue`."""
    if given.verb == "proceed" and given.edited:
        return Answer("proceed", call.normalize(call.input, given.value), edited=True)
    if given.verb == "serve" and given.failed:
        return Answer("serve", raised(given.value), failed=True, edited=True)
    if given.verb == "serve":
        return Answer("serve", call.normalize_output(given.value), edited=True)
    return given


def fitting(session: Session, edit: Edit, normalize: Callable[[Json], Json]) -> Json:
    """The edit's value made complete; one that does not fit ends the run: the edit is wrong, not the program."""
    try:
        return normalize(edit.value)
    except BadValue as error:
        what = f"record {edit.seq}" if edit.seq is not None else edit.component
        schema = f"; its schema is {json.dumps(error.schema)}" if error.schema else ""
        session.fail(f"the edit {edit.op} of {what} does not fit: {error}{schema}")
        session.check()
        raise


def raised(value: Json) -> Json:
    """The error of a `raise` edit: an encoded exception, or a text that becomes a `RuntimeError`."""
    return value if isinstance(value, dict) else encode_error(RuntimeError(value))
