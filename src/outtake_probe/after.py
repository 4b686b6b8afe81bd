"""The way back through the gate: what is served instead of executing, and what happens once an invocation came back.

Wait for its turn, write what came back, hold that if the user wants so.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from outtake_probe.calls import Sends, Usage
from outtake_probe.conditions import Subject
from outtake_probe.gate import PROCEED, Answer, why_hold
from outtake_probe.passage import Passage, hold_call, whole
from outtake_probe.records import Edited, How, InvocationEnded, Json, StreamChunk
from outtake_probe.replay import LEAVES, Past
from outtake_probe.rerun import Rerun
from outtake_probe.session import Session
from outtake_probe.values import Opaque, is_opaque
from outtake_probe.waits import Steps, Wait

CHUNK_AGE = 0.05
"""Seconds that a piece of a stream may wait to be written together with the next."""
CANCELLED = ("asyncio.exceptions:CancelledError", "concurrent.futures._base:CancelledError")


@dataclass(frozen=True, slots=True)
class Back:
    """What an invocation came back with: an output, or an error (`failed`)."""

    value: Json
    body: str | None
    failed: bool = False
    usage: Usage | None = None
    changes: str | None = None
    """Hash of what it did beside its result, where the record can answer for it."""


def served_output(session: Session, passage: Passage) -> Steps[Json]:
    """The recorded or mocked output.  Where the record holds a cancellation, wait for the program to cancel again."""
    if passage.how != "reused" or passage.output is None or session.rerun is None:
        return passage.mock
    value = yield from session.rerun.body(passage.output)
    end = passage.past.end if passage.past is not None else None
    if end is not None and end.changes is not None and passage.call.kind not in LEAVES:
        passage.changes = yield from session.rerun.body(end.changes)
    if passage.failed and isinstance(value, dict) and value.get("class") in CANCELLED:
        yield Wait()
    if passage.changes is not None and isinstance(passage.call.whole, Sends):
        yield from _resend(session.rerun, passage, passage.call.whole)
    return value


def _resend(rerun: Rerun, passage: Passage, whole: Sends) -> Steps[None]:
    """What it sent before it came back is sent again in its turn: others may have started because of that."""
    for index, seq in enumerate(passage.past.sent if passage.past is not None else ()):
        yield from rerun.turn(seq)
        with rerun.session.lock:
            if seq >= rerun.replay.cut:
                rerun.copy(rerun.replay.records[seq])
                passage.resent.add(seq)
            number = rerun.replay.child.get(seq, seq)
        whole.resend(passage.changes, index, number)


def redo(session: Session, passage: Passage) -> None:
    """Do again what a whole invocation changed that is served from the record."""
    if passage.changes is None or passage.call.whole is None or passage.past is None or session.rerun is None:
        return
    child = session.rerun.replay.child
    passage.call.whole.redo(passage.changes, [child.get(seq, seq) for seq in passage.past.sent])


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


def chunk(session: Session, passage: Passage, piece: Json) -> None:
    """A live stream gave one piece; pieces that nothing came between are written together."""
    rerun = session.rerun
    if rerun is not None and rerun.replay.in_prefix and not passage.live:
        return  # code between the gates runs again: its pieces are in the record
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
        back = Back(output, body, failed, usage, _changes(session, passage))
        _came_back(session, passage, usage)
        if rerun is not None and past is not None:
            rerun.settle([c.seq for c in past.chunks])  # pieces that nobody fetched any more
            if failed and passage.verb == "proceed" and past.end is not None and not past.end.failed:
                rerun.failed_instead(past.end, output)
    if rerun is not None:
        yield from _return(rerun, passage)
    with session.lock:
        if rerun is not None and past is not None and past.end is not None and past.end.seq < rerun.replay.cut:
            rerun.settle(_ends(past))
            return PROCEED
        _write_ended(session, passage, back)
        if rerun is not None:
            _compare(rerun, passage, back)
    if not session.stance.watching:
        return PROCEED
    return (yield from _hold_after(session, passage, back))


def _changes(session: Session, passage: Passage) -> str | None:
    """Hash of what a whole invocation did, executed or served; None where only executing it does it again."""
    end = passage.past.end if passage.past is not None else None
    if passage.how == "reused":
        return end.changes if end is not None else None
    watched = whole(session, passage.call)
    if passage.verb != "proceed" or watched is None:
        return None
    try:
        return session.bodies.put(watched.changes())
    except Opaque:
        return None


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
    mocked = passage.verb == "serve" and rerun.replay.plan.reuse == "matching"  # otherwise nothing is served beside it
    if rerun.replay.different and end is not None and (mocked or passage.how == "reused"):
        yield from rerun.among_served(end.seq)


def _ends(past: Past) -> list[int]:
    return [r.seq for r in (past.end, past.output_edit) if r is not None]


def _compare(rerun: Rerun, passage: Passage, back: Back) -> None:
    end = passage.past.end if passage.past is not None else None
    if rerun.replay.in_prefix:
        return
    counts = passage.call.kind in LEAVES or passage.call.whole is not None
    differs = end is None or back.body != _recorded_body(rerun, passage) or back.changes != end.changes
    if end is None or passage.past is None or (counts and differs):
        rerun.replay.depart()
        return
    rerun.settle(_ends(passage.past))


def _recorded_body(rerun: Rerun, passage: Passage) -> str | None:
    return rerun.replay.output_of(passage.past.start.seq)[0] if passage.past is not None else None


def _how(rerun: Rerun | None, passage: Passage, back: Back) -> How:
    """How it came to its result.  Code between the gates that ran again to the same result counts as reused.

    That of an invocation which the record could have answered as a whole was executed for a reason.
    """
    end = passage.past.end if passage.past is not None else None
    if rerun is None or end is None or passage.call.kind in LEAVES or end.changes is not None:
        return passage.how
    if passage.how == "reused" and end.how == "mocked":
        return "mocked"
    same = not passage.edited and (back.body, back.failed) == (end.body, end.failed)
    return "reused" if passage.how == "executed" and same else passage.how


def _write_ended(session: Session, passage: Passage, back: Back) -> None:
    """Write that an invocation came back, after what happened inside one that was served as a whole."""
    past, rerun = passage.past, session.rerun
    if passage.how == "reused" and past is not None and rerun is not None:
        for seq in past.inside:
            if seq >= rerun.replay.cut and seq not in passage.resent:
                rerun.copy(rerun.replay.records[seq])
    how = _how(rerun, passage, back)
    used = back.usage or Usage()
    if how == "reused" and past is not None and past.end is not None and back.usage is None:
        used = Usage(past.end.tokens_in, past.end.tokens_out, past.end.cost)
    seconds = time.monotonic() - passage.started
    if passage.how == "reused" and past is not None and past.end is not None:
        seconds = past.end.seconds
    lineage = passage.frame.lineage
    session.emit(
        InvocationEnded,
        component=passage.call.component,
        call=passage.call.kind,
        invocation=passage.invocation,
        parent=lineage[-2] if len(lineage) > 1 else None,
        body=back.body,
        failed=back.failed,
        how=how,
        seconds=round(seconds, 6),
        opaque=passage.verb == "proceed" and not back.failed and is_opaque(back.value),
        changes=back.changes,
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
        _write_ended(session, passage, Back(error, session.bodies.put(error), failed=True))
        if rerun is not None and not rerun.replay.in_prefix:
            if past is not None and past.end is not None and past.end.failed:
                rerun.settle(_ends(past))
            else:
                rerun.replay.depart()


def _hold_after(session: Session, passage: Passage, back: Back) -> Steps[Answer]:
    call = passage.call
    with session.lock:
        subject = Subject(
            "after", call.kind, call.component, call.type, lambda: back.value, back.failed, session.tokens, session.cost
        )
        why = why_hold(session.stance, subject, passage.frame.lineage, call.message)
        if why == "step out":
            session.stance.until, session.stance.through = None, frozenset()
    if why is None:
        return PROCEED
    told: dict[str, Json] = {"when": "after", "reason": why, "invocation": passage.invocation, "failed": back.failed}
    given = yield from hold_call(session, call, back.body, told)
    if given.verb == "serve":
        op = "raise" if given.failed else "mock_output"
        about = {"component": call.component, "invocation": passage.invocation, "was": back.body}
        with session.lock:
            session.emit(Edited, op=op, body=session.bodies.put(given.value), by="user", **about)
    return given
