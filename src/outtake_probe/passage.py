"""The way of one invocation, or one message, through the gate: the steps, in order.

Before: match it with the record, wait for its turn, ask the plan, hold it if the user wants so, write that it goes out.
After: wait for its turn, write what came back, hold that if the user wants so.  Steps that wait are generators, so that
threads and event loops share them; no lock is held while waiting.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from outtake_probe.bodies import digest as shorter_hash
from outtake_probe.calls import Call, Frame, Message, Usage, current, top
from outtake_probe.conditions import Subject
from outtake_probe.edits import Edit
from outtake_probe.gate import DROP, PROCEED, Answer, why_hold
from outtake_probe.records import (
    Edited,
    How,
    InvocationEnded,
    InvocationStarted,
    Json,
    MessageDropped,
    MessageQueued,
    StreamChunk,
)
from outtake_probe.replay import LEAVES, Past, Replay
from outtake_probe.rerun import Rerun
from outtake_probe.session import BadValue, Refused, Session
from outtake_probe.values import encode_error, is_opaque
from outtake_probe.waits import Steps, Wait

CHUNK_AGE = 0.05
"""Seconds that a piece of a stream may wait to be written together with the next."""
CANCELLED = ("asyncio.exceptions:CancelledError", "concurrent.futures._base:CancelledError")
_RECORD = Answer("record")
_CALL_OPS = ("replace_input", "mock_output", "raise", "drop")


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


@dataclass(frozen=True, slots=True)
class Queued:
    """What became of a message: its number, whether it is dropped, its new content where an edit changed it."""

    id: int
    dropped: bool = False
    edited: bool = False
    value: Json = None


# -- messages --------------------------------------------------------------------------------------------------------


def queue(session: Session, message: Message) -> Steps[Queued]:
    """A component sends a message: number it, let the plan change it, write it down."""
    frame = current.get()
    rerun = session.rerun
    with session.lock:
        session.check()
        body = session.bodies.put(message.body)
        digest = body if message.identity is None else session.bodies.put(message.identity)
        if rerun is None:
            return Queued(_write_queued(session, message, frame, body, digest))
        matched = rerun.replay.match((message.sender, message.recipient, message.type, digest), _matched(frame))
        occurrence = rerun.replay.occurrence(message.sender, "message")
    asked = f"message {message.type} from {message.sender} to {message.recipient} with content {digest[:8]}"
    yield from rerun.arrive(matched, message.sender, asked)
    value, changed = yield from _recorded_message(rerun, matched)
    if matched is not None and matched < rerun.replay.cut:
        with session.lock:
            rerun.replay.child[matched] = matched
            rerun.settle([matched])
            return Queued(matched, matched in rerun.replay.dropped, changed, value)
    edit = rerun.replay.edit_for(matched, message.sender, "message", occurrence, ("replace_message", "drop"))
    if edit is not None and edit.op == "replace_message":
        value, changed = _fitting(session, edit, lambda given: message.normalize(message.body, given)), True
    with session.lock:
        return _queue_new(session, rerun.replay, message, frame, matched, (body, digest), edit, value, changed)


def _recorded_message(rerun: Rerun, matched: int | None) -> Steps[tuple[Json, bool]]:
    """What an edit in the record made of a message, and whether one did."""
    if matched is None or not rerun.replay.recorded_holds(matched):
        return None, False
    record = rerun.replay.messages[matched]
    if not record.edited or record.body is None:
        return None, False
    return (yield from rerun.body(record.body)), True


def _queue_new(
    session: Session,
    replay: Replay,
    message: Message,
    frame: Frame | None,
    matched: int | None,
    hashes: tuple[str, str],
    edit: Edit | None,
    value: Json,
    changed: bool,
) -> Queued:
    body, digest = hashes
    new = session.bodies.put(value) if changed else body
    if matched is None or edit is not None:
        replay.depart()
    if changed:
        session.emit(Edited, op="replace_message", component=message.sender, body=new, was=body, parent=_inside(frame))
    seq = _write_queued(session, message, frame, new, digest, changed)
    drop = edit.op == "drop" if edit is not None else matched in replay.dropped
    if matched is not None:
        replay.child[matched] = seq
    if drop:
        session.emit(MessageDropped, component=message.sender, message=seq, edited=True, parent=_inside(frame))
    if matched is not None and session.rerun is not None:
        session.rerun.settle([matched])
    return Queued(seq, drop, changed, value)


def _write_queued(
    session: Session, message: Message, frame: Frame | None, body: str, digest: str, edited: bool = False
) -> int:
    return session.emit(
        MessageQueued,
        component=message.sender,
        recipient=message.recipient,
        type=message.type,
        body=body,
        digest=digest,
        edited=edited,
        message=session.recorder.next,
        parent=_inside(frame),
        caused_by=message.caused_by or ((frame.message,) if frame and frame.message is not None else ()),
    )


# -- invocations, before ---------------------------------------------------------------------------------------------


def before(session: Session, call: Call) -> Steps[Passage]:
    """An invocation asks to go out."""
    frame = current.get()
    rerun = session.rerun
    with session.lock:
        session.check()
        body = session.bodies.put(call.input)
        digest = body if call.identity is None else session.bodies.put(call.identity)
    if rerun is None:
        return (yield from _pass(session, call, None, frame, (body, digest), PROCEED))
    replay, key = rerun.replay, (call.component, call.kind, digest)
    with session.lock:
        matched = replay.match(key, _matched(frame))
        occurrence = replay.occurrence(call.component, call.kind)
    try:
        asked = f"{call.kind} call of {call.component} with input {digest[:8]}"
        yield from rerun.arrive(matched, call.component, asked, sure=call.message is None)
        past = replay.calls[matched] if matched is not None else None
        if past is not None and past.start.seq < replay.cut:
            return (yield from _again(session, rerun, call, past, frame, occurrence, body))
        answer = yield from _planned(session, rerun, call, past, occurrence, body)
        return (yield from _pass(session, call, past, frame, (body, digest), answer))
    except GeneratorExit:
        with session.lock:
            if matched not in replay.child:
                replay.unmatch(key, matched, call.component, call.kind)
        raise


def _pass(
    session: Session, call: Call, past: Past | None, frame: Frame | None, hashes: tuple[str, str], answer: Answer
) -> Steps[Passage]:
    """Hold it if the user wants so, then let it go out; a model or tool goes out once that is stored."""
    over = False
    if session.stance.watching:
        answer, over = yield from _hold_before(session, call, frame, answer, hashes[0])
    with session.lock:
        passage = _go_out(session, call, past, frame, hashes, answer)
        if over:
            session.stance.through = frozenset({passage.invocation})
    if passage.out:
        try:
            yield session.recorder.stored(passage.invocation)
        except GeneratorExit:
            abrupt(session, passage, encode_error(asyncio.CancelledError("cancelled before it went out")))
            raise
    return passage


def _again(
    session: Session, rerun: Rerun, call: Call, past: Past, frame: Frame | None, occurrence: int, body: str
) -> Steps[Passage]:
    """An invocation that started before the cut: it is in the record, nothing is written."""
    replay, seq = rerun.replay, past.start.seq
    passage = Passage(call, seq, _enter(frame, seq, seq, call), past)
    came_back = past.end is not None and past.end.seq < replay.cut
    answer = _recorded_answer(replay, past) if came_back else None
    if answer is None and not came_back:
        answer = yield from _planned(session, rerun, call, past, occurrence, body)
    if answer is None and past.start.edited and past.start.body is not None:
        answer = Answer("proceed", (yield from rerun.body(past.start.body)), edited=True)
    with session.lock:
        replay.child[seq] = seq
        _take(session, passage, answer or PROCEED)
        rerun.settle([seq, *_will_not_happen(passage, replay)])
        _mark_out(session, passage)
    return passage


def _will_not_happen(passage: Passage, replay: Replay) -> list[int]:
    """Records that nothing will match: what is inside a passage that does not execute, pieces of a stream begun anew."""
    past = passage.past
    if past is None:
        return []
    if passage.verb == "proceed":
        return [c.seq for c in past.chunks if passage.live and c.seq < replay.cut]
    replay.skip(past.inside)
    return past.inside


def _recorded_answer(replay: Replay, past: Past) -> Answer | None:
    """What the record answers instead of the program, if it does."""
    if replay.served(past.start.seq):
        return _RECORD
    if past.end is not None and past.end.how == "dropped" and replay.recorded_holds(past.end.seq):
        return DROP
    return None


def _planned(
    session: Session, rerun: Rerun, call: Call, past: Past | None, occurrence: int, body: str
) -> Steps[Answer]:
    """What the fork's plan says: an edit, an answer from the record, or to ask before something happens twice."""
    replay = rerun.replay
    seq = past.start.seq if past is not None else None
    edit = replay.edit_for(seq, call.component, call.kind, occurrence, _CALL_OPS)
    if edit is not None:
        return _edit_answer(session, edit, call)
    answer = _recorded_answer(replay, past) if past is not None else None
    if answer is not None:
        return answer
    if past is not None and past.start.edited and past.start.body is not None and replay.recorded_holds(past.start.seq):
        return Answer("proceed", (yield from rerun.body(past.start.body)), edited=True)
    return (yield from _repeated(session, replay, call, past, body))


def _repeated(session: Session, replay: Replay, call: Call, past: Past | None, body: str) -> Steps[Answer]:
    """Nothing that changes the world happens a second time without a word."""
    effects = session.effects(call)
    policy = replay.plan.repeat
    if call.kind != "tool" or effects in ("pure", "read") or policy == "run":
        return PROCEED
    again = past is not None and past.end is not None and not past.end.failed
    if not again and (effects != "irreversible" or (replay.plan.continues and past is None)):
        return PROCEED
    servable = again and past is not None and past.end is not None and not past.end.opaque and not past.edited_inside
    if policy == "ask":
        reason = (
            f"{call.component} was already called with this input" if again else f"{call.component} is irreversible"
        )
        offers = [*(["record"] if servable else []), "proceed", "mock_output"]
        return (yield from _hold(session, call, "before", reason, body, {"offers": offers, "effects": effects}))
    if servable:
        return _RECORD
    if effects != "irreversible":
        return PROCEED
    what = "would happen again" if again else "cannot be undone"
    refusal = f"{call.component} is irreversible and {what}: allow it with --repeat run, or mock its output"
    return Answer("serve", encode_error(Refused(refusal)), failed=True, edited=True)


def _fitting(session: Session, edit: Edit, normalize: Callable[[Json], Json]) -> Json:
    """The edit's value made complete; one that does not fit ends the run, as an error of the edit, not of the program."""
    try:
        return normalize(edit.value)
    except BadValue as error:
        what = f"record {edit.seq}" if edit.seq is not None else edit.component
        session.fail(f"the edit {edit.op} of {what} does not fit: {error}{schema_words(error.schema)}")
        session.check()
        raise


def schema_words(schema: Json) -> str:
    return f"; its schema is {json.dumps(schema)}" if schema else ""


def _edit_answer(session: Session, edit: Edit, call: Call) -> Answer:
    if edit.op == "replace_input":
        value = _fitting(session, edit, lambda given: call.normalize(call.input, given))
        return Answer("proceed", value, edited=True)
    if edit.op == "drop":
        return DROP
    if edit.op == "raise":
        return Answer("serve", raised(edit.value), failed=True, edited=True)
    return Answer("serve", _fitting(session, edit, call.normalize_output), edited=True)


def raised(value: Json) -> Json:
    """The error of a `raise` edit: an encoded exception, or a text that becomes a `RuntimeError`."""
    if isinstance(value, dict):
        return value
    return encode_error(RuntimeError(value))


def _hold_before(
    session: Session, call: Call, frame: Frame | None, answer: Answer, body: str
) -> Steps[tuple[Answer, bool]]:
    """Hold it if the user wants so: what to do then, and whether to step over what happens inside."""
    with session.lock:
        subject = Subject(
            "before", call.kind, call.component, call.type, lambda: call.input, False, session.tokens, session.cost
        )
        why = why_hold(session.stance, subject, frame.lineage if frame else (), call.message)
        if why == "run to here":
            session.stance.run_to = None
    if why is None:
        return answer, False
    given = yield from _hold(session, call, "before", why, body, {"parent": _inside(frame)})
    goes_on = given.verb == "over" or (given.verb == "proceed" and not given.edited)
    return (answer if goes_on else given), given.verb == "over"


def _go_out(
    session: Session, call: Call, past: Past | None, frame: Frame | None, hashes: tuple[str, str], answer: Answer
) -> Passage:
    """Write that it goes out, with what input."""
    body, digest = hashes
    if call.revised:
        body = session.bodies.put(call.input)
    edited = answer.verb == "proceed" and answer.edited
    new = session.bodies.put(answer.value) if edited else body
    if edited:
        session.emit(Edited, op="replace_input", component=call.component, body=new, was=body, parent=_inside(frame))
    rerun = session.rerun
    if rerun is not None and (past is None or answer.edited or answer.verb == "drop"):
        rerun.replay.depart()
    seq = session.emit(
        InvocationStarted,
        component=call.component,
        call=call.kind,
        type=call.type,
        body=new,
        digest=digest,
        edited=edited,
        effects=session.effects(call),
        invocation=session.recorder.next,
        parent=_inside(frame),
        message=call.message,
        caused_by=call.caused_by or ((call.message,) if call.message is not None else ()),
    )
    matched = past.start.seq if past is not None else None
    passage = Passage(call, seq, _enter(frame, seq, matched, call), past)
    _take(session, passage, answer)
    if rerun is not None and matched is not None:
        rerun.replay.child[matched] = seq
        rerun.settle([matched, *_will_not_happen(passage, rerun.replay)])
    _mark_out(session, passage)
    return passage


def _take(session: Session, passage: Passage, answer: Answer) -> None:
    """Let the answer decide what the passage does."""
    if answer.verb == "record" and passage.past is not None and session.rerun is not None:
        passage.verb, passage.how = "serve", "reused"
        passage.output, passage.failed = session.rerun.replay.output_of(passage.past.start.seq)
    elif answer.verb == "serve":
        passage.verb, passage.how, passage.failed, passage.mock = "serve", "mocked", answer.failed, answer.value
        passage.output = session.bodies.put(answer.value)
    elif answer.verb == "drop":
        passage.verb, passage.how = "drop", "dropped"
    elif answer.edited:
        passage.input, passage.edited = answer.value, True


def _mark_out(session: Session, passage: Passage) -> None:
    passage.out = passage.live
    if passage.out and session.rerun is not None:
        session.rerun.out += 1


# -- what is served --------------------------------------------------------------------------------------------------


def served_output(session: Session, passage: Passage) -> Steps[Json]:
    """The recorded or mocked output.  Where the record holds a cancellation, the program will cancel again: wait for it."""
    if passage.how != "reused" or passage.output is None or session.rerun is None:
        return passage.mock
    value = yield from session.rerun.body(passage.output)
    if passage.failed and isinstance(value, dict) and value.get("class") in CANCELLED:
        yield Wait()
    return value


def served_chunk(session: Session, passage: Passage, record: StreamChunk) -> Steps[Json]:
    """The pieces of one recorded chunk, when its turn has come."""
    rerun = session.rerun
    if rerun is None or record.body is None:
        return []
    pieces = yield from rerun.body(record.body)
    yield from rerun.turn(record.seq)
    with session.lock:
        if record.seq >= rerun.replay.cut:
            _write_chunk(session, passage, record.body, record.index, record.count)
        rerun.settle([record.seq])
    return pieces


# -- invocations, after ----------------------------------------------------------------------------------------------


def chunk(session: Session, passage: Passage, piece: Json) -> None:
    """A live stream gave one piece; pieces that nothing came between are written together."""
    with session.lock:
        now = time.monotonic()
        if not passage.pieces:
            passage.piece_since = now
            session.streams.append(lambda: _flush(session, passage))
        passage.pieces.append(piece)
        if now - passage.piece_since > CHUNK_AGE:
            session.flush_streams()


def _flush(session: Session, passage: Passage) -> None:
    pieces, passage.pieces = passage.pieces, []
    _write_chunk(session, passage, session.bodies.put(pieces), passage.piece_index, len(pieces))
    passage.piece_index += len(pieces)


def _write_chunk(session: Session, passage: Passage, body: str, index: int, count: int) -> None:
    component = passage.call.component
    session.emit(StreamChunk, component=component, invocation=passage.invocation, body=body, index=index, count=count)


def after(
    session: Session, passage: Passage, output: Json, failed: bool = False, usage: Usage | None = None
) -> Steps[Answer]:
    """An invocation came back.  The answer is `PROCEED`, or another output (or error) to go on with."""
    rerun, past = session.rerun, passage.past
    with session.lock:
        body = passage.output if passage.verb == "serve" else session.bodies.put(output)
        _came_back(session, passage, usage)
        if rerun is not None and past is not None:
            rerun.settle([c.seq for c in past.chunks])  # pieces that nobody fetched any more
    if rerun is not None:
        yield from _return(rerun, passage)
    with session.lock:
        if rerun is not None and past is not None and past.end is not None and past.end.seq < rerun.replay.cut:
            rerun.settle(_ends(past))
            return PROCEED
        write_ended(session, passage, body, failed, usage, passage.verb == "proceed" and is_opaque(output))
        if rerun is not None:
            _compare(rerun, passage, body)
    if not session.stance.watching:
        return PROCEED
    return (yield from _hold_after(session, passage, output, failed, body))


def _came_back(session: Session, passage: Passage, usage: Usage | None) -> None:
    if passage.out and session.rerun is not None:
        session.rerun.out -= 1
    passage.out = False
    if usage is not None:
        session.tokens += usage.tokens_in + usage.tokens_out
        session.cost += usage.cost


def _return(rerun: Rerun, passage: Passage) -> Steps[None]:
    """Wait until it is the turn of this result."""
    end = passage.past.end if passage.past is not None else None
    if (end is not None and end.seq < rerun.replay.cut) or (end is not None and rerun.replay.ordered):
        yield from rerun.turn(end.seq)
    elif rerun.replay.in_prefix:
        yield from rerun.turn(rerun.replay.cut)
    if rerun.replay.different and passage.how == "reused":
        yield Wait(yields=True)


def _ends(past: Past) -> list[int]:
    return [r.seq for r in (past.end, past.output_edit) if r is not None]


def _compare(rerun: Rerun, passage: Passage, body: str | None) -> None:
    end = passage.past.end if passage.past is not None else None
    if rerun.replay.in_prefix:
        return
    if end is None or passage.past is None or (passage.call.kind in LEAVES and body != _recorded_body(rerun, passage)):
        rerun.replay.depart()
        return
    rerun.settle(_ends(passage.past))


def _recorded_body(rerun: Rerun, passage: Passage) -> str | None:
    return rerun.replay.output_of(passage.past.start.seq)[0] if passage.past is not None else None


def write_ended(
    session: Session, passage: Passage, body: str | None, failed: bool, usage: Usage | None, opaque: bool
) -> None:
    """Write that an invocation came back.  Code between the gates that ran again to the same end counts as reused."""
    past, how, rerun = passage.past, passage.how, session.rerun
    end = past.end if past is not None else None
    if how == "reused" and past is not None and rerun is not None:
        for seq in past.inside:
            if seq >= rerun.replay.cut:
                rerun.copy(rerun.replay.records[seq])
    if how == "executed" and end is not None and passage.call.kind not in LEAVES:
        how = "reused"
    if how == "reused" and end is not None and end.how == "mocked" and passage.call.kind not in LEAVES:
        how = "mocked"
    used = usage or Usage()
    if how == "reused" and end is not None and usage is None:
        used = Usage(end.tokens_in, end.tokens_out, end.cost)
    session.emit(
        InvocationEnded,
        component=passage.call.component,
        call=passage.call.kind,
        invocation=passage.invocation,
        parent=passage.frame.lineage[-2] if len(passage.frame.lineage) > 1 else None,
        body=body,
        failed=failed,
        how=how,
        seconds=round(time.monotonic() - passage.started, 6),
        opaque=opaque,
        tokens_in=used.tokens_in,
        tokens_out=used.tokens_out,
        cost=used.cost,
    )


def abrupt(session: Session, passage: Passage, error: Json) -> None:
    """An invocation was cancelled or the program is ending: say so, without waiting for anything."""
    rerun, past = session.rerun, passage.past
    with session.lock:
        _came_back(session, passage, None)
        if rerun is not None and past is not None and past.end is not None and past.end.seq < rerun.replay.cut:
            rerun.settle(_ends(past))
            return
        write_ended(session, passage, session.bodies.put(error), True, None, False)
        if rerun is not None and not rerun.replay.in_prefix:
            same = past is not None and past.end is not None and past.end.failed
            rerun.settle(_ends(past)) if same and past is not None else rerun.replay.depart()


def _hold_after(session: Session, passage: Passage, output: Json, failed: bool, body: str | None) -> Steps[Answer]:
    call = passage.call
    with session.lock:
        subject = Subject(
            "after", call.kind, call.component, call.type, lambda: output, failed, session.tokens, session.cost
        )
        why = why_hold(session.stance, subject, passage.frame.lineage, call.message)
        if why == "step out":
            session.stance.until, session.stance.through = None, frozenset()
    if why is None:
        return PROCEED
    extra: dict[str, Json] = {"invocation": passage.invocation, "failed": failed}
    given = yield from _hold(session, call, "after", why, body, extra)
    if given.verb == "serve":
        op = "raise" if given.failed else "mock_output"
        with session.lock:
            new = session.bodies.put(given.value)
            session.emit(
                Edited, op=op, component=call.component, invocation=passage.invocation, body=new, was=body, by="user"
            )
    return given


def _hold(session: Session, call: Call, when: str, why: str, body: str | None, extra: dict[str, Json]) -> Steps[Answer]:
    fields = {"when": when, "reason": why, "component": call.component, "call": call.kind, "type": call.type}
    return (
        yield from session.hold({**fields, "message": call.message, "body": body, **extra}, partial(_complete, call))
    )


def _complete(call: Call, given: Answer) -> Answer:
    """The user's answer with its value made complete.  Raises `BadValue`."""
    if given.verb == "proceed" and given.edited:
        return Answer("proceed", call.normalize(call.input, given.value), edited=True)
    if given.verb == "serve" and given.failed:
        return Answer("serve", raised(given.value), failed=True, edited=True)
    if given.verb == "serve":
        return Answer("serve", call.normalize_output(given.value), edited=True)
    return given


def _matched(frame: Frame | None) -> int | None:
    return frame.matched if frame is not None else None


def _inside(frame: Frame | None) -> int | None:
    return frame.invocation if frame is not None else None


def _enter(frame: Frame | None, invocation: int, matched: int | None, call: Call) -> Frame:
    lineage = (*(frame.lineage if frame else ()), invocation)
    message = call.message if call.message is not None else (frame.message if frame else None)
    around = frame or top
    name = f"{call.kind} {call.component}"
    around.counts[name] += 1
    key = f"{around.key}>{name}#{around.counts[name]}"
    return Frame(
        invocation,
        matched,
        lineage,
        call.component,
        message,
        key if len(key) < 200 else shorter_hash(key.encode()),
        kind=call.kind,
    )
