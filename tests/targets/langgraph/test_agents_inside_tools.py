"""Agents with a memory inside tools and nodes: after an edit of the third use, the prompt has all that was said."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("langgraph")

from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langchain_core.tools import BaseTool, StructuredTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import MessagesState, StateGraph

from tests.targets.langgraph import programs
from tests.targets.langgraph.debugging import mock, record, started

PROMPTS: list[int] = []
WORDS = ("one", "two", "three")
INNER: Any = {"configurable": {"thread_id": "inner"}}


class Counting(programs.Scripted):
    """Says how many messages it was asked with."""

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Any:
        PROMPTS.append(len(messages))
        return super()._generate(messages, stop, run_manager, **kwargs)


def with_checkpoints() -> BaseTool:
    """A graph that remembers by its checkpointer."""
    agent: Any = create_agent(Counting(), checkpointer=InMemorySaver())

    @tool
    def helper(what: str) -> str:
        """Ask the helper."""
        return str(agent.invoke({"messages": [("user", what)]}, INNER)["messages"][-1].content)

    return helper


def with_coroutine() -> BaseTool:
    agent: Any = create_agent(Counting(), checkpointer=InMemorySaver())

    async def helper(what: str) -> str:
        return str((await agent.ainvoke({"messages": [("user", what)]}, INNER))["messages"][-1].content)

    return StructuredTool.from_function(
        coroutine=helper, func=lambda what: asyncio.run(helper(what)), name="helper", description="Ask the helper."
    )


def with_list() -> BaseTool:
    """A closure."""
    said: list[Any] = []
    model = Counting()

    @tool
    def helper(what: str) -> str:
        """Ask the helper."""
        said.append(HumanMessage(what))
        said.append(model.invoke(said))
        return str(said[-1].content)

    return helper


class Helper(BaseTool):
    """A class of one's own."""

    name: str = "helper"
    description: str = "Ask the helper."
    said: list[Any]
    model: Any = None

    def _run(self, what: str) -> str:
        self.said.append(HumanMessage(what))
        self.said.append(self.model.invoke(self.said))
        return str(self.said[-1].content)


def with_class() -> BaseTool:
    return Helper(model=Counting(), said=[])


def in_nodes(made: BaseTool) -> Any:
    """Each use of the tool is in a node of its own."""

    def use(word: str) -> Callable[[Any], Any]:
        return lambda state: {"messages": [HumanMessage(made.invoke({"what": word}))]}

    graph: Any = StateGraph(MessagesState)
    for word in WORDS:
        graph.add_node(word, use(word))
    graph.add_edge("__start__", "one").add_edge("one", "two").add_edge("two", "three")
    return graph.compile()


def program(make: Callable[[], BaseTool]) -> Callable[[], Any]:
    return lambda: [m.content for m in in_nodes(make()).invoke({"messages": []})["messages"]]


@pytest.mark.parametrize("make", [with_checkpoints, with_coroutine, with_list, with_class])
def test_the_third_use_finds_what_was_said(make: Callable[[], BaseTool]) -> None:
    PROMPTS.clear()
    parent = record(program(make))
    assert (parent.status, PROMPTS) == ("completed", [1, 3, 5])
    use = started(parent, kind="tool")[2]
    PROMPTS.clear()
    edit = mock(use, None)
    edit = type(edit)(op="replace_input", seq=use.seq, value={"what": "four"})
    fork = record(program(make), parent=parent, cut=use.seq, edits=[edit])
    assert (fork.status, PROMPTS) == ("completed", [5])


@pytest.mark.parametrize("make", [with_checkpoints, with_coroutine, with_list, with_class])
def test_unedited_forks_ask_nothing(make: Callable[[], BaseTool]) -> None:
    parent = record(program(make))
    PROMPTS.clear()
    for cut in range(0, len(parent.records) + 1, 4):
        fork = record(program(make), parent=parent, cut=cut, repeat="serve")
        assert (fork.status, fork.output, PROMPTS) == ("completed", parent.output, []), cut


def test_a_node_that_calls_a_graph_with_a_memory_finds_what_was_said() -> None:
    def run() -> Any:
        agent: Any = create_agent(Counting(), checkpointer=InMemorySaver())

        def use(word: str) -> Callable[[Any], Any]:
            return lambda state: agent.invoke({"messages": [("user", word)]}, INNER)

        graph: Any = StateGraph(MessagesState)
        for word in WORDS:
            graph.add_node(word, use(word))
        graph.add_edge("__start__", "one").add_edge("one", "two").add_edge("two", "three")
        return len(graph.compile().invoke({"messages": []})["messages"])

    PROMPTS.clear()
    parent = record(run)
    assert (parent.status, PROMPTS) == ("completed", [1, 3, 5])
    model = started(parent, kind="model")[2]
    PROMPTS.clear()
    fork = record(run, parent=parent, cut=model.seq, reuse="prefix")
    assert (fork.status, PROMPTS) == ("completed", [5])
