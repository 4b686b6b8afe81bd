"""What a tool of a graph writes into a variable of the program is there again in a fork that serves it."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("langgraph")

from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langgraph.graph import MessagesState, StateGraph

from tests.targets.hooked import Executed
from tests.targets.langgraph.debugging import record, started

EXECUTED = Executed()


def program() -> Any:
    """A graph of two nodes that each use a tool; what the tool keeps is the program's result."""
    pets: dict[str, list[str]] = {}

    @tool
    def keep(what: str) -> str:
        """Keep a word."""
        pets.setdefault("anna", []).append(what)
        note(what)
        return f"kept {len(pets['anna'])}"

    def use(word: str) -> Any:
        return lambda state: {"messages": [HumanMessage(keep.invoke({"what": word}))]}

    graph: Any = StateGraph(MessagesState)
    for word in ("cat", "dog"):
        graph.add_node(word, use(word))
    graph.add_edge("__start__", "cat").add_edge("cat", "dog")
    said = [m.content for m in graph.compile().invoke({"messages": []})["messages"]]
    return [said, pets]


def note(what: str) -> None:
    EXECUTED.append(what)


def test_what_a_served_tool_kept_is_there_again() -> None:
    EXECUTED.clear()
    parent = record(program)
    assert (parent.output, EXECUTED) == ([["kept 1", "kept 2"], {"anna": ["cat", "dog"]}], ["cat", "dog"])
    second = started(parent, kind="tool")[1]
    for cut in (1, second.seq, len(parent.records)):
        EXECUTED.clear()
        fork = record(program, parent=parent, cut=cut, repeat="serve")
        assert (fork.status, fork.output, EXECUTED) == ("completed", parent.output, []), cut
