"""What a program is made of: its graph, its settings and what can be changed of them, and that no secret is told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("autogen_core")

from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import AgentId

from outtake_probe.commands import BadValue
from outtake_probe.edits import Edit
from outtake_probe.records import Json
from outtake_probe.targets.autogen import adapter
from tests.targets.autogen import programs
from tests.targets.autogen.debugging import User, debug, of_team, record, session, started

pytestmark = pytest.mark.filterwarnings("ignore:No approval function")
ROUND = of_team(programs.round_robin)


def described(make: Callable[[], Any]) -> Json:
    """The description of a team that was made and has not run."""
    log = record(lambda: _describe(make()))
    assert log.status == "completed", log.output
    json.dumps(log.output)
    return log.output


def _describe(team: Any) -> Json:
    return adapter.program(team, session()).target.describe()


def components(found: Json) -> dict[str, Json]:
    return {component["path"]: component for component in found["components"]}


def edges(found: Json) -> set[tuple[str, str, str]]:
    return {(edge["source"], edge["target"], edge["label"]) for edge in found["edges"]}


def test_a_team_is_described_before_it_runs() -> None:
    found = described(programs.round_robin)
    known = components(found)
    assert found["missing"] == []
    assert {path: component["kind"] for path, component in known.items()} == {
        "team": "team",
        "team/manager": "agent",
        "team/output": "agent",
        "team/ann": "agent",
        "team/ann/model": "model",
        "team/ann/tools/search": "tool",
        "team/bob": "agent",
        "team/bob/model": "model",
    }
    ann = known["team/ann"]
    assert ann["config"]["tools"] == ["search"]
    assert ann["config"]["model"] == "ann"
    assert "system_message" in ann["schema"]["properties"]
    assert ann["accepts"]["TextMessage"]["properties"]["content"]["type"] == "string"
    assert "GroupChatRequestPublish" in ann["accepts"]
    assert known["team/ann/tools/search"]["accepts"]["arguments"]["properties"]["query"]["type"] == "string"
    assert known["team"]["config"]["termination"] == "MaxMessageTermination(max_messages=9)"


def test_the_graph_shows_loops_handoffs_and_teams_in_teams() -> None:
    flow = edges(described(programs.graph))
    assert {("team/a", "team/b", "then"), ("team/d", "team/a", "then: _again")} <= flow
    assert ("team/ann", "team/bob", "hands off") in edges(described(programs.swarm))
    nested = described(programs.nested)
    assert ("office/manager", "office/desk", "asks") in edges(nested)
    assert ("office/desk", "office/desk/manager", "contains") in edges(nested)
    assert "office/desk/ann/model" in components(nested)
    society = described(programs.society)
    assert ("team/mind", "team/mind/team/manager", "contains") in edges(society)
    assert components(society)["team/mind"]["config"]["instruction"]


def test_routed_agents_are_described_by_their_handlers() -> None:
    async def main() -> Json:
        from autogen_core import SingleThreadedAgentRuntime, TypeSubscription  # noqa: PLC0415

        runtime = SingleThreadedAgentRuntime()
        await programs.Factorial.register(runtime, "factorial", programs.Factorial)
        await runtime.add_subscription(TypeSubscription("sums", "factorial"))
        assert adapter.claims(runtime)
        return adapter.program(runtime, session()).target.describe()

    found = record(lambda: asyncio.run(main())).output
    factorial = components(found)["factorial"]
    assert set(factorial["accepts"]) == {"Number", "Answer"}
    assert factorial["accepts"]["Number"]["properties"]["value"]["type"] == "integer"
    assert ("topic:sums", "factorial", "heard by") in edges(found)


def test_no_secret_is_described_or_recorded() -> None:
    class Client(programs.HashModel):
        def __init__(self) -> None:
            super().__init__("secretive")
            self._create_args = {"model": "m", "temperature": 0.5, "api_key": "sk-very-secret-indeed-1234"}
            self.api_key = "sk-very-secret-indeed-1234"

    def team() -> Any:
        ann = programs.writer("ann")
        ann._model_client = Client()
        return RoundRobinGroupChat([ann], termination_condition=MaxMessageTermination(2))

    found = described(team)
    assert components(found)["team/ann"]["config"]["temperature"] == 0.5
    assert "very-secret" not in json.dumps(found)
    log = record(of_team(team))
    assert log.body(started(log, "team/ann/model")[0].body)["args"] == {"temperature": 0.5}
    assert b"very-secret" not in b"".join(log.nodes.values())


def change(component: str, key: str, value: Json) -> Any:
    """A run in which a setting is changed before bob's first turn."""

    def script(user: User) -> None:
        user.until("team/bob", "GroupChatRequestPublish")
        user.command("configure", component=component, key=key, value=value)

    return debug(ROUND, script)


def test_a_system_message_holds_from_the_next_turn_on() -> None:
    log = change("team/bob", "system_message", "You are Robert.")
    prompt = log.body(started(log, "team/bob/model")[0].body)
    assert prompt["messages"][0]["content"] == "You are Robert."


@pytest.mark.parametrize("component", ["team/bob", "team/bob/model"])
def test_model_and_temperature_change_one_agent_s_client(component: str) -> None:
    log = change(component, "model", "better")
    assert {log.body(r.body)["model"] for r in started(log, "team/bob/model")} == {"better"}
    assert {log.body(r.body)["model"] for r in started(log, "team/ann/model")} == {"ann"}
    log = change(component, "temperature", 0.7)
    assert any(text.endswith("@0.7") for _, source, text in log.output[:-1] if source == "bob")
    assert not any("@" in text for _, source, text in log.output[:-1] if source == "ann")


def test_tools_can_be_taken_away_and_given_back() -> None:
    def script(user: User) -> None:
        held = user.until("team/ann", "GroupChatRequestPublish")
        user.command("configure", component="team/ann", key="tools", value=[])
        user.step(held)
        user.until("team/ann", "GroupChatAgentResponse")
        user.command("configure", component="team/ann", key="tools", value=["search"])
        assert components(user.command("describe"))["team/ann"]["config"]["tools"] == ["search"]

    log = debug(ROUND, script)
    asked = [log.body(r.body) for r in started(log, "team/ann/model")]
    assert "tools" not in asked[0]
    assert any(prompt.get("tools", [{}])[0].get("name") == "search" for prompt in asked[1:])


def test_a_description_is_what_the_manager_reads() -> None:
    for make, manager in ((programs.selector, "team/manager"), (programs.magentic, "team/orchestrator")):
        program = of_team(make)
        log = debug(program, lambda user, at=manager: _describe_bob(user, at))  # type: ignore[misc]
        prompts = "".join(str(log.body(r.body)["messages"]) for r in started(log, f"{manager}/model")[1:])
        assert "knows everything" in prompts


def _describe_bob(user: User, manager: str) -> None:
    held = user.until(manager, "GroupChatStart")
    user.command("configure", component="team/bob", key="description", value="knows everything")
    user.step(held)


def test_what_cannot_be_set_is_refused_with_what_can() -> None:
    def script(user: User) -> None:
        user.until("team/bob", "GroupChatRequestPublish")
        for component, key, value, message in (
            ("team/bob", "colour", "red", "has no setting 'colour'; it has description, system_message, .*model"),
            ("team/bob", "temperature", "hot", "is number or null, not 'hot'"),
            ("team/ann", "tools", ["serach"], "team/ann.tools: there is no 'serach'; known: search"),
            ("team/ben", "model", "m", "there is no component 'team/ben' with settings; known: .*team/bob"),
        ):
            with pytest.raises(BadValue, match=message):
                user.command("configure", component=component, key=key, value=value)

    debug(ROUND, script)


def test_a_fork_s_setting_changes_only_what_comes_after() -> None:
    parent = record(ROUND)
    second = started(parent, "team/bob", "GroupChatRequestPublish")[1]
    edit = Edit(op="set_config", component="team/bob", key="system_message", value="You are Robert.")
    programs.CALLS.clear()
    fork = record(ROUND, parent=parent, cut=second.seq, edits=[edit])
    prompts = [fork.body(r.body)["messages"][0]["content"] for r in started(fork, "team/bob/model")]
    assert prompts[0] == "You are bob." and prompts[1] == "You are Robert."
    again = record(ROUND, parent=fork)
    assert (again.status, again.output) == (fork.status, fork.output)


def test_a_setting_can_wait_for_an_agent_that_is_not_made_yet() -> None:
    async def main() -> Any:
        from autogen_core import SingleThreadedAgentRuntime  # noqa: PLC0415

        runtime = SingleThreadedAgentRuntime()
        await programs.Factorial.register(runtime, "factorial", programs.Factorial)
        runtime.start()
        target = session().target
        assert target is not None
        target.configure("factorial", "description", "changed")
        await runtime.send_message(programs.Number(1), AgentId("factorial", "default"))
        made = await runtime.try_get_underlying_agent_instance(AgentId("factorial", "default"), programs.Factorial)
        await runtime.stop_when_idle()
        return made.metadata["description"]

    assert record(lambda: asyncio.run(main())).output == "changed"
