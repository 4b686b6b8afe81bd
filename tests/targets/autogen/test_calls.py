"""Models, tools, workbenches, code executors and the user: what is recorded of a call, and what can stand in for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

pytest.importorskip("autogen_core")

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_agentchat.tools import AgentTool, TeamTool
from autogen_core import CancellationToken
from autogen_core.models import UserMessage
from autogen_core.tools import FunctionTool, StaticWorkbench, TextResultContent, ToolResult, Workbench

from outtake_probe.edits import Edit
from outtake_probe.records import InvocationEnded, InvocationStarted
from tests.probe.inprocess import Log
from tests.targets.autogen import programs
from tests.targets.autogen.debugging import of_coroutine, of_team, record, started

pytestmark = pytest.mark.filterwarnings("ignore:No approval function")


def ended(log: Log, start: InvocationStarted) -> InvocationEnded:
    return next(r for r in log.records if isinstance(r, InvocationEnded) and r.invocation == start.seq)


def mocked(team: Any, component: str, value: Any, op: str = "mock_output") -> Log:
    """A fork of a team's run in which the first call of a component is answered by `value`."""
    program = of_team(team)
    parent = record(program)
    call = started(parent, component)[0]
    programs.CALLS.clear()
    return record(program, parent=parent, cut=call.seq, edits=[Edit(op=op, seq=call.seq, value=value)])


def test_a_model_call_says_what_was_asked_and_answered() -> None:
    log = record(of_team(programs.round_robin))
    call = started(log, "team/ann/model")[0]
    asked, answered = log.body(call.body), log.body(ended(log, call).body)
    assert asked["model"] == "ann"
    assert [m["type"] for m in asked["messages"]] == ["SystemMessage", "UserMessage"]
    assert asked["tools"][0]["name"] == "search"
    assert answered["content"][0]["name"] == "search"
    assert ended(log, call).tokens_in == 2
    assert "cancellation" not in str(asked)


def test_a_streamed_answer_is_recorded_in_pieces_and_served_in_pieces() -> None:
    program = of_team(programs.round_robin)
    parent = record(program)
    call = started(parent, "team/bob/model")[0]
    pieces = parent.body(ended(parent, call).body)
    assert "".join(pieces[:-1]) == pieces[-1]["content"]
    programs.CALLS.clear()
    fork = record(program, parent=parent, cut=len(parent.records))
    assert fork.output == parent.output and not programs.CALLS


@pytest.mark.parametrize("component", ["team/ann/model", "team/bob/model"])
def test_a_model_s_answer_can_be_a_text(component: str) -> None:
    fork = mocked(programs.round_robin, component, "MOCKED")
    assert fork.status == "completed"
    assert "MOCKED" in [text for _, _, text in fork.output[:-1]]


def test_a_model_call_that_is_told_something_else_answers_something_else() -> None:
    fork = mocked(programs.round_robin, "team/bob/model", "something else", op="replace_input")
    asked = fork.body(started(fork, "team/bob/model")[0].body)
    assert asked["messages"][-1]["content"] == "something else"
    assert fork.status == "completed"
    assert programs.CALLS["bob"]


def test_a_model_call_can_fail() -> None:
    fork = mocked(programs.round_robin, "team/bob/model", "overloaded", op="raise")
    assert fork.status == "failed"
    assert "RuntimeError: overloaded" in fork.output["message"]


def test_a_tool_that_fails_is_recorded_as_an_error_and_the_agent_is_told() -> None:
    log = record(of_team(programs.failing_tool))
    call = started(log, "team/clumsy/tools/broken")[0]
    end = ended(log, call)
    assert end.failed
    error = log.body(end.body)
    assert (error["class"], error["message"]) == ("builtins:LookupError", "no clumsy here")
    assert any(frame["function"] == "broken" for frame in error["frames"])
    assert any("no clumsy here" in text for _, source, text in log.output[:-1] if source == "clumsy")


def test_a_tool_s_result_and_arguments_can_be_changed() -> None:
    fork = mocked(programs.round_robin, "team/ann/tools/search", "a mocked finding")
    assert any("a mocked finding" in text for _, _, text in fork.output[:-1])
    fork = mocked(programs.round_robin, "team/ann/tools/search", {"query": "changed"}, op="replace_input")
    assert fork.body(started(fork, "team/ann/tools/search")[0].body) == {"query": "changed"}
    assert programs.CALLS["search"]


def test_code_and_the_user_can_be_mocked() -> None:
    fork = mocked(programs.coder, "team/runner/code", "printed this")
    assert any("printed this" in text for _, source, text in fork.output[:-1] if source == "runner")
    fork = mocked(programs.user_proxy, "team/person/input", "typed by the test")
    assert ["TextMessage", "person", "typed by the test"] in fork.output


def declared(query: str) -> str:
    """Looks only."""
    return query


declared.__outtake_effects__ = "read"  # type: ignore[attr-defined]


def test_effects_are_those_that_the_program_declares() -> None:
    def team() -> Any:
        ann = AssistantAgent("ann", programs.HashModel("ann", programs.call_then_say("declared")), tools=[declared])
        return RoundRobinGroupChat([ann], termination_condition=MaxMessageTermination(3))

    assert started(record(of_team(team)), "team/ann/tools/declared")[0].effects == "read"
    assert started(record(of_team(programs.round_robin)), "team/ann/tools/search")[0].effects == "write"
    handoffs = record(of_team(programs.swarm))
    assert started(handoffs, "team/ann/tools/transfer_to_bob")[0].effects == "pure"


class OwnBench(Workbench):
    """A workbench that runs its tools itself, as one that talks to a server does."""

    async def list_tools(self) -> Any:
        return [{"name": "lookup", "description": "", "parameters": {"type": "object", "properties": {}}}]

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> ToolResult:
        programs.CALLS["bench"] += 1
        inner = FunctionTool(declared, description="", name="lookup")
        found = await inner.run_json({"query": str(arguments)}, CancellationToken())
        return ToolResult(name=name, result=[TextResultContent(content=f"bench {found}")])

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def reset(self) -> None: ...

    async def save_state(self) -> Mapping[str, Any]:
        return {}

    async def load_state(self, state: Mapping[str, Any]) -> None: ...


def _bench_team() -> Any:
    ann = AssistantAgent("ann", programs.HashModel("ann", programs.call_then_say("lookup")), workbench=OwnBench())
    return RoundRobinGroupChat([ann], termination_condition=MaxMessageTermination(3))


def test_a_workbench_that_runs_its_own_tools_is_one_call() -> None:
    program = of_team(_bench_team)
    parent = record(program)
    tools = [r for r in parent.records if isinstance(r, InvocationStarted) and r.call == "tool"]
    assert [r.component for r in tools] == ["team/ann/tools/lookup"]
    assert parent.body(ended(parent, tools[0]).body)["result"][0]["content"].startswith("bench")
    programs.CALLS.clear()
    fork = record(program, parent=parent, cut=len(parent.records) - 1)
    assert fork.output == parent.output and not programs.CALLS
    assert any("instead" in text for _, _, text in mocked(_bench_team, "team/ann/tools/lookup", "instead").output[:-1])


def test_a_static_workbench_is_recorded_by_its_tools() -> None:
    def team() -> Any:
        bench = StaticWorkbench([FunctionTool(programs.search, description="looks up")])
        ann = AssistantAgent("ann", programs.HashModel("ann", programs.call_then_say("search")), workbench=bench)
        return RoundRobinGroupChat([ann], termination_condition=MaxMessageTermination(3))

    log = record(of_team(team))
    assert [r.component for r in log.records if isinstance(r, InvocationStarted) and r.call == "tool"] == [
        "team/ann/tools/search"
    ]


@pytest.mark.parametrize("kind", ["agent", "team", "function", "workbench"])
def test_agents_inside_tools_remember_what_they_were_asked(kind: str) -> None:
    prompts: list[int] = []

    class Counting(programs.HashModel):
        async def create(self, messages: Any, **kwargs: Any) -> Any:
            prompts.append(len(messages))
            return await super().create(messages, **kwargs)

    async def run() -> Any:
        agent = AssistantAgent("helper", Counting("helper"), description="helps")
        if kind == "team":
            team = RoundRobinGroupChat([agent], name="desk", termination_condition=MaxMessageTermination(2))
            tool: Any = TeamTool(team, name="helper", description="a team", return_value_as_last_message=True)
        elif kind == "function":

            async def ask(task: str) -> str:
                return str((await agent.run(task=task)).messages[-1])[:20]

            tool = FunctionTool(ask, name="helper", description="asks")
        else:
            tool = AgentTool(agent, return_value_as_last_message=True)
        if kind == "workbench":
            bench = StaticWorkbench([tool])
            return [(await bench.call_tool("helper", {"task": t})).to_text() for t in ("one", "two", "three")]
        given = [await tool.run_json({"task": t}, CancellationToken()) for t in ("one", "two", "three")]
        return [tool.return_value_as_string(each) for each in given]

    program = of_coroutine(run)
    parent = record(program)
    assert (parent.status, prompts) == ("completed", [2, 4, 6])
    uses = [r for r in parent.records if isinstance(r, InvocationStarted) and r.call == "tool"]
    assert len(uses) == 3
    prompts.clear()
    edit = Edit(op="replace_input", seq=uses[2].seq, value={"task": "four"})
    fork = record(program, parent=parent, cut=uses[2].seq, edits=[edit])
    assert (fork.status, prompts) == ("completed", [6])
    prompts.clear()
    for cut in range(0, len(parent.records) + 1, 5):
        fork = record(program, parent=parent, cut=cut, repeat="serve")
        assert (fork.status, fork.output, prompts) == ("completed", parent.output, []), cut


def test_agents_and_teams_as_tools_are_nested_and_called_by_no_fork() -> None:
    def team() -> Any:
        helper = AgentTool(programs.writer("helper"))
        inner = RoundRobinGroupChat(
            [programs.writer("ida")], name="desk", termination_condition=MaxMessageTermination(2)
        )
        desk = TeamTool(inner, name="desk", description="a team")
        ann = AssistantAgent(
            "ann", programs.HashModel("ann", programs.call_each("helper", "desk")), tools=[helper, desk]
        )
        return RoundRobinGroupChat([ann], termination_condition=MaxMessageTermination(6))

    program = of_team(team)
    plain = program()
    parent = record(program)
    assert (parent.status, parent.output) == ("completed", plain)
    paths = {r.component for r in parent.records}
    assert {"team/ann/tools/helper/model", "team/ann/tools/desk/ida/model"} <= paths
    for cut in range(0, len(parent.records) + 1, 9):
        programs.CALLS.clear()
        fork = record(program, parent=parent, cut=cut)
        assert (fork.status, fork.output, dict(programs.CALLS)) == ("completed", plain, {}), cut


def test_an_agent_that_runs_by_itself_is_a_component() -> None:
    async def run() -> Any:
        return programs.transcript(await programs.researcher("ann").run(task="go"))

    program = of_coroutine(run)
    log = record(program)
    assert log.output == program()
    assert {"ann", "ann/model", "ann/tools/search"} <= {r.component for r in log.records}


def test_a_client_that_calls_another_is_one_call() -> None:
    class Wrapping(programs.HashModel):
        async def create(self, messages: Any, **kwargs: Any) -> Any:
            return await super().create(messages, **kwargs)

    async def run() -> Any:
        result = await Wrapping("outer").create([UserMessage(content="hi", source="user")])
        return result.content

    log = record(of_coroutine(run))
    models = [r for r in log.records if isinstance(r, InvocationStarted) and r.call == "model"]
    assert [r.type for r in models] == ["Wrapping"]


def test_a_prompt_that_was_changed_in_place_is_recorded_as_it_is() -> None:
    async def run() -> None:
        model = programs.HashModel("m")
        said = [UserMessage(content="one", source="user")]
        await model.create(said)
        said[0].content = "two"
        await model.create(said)
        said.append(UserMessage(content="three", source="user"))
        await model.create(said)

    log = record(of_coroutine(run))
    prompts = [[m["content"] for m in log.body(r.body)["messages"]] for r in started(log, "main/model")]
    assert prompts == [["one"], ["two"], ["two", "three"]]
