"""Forks of every kind of workflow at any record: the same outcome with no call, or what an edit affects and no more."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest

pytest.importorskip("workflows")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from workflows import Context, Workflow, step
from workflows.errors import WorkflowValidationError
from workflows.events import StartEvent, StopEvent

from outtake_probe.edits import Edit
from outtake_probe.records import InvocationStarted
from tests.probe.inprocess import Log
from tests.targets.llamaindex import generated, programs
from tests.targets.llamaindex.debugging import Program, ended, record, started
from tests.targets.llamaindex.programs import All, Draft, Found, Part

try:
    from tests.targets.llamaindex.fanning import FanOut
except WorkflowValidationError:  # this release knows no lists of events
    FANNING: dict[str, Program] = {}
else:
    FANNING = {"fan out": lambda: programs.plain(FanOut())}

PROGRAMS: dict[str, Program] = {**programs.PROGRAMS, **FANNING}
EXECUTED_AGAIN = {"locks": {"step make", "step use"}, "injected": {"step put", "step take"}}
"""Steps whose changes no record holds."""
every = pytest.mark.parametrize("name", list(PROGRAMS))


@cache
def recorded(name: str) -> Log:
    """One recorded run."""
    log = record(PROGRAMS[name])
    assert log.status == "completed", log.output
    return log


@every
def test_an_unedited_fork_at_any_record_says_the_same_and_runs_no_step(name: str) -> None:
    parent = recorded(name)
    before = list(parent.records)
    for cut in range(len(parent.records) + 1):
        programs.CALLS.clear()
        fork = record(PROGRAMS[name], parent=parent, cut=cut, serve_failures=True)
        assert (fork.status, fork.output) == (parent.status, parent.output), cut
        assert set(programs.CALLS) <= EXECUTED_AGAIN.get(name, set()), cut
    assert parent.records == before


def _dependents(log: Log, changed: int) -> set[int]:
    """Steps that follow from an invocation, as the record says what caused what: its own computation."""
    found = {changed}
    for r in log.records:
        if isinstance(r, InvocationStarted) and r.call == "step" and not found.isdisjoint(r.caused_by):
            found.add(r.seq)
    return found - {changed}


@pytest.mark.parametrize("name", ["sending", *FANNING])
@settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_changed_result_of_one_branch_executes_what_follows_from_it_only(name: str, data: st.DataObject) -> None:
    parent = recorded(name)
    work = [r for r in started(parent, call="step") if r.component.endswith("/work")]
    at = data.draw(st.sampled_from(work))
    number = parent.body(at.body)["fields"]["number"]
    edit = Edit(
        op="mock_output", seq=at.seq, component=at.component, call="step", value={"number": number, "text": "X"}
    )
    programs.CALLS.clear()
    fork = record(PROGRAMS[name], parent=parent, cut=at.seq, edits=[edit])
    assert fork.status == "completed" and fork.output != parent.output
    expected = Counter(
        "step " + parent.records[seq].component.rpartition("/")[2] for seq in _dependents(parent, at.seq)
    )
    assert Counter({name: n for name, n in programs.CALLS.items() if name != "model"}) == expected


def test_an_edit_of_the_state_of_a_loop_executes_what_reads_it() -> None:
    parent = recorded("loop")
    models = started(parent, "Loop/write/ask")
    edit = Edit(op="mock_output", seq=models[1].seq, component="Loop/write/ask", call="model", value="EDITED")
    programs.CALLS.clear()
    fork = record(PROGRAMS["loop"], parent=parent, cut=models[1].seq, edits=[edit])
    assert fork.status == "completed"
    assert "EDITED" in fork.output
    assert programs.CALLS["step begin"] == 0


def test_what_does_not_follow_from_an_edit_is_served() -> None:
    parent = recorded("nested")
    last = started(parent, "Nested/end/ask")[0]
    edit = Edit(op="mock_output", seq=last.seq, component=last.component, call="model", value="EDITED")
    programs.CALLS.clear()
    fork = record(PROGRAMS["nested"], parent=parent, cut=0, edits=[edit])
    assert fork.output == ["EDITED", parent.output[1]]
    assert dict(programs.CALLS) == {"step end": 1}


def test_a_step_that_reads_what_an_edited_one_wrote_is_executed() -> None:
    parent = recorded("typed")
    hidden = started(parent, "Typed/split/ask")[0]
    edit = Edit(op="mock_output", seq=hidden.seq, component=hidden.component, call="model", value="EDITED")
    programs.CALLS.clear()
    fork = record(PROGRAMS["typed"], parent=parent, cut=hidden.seq, edits=[edit])
    assert fork.status == "completed" and fork.output != parent.output
    assert programs.CALLS["step work"] == 0
    assert programs.CALLS["model"] == 1


def test_causes_are_exact() -> None:
    log = recorded("sending")
    (split,) = started(log, "Sending/split")
    messages = {r.seq: r for r in log.records if r.kind == "message_queued"}
    assert {m.parent for m in messages.values()} == {split.seq}
    work = started(log, "Sending/work")
    assert {w.caused_by for w in work} == {(seq,) for seq in messages}
    assert [w.message for w in work] == [w.caused_by[0] for w in work]
    *some, last = started(log, "Sending/collect")
    assert all(len(collect.caused_by) == 1 for collect in some)
    assert set(last.caused_by) == {w.seq for w in work}


def test_attempts_and_handlers_are_caused_by_failures() -> None:
    log = recorded("retries")
    attempts = started(log, "Retries/flaky")
    assert [a.caused_by for a in attempts] == [(), (attempts[0].seq,), (attempts[1].seq,)]
    assert [ended(log, a).failed for a in attempts] == [True, True, False]
    log = recorded("handled")
    (fails,), (rescue,) = started(log, "Handled/fails"), started(log, "Handled/rescue")
    assert rescue.caused_by == (fails.seq,)


def test_a_step_that_goes_on_is_caused_by_the_answer_and_by_its_wait() -> None:
    log = recorded("waits")
    (prepare,) = started(log, "Waits/prepare")
    first, second = started(log, "Waits/confer")
    (answer,) = [r for r in log.records if r.kind == "message_queued"]
    assert first.caused_by == (prepare.seq,)
    assert set(second.caused_by) == {prepare.seq, first.seq, answer.seq}


def test_a_mock_of_a_step_that_has_waited_uses_up_the_answer() -> None:
    def program() -> Any:
        return programs.answered(generated.workflow(("human", "human")))

    parent = record(program)
    mocked = started(parent, "Drawn/part0")[1]
    edit = Edit(op="mock_output", seq=mocked.seq, component=mocked.component, call="step", value={"text": "EDITED"})
    programs.CALLS.clear()
    fork = record(program, parent=parent, cut=mocked.seq, edits=[edit])
    assert fork.status == "completed" and fork.output != parent.output
    assert {k: n for k, n in programs.CALLS.items() if k != "model"} == {"step part1": 2, "step end": 1}


def test_a_mock_of_a_step_that_has_collected_uses_up_what_was_collected() -> None:
    def program() -> Any:
        return programs.plain(Rounds())

    parent = record(program)
    mocked = next(r for r in started(parent, "Rounds/collect") if parent.body(ended(parent, r).body) is not None)
    edit = Edit(op="mock_output", seq=mocked.seq, component=mocked.component, call="step", value={"text": "EDITED"})
    programs.CALLS.clear()
    fork = record(program, parent=parent, cut=mocked.seq, edits=[edit])
    assert fork.status == "completed" and fork.output != parent.output
    assert {k: n for k, n in programs.CALLS.items() if k != "model"} == {
        "step split": 1,
        "step work": 2,
        "step collect": 2,
        "step end": 1,
    }


class Rounds(Workflow):
    """Collects twice."""

    @step
    async def split(self, ctx: Context, ev: StartEvent | All) -> Part | None:
        programs.ran("split")
        turn = 1 if isinstance(ev, All) else 0
        text = ev.text if isinstance(ev, All) else ev.topic
        for n in range(2):
            ctx.send_event(Part(number=10 * turn + n, text=text))
        return None

    @step
    async def work(self, ev: Part) -> Found:
        programs.ran("work")
        return Found(number=ev.number, text=await programs.ask(f"{ev.number} {ev.text}"))

    @step(num_workers=1)
    async def collect(self, ctx: Context, ev: Found) -> All | Draft | None:
        programs.ran("collect")
        found = ctx.collect_events(ev, [Found] * 2)
        if found is None:
            return None
        text = " ".join(sorted(each.text for each in found))
        return Draft(text=text, turn=1) if ev.number >= 10 else All(text=text)

    @step
    async def end(self, ev: Draft) -> StopEvent:
        programs.ran("end")
        return StopEvent(result=ev.text)


def test_an_attempt_that_is_mocked_to_succeed_ends_the_retries() -> None:
    parent = recorded("retries")
    second = started(parent, "Retries/flaky")[1]
    edit = Edit(op="mock_output", seq=second.seq, component=second.component, call="step", value={"text": "fine"})
    programs.CALLS.clear()
    fork = record(PROGRAMS["retries"], parent=parent, cut=second.seq, edits=[edit])
    assert fork.output == ["fine", 1]
    assert dict(programs.CALLS) == {"step end": 1}


def test_a_step_that_is_mocked_to_fail_is_handled_by_the_framework() -> None:
    parent = recorded("fan out" if FANNING else "sending")
    work = next(r for r in started(parent, call="step") if r.component.endswith("/work"))
    edit = Edit(op="raise", seq=work.seq, component=work.component, call="step", value="broken")
    fork = record(PROGRAMS["fan out" if FANNING else "sending"], parent=parent, cut=work.seq, edits=[edit])
    assert fork.status == "failed"
    assert fork.output["message"] == "broken"


@pytest.mark.parametrize(
    "value", [{"type": "Draft", "text": "x"}, "text", [{"number": 1, "text": "x"}], None, {"no": 1}]
)
def test_a_mock_that_no_step_could_have_returned_is_refused(value: object) -> None:
    parent = recorded("sending")
    work = started(parent, "Sending/work")[0]
    edit = Edit(op="mock_output", seq=work.seq, component=work.component, call="step", value=value)
    fork = record(PROGRAMS["sending"], parent=parent, cut=work.seq, edits=[edit])
    assert fork.status == "stopped"
