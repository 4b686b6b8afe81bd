"""One invocation on its way through the gate, and what both halves of the way share.

The way out is in `outtake_probe.gate.enter`, the way back in `outtake_probe.gate.exit`; messages take theirs in
`outtake_probe.gate.send`.  Steps that wait are generators, so that threads and event loops share them; no lock is held
while waiting.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from outtake_probe.bodies import digest as shorter
from outtake_probe.calls import Call, Frame, Whole, current, top
from outtake_probe.code_hash import NO_CODE, Code
from outtake_probe.codec import encode_error
from outtake_probe.commands import BadValue
from outtake_probe.edits import Edit
from outtake_probe.gate.decision import Answer
from outtake_probe.keeping import ReachableState
from outtake_probe.records import How, Json, Noted, StreamChunk
from outtake_probe.redaction.pieces import Stream
from outtake_probe.replay.index import LEAVES, Past
from outtake_probe.session import Session
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
    code: Code = NO_CODE
    past: Past | None = None
    occurrence: int = 0
    state: str = ""
    """Name of the state outside the process that it uses."""
    moved: bool = False
    """It finds that state otherwise than the recorded call did: what is recorded is no answer."""
    begun: list[Passage] | None = None
    """Takes its passage when its start is written."""

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
    written: set[int] = field(default_factory=set)
    """Records of the parent, inside it, that are in this run's log already: messages, and what was printed."""
    failed: bool = False
    interrupted: bool = False
    """It was left by an exception that is no failure."""
    input: Json = None
    edited: bool = False
    started: float = field(default_factory=time.monotonic)
    out: bool = False
    state: str = ""
    """Name of the state outside the process that it uses."""
    digest: str = ""
    watch: ReachableState | None = None
    """What a tool keeps in the process."""
    kept: Json = None
    """What a tool changed in the process, where it is served from the record."""
    late: str = ""
    """That name, where it could only be determined once it came back."""
    saved: str | None = None
    """Hash of that state after the call."""
    prints: list[Noted] = field(default_factory=list)
    """What the record says that it printed, as long as it has not been printed again."""
    inside: deque[int] = field(default_factory=deque)
    """Where it printed something, the records of the parent inside it that are not in this run's log yet."""
    texts: dict[int, str] = field(default_factory=dict)
    """The texts of these, by the number of the record."""
    pieces: list[Json] = field(default_factory=list)
    cleaning: Stream | None = None
    """Cleans the pieces of its stream, once there are some."""
    is_over: bool = False
    """No more pieces come."""
    is_ended: bool = False
    """Its end is written, or is in the record."""
    piece_index: int = 0
    piece_since: float = 0.0

    @property
    def live(self) -> bool:
        """Whether a model or a tool is really called."""
        return self.verb == "proceed" and self.call.kind in LEAVES

    @property
    def is_rebuilding(self) -> bool:
        """Whether a tool is executed again only for what it keeps."""
        return self.past is not None and self.past.rebuilt and self.verb == "proceed" and self.call.kind == "tool"

    @property
    def recorded_chunks(self) -> Sequence[StreamChunk]:
        return self.past.chunks if self.how == "reused" and self.past is not None else ()


def ask(session: Session, call: Call) -> Asked:
    """What the running code asks for.  Raises `Stopped`."""
    with session.lock:
        session.check()
        call.component = session.bodies.told(call.component)  # the record names it, and is asked for it
        body = session.body(call.input)
        digest = body if call.identity is None else session.body(call.identity)
        state = session.states.of(call)
    code = session.code.of(call.functions) if call.functions else NO_CODE
    return Asked(call, current.get(), body, digest, code, state=state)


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
    states = around.states | {asked.state} if asked.state and call.kind == "tool" else around.states
    served = around.may_be_served or call.kind in LEAVES or call.whole is not None
    return Frame(
        invocation,
        matched,
        lineage,
        call.component,
        message,
        short,
        kind=call.kind,
        may_be_served=served,
        states=states,
    )


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
