"""The way out through the gate: what happens before an invocation is executed, or instead of it.

Match it with the record, wait for its turn, ask the fork's plan, hold it if the user wants so, write that it goes out.
"""

from __future__ import annotations

from dataclasses import replace

from outtake_probe.calls import Call
from outtake_probe.codec import encode_error
from outtake_probe.conditions import Subject
from outtake_probe.edits import Edit
from outtake_probe.gate.decision import DROP, PROCEED, Answer, why_hold
from outtake_probe.gate.pass_state import (
    Asked,
    Passage,
    ask,
    enter,
    fitting,
    hold_call,
    inside,
    matched_in,
    raised,
    whole,
)
from outtake_probe.keeping import ReachableState
from outtake_probe.rebuilding import is_rebuilt, notes
from outtake_probe.records import Edited, InvocationEnded, InvocationStarted, Json
from outtake_probe.replay.index import LEAVES, Past, ReplayIndex
from outtake_probe.replay.scheduler import Replay
from outtake_probe.session import Refused, Session
from outtake_probe.states.restoring import restored
from outtake_probe.waits import Steps

_RECORD = Answer("record")
_REFUSED = f"{Refused.__module__}:{Refused.__qualname__}"
_WAS_OUT = "may have happened: it was out where the record ends, and nobody knows what became of it"
_OPS = ("replace_input", "mock_output", "raise", "drop", "execute")


def before(session: Session, call: Call, begun: list[Passage] | None = None) -> Steps[Passage]:
    """An invocation asks to go out.

    Its passage is put into `begun` when its start is written: the program may take control away at any point, by a
    cancellation or a signal handler that raises, and whoever drives the steps then has to write the end.
    """
    asked = ask(session, call)
    asked.begun = begun
    if session.replay is None:
        passage = yield from _pass(session, asked, PROCEED)
    else:
        passage = yield from _before_in_fork(session, session.replay, asked)
    if passage.live and call.kind == "tool" and session.effects(call) not in ("pure", "read"):
        passage.watch = session.watch(passage.frame, ReachableState(session.code.is_own, call.reaches))
    return passage


def _before_in_fork(session: Session, replay: Replay, asked: Asked) -> Steps[Passage]:
    call, index = asked.call, replay.index
    key = (call.component, call.kind, asked.digest)
    with session.lock:
        matched = index.match(key, matched_in(asked.frame))
        asked.occurrence = index.occurrence(call.component, call.kind)
        if matched is not None:
            session.printing.passed(matched_in(asked.frame), matched)
    try:
        words = f"{call.kind} call of {call.component} with input {asked.digest[:8]}"
        yield from replay.arrive(matched, call.component, words, sure=call.message is None)
        asked.past = index.calls[matched] if matched is not None else None
        session.states.compare(asked, index.cut)
        if matched is not None and matched < index.cut:
            return (yield from _again(session, replay, asked))
        answer = yield from _planned(session, replay, asked)
        return (yield from _pass(session, asked, answer))
    except GeneratorExit:
        with session.lock:
            if matched not in index.child:
                index.unmatch(key, matched, call.component, call.kind)
        raise


def _pass(session: Session, asked: Asked, answer: Answer) -> Steps[Passage]:
    """Hold it if the user wants so, then let it go out; a model or tool goes out once that is stored."""
    over = False
    if session.stance.watching:
        answer, over = yield from _hold_before(session, asked, answer)
    answer = yield from restored(session, asked, answer)
    with session.lock:
        passage = _go_out(session, asked, answer)
        if over:
            session.stance.through = frozenset({passage.invocation})
    if passage.live:
        yield session.recorder.stored(passage.invocation)
    return passage


def _again(session: Session, replay: Replay, asked: Asked) -> Steps[Passage]:
    """An invocation that started before the cut: it is in the record, nothing is written."""
    index, past = replay.index, asked.past
    if past is None:
        raise ValueError("nothing was recorded")
    seq = past.start.seq
    passage = Passage(asked.call, seq, enter(asked, seq, seq), past)
    asked.call.number = seq
    came_back = past.end is not None and past.end.seq < index.cut
    if came_back:
        index.pass_by(past, asked.occurrence, asked.call.input)
    recorded = (yield from _recorded_answer(session, replay, asked)) if came_back else None
    if recorded is not None:
        answer = recorded
    elif came_back:  # with what no record can bring back: it happens again
        answer = yield from _repeated(session, index, asked)
    else:
        with session.lock:
            index.child[seq] = seq
            replay.settle([seq])
        answer = yield from _planned(session, replay, asked)
    if answer is PROCEED and past.start.edited and past.start.body is not None:
        answer = Answer("proceed", (yield from replay.body(past.start.body)), edited=True)
    answer = yield from restored(session, asked, answer)
    with session.lock:
        index.child[seq] = seq
        _take(session, asked, passage, answer)
        session.states.passed(session, asked, passage)
        replay.settle([seq, *_will_not_happen(passage, index)])
        _mark_out(session, passage)
    return passage


def _will_not_happen(passage: Passage, index: ReplayIndex) -> list[int]:
    """Records that nothing will match: what is inside a passage that does not execute, the pieces of one that does."""
    past = passage.past
    if past is None:
        return []
    if passage.verb == "proceed":
        return [c.seq for c in past.chunks]
    inside = index.inside(past)
    index.skip(inside)
    if passage.how == "reused":
        passage.prints = index.will_print(past)
    if not passage.prints:
        return inside
    passage.inside.extend(seq for seq in inside if seq >= index.cut)
    printed = {r.seq for r in passage.prints}
    return [seq for seq in inside if seq not in printed]


# -- what decides ----------------------------------------------------------------------------------------------------


def _recorded_answer(session: Session, replay: Replay, asked: Asked) -> Steps[Answer | None]:
    """What the record answers instead of the program, if it does."""
    index, past = replay.index, asked.past
    if past is None or past.end is None:
        return None
    if (
        not asked.moved
        and index.served(past.start.seq)
        and not is_rebuilt(session, asked)
        and replay.is_current(past, asked.code)
        and (yield from _still_true(session, replay, asked.call, past.end))
    ):
        return _RECORD
    if past.end.how == "dropped" and index.recorded_holds(past.end.seq):
        return DROP
    return None


def _still_true(session: Session, replay: Replay, call: Call, end: InvocationEnded) -> Steps[bool]:
    """Whether what is recorded of a whole invocation goes here, too: what it read beside its input is still the same.

    Up to the first difference everything is.
    """
    if call.kind in LEAVES or end.how == "mocked" or end.changes is None:
        return True
    what = whole(session, call)
    if what is None or not replay.index.different:
        return what is not None
    return what.same((yield from replay.body(end.changes)))


def _planned(session: Session, replay: Replay, asked: Asked) -> Steps[Answer]:
    """What the fork's plan says: an edit, an answer from the record, or to ask before something happens twice."""
    index, call, past = replay.index, asked.call, asked.past
    edit = index.edit_for(asked.matched, call.component, call.kind, asked.occurrence, _OPS, input=call.input)
    if edit is not None:
        given = _edit_answer(session, edit, call)
        return _RECORD if past is not None and _is_recorded(session, index, past, given) else given
    answer = yield from _recorded_answer(session, replay, asked)
    if answer is not None:
        return answer
    if past is not None:
        yield from replay.left_behind(past)
    if past is not None and past.start.edited and past.start.body is not None and index.recorded_holds(past.start.seq):
        return Answer("proceed", (yield from replay.body(past.start.body)), edited=True)
    return (yield from _repeated(session, index, asked))


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


def _is_recorded(session: Session, index: ReplayIndex, past: Past, given: Answer) -> bool:
    """Whether a mock answered the same in the parent: then nothing changes."""
    if given.verb != "serve" or not past.mocked:
        return False
    return (session.bodies.put(given.value), given.failed) == index.output_of(past.start.seq)


def _repeated(session: Session, index: ReplayIndex, asked: Asked) -> Steps[Answer]:
    """Nothing that changes the world happens a second time without a word."""
    call, past, policy = asked.call, asked.past, index.plan.repeat
    effects = session.effects(call)
    if call.kind != "tool" or effects in ("pure", "read") or policy == "run":
        return PROCEED
    if past is not None and (past.reaches_out or past.rebuilt) and not session.declares(call):
        return PROCEED  # it is the calls inside it that act, and they are asked for by themselves
    again = past is not None and past.end is not None and not past.end.failed and _same_code(past, asked)
    again = again and not asked.moved
    was_out = past is not None and (past.end is None or (yield from _was_refused(session, past.end)))
    first = index.plan.first and (index.continues or not index.plan.records)
    if not again and not was_out and (effects != "irreversible" or (first and past is None)):
        return PROCEED
    servable = again and past is not None and past.end is not None and not past.end.opaque and not past.edited_inside
    if policy == "ask":
        reason = "was already called with this input" if again else _WAS_OUT if was_out else "is irreversible"
        offers = [*(["record"] if servable else []), "proceed", "mock_output"]
        told: dict[str, Json] = {"when": "before", "reason": f"{call.component} {reason}", "offers": offers}
        return (yield from hold_call(session, call, asked.body, {**told, "effects": effects}))
    if servable:
        return _RECORD
    if was_out:
        reason = _WAS_OUT
    elif effects == "irreversible":
        reason = f"is irreversible and {'would happen again' if again else 'cannot be undone'}"
    else:
        return PROCEED
    refusal = f"{call.component} {reason}: allow it with --repeat run, or mock its output"
    return Answer("serve", encode_error(Refused(refusal)), failed=True, edited=True)


def _same_code(past: Past, asked: Asked) -> bool:
    """Whether a call is the one that was recorded: with other code it is a new act, as with another input."""
    return not past.start.code or not asked.code.fingerprint or past.start.code == asked.code.fingerprint


def _was_refused(session: Session, end: InvocationEnded) -> Steps[bool]:
    """Whether the parent was refused to make the call: then it is as uncertain now as it was there."""
    if not (end.failed and end.how == "mocked") or end.body is None or session.replay is None:
        return False
    error = yield from session.replay.body(end.body)
    return isinstance(error, dict) and error.get("class") == _REFUSED


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
    over = given.verb == "over"
    if over or given.verb == "proceed":
        return (replace(given, verb="proceed") if given.edited else answer), over
    return given, False


# -- what is written -------------------------------------------------------------------------------------------------


def _go_out(session: Session, asked: Asked, answer: Answer) -> Passage:
    """Write that it goes out, with what input."""
    call, past, replay, parent = asked.call, asked.past, session.replay, inside(asked.frame)
    if call.revised:
        asked.body = session.bodies.put(call.input)
    edited = answer.verb == "proceed" and answer.edited
    new = session.bodies.put(answer.value) if edited else asked.body
    if edited:
        session.emit(Edited, op="replace_input", component=call.component, body=new, was=asked.body, parent=parent)
    if replay is not None and (past is None or answer.edited or answer.verb == "drop"):
        replay.index.depart()
    effects, seq = session.effects(call), session.next
    passage = Passage(call, seq, enter(asked, seq, asked.matched), past)
    try:
        if asked.begun is not None:
            asked.begun.append(passage)
        session.emit_next(
            InvocationStarted,
            component=call.component,
            call=call.kind,
            type=call.type,
            body=new,
            digest=asked.digest,
            edited=edited,
            effects=effects,
            functions=asked.code.functions,
            code=asked.code.fingerprint,
            state=asked.state,
            invocation=seq,
            parent=parent,
            message=call.message,
            caused_by=call.caused_by or ((call.message,) if call.message is not None else ()),
        )
    except BaseException:
        if asked.begun is not None and session.recorder.next == seq:
            asked.begun.clear()
        raise
    call.number = seq
    _take(session, asked, passage, answer)
    session.states.passed(session, asked, passage)
    if replay is not None and asked.matched is not None:
        replay.index.child[asked.matched] = seq
        replay.settle([asked.matched, *_will_not_happen(passage, replay.index)])
    _mark_out(session, passage)
    return passage


def _take(session: Session, asked: Asked, passage: Passage, answer: Answer) -> None:
    """Let the answer decide what the passage does."""
    if answer.verb in ("record", "proceed") and not answer.edited:
        notes(session, asked, served=answer.verb == "record")
    if answer.verb == "record" and passage.past is not None and session.replay is not None:
        passage.verb, passage.how = "serve", "reused"
        passage.output, passage.failed = session.replay.index.output_of(passage.past.start.seq)
    elif answer.verb == "serve":
        passage.verb, passage.how, passage.failed, passage.mock = "serve", "mocked", answer.failed, answer.value
        passage.output = session.bodies.put(answer.value)
    elif answer.verb == "drop":
        passage.verb, passage.how = "drop", "dropped"
    elif answer.edited:
        passage.input, passage.edited = answer.value, True


def _mark_out(session: Session, passage: Passage) -> None:
    past = passage.past
    passage.out = passage.live and not (past is not None and past.rebuilt)  # one that is executed again is code
    if passage.out and session.replay is not None:
        session.replay.goes_out(passage.invocation)
