"""The way out through the gate: what happens before an invocation is executed, or instead of it.

Match it with the record, wait for its turn, ask the fork's plan, hold it if the user wants so, write that it goes out.
"""

from __future__ import annotations

import asyncio

from outtake_probe.after import abrupt
from outtake_probe.calls import Call
from outtake_probe.conditions import Subject
from outtake_probe.edits import Edit
from outtake_probe.gate import DROP, PROCEED, Answer, why_hold
from outtake_probe.passage import Asked, Passage, ask, enter, fitting, hold_call, inside, matched_in, raised, whole
from outtake_probe.records import Edited, InvocationEnded, InvocationStarted, Json
from outtake_probe.replay import LEAVES, Past, Replay
from outtake_probe.rerun import Rerun
from outtake_probe.session import Refused, Session
from outtake_probe.values import encode_error
from outtake_probe.waits import Steps

_RECORD = Answer("record")
_OPS = ("replace_input", "mock_output", "raise", "drop", "execute")


def before(session: Session, call: Call) -> Steps[Passage]:
    """An invocation asks to go out."""
    asked = ask(session, call)
    if session.rerun is None:
        return (yield from _pass(session, asked, PROCEED))
    return (yield from _before_in_fork(session, session.rerun, asked))


def _before_in_fork(session: Session, rerun: Rerun, asked: Asked) -> Steps[Passage]:
    call, replay = asked.call, rerun.replay
    key = (call.component, call.kind, asked.digest)
    with session.lock:
        matched = replay.match(key, matched_in(asked.frame))
        asked.occurrence = replay.occurrence(call.component, call.kind)
    try:
        words = f"{call.kind} call of {call.component} with input {asked.digest[:8]}"
        yield from rerun.arrive(matched, call.component, words, sure=call.message is None)
        asked.past = replay.calls[matched] if matched is not None else None
        if matched is not None and matched < replay.cut:
            return (yield from _again(session, rerun, asked))
        answer = yield from _planned(session, rerun, asked)
        return (yield from _pass(session, asked, answer))
    except GeneratorExit:
        with session.lock:
            if matched not in replay.child:
                replay.unmatch(key, matched, call.component, call.kind)
        raise


def _pass(session: Session, asked: Asked, answer: Answer) -> Steps[Passage]:
    """Hold it if the user wants so, then let it go out; a model or tool goes out once that is stored."""
    over = False
    if session.stance.watching:
        answer, over = yield from _hold_before(session, asked, answer)
    with session.lock:
        passage = _go_out(session, asked, answer)
        if over:
            session.stance.through = frozenset({passage.invocation})
    if passage.out:
        try:
            yield session.recorder.stored(passage.invocation)
        except GeneratorExit:
            abrupt(session, passage, encode_error(asyncio.CancelledError("cancelled before it went out")))
            raise
    return passage


def _again(session: Session, rerun: Rerun, asked: Asked) -> Steps[Passage]:
    """An invocation that started before the cut: it is in the record, nothing is written."""
    replay, past = rerun.replay, asked.past
    if past is None:
        raise ValueError("nothing was recorded")
    seq = past.start.seq
    passage = Passage(asked.call, seq, enter(asked, seq, seq), past)
    asked.call.number = seq
    came_back = past.end is not None and past.end.seq < replay.cut
    if came_back:
        replay.pass_by(past, asked.occurrence, asked.call.input)
    recorded = (yield from _recorded_answer(session, rerun, asked)) if came_back else None
    if recorded is not None:
        answer = recorded
    elif came_back:  # with what no record can bring back: it happens again
        answer = yield from _repeated(session, replay, asked)
    else:
        answer = yield from _planned(session, rerun, asked)
    if answer is PROCEED and past.start.edited and past.start.body is not None:
        answer = Answer("proceed", (yield from rerun.body(past.start.body)), edited=True)
    with session.lock:
        replay.child[seq] = seq
        _take(session, passage, answer)
        rerun.settle([seq, *_will_not_happen(passage, replay)])
        _mark_out(session, passage)
    return passage


def _will_not_happen(passage: Passage, replay: Replay) -> list[int]:
    """Records that nothing will match: what is inside a passage that does not execute, the pieces of one that does."""
    past = passage.past
    if past is None:
        return []
    if passage.verb == "proceed":
        return [c.seq for c in past.chunks]
    replay.skip(past.inside)
    return past.inside


# -- what decides ----------------------------------------------------------------------------------------------------


def _recorded_answer(session: Session, rerun: Rerun, asked: Asked) -> Steps[Answer | None]:
    """What the record answers instead of the program, if it does."""
    replay, past = rerun.replay, asked.past
    if past is None or past.end is None:
        return None
    if replay.served(past.start.seq) and (yield from _still_true(session, rerun, asked.call, past.end)):
        return _RECORD
    if past.end.how == "dropped" and replay.recorded_holds(past.end.seq):
        return DROP
    return None


def _still_true(session: Session, rerun: Rerun, call: Call, end: InvocationEnded) -> Steps[bool]:
    """Whether what is recorded of a whole invocation goes here, too: what it read beside its input is still the same.

    Up to the first difference everything is.
    """
    if call.kind in LEAVES or end.how == "mocked" or end.changes is None:
        return True
    what = whole(session, call)
    if what is None or not rerun.replay.different:
        return what is not None
    return what.same((yield from rerun.body(end.changes)))


def _planned(session: Session, rerun: Rerun, asked: Asked) -> Steps[Answer]:
    """What the fork's plan says: an edit, an answer from the record, or to ask before something happens twice."""
    replay, call, past = rerun.replay, asked.call, asked.past
    edit = replay.edit_for(asked.matched, call.component, call.kind, asked.occurrence, _OPS, input=call.input)
    if edit is not None:
        given = _edit_answer(session, edit, call)
        return _RECORD if past is not None and _is_recorded(session, replay, past, given) else given
    answer = yield from _recorded_answer(session, rerun, asked)
    if answer is not None:
        return answer
    if past is not None and past.start.edited and past.start.body is not None and replay.recorded_holds(past.start.seq):
        return Answer("proceed", (yield from rerun.body(past.start.body)), edited=True)
    return (yield from _repeated(session, replay, asked))


def _edit_answer(session: Session, edit: Edit, call: Call) -> Answer:
    if edit.op == "replace_input":
        value = fitting(session, edit, lambda given: call.normalize(call.input, given))
        return Answer("proceed", value, edited=True)
    if edit.op == "drop":
        return DROP
    if edit.op == "execute":
        return PROCEED
    if edit.op == "raise":
        return Answer("serve", raised(edit.value), failed=True, edited=True)
    return Answer("serve", fitting(session, edit, call.normalize_output), edited=True)


def _is_recorded(session: Session, replay: Replay, past: Past, given: Answer) -> bool:
    """Whether a mock answered the same in the parent: then nothing changes."""
    if given.verb != "serve" or not past.mocked:
        return False
    return (session.bodies.put(given.value), given.failed) == replay.output_of(past.start.seq)


def _repeated(session: Session, replay: Replay, asked: Asked) -> Steps[Answer]:
    """Nothing that changes the world happens a second time without a word."""
    call, past, policy = asked.call, asked.past, replay.plan.repeat
    effects = session.effects(call)
    if call.kind != "tool" or effects in ("pure", "read") or policy == "run":
        return PROCEED
    again = past is not None and past.end is not None and not past.end.failed
    first = replay.plan.continues or not replay.plan.records
    if not again and (effects != "irreversible" or (first and past is None)):
        return PROCEED
    servable = again and past is not None and past.end is not None and not past.end.opaque and not past.edited_inside
    if policy == "ask":
        reason = "was already called with this input" if again else "is irreversible"
        offers = [*(["record"] if servable else []), "proceed", "mock_output"]
        told: dict[str, Json] = {"when": "before", "reason": f"{call.component} {reason}", "offers": offers}
        return (yield from hold_call(session, call, asked.body, {**told, "effects": effects}))
    if servable:
        return _RECORD
    if effects != "irreversible":
        return PROCEED
    what = "would happen again" if again else "cannot be undone"
    refusal = f"{call.component} is irreversible and {what}: allow it with --repeat run, or mock its output"
    return Answer("serve", encode_error(Refused(refusal)), failed=True, edited=True)


def _hold_before(session: Session, asked: Asked, answer: Answer) -> Steps[tuple[Answer, bool]]:
    """Hold it if the user wants so: what to do then, and whether to step over what happens inside."""
    call, frame = asked.call, asked.frame
    with session.lock:
        subject = Subject(
            "before", call.kind, call.component, call.type, lambda: call.input, False, session.tokens, session.cost
        )
        why = why_hold(session.stance, subject, frame.lineage if frame else (), call.message)
        if why == "run to here":
            session.stance.run_to = None
    if why is None:
        return answer, False
    told: dict[str, Json] = {"when": "before", "reason": why, "parent": inside(frame)}
    given = yield from hold_call(session, call, asked.body, told)
    goes_on = given.verb == "over" or (given.verb == "proceed" and not given.edited)
    return (answer if goes_on else given), given.verb == "over"


# -- what is written -------------------------------------------------------------------------------------------------


def _go_out(session: Session, asked: Asked, answer: Answer) -> Passage:
    """Write that it goes out, with what input."""
    call, past, rerun, parent = asked.call, asked.past, session.rerun, inside(asked.frame)
    if call.revised:
        asked.body = session.bodies.put(call.input)
    edited = answer.verb == "proceed" and answer.edited
    new = session.bodies.put(answer.value) if edited else asked.body
    if edited:
        session.emit(Edited, op="replace_input", component=call.component, body=new, was=asked.body, parent=parent)
    if rerun is not None and (past is None or answer.edited or answer.verb == "drop"):
        rerun.replay.depart()
    seq = session.emit(
        InvocationStarted,
        component=call.component,
        call=call.kind,
        type=call.type,
        body=new,
        digest=asked.digest,
        edited=edited,
        effects=session.effects(call),
        invocation=session.recorder.next,
        parent=parent,
        message=call.message,
        caused_by=call.caused_by or ((call.message,) if call.message is not None else ()),
    )
    passage = Passage(call, seq, enter(asked, seq, asked.matched), past)
    call.number = seq
    _take(session, passage, answer)
    if rerun is not None and asked.matched is not None:
        rerun.replay.child[asked.matched] = seq
        rerun.settle([asked.matched, *_will_not_happen(passage, rerun.replay)])
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
