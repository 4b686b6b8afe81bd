"""The way of a message through the gate: match it, wait for its turn, let the plan change it, write it down."""

from __future__ import annotations

from dataclasses import dataclass

from outtake_probe.calls import Frame, Message, current
from outtake_probe.edits import Edit
from outtake_probe.gate.pass_state import fitting, inside, matched_in
from outtake_probe.records import Edited, Json, MessageDropped, MessageQueued
from outtake_probe.replay.index import ReplayIndex
from outtake_probe.replay.scheduler import Replay
from outtake_probe.session import Session
from outtake_probe.states.inside import inside as inside_repeated
from outtake_probe.waits import Steps


@dataclass(frozen=True, slots=True)
class Queued:
    """What became of a message: its number, whether it is dropped, its new content where an edit changed it."""

    id: int
    dropped: bool = False
    edited: bool = False
    value: Json = None


@dataclass(slots=True)
class _Sent:
    """A message on its way: what was sent, and what an edit makes of it."""

    message: Message
    frame: Frame | None
    body: str
    digest: str
    edit: Edit | None = None
    changed: bool = False
    value: Json = None


def queue(session: Session, message: Message) -> Steps[Queued]:
    """A component sends a message: number it, let the plan change it, write it down."""
    replay = session.replay
    if inside_repeated() is not None:
        return Queued(-1)
    with session.lock:
        session.check()
        told = session.bodies.told  # the record names them, and is asked for them
        message.sender, message.recipient, message.type = map(told, (message.sender, message.recipient, message.type))
        body = session.bodies.put(message.body)
        digest = body if message.identity is None else session.bodies.put(message.identity)
        sent = _Sent(message, current.get(), body, digest)
        if replay is None:
            return Queued(_write(session, sent, body))
        key = (message.sender, message.recipient, message.type, digest)
        matched = replay.index.match(key, matched_in(sent.frame))
        occurrence = replay.index.occurrence(message.sender, "message")
        if matched is not None:
            session.printing.passed(matched_in(sent.frame), matched)
    asked = f"message {message.type} from {message.sender} to {message.recipient} with content {digest[:8]}"
    yield from replay.arrive(matched, message.sender, asked)
    sent.value, sent.changed = yield from _recorded(replay, matched)
    if matched is not None and matched < replay.index.cut:
        with session.lock:
            replay.index.child[matched] = matched
            replay.settle([matched])
            return Queued(matched, matched in replay.index.dropped, sent.changed, sent.value)
    sent.edit = replay.index.edit_for(matched, message.sender, "message", occurrence, ("replace_message", "drop"))
    if sent.edit is not None and sent.edit.op == "replace_message":
        sent.value = fitting(session, sent.edit, lambda given: message.normalize(message.body, given))
        sent.changed = True
    with session.lock:
        return _queue_new(session, replay, sent, matched)


def _recorded(replay: Replay, matched: int | None) -> Steps[tuple[Json, bool]]:
    """What an edit in the record made of a message, and whether one did."""
    if matched is None or not replay.index.recorded_holds(matched):
        return None, False
    record = replay.index.messages[matched]
    if not record.edited or record.body is None:
        return None, False
    return (yield from replay.body(record.body)), True


def _queue_new(session: Session, replay: Replay, sent: _Sent, matched: int | None) -> Queued:
    """A message after the cut is the fork's own, whether or not the parent sent the same."""
    index: ReplayIndex = replay.index
    sender, parent = sent.message.sender, inside(sent.frame)
    new = session.bodies.put(sent.value) if sent.changed else sent.body
    if matched is None or sent.edit is not None:
        index.depart()
    if sent.changed:
        session.emit(Edited, op="replace_message", component=sender, body=new, was=sent.body, parent=parent)
    seq = _write(session, sent, new)
    drop = sent.edit.op == "drop" if sent.edit is not None else matched in index.dropped
    if matched is not None:
        index.child[matched] = seq
    if drop:
        session.emit(MessageDropped, component=sender, message=seq, edited=True, parent=parent)
    if matched is not None:
        replay.settle([matched])
    return Queued(seq, drop, sent.changed, sent.value)


def _write(session: Session, sent: _Sent, body: str) -> int:
    message, frame = sent.message, sent.frame
    seq = session.next
    return session.emit_next(
        MessageQueued,
        component=message.sender,
        recipient=message.recipient,
        type=message.type,
        body=body,
        digest=sent.digest,
        edited=sent.changed,
        message=seq,
        parent=inside(frame),
        caused_by=message.caused_by or ((frame.message,) if frame and frame.message is not None else ()),
    )
