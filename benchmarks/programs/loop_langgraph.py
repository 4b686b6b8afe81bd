"""The program that is measured: a chat loop of two nodes of LangGraph, with a model that answers at once.

Run it plain (``loop_langgraph.py N``), with a checkpointer that writes to SQLite (``loop_langgraph.py N sqlite``), or
under Outtake (``loop_langgraph.py:target``, N in ``CHAT_MESSAGES``).  The last line of output is a JSON object.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from langchain_core.language_models.chat_models import SimpleChatModel
from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph

from words import said


class Instant(SimpleChatModel):
    """Answers at once."""

    name: str

    @property
    def _llm_type(self) -> str:
        return "instant"

    def _call(self, messages: list[BaseMessage], stop: list[str] | None = None, *args: Any, **kwargs: Any) -> str:
        return said(self.name, len(messages))


ANN, BOB = Instant(name="ann"), Instant(name="bob")


def ask(state: MessagesState) -> MessagesState:
    return {"messages": [ANN.invoke(state["messages"] or "begin")]}


def reply(state: MessagesState) -> MessagesState:
    return {"messages": [BOB.invoke(state["messages"])]}


def after(other: str) -> Any:
    """Who speaks next, until `CHAT_MESSAGES` messages have been said."""
    count = int(os.environ["CHAT_MESSAGES"])
    return lambda state: END if len(state["messages"]) >= count else other


def target(checkpointer: BaseCheckpointSaver[Any] | None = None) -> CompiledStateGraph[Any, Any, Any, Any]:
    graph = StateGraph(MessagesState)
    graph.add_node("ask", ask)
    graph.add_node("reply", reply)
    graph.add_edge(START, "ask")
    graph.add_conditional_edges("ask", after("reply"), ["reply", END])
    graph.add_conditional_edges("reply", after("ask"), ["ask", END])
    return graph.compile(checkpointer=checkpointer).with_config(recursion_limit=10_000)


def main(policy: str) -> dict[str, float]:
    config: RunnableConfig = {"recursion_limit": 10_000, "configurable": {"thread_id": "1"}}
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        file = folder / "checkpoints.db"
        saver = stack.enter_context(SqliteSaver.from_conn_string(str(file))) if policy == "sqlite" else None
        graph = target(saver)
        began = time.perf_counter()
        result = graph.invoke({"messages": []}, config)
        figures = {"seconds": time.perf_counter() - began, "messages": len(result["messages"]), "bytes": 0}
        if saver is not None:
            figures["fork_in_middle_seconds"] = fork(graph, config)
            saver.conn.execute("pragma wal_checkpoint(truncate)")
            figures["bytes"] = file.stat().st_size
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return {**figures, "peak": peak}


def fork(graph: CompiledStateGraph[Any, Any, Any, Any], config: RunnableConfig) -> float:
    """Seconds from the checkpoint in the middle to the first node that goes on from it."""
    found = [snapshot.config for snapshot in graph.get_state_history(config)]
    middle = found[len(found) // 2]
    began = time.perf_counter()
    next(iter(graph.stream(None, middle)))
    return time.perf_counter() - began


if __name__ == "__main__":
    os.environ["CHAT_MESSAGES"] = sys.argv[1]
    print(json.dumps(main(sys.argv[2] if len(sys.argv) > 2 else "plain")))
