"""A live workflow: held, stepped, its time-out standing still; events sent by a person; settings; what is described."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

pytest.importorskip("workflows")

from workflows import Context, Workflow, step
from workflows.errors import WorkflowRuntimeError
from workflows.events import StartEvent, StopEvent

from outtake_probe.attached import active
from outtake_probe.commands import BadValue
from outtake_probe.gate.decision import Answer, Stance
from outtake_probe.records import InvocationStarted, MessageQueued
from outtake_probe.targets.llamaindex import adapter
from tests.probe.inprocess import Log
from tests.targets.llamaindex import programs
from tests.targets.llamaindex.debugging import User, debug, ended, record, started
from tests.targets.llamaindex.programs import All, Part, ask


class Quick(Workflow):
    """Has little time."""

    def __init__(self) -> None:
        super().__init__(timeout=0.5)

    @step
    async def one(self, ev: StartEvent) -> All:
        return All(text=await ask("one"))

    @step
    async def two(self, ev: All) -> StopEvent:
        return StopEvent(result=ev.text)


async def quick() -> Any:
    return await Quick().run()


def test_the_time_out_does_not_run_while_something_is_held() -> None:
    def script(user: User) -> None:
        for component in ("Quick/one", "Quick/one/ask"):
            held = user.until(component)
            time.sleep(0.6)  # longer than the workflow's time
            user.step(held)

    log = debug(quick, script)
    assert log.status == "completed", log.output


def test_holding_does_not_keep_the_processor_busy() -> None:
    def script(user: User) -> None:
        held = user.until("Quick/one")
        began = time.process_time()
        time.sleep(0.6)
        assert time.process_time() - began < 0.3
        user.step(held)

    assert debug(quick, script).status == "completed"


def test_one_of_several_calls_of_a_step_is_held_while_the_others_go_on() -> None:
    def script(user: User) -> None:
        first = user.until("Sending/work")
        second = user.until("Sending/work")
        user.step(second)
        assert user.until("Sending/work/ask")["hold"] != first["hold"]

    log = debug(programs.PROGRAMS["sending"], script)
    assert log.status == "completed"


def test_a_held_step_can_be_given_another_event_and_its_result_changed() -> None:
    def script(user: User) -> None:
        held = user.until("Loop/begin")
        user.step(held, Answer("proceed", {"topic": "fish"}, edited=True))

    log = debug(programs.PROGRAMS["loop"], script)
    assert log.output[0] == "fish"


def test_a_mock_of_a_type_that_the_step_does_not_return_is_refused_live() -> None:
    refused: list[str] = []

    def script(user: User) -> None:
        held = user.until("Loop/begin")
        try:
            user.step(held, Answer("serve", {"type": "Found", "text": "x"}, edited=True))
        except BadValue as error:
            refused.append(str(error))
        user.step(held, Answer("serve", {"type": "Draft", "text": "mocked", "turn": 3}, edited=True))

    log = debug(programs.PROGRAMS["loop"], script)
    assert refused and "Draft" in refused[0]
    assert log.status == "failed"  # `begin` did not put into the state what `write` reads


def test_a_dropped_step_returns_nothing() -> None:
    def script(user: User) -> None:
        for _ in range(3):
            user.step(user.until("Sending/work"), Answer("drop"))
        user.session.stop()

    log = debug(programs.PROGRAMS["sending"], script)
    assert log.status == "stopped"
    assert not started(log, "Sending/collect")


# -- a person's events -----------------------------------------------------------------------------------------------


async def asks() -> Any:
    session = active()
    assert session is not None
    program = adapter.program(programs.Waits(), session)
    session.ready(program.target)
    return await program.run({"topic": "birds"})


def _answers(value: Any) -> Log:
    def script(user: User) -> None:
        held = user.next()
        assert held is not None and held["when"] == "input"
        assert "Answering" in held["reason"]
        user.step(held, Answer("serve", value))

    return debug(asks, script, stance=Stance())


def test_a_workflow_that_waits_for_a_person_is_shown_as_waiting_and_can_be_answered() -> None:
    log = _answers({"words": "yes"})
    assert log.status == "completed"
    (message,) = [r for r in log.records if isinstance(r, MessageQueued)]
    assert message.injected
    again = started(log, "Waits/confer")[1]
    assert message.seq in again.caused_by


@pytest.mark.parametrize("cut", range(0, 40, 3))
def test_a_person_s_answer_is_given_again_in_a_fork(cut: int) -> None:
    parent = _answers({"words": "yes"})
    programs.CALLS.clear()
    fork = record(asks, parent=parent, cut=min(cut, len(parent.records)))
    assert (fork.status, fork.output) == ("completed", parent.output)
    assert not programs.CALLS


def test_an_event_that_no_step_accepts_is_refused_with_those_that_are() -> None:
    refused: list[str] = []

    def script(user: User) -> None:
        held = user.next()
        assert held is not None
        for type_name, value in (("Draft", {"text": "x"}), ("Answering", {"wrong": 1}), ("Answering", {})):
            try:
                user.command("send", component="Waits", type=type_name, value=value)
            except BadValue as error:
                refused.append(str(error))
        try:
            user.command("send", component="Waits/nowhere", type="", value={})
        except BadValue as error:
            refused.append(str(error))
        user.command("send", component="Waits", type="Answering", value={"words": "yes"})

    log = debug(asks, script, stance=Stance())
    assert log.status == "completed"
    assert len(refused) == 4
    assert "Answering" in refused[0] and "Waits/confer" in refused[3]


def test_an_event_is_sent_to_a_step() -> None:
    def script(user: User) -> None:
        held = user.next()
        assert held is not None
        user.command("send", component="Waits/end", type="Found", value={"number": 1, "text": "sent"})

    assert debug(asks, script, stance=Stance()).output == "sent"


# -- what is there ---------------------------------------------------------------------------------------------------


def test_the_graph_says_steps_events_and_people() -> None:
    told: list[Any] = []

    async def look() -> None:
        session = active()
        assert session is not None
        told.append(adapter.program(programs.Waits(), session).target.describe())

    record(look)
    components = {c["path"]: c for c in told[0]["components"]}
    assert components["Waits"]["doc"] == "A step that waits for a person."
    assert set(components["Waits/confer"]["accepts"]) == {"All"}
    assert components["Waits/confer"]["accepts"]["All"]["properties"]["text"]["type"] == "string"
    edges = {(e["source"], e["target"], e["label"]) for e in told[0]["edges"]}
    assert ("Waits/prepare", "Waits/confer", "All") in edges
    assert ("Waits/end", "Waits/stop", "StopEvent") in edges


def test_an_event_that_nobody_accepts_is_noted() -> None:
    class Sends(Workflow):
        @step
        async def only(self, ctx: Context, ev: StartEvent) -> All:
            ctx.send_event(Part(number=1))
            return All(text="x")

        @step
        async def end(self, ev: All) -> StopEvent:
            return StopEvent(result=await ask("end"))

    log = record(lambda: programs.plain(Sends()))
    assert log.status == "completed"
    noted = [log.body(r.body) for r in log.records if r.kind == "noted" and getattr(r, "type", "") == "UnhandledEvent"]
    assert noted and noted[0]["event"] == "Part"


class Lost(Workflow):
    """Returns, or sends, what no step accepts: nothing follows."""

    def __init__(self, sends: bool) -> None:
        super().__init__(timeout=None)
        self.sends = sends

    @step
    async def first(self, ctx: Context, ev: StartEvent) -> All | None:
        lost: Any = Part(number=1)
        if self.sends:
            ctx.send_event(lost)
        return None if self.sends else lost

    @step
    async def end(self, ev: All) -> StopEvent:
        return StopEvent(result=ev.text)


class Around(Workflow):
    """Goes on although the workflow inside was lost."""

    @step
    async def only(self, ev: StartEvent) -> StopEvent:
        try:
            await Lost(sends=False).run()
        except WorkflowRuntimeError as error:
            return StopEvent(result=str(error))
        return StopEvent()


@pytest.mark.parametrize("sends", [False, True])
def test_a_run_in_which_nothing_can_happen_any_more_ends_with_an_error(sends: bool) -> None:
    log = record(lambda: programs.plain(Lost(sends)))
    assert log.status == "failed"
    told = log.output["message"]
    assert f"Lost/first {'sent' if sends else 'returned'} Part, which no step accepts" in told
    assert "the steps accept All, StartEvent" in told
    fork = record(lambda: programs.plain(Lost(sends)), parent=log, cut=len(log.records) - 1)
    assert (fork.status, fork.output["message"]) == ("failed", told)


def test_a_nested_run_that_ends_so_fails_in_the_step_around_it() -> None:
    log = record(lambda: programs.plain(Around()))
    assert log.status == "completed"
    assert "Around/only/Lost/first returned Part" in log.output


def test_a_run_that_a_program_sends_events_to_goes_on() -> None:
    async def late() -> Any:
        handler = programs.Returns().run(topic="birds")
        await asyncio.sleep(1.5)
        handler.ctx.send_event(Part(number=1))
        await asyncio.sleep(0.3)
        handler.ctx.send_event(programs.Answering(words="late"))
        return await handler

    assert record(late).status == "completed"


def test_nested_runs_have_their_place_below_the_step() -> None:
    log = record(programs.PROGRAMS["nested"])
    paths = {r.component for r in log.records if isinstance(r, InvocationStarted)}
    assert {"Nested/outer/Child", "Nested/outer/Child/first", "Nested/outer/Child/first/ask"} <= paths
    flow = started(log, "Nested/outer/Child")[0]
    assert flow.call == "flow" and ended(log, flow).failed is False


def test_streamed_events_are_noted_and_spans_recorded() -> None:
    log = record(programs.PROGRAMS["streams"])
    talk = started(log, "Streams/talk")[0]
    assert len([r for r in log.records if r.kind == "noted" and getattr(r, "type", "") == "Part"]) == 3
    spans = [r for r in log.records if r.kind == "span_started"]
    assert any(r.parent == talk.seq for r in spans)
