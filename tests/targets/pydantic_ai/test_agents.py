"""Edits, edges and descriptions of single agents: what is shown, what comes back, what must not be in an identity."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("pydantic_ai")

from pydantic import BaseModel
from pydantic_ai import Agent, ModelRequest, ModelResponse, RunContext, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.direct import model_request
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel

from outtake_probe.commands import BadValue
from outtake_probe.gate.decision import Answer
from outtake_probe.records import StreamChunk
from outtake_probe.targets.pydantic_ai import adapter, messages
from tests.probe.inprocess import Log
from tests.targets.hooked import held
from tests.targets.pydantic_ai.debugging import CALLS, ended, fork, given, mock, model, output, record, replace, started


class Person(BaseModel):
    name: str
    age: int = 3


def looking(**options: Any) -> Any:
    """An agent that calls a tool once, and says what that found."""

    def answer(told: list[Any], info: Any) -> ModelResponse:
        CALLS.append("model")
        if told[-1].parts[-1].part_kind != "tool-return":
            return ModelResponse(parts=[TextPart("I look."), ToolCallPart("look", {"person": {"name": "Ann"}})])
        return ModelResponse(parts=[TextPart(f"found {told[-1].parts[-1].content}")])

    agent: Any = Agent(FunctionModel(answer), name="seeker", instructions="Seek.", **options)

    def look(person: Person) -> str:
        CALLS.append(f"look {person!r}")
        return f"{person.name} {person.age}"

    agent.tool_plain(look)

    return agent


async def seek() -> Any:
    return (await looking().run("Who?")).output


# -- what is shown -----------------------------------------------------------------------------------------------------


def test_a_prompt_and_an_answer_read_like_a_conversation() -> None:
    log = record(seek)
    first, second = started(log, "seeker/model")
    prompt = given(log, second)
    assert prompt["instructions"] == "Seek."
    assert prompt["messages"] == [
        {"role": "user", "content": "Who?"},
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [{"name": "look", "args": {"person": {"name": "Ann"}}}],
        },
        {"role": "tool", "name": "look", "content": "Ann 3"},
    ]
    assert output(log, first)["content"] == "I look."
    assert output(log, second)["content"] == "found Ann 3"
    (agent,) = started(log, call="agent")
    assert (given(log, agent), output(log, agent)) == ({"prompt": "Who?"}, "found Ann 3")


def test_ids_and_times_are_in_no_identity() -> None:
    async def program() -> Any:
        agent = looking()
        first = await agent.run("Who?")
        return (await agent.run("Again?", message_history=first.all_messages())).output

    one, other = (started(record(program)) for _ in range(2))
    assert [(r.component, r.digest) for r in one] == [(r.component, r.digest) for r in other]


def test_an_answer_comes_back_as_it_was() -> None:
    response = ModelResponse(
        parts=[
            TextPart("one", provider_details={"kept": [1]}),
            ToolCallPart("look", '{"what": 1}', tool_call_id="a"),
            ThinkingPart("thinks", signature="signed"),
            TextPart("two"),
        ],
        model_name="m",
        provider_name="p",
        finish_reason="stop",
    )
    assert messages.decode_response(messages.encode_response(response)) == response
    edited = {**messages.encode_response(response), "content": "else"}
    assert [part.part_kind for part in messages.decode_response(edited).parts] == ["thinking", "text", "tool-call"]


@pytest.mark.parametrize(
    "value", [3, {}, {"what": 1}, {"content": [1]}, {"tool_calls": [{}]}, {"content": "", "other": [{}]}]
)
def test_what_is_no_answer_is_refused(value: Any) -> None:
    with pytest.raises(BadValue):
        messages.decode_response(value)


def test_a_conversation_costs_only_what_is_new() -> None:
    def nodes(turns: int) -> int:
        async def program() -> None:
            agent = Agent(TestModel(), name="talker")
            history: list[Any] = []
            for turn in range(turns):
                history = (await agent.run(f"turn {turn} {'x' * 200}", message_history=history)).all_messages()

        return sum(map(len, record(program).nodes.values()))

    one, two = nodes(40), nodes(80)
    assert two < 2.3 * one


# -- edits -------------------------------------------------------------------------------------------------------------


def test_an_edited_prompt_reaches_the_model_and_keeps_the_ids_of_calls() -> None:
    parent = record(seek)
    edit = replace(started(parent, "seeker/model")[1], "Bob 5")
    again = fork(seek, parent, edit)
    assert (again.status, again.output) == ("completed", "found Bob 5")


def test_edited_arguments_are_checked_and_made_what_the_tool_takes() -> None:
    parent = record(seek)
    (tool,) = started(parent, "tools/look")
    CALLS.clear()
    again = fork(seek, parent, replace(tool, {"person": {"name": "Bob", "age": 7}}))
    assert (again.status, again.output) == ("completed", "found Bob 7")
    assert "look Person(name='Bob', age=7)" in CALLS
    _, refused = held(
        adapter,
        lambda: asyncio.run(seek()),
        "tool:*",
        Answer("proceed", {"person": {"age": "old"}}, edited=True),
    )
    assert refused


def test_a_tool_may_say_retry_and_that_is_a_result() -> None:
    parent = record(seek)
    (tool,) = started(parent, "tools/look")
    again = fork(seek, parent, mock(tool, {"$type": "retry", "message": "say who"}))
    prompts = [given(again, r)["messages"][-1] for r in started(again, "seeker/model")]
    assert any("say who" in str(last) for last in prompts)


def test_a_mocked_run_of_an_agent_has_its_output_type_and_a_history() -> None:
    async def program() -> Any:
        agent: Any = Agent(TestModel(), name="maker", output_type=Person)
        done = await agent.run("Make one.")
        return [done.output.name, done.output.age, len(done.all_messages())]

    parent = record(program)
    (agent,) = started(parent, call="agent")
    again = fork(program, parent, mock(agent, {"name": "Eve"}))
    assert again.status == "completed", again.output
    assert again.output == ["Eve", 3, 2]


def test_a_mocked_stream_comes_in_its_pieces() -> None:
    async def program() -> Any:
        agent = Agent(model, name="teller")
        async with agent.run_stream("Tell.") as result:
            return [piece async for piece in result.stream_text(delta=True, debounce_by=None)]

    parent = record(program)
    (asked,) = started(parent, "teller/model")
    assert [r for r in parent.records if isinstance(r, StreamChunk)]
    assert fork(program, parent, mock(asked, ["one ", "two"])).output == ["one ", "two"]
    assert fork(program, parent, mock(asked, {"content": "whole"})).output == ["whole"]


# -- edges -------------------------------------------------------------------------------------------------------------


def test_a_stream_that_is_left_half_read_is_left_so_in_a_fork() -> None:
    async def program() -> Any:
        agent = Agent(model, name="teller")
        async with agent.run_stream("Tell.") as result:
            async for piece in result.stream_text(delta=True, debounce_by=None):
                return [piece, (await Agent(model, name="other").run("next")).output]

    forks_alike(program)


def test_parallel_tools_come_back_in_their_order() -> None:
    async def program() -> Any:
        def answer(told: list[Any], info: Any) -> ModelResponse:
            CALLS.append("model")
            if len(told) == 1:
                return ModelResponse(parts=[ToolCallPart("wait", {"turns": turns}) for turns in (5, 1, 3)])
            return ModelResponse(parts=[TextPart(" ".join(str(part.content) for part in told[-1].parts))])

        agent: Any = Agent(FunctionModel(answer), name="agent")
        finished: list[int] = []

        async def wait(turns: int) -> int:
            CALLS.append(f"wait {turns}")
            for _ in range(turns):
                await asyncio.sleep(0)
            finished.append(turns)
            return turns

        agent.tool_plain(wait)

        return (await agent.run("Wait.")).output

    assert forks_alike(program).output == "5 1 3"


def test_a_tool_that_acts_on_its_run_does_so_when_it_is_served() -> None:
    async def program() -> Any:
        agent: Any = Agent(model, name="agent")

        def say(ctx: RunContext[None], what: str) -> str:
            CALLS.append("say")
            ctx.enqueue(f"and {what}")
            return "said"

        agent.tool(say)

        done = await agent.run("Go.")
        return [getattr(part, "content", None) for m in done.all_messages() for part in m.parts]

    log = forks_alike(program)
    assert any("and " in str(said) for said in log.output)


def test_a_cancelled_run_is_cancelled_in_a_fork() -> None:
    async def program() -> Any:
        agent: Any = Agent(model, name="agent")
        other = Agent(model, name="other")

        async def wait(what: str) -> str:
            CALLS.append("wait")
            await asyncio.get_running_loop().create_future()
            return what

        agent.tool_plain(wait)

        task = asyncio.ensure_future(agent.run("Wait for ever."))
        said = (await other.run("meanwhile")).output
        task.cancel()
        await asyncio.wait([task])
        return [said, task.cancelled(), (await other.run("afterwards")).output]

    assert forks_alike(program).output[1] is True


def test_synchronous_runs_in_threads_pass_the_gate() -> None:
    def work(results: list[str]) -> None:
        results.append(Agent(model, name="agent").run_sync("Go.").output)

    async def program() -> Any:
        results: list[str] = []
        await asyncio.to_thread(work, results)
        return results

    forks_alike(program)


def test_a_model_that_is_asked_directly_is_seen() -> None:
    async def program() -> Any:
        response = await model_request(model, [ModelRequest.user_text_prompt("Say something.")])
        return response.parts[0].content  # type: ignore[union-attr]

    log = forks_alike(program)
    assert [r.component for r in started(log)] == ["main", "main/model"]


def test_an_error_of_a_model_comes_back_as_its_class() -> None:
    async def program() -> Any:
        def answer(told: list[Any], info: Any) -> ModelResponse:
            CALLS.append("model")
            raise ConnectionError("no line")

        try:
            await Agent(FunctionModel(answer), name="agent").run("Go.")
        except ConnectionError as error:
            return str(error)

    assert forks_alike(program).output == "no line"


def forks_alike(program: Any) -> Log:
    """The record of a program whose forks end as it did and call nothing."""
    log = record(program)
    assert log.status == "completed", log.output
    for cut in (0, len(log.records) // 2, len(log.records)):
        CALLS.clear()
        again = record(program, parent=log, cut=cut, serve_failures=True)
        assert (again.status, again.output) == (log.status, log.output)
        assert not CALLS
    return log


# -- descriptions ------------------------------------------------------------------------------------------------------


def test_an_agent_is_described_with_its_tools_and_the_agents_inside() -> None:
    worker = Agent(TestModel(), name="worker", instructions="Work.")

    async def delegate(what: str) -> str:
        """Let the worker do it."""
        return (await worker.run(what)).output

    boss = Agent(TestModel(), name="boss", tools=[delegate], model_settings={"temperature": 0.5})

    async def program() -> Any:
        await boss.run("Go.")
        installed = adapter.installed
        assert installed is not None and installed.state.target is not None
        return installed.state.target.describe()

    told = record(program).output
    by_path = {each["path"]: each for each in told["components"]}
    below = "main/boss/tools/delegate"
    assert {"main/boss", "main/boss/model", below, f"{below}/worker"} <= set(by_path)
    assert by_path["main/boss"]["config"]["temperature"] == 0.5
    assert by_path[f"{below}/worker"]["config"]["instructions"] == "Work."
    assert by_path[below]["doc"] == "Let the worker do it."
    assert {"source": below, "target": f"{below}/worker", "label": ""} in told["edges"]


def test_every_call_ends() -> None:
    log = record(seek)
    assert all(ended(log, start) for start in started(log))
