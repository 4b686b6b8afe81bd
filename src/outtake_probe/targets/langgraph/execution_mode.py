"""Whether a graph runs in a thread or on the loop.

Functions without `async` gain nothing from a loop: each would be sent to a thread, and its router to another one.  A
graph of nothing else is run by `invoke`, as its author would.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.constants import START
from langgraph.pregel.main import Pregel

from outtake_probe.targets.langgraph.code_hashes import TASK, held
from outtake_probe.targets.langgraph.memory_saver import Keeper

PLAIN = "RunnableCallable"
"""LangGraph's class for a function of the user's."""


def wanted(graph: Any) -> bool:
    """Whether a graph is to be run in a thread."""
    saver = graph.checkpointer
    return _is_needed(saver) or (isinstance(saver, (Keeper, InMemorySaver)) and _is_plain_graph(graph))


def _is_needed(checkpointer: Any) -> bool:
    """Whether a checkpointer can only be used by threads, as those of databases without a loop."""
    if not isinstance(checkpointer, BaseCheckpointSaver):
        return False
    cls = type(checkpointer)
    return cls.aget_tuple is BaseCheckpointSaver.aget_tuple or cls.__name__ in ("SqliteSaver", "PostgresSaver")


def _is_plain_graph(graph: Any) -> bool:
    """Whether all that a state graph runs are functions without `async`, as far as that can be determined."""
    return hasattr(graph, "builder") and all(map(_is_plain, _run_by(graph)))


def _run_by(graph: Any) -> Iterator[Any]:
    """Nodes and routers."""
    for name, node in graph.nodes.items():
        if name != START:
            yield node.bound
    for branches in graph.builder.branches.values():
        for branch in branches.values():
            yield branch.path


def _is_plain(bound: Any) -> bool:
    if isinstance(bound, Pregel):
        return _is_plain_graph(bound)
    if type(bound).__name__ != PLAIN or bound.func is None:
        return False
    instead = getattr(bound.afunc, "func", None)  # LangGraph's own stand-in sends the function to a thread
    if bound.afunc is not None and getattr(instead, "__name__", "") != "run_in_executor":
        return False
    return not any(type(value).__name__ == TASK for value in held(bound.func))  # it may need a loop
