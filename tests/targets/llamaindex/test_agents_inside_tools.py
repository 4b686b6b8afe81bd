"""Agents with a memory inside tools: after an edit of the third use, the live prompt has all that was said."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

pytest.importorskip("llama_index.core")

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.memory import ChatMemoryBuffer, Memory
from llama_index.core.tools import FunctionTool
from workflows import Workflow, step
from workflows.events import Event, StartEvent, StopEvent

from outtake_probe import thread_context
from outtake_probe.edits import Edit
from tests.targets.llamaindex import agents
from tests.targets.llamaindex.debugging import record, started

PROMPTS: list[int] = []


@pytest.fixture(autouse=True)
def in_threads_too() -> Iterator[None]:
    """As in a debugged process: older releases call functions in threads that know nothing of who calls them."""
    thread_context.install()
    yield
    thread_context.remove()


class Counting(agents.Scripted):
    """Says how many messages it was asked with."""

    def _answer(self, messages: Sequence[ChatMessage], tools: Sequence[str]) -> ChatResponse:
        PROMPTS.append(len(messages))
        return super()._answer(messages, tools)


class Second(Event):
    pass


class Third(Event):
    pass


def with_memory() -> FunctionTool:
    agent = FunctionAgent(name="helper", llm=Counting())
    memory = ChatMemoryBuffer.from_defaults(token_limit=10_000, tokenizer_fn=str.split)

    async def helper(what: str) -> str:
        return str(await agent.run(user_msg=what, memory=memory))

    return FunctionTool.from_defaults(async_fn=helper)


def with_blocks() -> FunctionTool:
    agent = FunctionAgent(name="helper", llm=Counting())
    memory = Memory.from_defaults(session_id="helper", tokenizer_fn=str.split)

    async def helper(what: str) -> str:
        return str(await agent.run(user_msg=what, memory=memory))

    return FunctionTool.from_defaults(async_fn=helper)


def with_list() -> FunctionTool:
    said: list[ChatMessage] = []
    model = Counting()

    def helper(what: str) -> str:
        said.append(ChatMessage(role="user", content=what))
        said.append(model.chat(said).message)
        return str(said[-1].content)

    return FunctionTool.from_defaults(helper)


def in_steps(tool: FunctionTool) -> Workflow:
    """Each use of the tool is in a step of its own."""

    class Uses(Workflow):
        @step
        async def first(self, ev: StartEvent) -> Second:
            await tool.acall(what="one")
            return Second()

        @step
        async def second(self, ev: Second) -> Third:
            await tool.acall(what="two")
            return Third()

        @step
        async def third(self, ev: Third) -> StopEvent:
            return StopEvent(result=str(await tool.acall(what="three")))

    return Uses(timeout=60)


MAKES = [with_memory, with_blocks, with_list]


def program(make: Callable[[], FunctionTool]) -> Callable[[], Any]:
    async def run() -> Any:
        return await in_steps(make()).run()

    return run


@pytest.mark.parametrize("make", MAKES)
def test_the_third_use_finds_what_was_said(make: Callable[[], FunctionTool]) -> None:
    PROMPTS.clear()
    parent = record(program(make))
    assert (parent.status, PROMPTS) == ("completed", [1, 3, 5])
    use = started(parent, call="tool")[2]
    PROMPTS.clear()
    edit = Edit(op="replace_input", seq=use.seq, value={"what": "four"})
    fork = record(program(make), parent=parent, cut=use.seq, edits=[edit])
    assert (fork.status, PROMPTS) == ("completed", [5])


@pytest.mark.parametrize("make", MAKES)
def test_unedited_forks_ask_nothing(make: Callable[[], FunctionTool]) -> None:
    parent = record(program(make))
    PROMPTS.clear()
    for cut in range(0, len(parent.records) + 1, 4):
        fork = record(program(make), parent=parent, cut=cut, repeat="serve")
        assert (fork.status, fork.output, PROMPTS) == ("completed", parent.output, []), cut
