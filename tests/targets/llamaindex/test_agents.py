"""Agents of llama-index-core: their models and tools are calls of their own, and a fork calls none of them again."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

pytest.importorskip("llama_index.core")

from llama_index.core.base.llms.types import TextBlock, ToolCallBlock

from outtake_probe.attached import active
from outtake_probe.codec import encode
from outtake_probe.commands import BadValue
from outtake_probe.edits import Edit
from outtake_probe.targets.llamaindex import adapter
from outtake_probe.targets.llamaindex.models import message_from
from tests.probe.inprocess import Log
from tests.targets.llamaindex import agents, programs
from tests.targets.llamaindex.debugging import Program, ended, record, started

PROGRAMS: dict[str, Program] = {
    "one": lambda: agents.asked(agents.one()),
    "two": lambda: agents.asked(agents.two()),
    "thinking": lambda: agents.asked(agents.thinking()),
    "coding": lambda: agents.asked(agents.coding()),
    "reading": lambda: agents.asked(agents.reading()),
    "searching": lambda: agents.asked(agents.searching()),
}


@cache
def recorded(name: str) -> Log:
    log = record(PROGRAMS[name])
    assert log.status == "completed", log.output
    return log


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_a_fork_at_any_record_says_the_same_and_calls_nothing(name: str) -> None:
    parent = recorded(name)
    for cut in range(0, len(parent.records) + 1, 3 + len(parent.records) // 40):
        programs.CALLS.clear()
        fork = record(PROGRAMS[name], parent=parent, cut=cut)
        assert (fork.status, fork.output) == (parent.status, parent.output), cut
        assert not programs.CALLS, cut


def test_turns_models_and_tools_have_their_places() -> None:
    log = recorded("two")
    places = {(r.call, r.component) for r in started(log)}
    assert ("agent", "AgentWorkflow/scout") in places
    assert ("model", "AgentWorkflow/scout/model") in places
    assert ("model", "AgentWorkflow/writer/model") in places
    assert ("tool", "AgentWorkflow/call_tool/tools/look") in places
    assert ("tool", "AgentWorkflow/call_tool/tools/handoff") in places


def test_a_streamed_answer_is_recorded_by_what_each_piece_adds() -> None:
    log = recorded("one")
    model = started(log, "scout/run_agent_step/model")[0]
    pieces = log.body(ended(log, model).body)
    assert pieces[0] == {"delta": pieces[0]["delta"]}
    assert "".join(piece.get("delta", "") for piece in pieces) == pieces[-1]["content"]
    assert ended(log, model).tokens_in == 7
    assert [m["role"] for m in log.body(model.body)["messages"]] == ["system", "user"]


def test_another_result_of_a_tool_leads_to_other_questions() -> None:
    parent = recorded("two")
    tool = started(parent, "AgentWorkflow/call_tool/tools/look")[0]
    edit = Edit(op="mock_output", seq=tool.seq, component=tool.component, call="tool", value="saw nothing")
    programs.CALLS.clear()
    fork = record(PROGRAMS["two"], parent=parent, cut=tool.seq, edits=[edit])
    assert fork.status == "completed" and fork.output != parent.output
    assert dict(programs.CALLS) == {"model": 2}


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("coding", "coder/call_tool/tools/execute"),
        ("reading", "reader/call_tool/tools/look"),
        ("searching", "searcher/call_tool/tools/look"),
    ],
)
def test_another_result_of_code_that_was_executed_or_of_a_search_leads_to_another_answer(name: str, tool: str) -> None:
    parent = recorded(name)
    (start,) = started(parent, tool)
    edit = Edit(op="mock_output", seq=start.seq, component=tool, call="tool", value="nothing")
    programs.CALLS.clear()
    fork = record(PROGRAMS[name], parent=parent, cut=start.seq, edits=[edit])
    assert fork.status == "completed" and fork.output != parent.output
    assert dict(programs.CALLS) == {"model": 1}


def test_what_a_query_engine_asks_is_inside_the_tool() -> None:
    log = recorded("reading")
    (tool,) = started(log, "reader/call_tool/tools/look")
    inside = [r for r in started(log, call="model") if r.parent == tool.seq]
    assert [r.component.removeprefix(f"{tool.component}/") for r in inside] == ["embedding", "model"]
    question = log.body(inside[0].body)["text"]
    assert log.body(tool.body)["what"] in question
    assert log.body(ended(log, inside[0]).body) == [float(len(question)), float(question.count("e")), 1.0]


def test_embeddings_are_served_where_the_step_around_them_is_executed() -> None:
    parent = recorded("searching")
    programs.CALLS.clear()
    live = ("searcher/call_tool", "searcher/call_tool/tools/look")
    fork = record(PROGRAMS["searching"], parent=parent, cut=1, live=live)
    assert (fork.status, fork.output) == ("completed", parent.output)
    assert not programs.CALLS


def test_another_answer_of_a_model_can_be_a_text() -> None:
    parent = recorded("one")
    model = started(parent, "scout/run_agent_step/model")[1]
    edit = Edit(op="mock_output", seq=model.seq, component=model.component, call="model", value="mocked")
    programs.CALLS.clear()
    fork = record(PROGRAMS["one"], parent=parent, cut=model.seq, edits=[edit])
    assert fork.output == "mocked"
    assert not programs.CALLS


def test_a_message_asks_for_tools_in_the_form_of_the_openai_api_or_in_blocks() -> None:
    calls = [{"id": "c1", "function": {"name": "look", "arguments": '{"what": "it"}'}}]
    asked = ToolCallBlock(tool_call_id="c1", tool_name="look", tool_kwargs={"what": "it"})
    said = TextBlock(text="I look.")
    assert message_from({"role": "assistant", "content": "I look.", "tool_calls": calls}).blocks == [said, asked]
    plain = {"block_type": "tool_call", "tool_call_id": "c1", "tool_name": "look", "tool_kwargs": {"what": "it"}}
    assert message_from({"role": "assistant", "blocks": [encode(said), plain]}).blocks == [said, asked]
    for wrong in ([{"name": "look"}], [{"function": {"name": "look", "arguments": "{"}}], ["look"]):
        with pytest.raises(BadValue, match="a tool call is"):
            message_from({"content": "", "tool_calls": wrong})


def _described(made: Any) -> tuple[Any, Any]:
    found: list[Any] = []

    async def look() -> None:
        session = active()
        assert session is not None
        found.append(adapter.program(made, session).target)
        found.append(found[0].describe())

    record(look)
    return found[0], found[1]


def test_agents_are_described_with_prompts_models_and_tools_but_without_keys() -> None:
    _, told = _described(agents.two())
    components = {c["path"]: c for c in told["components"]}
    config = components["AgentWorkflow/scout"]["config"]
    assert config["system_prompt"] == "Look."
    assert config["tools"] == ["look"] and config["llm"] == "Scripted" and config["temperature"] == 0.5
    assert components["AgentWorkflow/scout/tools/look"]["accepts"]["input"]["properties"]["what"]["type"] == "string"
    assert "not-to-be-shown" not in str(told)


def test_settings_are_changed_and_what_does_not_fit_is_refused() -> None:
    made: Any = agents.two()
    target, _ = _described(made)
    target.configure("AgentWorkflow/scout", "system_prompt", "Be loud.")
    target.configure("AgentWorkflow/scout", "tools", [])
    target.configure("AgentWorkflow/scout", "temperature", 0.1)
    assert made.agents["scout"].system_prompt == "Be loud."
    assert made.agents["scout"].tools == []
    assert made.agents["scout"].llm.temperature == 0.1
    target.configure("AgentWorkflow/scout", "tools", ["look"])
    assert [tool.metadata.name for tool in made.agents["scout"].tools] == ["look"]
    for key, value in (("system_prompt", 3), ("tools", ["fly"]), ("nothing", 1)):
        with pytest.raises(BadValue):
            target.configure("AgentWorkflow/scout", key, value)


def test_everything_is_as_it_was_once_the_hooks_are_gone() -> None:
    before = dict(vars(agents.Scripted))
    made = programs.Loop()
    cls = type(made)

    async def run() -> Any:
        return await programs.plain(made)

    record(run)
    assert type(made) is cls
    assert {k: v for k, v in vars(agents.Scripted).items() if callable(v)} == {
        k: v for k, v in before.items() if callable(v)
    }
