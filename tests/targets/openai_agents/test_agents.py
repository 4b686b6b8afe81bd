"""What each part of the SDK does under the debugger: turns, tools, guardrails, approvals, streams, errors, MCP."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("agents.run_internal")

from agents import (
    Agent,
    FunctionTool,
    GuardrailFunctionOutput,
    InputGuardrailTripwireTriggered,
    MaxTurnsExceeded,
    ModelSettings,
    OutputGuardrailTripwireTriggered,
    RunContextWrapper,
    Runner,
    ToolGuardrailFunctionOutput,
    function_tool,
    input_guardrail,
    output_guardrail,
    tool_input_guardrail,
)
from agents.tracing import TracingProcessor, add_trace_processor
from pydantic import BaseModel

from outtake_probe.edits import Edit
from outtake_probe.gate.decision import Answer
from outtake_probe.records import Json
from outtake_probe.targets.openai_agents import adapter
from tests.targets.openai_agents.debugging import (
    Person,
    ended,
    fork,
    held_at,
    mock,
    output,
    record,
    replace,
    run_target,
    started,
)
from tests.targets.openai_agents.programs import CALLS, Hashing, message, tool

LOOK = [[("look", {"what": ""})]]


class Notes:
    """What the tools of a run can write to."""

    def __init__(self) -> None:
        self.said: list[str] = []


@pytest.fixture(autouse=True)
def fresh() -> None:
    CALLS.clear()


def _ann(**options: Any) -> Agent[Any]:
    return Agent("ann", instructions="Look.", **{"model": Hashing(LOOK), "tools": [tool("look")], **options})


async def _asked(agent: Agent[Any], given: Any = "hello", **options: Any) -> Json:
    return (await Runner.run(agent, given, **options)).final_output


# -- what is recorded ------------------------------------------------------------------------------------------------


def test_the_prompt_is_the_conversation_as_items_and_the_answer_comes_back() -> None:
    log = record(lambda: _asked(_ann()))
    first, second = started(log, kind="model")
    assert (first.component, first.type) == ("ann/model", "Hashing")
    assert log.body(first.body)["messages"] == [{"role": "user", "content": "hello"}]
    prompt = log.body(second.body)
    assert prompt["instructions"] == "Look."
    assert [each.get("type", each.get("role")) for each in prompt["messages"]] == [
        "user",
        "function_call",
        "function_call_output",
    ]
    assert prompt["tools"][0]["name"] == "look"
    assert output(log, second)["output"][0]["content"][0]["text"] == log.output
    assert (ended(log, first).tokens_in, ended(log, first).tokens_out) == (5, 2)


def test_a_growing_prompt_shares_what_it_was() -> None:
    """Each turn adds a bounded number of bytes, although it repeats all turns before it."""

    def stored(turns: int) -> int:
        log = record(lambda: _asked(_ann(model=Hashing(LOOK * turns)), max_turns=turns + 1))
        assert log.status == "completed", log.output
        return sum(map(len, log.nodes.values()))

    few, more, most = stored(20), stored(40), stored(60)
    assert (most - more) < 1.3 * (more - few)


def test_ids_that_differ_from_run_to_run_are_no_part_of_what_is_compared() -> None:
    logs = [record(lambda: _asked(_ann())) for _ in range(2)]
    first, second = ([(r.component, r.digest) for r in started(log)] for log in logs)
    assert first == second


# -- what is changed -------------------------------------------------------------------------------------------------


def test_arguments_of_a_tool_call_are_edited_where_the_sdk_accepts_it() -> None:
    log = record(lambda: _asked(_ann()))
    (call,) = started(log, kind="tool")
    changed = fork(lambda: _asked(_ann()), log, [replace(call, {"what": "stones"})])
    assert changed.status == "completed", changed.output
    assert changed.output != log.output
    assert changed.body(started(changed, kind="model")[1].body)["messages"][0]["content"] == "hello"


def test_a_mocked_answer_may_ask_for_a_tool() -> None:
    person = Person(Answer("serve", {"tool_calls": [{"name": "look", "arguments": {"what": "stones"}}]}))
    program = lambda: _asked(_ann(model=Hashing()))  # noqa: E731
    log = record(program, stance=held_at("model:* and hit<=1"), on_held=person.on_held)
    assert log.status == "completed", log.output
    assert log.body(started(log, kind="tool")[0].body) == {"what": "stones"}
    CALLS.clear()
    assert fork(program, log).output == log.output
    assert not CALLS


@pytest.mark.parametrize("streams", [False, True])
def test_a_turn_is_mocked_with_a_final_output_or_a_handoff(streams: bool) -> None:
    async def program() -> Json:
        bob = Agent("bob", model=Hashing(name="bob"))
        ann = _ann(handoffs=[bob])
        if not streams:
            return await _asked(ann)
        streamed = Runner.run_streamed(ann, "hello")
        assert [event async for event in streamed.stream_events()]
        return streamed.final_output

    log = record(program)
    turn = started(log, "ann", "agent")[0]
    assert fork(program, log, [mock(turn, "done")]).output == "done"
    handed = fork(program, log, [mock(turn, {"handoff": "bob"})])
    assert str(handed.output).startswith("bob says")
    with pytest.raises(AssertionError):
        assert fork(program, log, [mock(turn, {"handoff": "carl"})]).status == "completed"


@pytest.mark.parametrize("streams", [False, True])
def test_the_conversation_that_a_turn_gets_is_edited(streams: bool) -> None:
    async def program() -> Json:
        if not streams:
            return await _asked(_ann())
        streamed = Runner.run_streamed(_ann(), "hello")
        assert [event async for event in streamed.stream_events()]
        return streamed.final_output

    log = record(program)
    turn = started(log, "ann", "agent")[1]
    said = log.body(turn.body)["messages"]
    edited = [{"role": "user", "content": "good evening"}, *said[1:]]
    changed = fork(program, log, [replace(turn, edited)])
    assert changed.status == "completed", changed.output
    assert changed.body(started(changed, kind="model")[1].body)["messages"] == edited


def test_settings_of_a_model_are_edited_and_others_refused() -> None:
    program = lambda: _asked(_ann(model=Hashing(), model_settings=ModelSettings(temperature=0.5)))  # noqa: E731
    log = record(program)
    (call,) = started(log, kind="model")
    assert log.body(call.body)["settings"]["temperature"] == 0.5
    warm = fork(program, log, [replace(call, {"settings": {"temperature": 1.0}, "instructions": "Be warm."})])
    assert warm.status == "completed", warm.output
    assert warm.output != log.output
    person = Person(Answer("proceed", {"model": "other"}, edited=True))
    record(program, stance=held_at("model:*"), on_held=person.on_held)
    assert person.refused


def test_structured_output_is_validated_and_mocked() -> None:
    class Answered(BaseModel):
        text: str

    class Says(Hashing):
        def _output(self, instructions: str | None, items: Any) -> Any:
            return [message('{"text": "hello"}')]

    async def program() -> Json:
        return (await Runner.run(_ann(model=Says(), output_type=Answered), "hello")).final_output.text

    log = record(program)
    assert log.output == "hello"
    (turn,) = started(log, kind="agent")
    assert fork(program, log, [mock(turn, {"final_output": {"text": "bye"}})]).output == "bye"


# -- guardrails ------------------------------------------------------------------------------------------------------


@input_guardrail
async def _polite(context: Any, agent: Any, given: Any) -> GuardrailFunctionOutput:
    return GuardrailFunctionOutput(output_info={"given": str(given)}, tripwire_triggered="damn" in str(given))


@output_guardrail
async def _brief(context: Any, agent: Any, said: Any) -> GuardrailFunctionOutput:
    return GuardrailFunctionOutput(output_info=None, tripwire_triggered=len(str(said)) > 100)


@tool_input_guardrail
def _harmless(data: Any) -> ToolGuardrailFunctionOutput:
    return ToolGuardrailFunctionOutput.allow()


def test_guardrails_are_steps_whose_verdicts_are_mocked() -> None:
    async def program() -> Json:
        try:
            return await _asked(_ann(input_guardrails=[_polite], output_guardrails=[_brief]))
        except (InputGuardrailTripwireTriggered, OutputGuardrailTripwireTriggered) as error:
            return type(error).__name__

    log = record(program)
    polite, brief = (started(log, name, "step")[0] for name in ("_polite", "_brief"))
    assert (polite.component, output(log, polite)["tripwire_triggered"]) == ("ann/guardrails/_polite", False)
    assert fork(program, log, [mock(polite, True)]).output == "InputGuardrailTripwireTriggered"
    assert fork(program, log, [mock(brief, {"tripwire_triggered": True})]).output == "OutputGuardrailTripwireTriggered"


def test_a_tripwire_that_goes_off_beside_the_model_does_so_in_forks() -> None:
    async def program() -> Json:
        try:
            return await _asked(_ann(input_guardrails=[_polite]), "damn")
        except InputGuardrailTripwireTriggered as error:
            return str(error.guardrail_result.output.output_info)

    log = record(program)
    assert "damn" in str(log.output)
    for cut in range(1, len(log.records) + 1):
        CALLS.clear()
        again = record(program, parent=log, cut=cut)
        assert (again.output, dict(CALLS)) == (log.output, {})


def test_a_guardrail_of_a_tool_rejects_when_it_is_mocked() -> None:
    look = tool("look")
    look.tool_input_guardrails = [_harmless]
    program = lambda: _asked(_ann(tools=[look]))  # noqa: E731
    log = record(program)
    (check,) = started(log, "_harmless", "step")
    refused = fork(program, log, [mock(check, "not now")])
    assert refused.status == "completed", refused.output
    assert not started(refused, "look", "tool")


# -- errors, limits, taking back ---------------------------------------------------------------------------------------


def test_the_error_of_a_tool_is_recorded_and_what_the_model_is_told_is_the_sdks() -> None:
    def fails(what: str) -> str:
        raise LookupError("nothing here")

    program = lambda: _asked(_ann(tools=[tool("look", fails)]))  # noqa: E731
    log = record(program)
    (call,) = started(log, kind="tool")
    assert ended(log, call).failed
    assert "nothing here" in str(output(log, call))
    told = log.body(started(log, kind="model")[1].body)["messages"][-1]
    assert "error" in told["output"]
    again = fork(program, log, serve_failures=True)
    assert again.output == log.output


def test_a_tool_with_an_implementation_of_its_own_is_seen() -> None:
    async def look(context: Any, arguments: str) -> str:
        CALLS["look"] += 1
        return f"saw {arguments}"

    def made() -> Any:
        schema = {"type": "object", "properties": {"what": {"type": "string"}}}
        return FunctionTool("look", "Look.", schema, look, strict_json_schema=False)

    program = lambda: _asked(_ann(tools=[made()]))  # noqa: E731
    log = record(program)
    (call,) = started(log, kind="tool")
    assert call.component == "ann/tools/look"
    CALLS.clear()
    assert fork(program, log).output == log.output
    assert not CALLS
    assert fork(program, log, [replace(call, {"what": "stones"})]).executed("tool") == {"ann/tools/look": 1}


def test_a_handoff_loop_ends_with_its_turns() -> None:
    async def program() -> Json:
        ann = Agent("ann", model=Hashing([[("transfer_to_bob", {})]] * 9, "ann"))
        bob = Agent("bob", model=Hashing([[("transfer_to_ann", {})]] * 9, "bob"), handoffs=[ann])
        ann.handoffs = [bob]
        try:
            return await _asked(ann, max_turns=5)
        except MaxTurnsExceeded as error:
            return str(error)

    log = record(program)
    assert [start.component for start in started(log, kind="agent")] == ["ann", "bob", "ann", "bob", "ann"]
    CALLS.clear()
    assert fork(program, log).output == log.output
    assert not CALLS


def test_a_stream_that_is_left_half_read_is_left_in_forks() -> None:
    async def program() -> Json:
        streamed = Runner.run_streamed(_ann(model=Hashing()), "hello")
        async for event in streamed.stream_events():
            if event.type == "raw_response_event":
                streamed.cancel()
                break
        return await _asked(_ann(), "instead")

    log = record(program)
    assert log.status == "completed", log.output
    CALLS.clear()
    again = fork(program, log)
    assert (again.output, dict(CALLS)) == (log.output, {})


def test_parallel_tool_calls_come_back_in_another_order() -> None:
    async def program() -> Json:
        order: list[str] = []

        async def slow(what: str) -> str:
            await asyncio.sleep(0.02)
            order.append("slow")
            return f"slow {what}"

        async def quick(what: str) -> str:
            order.append("quick")
            return f"quick {what}"

        tools = [function_tool(slow, name_override="slow"), function_tool(quick, name_override="quick")]
        model = Hashing([[("slow", {"what": ""}), ("quick", {"what": ""})]])
        return await _asked(_ann(model=model, tools=tools))

    log = record(program)
    slow = started(log, "slow", "tool")[0]
    CALLS.clear()
    assert fork(program, log).output == log.output
    assert not CALLS
    edited = fork(program, log, [mock(slow, "never mind")])
    assert edited.status == "completed", edited.output
    assert edited.executed("tool") == {}


def test_what_a_tool_does_to_the_context_is_done_again_where_the_record_answers() -> None:
    async def write(context: RunContextWrapper[Notes], what: str) -> str:
        CALLS["write"] += 1
        context.context.said.append(what)
        return f"{len(context.context.said)} notes"

    async def program() -> Json:
        notes = Notes()
        model = Hashing([[("write", {"what": ""})]] * 2)
        await Runner.run(_ann(model=model, tools=[function_tool(write)]), "hello", context=notes)
        return notes.said

    log = record(program)
    assert len(log.output) == 2
    CALLS.clear()
    again = fork(program, log)
    assert (again.output, dict(CALLS)) == (log.output, {})


# -- people ------------------------------------------------------------------------------------------------------------


def _careful() -> Agent[Any]:
    return _ann(tools=[tool("look", needs_approval=True)])


@pytest.mark.parametrize(("answer", "called"), [(True, 1), (False, 0), ("too far away", 0)])
def test_a_person_approves_or_rejects(answer: Json, called: int) -> None:
    person = Person(Answer("serve", answer))
    log = run_target(_careful, "hello", on_held=person.on_held)
    assert log.status == "completed", log.output
    assert (len(person.asked), CALLS["look"]) == (1, called)
    assert "look" in person.asked[0]["prompt"]
    if isinstance(answer, str):
        assert log.body(started(log, kind="model")[-1].body)["messages"][-1]["output"] == answer
    CALLS.clear()
    again = run_target(_careful, "hello", parent=log)
    assert (again.output, dict(CALLS)) == (log.output, {})


def test_an_approval_inside_an_agent_that_is_a_tool() -> None:
    def make() -> Agent[Any]:
        inner = _careful().as_tool("ask", "Ask.")
        return Agent("bob", model=Hashing([[("ask", {"input": "hello"})]], "bob"), tools=[inner])

    person = Person(Answer("serve", True))
    log = run_target(make, "hello", on_held=person.on_held)
    assert log.status == "completed", log.output
    assert CALLS["look"] == 1
    for cut in (len(log.records) // 2, len(log.records)):
        CALLS.clear()
        again = run_target(make, "hello", parent=log, cut=cut)
        assert (again.output, dict(CALLS)) == (log.output, {})


# -- what is around ----------------------------------------------------------------------------------------------------


class _Collected(TracingProcessor):
    def __init__(self) -> None:
        self.ended: list[Any] = []

    def on_trace_start(self, trace: Any) -> None:
        return

    def on_trace_end(self, trace: Any) -> None:
        return

    def on_span_start(self, span: Any) -> None:
        return

    def on_span_end(self, span: Any) -> None:
        self.ended.append(span)

    def shutdown(self) -> None:
        return

    def force_flush(self) -> None:
        return


def test_traces_are_collected_for_the_program_and_for_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    from agents.tracing.processors import BackendSpanExporter, default_processor  # noqa: PLC0415

    sent: list[Any] = []
    monkeypatch.setattr(BackendSpanExporter, "export", lambda self, items: sent.extend(items))
    own = _Collected()
    add_trace_processor(own)
    record(lambda: _asked(_ann()))
    default_processor().force_flush()
    assert own.ended
    assert not sent


def test_hooks_leave_nothing_behind() -> None:
    from agents.run_internal import run_loop  # noqa: PLC0415

    before = run_loop.run_single_turn
    record(lambda: _asked(_ann()))
    assert run_loop.run_single_turn is before
    assert adapter.installed is None


def test_describing_shows_handoffs_loops_and_agents_as_tools() -> None:
    def make() -> Agent[Any]:
        ann = _ann(input_guardrails=[_polite])
        bob = Agent("bob", model="gpt-nothing", handoffs=[ann], tools=[_ann().as_tool("ask_ann", "Ask.")])
        ann.handoffs = [bob]
        return ann

    described: list[Json] = []

    async def program() -> None:
        from outtake_probe.attached import active  # noqa: PLC0415

        session = active()
        assert session is not None
        described.append(adapter.program(make(), session).target.describe())

    record(program)
    found = {part["path"]: part for part in described[0]["components"]}
    assert {"ann", "ann/model", "ann/tools/look", "ann/guardrails/_polite", "bob", "bob/tools/ask_ann/ann"} <= set(
        found
    )
    edges = {(edge["source"], edge["target"], edge["label"]) for edge in described[0]["edges"]}
    assert {("ann", "bob", "hands off"), ("bob", "ann", "hands off")} <= edges
    assert ("bob/tools/ask_ann", "bob/tools/ask_ann/ann", "asks") in edges
    assert found["bob"]["config"]["model"] == "gpt-nothing"
    assert any("not sent to OpenAI" in text for text in described[0]["missing"])
    assert not CALLS


def test_a_setting_is_changed_in_a_fork() -> None:
    program = lambda: _asked(_ann())  # noqa: E731
    log = record(program)
    second = started(log, "ann", "agent")[1]
    edit = Edit(op="set_config", component="ann", key="instructions", value="Do not look.")
    changed = record(program, parent=log, edits=[edit], cut=second.seq)
    assert changed.status == "completed", changed.output
    told = [changed.body(start.body)["instructions"] for start in started(changed, kind="model")]
    assert told == ["Look.", "Do not look."]
