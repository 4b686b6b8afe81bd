"""Hooks go in at any time, any number of times, reach what was made before and comes after, and leave no trace."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

autogen_core = pytest.importorskip("autogen_core")

import autogen_agentchat.teams._group_chat._base_group_chat as base_group_chat
from autogen_agentchat.agents import BaseChatAgent, UserProxyAgent
from autogen_agentchat.teams import BaseGroupChat
from autogen_core.code_executor import CodeExecutor
from autogen_core.models import ChatCompletionClient
from autogen_core.tools import BaseTool, FunctionTool, Workbench

from outtake_probe.targets.autogen import adapter
from tests.targets.autogen import programs
from tests.targets.autogen.debugging import of_coroutine, of_team, record, session, started

PATCHED: list[Any] = [
    autogen_core,
    base_group_chat,
    BaseGroupChat,
    BaseChatAgent,
    UserProxyAgent,
    ChatCompletionClient,
    programs.HashModel,
    BaseTool,
    FunctionTool,
    Workbench,
    CodeExecutor,
]


def everything() -> list[dict[str, Any]]:
    return [dict(vars(holder)) for holder in PATCHED]


def test_removing_puts_everything_back() -> None:
    before = everything()

    def main() -> None:
        assert everything() != before
        assert list(adapter.install(session())) == []
        assert autogen_core.SingleThreadedAgentRuntime is vars(base_group_chat)["SingleThreadedAgentRuntime"]

    assert record(main).status == "completed"
    adapter.remove()
    assert everything() == before


def test_a_model_client_that_is_defined_later_is_hooked_too() -> None:
    async def main() -> None:
        class Later(programs.HashModel):
            async def create(self, messages: Any, **kwargs: Any) -> Any:
                return await super().create(messages, **kwargs)

        await Later("later").create([])

    log = record(of_coroutine(main))
    assert [r.type for r in started(log, "main/model")] == ["Later"]


def test_two_sessions_after_each_other_do_not_meet() -> None:
    first, second = record(of_team(programs.coder)), record(of_team(programs.coder))
    assert first.output == second.output
    assert [(r.kind, r.component, r.body) for r in first.records] == [
        (r.kind, r.component, r.body) for r in second.records
    ]


def test_what_can_be_run_is_claimed() -> None:
    assert adapter.claims(programs.round_robin())
    assert adapter.claims(programs.writer("ann"))
    assert adapter.claims(autogen_core.SingleThreadedAgentRuntime())
    assert not adapter.claims("a text")
    assert not adapter.claims(object())


def test_a_factory_s_team_gives_its_answer_and_its_stop_reason() -> None:
    async def main() -> Any:
        program = adapter.program(programs.round_robin(), session())
        assert program.name == "team"
        return await program.run("go")

    output = record(lambda: asyncio.run(main())).output
    plain = of_team(programs.round_robin)()
    assert output == {"answer": plain[-2][2], "stop_reason": plain[-1][1], "messages": len(plain) - 1}


def test_a_task_can_be_messages() -> None:
    async def main() -> Any:
        program = adapter.program(programs.round_robin(), session())
        return await program.run([{"content": "one"}, {"type": "TextMessage", "source": "boss", "content": "two"}])

    log = record(lambda: asyncio.run(main()))
    asked = log.body(started(log, "team/manager")[0].body)
    assert [(m["source"], m["content"]) for m in asked["messages"]] == [("user", "one"), ("boss", "two")]


def test_a_runtime_is_given_a_message() -> None:
    async def main() -> Any:
        runtime = autogen_core.SingleThreadedAgentRuntime()
        await programs.Factorial.register(runtime, "factorial", programs.Factorial)
        program = adapter.program(runtime, session())
        return await program.run({"to": "factorial", "type": "Number", "message": {"value": 3}})

    assert record(lambda: asyncio.run(main())).output == {"value": 6}
