"""The way back through the gate: what is served instead of executing, and what happens once an invocation came back.

Wait for its turn, write what came back, hold that if the user wants so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from outtake_probe import clock
from outtake_probe.calls import Sends, Usage
from outtake_probe.codec import Opaque, is_opaque
from outtake_probe.conditions import Subject
from outtake_probe.gate.decision import PROCEED, Answer, why_hold
from outtake_probe.gate.pass_state import Passage, hold_call, whole
from outtake_probe.keeping import ReachableState
from outtake_probe.kept import joined, parted
from outtake_probe.printing import fetch, left, print_again
from outtake_probe.rebuilding import not_kept
from outtake_probe.records import Edited, How, InvocationEnded, Json, StreamChunk
from outtake_probe.replay.index import LEAVES, Past
from outtake_probe.replay.scheduler import Replay
from outtake_probe.session import Session
from outtake_probe.states.saving import save
from outtake_probe.waits import Steps, Wait

CHUNK_AGE = 0.05
"""Seconds that a piece of a stream may wait to be written together with the next."""
MOST_WAITING = 200
"""Pieces of a stream that wait, at most, for the next ones to tell that no secret has begun."""
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
    kept: str | None = None
    """Hash of what a tool changed in the process."""


def served_output(session: Session, passage: Passage) -> Steps[Json]:
    """The recorded or mocked output."""
    if passage.how != "reused" or passage.output is None or session.replay is None:
        return passage.mock
    value = yield from session.replay.body(passage.output)
    yield from fetch(session, passage)
    end = passage.past.end if passage.past is not None else None
    if end is not None and end.kept is not None:
        passage.kept = yield from session.replay.body(end.kept)
    if end is not None and end.changes is not None and passage.call.kind not in LEAVES:
        passage.changes = yield from session.replay.body(end.changes)
    if passage.changes is not None and isinstance(passage.call.whole, Sends):
        yield from _resend(session.replay, passage, passage.call.whole)
    return value


def until_cancelled(session: Session, passage: Passage, output: Json) -> Steps[None]:
    """Where the record holds a cancellation, wait for the program to cancel again."""
    if passage.how == "reused" and passage.failed and _is_cancellation(output):
        yield from print_again(session, passage)
        if not session.was_interrupted:
            yield Wait(link=passage.call.link)


def _resend(replay: Replay, passage: Passage, whole: Sends) -> Steps[None]:
    """What it sent before it came back is sent again in its turn: others may have started because of that."""
    for index, seq in enumerate(passage.past.sent if passage.past is not None else ()):
        yield from print_again(replay.session, passage, before=seq)
        yield from replay.turn(seq)
        with replay.session.lock:
            if seq >= replay.index.cut:
                replay.copy(replay.index.records[seq])
                passage.written.add(seq)
            number = replay.index.child.get(seq, seq)
        whole.resend(passage.changes, index, number)


def redo(session: Session, passage: Passage) -> None:
    """Do again what an invocation changed that is served from the record."""
    changes, streamed = parted(passage.kept)
    for event in streamed:
        passage.call.stream(event)
    if changes is not None and not ReachableState(session.code.is_own, passage.call.reaches).redo(changes):
        not_kept(session, passage.call)
    if passage.changes is None or passage.call.whole is None or passage.past is None or session.replay is None:
        return
    child = session.replay.index.child
    passage.call.whole.redo(passage.changes, [child.get(seq, seq) for seq in passage.past.sent])


def served_chunk(session: Session, passage: Passage, record: StreamChunk) -> Steps[Json]:
    """The pieces of one recorded chunk, when its turn has come."""
    replay = session.replay
    if replay is None or record.body is None:
        return []
    pieces = yield from replay.body(record.body)
    yield from print_again(session, passage, before=record.seq)
    yield from replay.turn(record.seq)
    with session.lock:
        if record.seq >= replay.index.cut:
            _write_chunk(session, passage, record.body, record.index, record.count)
        replay.settle([record.seq])
    return pieces


def chunk(session: Session, passage: Passage, piece: Json) -> None:
    """A live stream gave one piece; pieces that nothing came between are written together."""
    replay = session.replay
    if replay is not None and replay.index.in_prefix and not passage.live:
        return  # code between the gates runs again: its pieces are in the record
    with session.lock:
        now = clock.monotonic()
        if session.printing.waits_for(passage.invocation):
            session.flush_streams()
        if not passage.pieces:
            passage.piece_since = now
            session.streaming.add(passage.invocation)
            session.streams.append(lambda: _flush(session, passage))
        passage.pieces.append(piece)
        if now - passage.piece_since > CHUNK_AGE and _can_go(session, passage):
            session.flush_streams()


def _can_go(session: Session, passage: Passage) -> bool:
    """Whether the pieces do not end where a secret may have begun, which the next ones tell."""
    passage.cleaning = passage.cleaning or session.bodies.stream()
    waits = len(passage.pieces) < MOST_WAITING
    return passage.cleaning is None or not waits or not passage.cleaning.is_open(passage.pieces)


def _flush(session: Session, passage: Passage) -> None:
    pieces, passage.pieces = passage.pieces, []
    session.streaming.discard(passage.invocation)
    passage.cleaning = passage.cleaning or session.bodies.stream()
    if passage.cleaning is not None:
        pieces = passage.cleaning.take(pieces, is_last=passage.is_over)
    _write_chunk(session, passage, session.bodies.put(pieces), passage.piece_index, len(pieces))
    passage.piece_index += len(pieces)


def _write_chunk(session: Session, passage: Passage, body: str, index: int, count: int) -> None:
    component = passage.call.component
    session.emit(StreamChunk, component=component, invocation=passage.invocation, body=body, index=index, count=count)


def after(
    session: Session, passage: Passage, output: Json, failed: bool = False, usage: Usage | None = None
) -> Steps[Answer]:
    """An invocation came back.  The answer is `PROCEED`, or another output (or error) to go on with."""
    replay, past = session.replay, passage.past
    passage.interrupted = passage.interrupted or (failed and _is_cancellation(output))
    if passage.verb == "proceed" and passage.call.kind == "tool":
        yield from _save_state(session, passage)
    with session.lock:
        passage.is_over = True
        body = passage.output if passage.verb == "serve" else _body(session, passage, output, failed)
        back = Back(output, body, failed, usage, _changes(session, passage), _kept(session, passage))
        _came_back(session, passage, usage)
        if replay is not None and past is not None and passage.verb == "proceed":
            replay.ends(past)
        if replay is not None and past is not None:
            replay.settle([c.seq for c in past.chunks])  # pieces that nobody fetched any more
            rebuilt = passage.is_rebuilding and replay.index.happened(past)  # then it fails by its own doing
            if failed and passage.verb == "proceed" and past.end is not None and not past.end.failed and not rebuilt:
                replay.failed_instead(past.end, output)
    if replay is not None:
        if not replay.index.different:
            yield from print_again(session, passage)
        yield from _return(replay, passage)
        yield from print_again(session, passage)
    instead = PROCEED
    if replay is not None and _holds_still(replay, passage):
        instead, back = yield from _as_recorded(replay, passage, back)
    with session.lock:
        if replay is not None and past is not None and past.end is not None and past.end.seq < replay.index.cut:
            passage.is_ended = True
            replay.settle(_ends(past))
            return instead
        _write_ended(session, passage, back)
        if replay is not None:
            _compare(replay, passage, back)
    if not session.stance.watching:
        return instead
    given = yield from _hold_after(session, passage, back)
    return instead if given is PROCEED else given


def _holds_still(replay: Replay, passage: Passage) -> bool:
    """Whether a tool that was executed again for what it keeps gives what is recorded: nothing differs so far."""
    past, index = passage.past, replay.index
    if past is None or past.end is None or past.end.opaque or not passage.is_rebuilding or not index.happened(past):
        return False
    return past.end.seq < index.cut or not index.different


def _as_recorded(replay: Replay, passage: Passage, back: Back) -> Steps[tuple[Answer, Back]]:
    """The recorded result of a passage that came to another one, with a time or an id of its own."""
    body, failed = replay.index.output_of(passage.past.start.seq) if passage.past is not None else (None, False)
    if body is None or (body, failed) == (back.body, back.failed):
        return PROCEED, back
    value = yield from replay.body(body)
    return Answer("serve", value, failed=failed, edited=True), replace(back, value=value, body=body, failed=failed)


def _save_state(session: Session, passage: Passage) -> Steps[None]:
    """Keep the state outside the process as the call left it, where the object that holds it can save it."""
    if not passage.state:
        with session.lock:
            passage.late = session.states.made(session, passage)
    if name := passage.state or passage.late:
        passage.saved = yield from save(session, name, passage.call)


def _body(session: Session, passage: Passage, output: Json, failed: bool) -> str:
    """The hash of what came back; of the pieces of a stream, without secrets that only all of them hold."""
    is_streamed = (passage.pieces or passage.piece_index) and not failed and type(output) is list
    return session.pieces_body(output) if is_streamed else session.body(output)


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
    except Exception as error:  # noqa: BLE001  an adapter looks into objects of the user's
        session.fault(error)
        return None


def _kept(session: Session, passage: Passage) -> str | None:
    """Hash of what a tool changed in the process, and of what it streamed to the program, executed or served.

    Of one that has calls inside, or a state outside, it is for its code to change that again.
    """
    if passage.how == "reused":
        return passage.past.end.kept if passage.past is not None and passage.past.end is not None else None
    is_told = passage.watch is not None and not (passage.frame.has_calls or passage.state or passage.late)
    changes = passage.watch.changes() if is_told and passage.watch is not None else None
    kept = joined(changes, passage.call.streamed)
    return session.bodies.put(kept) if kept is not None else None


def _came_back(session: Session, passage: Passage, usage: Usage | None) -> None:
    if passage.out and session.replay is not None:
        session.replay.came_back(passage.invocation)
    passage.out = False
    if usage is not None:
        session.tokens += usage.tokens_in + usage.tokens_out
        session.cost += usage.cost


def _return(replay: Replay, passage: Passage) -> Steps[None]:
    """Wait until it is the turn of this result."""
    end = passage.past.end if passage.past is not None else None
    if (end is not None and end.seq < replay.index.cut) or (end is not None and replay.index.ordered):
        yield from replay.turn(end.seq)
    elif replay.index.in_prefix:
        yield from replay.turn(replay.index.cut)
    mocked = passage.verb == "serve" and replay.index.plan.reuse == "matching"  # otherwise nothing is served beside it
    if replay.index.different and end is not None and (mocked or passage.how == "reused"):
        yield from replay.among_served(end.seq)


def _ends(past: Past) -> list[int]:
    return [r.seq for r in (past.end, past.output_edit) if r is not None]


def _compare(replay: Replay, passage: Passage, back: Back) -> None:
    end = passage.past.end if passage.past is not None else None
    if replay.index.in_prefix:
        return
    counts = passage.call.kind in LEAVES or passage.call.whole is not None
    differs = end is None or back.body != _recorded_body(replay, passage)
    differs = differs or end is None or (back.changes, back.kept) != (end.changes, end.kept)
    if end is None or passage.past is None or (counts and differs):
        replay.index.depart()
        return
    replay.settle(_ends(passage.past))


def _recorded_body(replay: Replay, passage: Passage) -> str | None:
    return replay.index.output_of(passage.past.start.seq)[0] if passage.past is not None else None


def _how(replay: Replay | None, passage: Passage, back: Back) -> How:
    """How it came to its result.  Code between the gates that ran again to the same result counts as reused.

    That of an invocation which the record could have answered as a whole was executed for a reason.
    """
    end = passage.past.end if passage.past is not None else None
    past = passage.past
    again = past is not None and (past.reaches_out or past.rebuilt)  # its code had to be executed again
    if replay is None or end is None:
        return passage.how
    if (passage.call.kind in LEAVES or end.changes is not None) and not again:
        return passage.how
    if passage.how == "reused" and end.how == "mocked":
        return "mocked"
    same = not passage.edited and (back.body, back.failed) == (end.body, end.failed)
    return "reused" if passage.how == "executed" and same else passage.how


def _write_ended(session: Session, passage: Passage, back: Back) -> None:
    """Write that an invocation came back, after what happened inside one that was served as a whole."""
    past, replay = passage.past, session.replay
    session.printing.ended(passage.frame)
    session.watches.pop(passage.invocation, None)
    if passage.how == "reused" and past is not None and replay is not None:
        for seq in replay.index.inside(past):
            if seq >= replay.index.cut and seq not in passage.written:
                replay.copy(replay.index.records[seq])
    how = _how(replay, passage, back)
    used = back.usage or Usage()
    if how == "reused" and past is not None and past.end is not None and back.usage is None:
        used = Usage(past.end.tokens_in, past.end.tokens_out, past.end.cost)
    seconds = clock.monotonic() - passage.started
    if passage.how == "reused" and past is not None and past.end is not None:
        seconds = past.end.seconds
    lineage = passage.frame.lineage
    number = session.next
    try:
        passage.is_ended = True
        session.emit_next(
            InvocationEnded,
            component=passage.call.component,
            call=passage.call.kind,
            invocation=passage.invocation,
            parent=lineage[-2] if len(lineage) > 1 else None,
            body=back.body,
            failed=back.failed,
            interrupted=passage.interrupted or _was_interrupted(passage),
            how=how,
            seconds=round(seconds, 6),
            opaque=passage.verb == "proceed" and not back.failed and is_opaque(back.value),
            changes=back.changes,
            state=passage.late,
            saved=_saved(passage),
            keeps=_keeps(passage),
            kept=back.kept,
            tokens_in=used.tokens_in,
            tokens_out=used.tokens_out,
            cost=used.cost,
        )
    except BaseException:
        passage.is_ended = session.recorder.next > number
        raise


def _was_interrupted(passage: Passage) -> bool:
    """Whether the record that answers says that it was left before it came to a result."""
    end = passage.past.end if passage.past is not None and passage.how == "reused" else None
    return end is not None and end.interrupted


def _keeps(passage: Passage) -> bool:
    """Whether a tool keeps or streams something of what happened inside; of a served one, as it was then."""
    if passage.how == "reused" and passage.past is not None and passage.past.end is not None:
        return passage.past.end.keeps
    watch = passage.watch
    return watch is not None and passage.frame.has_calls and (passage.call.is_seen or watch.kept())


def _saved(passage: Passage) -> str | None:
    """The state after it: as it was saved now, or of one that the record answered for, then."""
    end = passage.past.end if passage.past is not None and passage.how == "reused" else None
    return end.saved if end is not None else passage.saved


def abrupt(session: Session, passage: Passage, error: Json) -> None:
    """An invocation was cancelled or the program is ending: say so, without waiting for anything."""
    replay, past = session.replay, passage.past
    passage.interrupted = _is_cancellation(error)
    with session.lock:
        passage.is_over = True
        left(session, passage)
        if replay is not None and past is not None:
            replay.ends(past)
        _came_back(session, passage, None)
        if replay is not None and past is not None and past.end is not None and past.end.seq < replay.index.cut:
            passage.is_ended = True
            replay.settle(_ends(past))
            return
        _write_ended(session, passage, Back(error, session.bodies.put(error), failed=True))
        if replay is not None and past is not None and past.end is not None and past.end.failed:
            replay.settle(_ends(past))
        elif replay is not None and not replay.index.in_prefix:
            replay.index.depart()


def _is_cancellation(error: Json) -> bool:
    """Whether an error says that the program took an invocation back."""
    return isinstance(error, dict) and error.get("class") in CANCELLED


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
