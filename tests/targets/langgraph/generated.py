"""Graphs of any shape: chains of nodes, fan-outs, loops, routers, nested graphs, retries, questions to a person."""

from __future__ import annotations

import asyncio
import itertools
import operator
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

from hypothesis import strategies as st
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, RetryPolicy, Send, interrupt

from tests.targets.langgraph.programs import TRIES, aask, ask, attempt


class State(TypedDict, total=False):
    log: Annotated[list[str], operator.add]
    last: str


@dataclass(frozen=True)
class Part:
    """One stage of a graph."""

    kind: str
    """node, fan, route, sub, retry or ask."""
    width: int = 1
    inner: tuple[Part, ...] = ()


@dataclass(frozen=True)
class Graph:
    """A chain of stages, run once or twice round."""

    parts: tuple[Part, ...]
    rounds: int
    is_async: bool
    kept: bool
    """With a checkpointer of its own, whether it asks a person or not."""

    @property
    def questions(self) -> int:
        return self.rounds * sum(_questions(part) for part in self.parts)


def _questions(part: Part) -> int:
    return 1 if part.kind == "ask" else sum(map(_questions, part.inner))


_simple = st.builds(Part, st.sampled_from(["node", "fan", "route", "retry"]), st.integers(1, 3))
_asking = st.builds(Part, st.just("ask"))
_inner = st.lists(_simple | _asking, min_size=1, max_size=2).map(tuple)
_sub = st.builds(lambda inner: Part("sub", inner=inner), _inner)
_parts = st.lists(_simple | _sub | _asking, min_size=1, max_size=4).map(tuple)
graphs = st.builds(Graph, _parts, st.integers(1, 2), st.booleans(), st.booleans())


def run_graph(graph: Any) -> Any:
    """Run it to its end, with an answer to every question."""
    TRIES.clear()
    made = build(graph.parts, graph.rounds, graph.is_async).compile(
        checkpointer=InMemorySaver() if graph.kept or graph.questions else None
    )
    config: Any = {"configurable": {"thread_id": "one"}, "recursion_limit": 200}
    given: Any = {"log": [], "last": "start"}
    for number in itertools.count():
        result = asyncio.run(made.ainvoke(given, config)) if graph.is_async else made.invoke(given, config)
        if "__interrupt__" not in result:
            return sorted(result["log"])
        given = Command(resume=f"answer {number}")
    return None


def build(parts: tuple[Part, ...], rounds: int, is_async: bool, prefix: str = "") -> Any:
    graph = StateGraph(State)
    ends = [_add(graph, f"{prefix}{part.kind}{i}", part, is_async) for i, part in enumerate(parts)]
    graph.add_edge(START, ends[0][0])
    for (_, last), (first, _) in itertools.pairwise(ends):
        graph.add_edge(last, first)
    first, last = ends[0][0], ends[-1][1]
    graph.add_node("round", _counting(prefix))
    graph.add_edge(last, "round")
    target = f"{prefix}round"
    graph.add_conditional_edges(
        "round", lambda state: first if state["log"].count(target) < rounds else END, [first, END]
    )
    return graph


def _counting(prefix: str) -> Any:
    def count(state: State) -> Any:
        return {"log": [f"{prefix}round"]}

    return count


def _node(name: str, is_async: bool) -> Any:
    def node(state: State) -> Any:
        answer = ask(name, state["last"])
        return {"log": [f"{name} {answer}"], "last": answer}

    async def anode(state: State) -> Any:
        answer = await aask(name, state["last"])
        return {"log": [f"{name} {answer}"], "last": answer}

    return anode if is_async else node


def _add(graph: Any, name: str, part: Part, is_async: bool) -> tuple[str, str]:
    """Add a stage; its first and its last node."""
    if part.kind == "fan":
        return _add_fan(graph, name, part, is_async)
    if part.kind == "route":
        return _add_route(graph, name, is_async)
    if part.kind == "sub":
        graph.add_node(name, build(part.inner, 1, is_async, f"{name}-").compile())
    elif part.kind == "retry":
        policy = RetryPolicy(initial_interval=0.001, max_attempts=4, jitter=False, retry_on=ValueError)
        graph.add_node(name, _flaky(name, part.width - 1), retry_policy=policy)
    elif part.kind == "ask":
        graph.add_node(name, _question(name))
    else:
        graph.add_node(name, _node(name, is_async))
    return name, name


def _flaky(name: str, failures: int) -> Any:
    def flaky(state: State) -> Any:
        number = attempt.invoke({"what": f"{name} {state['last']}"})
        answer = ask(name, state["last"], number)
        if number <= failures:
            raise ValueError(f"not yet: {answer}")
        return {"log": [f"{name} {answer}"], "last": answer}

    return flaky


def _question(name: str) -> Any:
    def question(state: State) -> Any:
        answer = ask(name, state["last"], interrupt(f"{name}?"))
        return {"log": [f"{name} {answer}"], "last": answer}

    return question


def _add_fan(graph: Any, name: str, part: Part, is_async: bool) -> tuple[str, str]:
    def work(item: Any) -> Any:
        return {"log": [f"{name} {ask(name, *item)}"]}

    async def awork(item: Any) -> Any:
        return {"log": [f"{name} {await aask(name, *item)}"]}

    def join(state: State) -> Any:
        answer = ask(name, *sorted(state["log"]))
        return {"log": [f"{name} {answer}"], "last": answer}

    graph.add_node(name, _node(name, is_async))
    graph.add_node(f"{name}-work", awork if is_async else work)
    graph.add_node(f"{name}-join", join)
    graph.add_conditional_edges(
        name, lambda state: [Send(f"{name}-work", [i, state["last"]]) for i in range(part.width)], [f"{name}-work"]
    )
    graph.add_edge(f"{name}-work", f"{name}-join")
    return name, f"{name}-join"


def _add_route(graph: Any, name: str, is_async: bool) -> tuple[str, str]:
    graph.add_node(name, _node(name, is_async))
    for way in ("left", "right"):
        graph.add_node(f"{name}-{way}", _node(f"{name}-{way}", is_async))
        graph.add_edge(f"{name}-{way}", f"{name}-end")
    graph.add_node(f"{name}-end", _node(f"{name}-end", is_async))
    graph.add_conditional_edges(
        name, lambda state: f"{name}-{'left' if state['last'] < '8' else 'right'}", [f"{name}-left", f"{name}-right"]
    )
    return name, f"{name}-end"
