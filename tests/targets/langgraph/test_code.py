"""A fork of a program whose code was changed: what changed is executed, and what follows from that."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

pytest.importorskip("langgraph")

from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langgraph.func import entrypoint, task
from langgraph.graph import START, StateGraph
from langgraph.types import Send

from outtake_probe.records import InvocationEnded, InvocationStarted, Noted
from outtake_probe.session import CODE_CHANGED
from tests.probe.inprocess import Log as Run
from tests.targets.langgraph import programs
from tests.targets.langgraph.debugging import record, started
from tests.targets.langgraph.programs import Log, Scripted, ask, chain

Program = Callable[[], Any]


def right(state: Log) -> Any:
    return {"log": [ask("right", *state["log"])]}


def wrong(state: Log) -> Any:
    return {"log": [ask("wrong", *state["log"])]}


def same(state: Log) -> Any:
    return {"log": [ask("wrong", *state["log"])]}


def left(state: Log) -> Any:
    return {"log": [ask("left")]}


def last(state: Log) -> Any:
    return {"log": [ask("last", *sorted(state["log"]))]}


def branched(node: Any) -> Program:
    """The node beside another one, joined."""

    def run() -> Any:
        graph = StateGraph(Log)
        graph.add_node("node", node)
        graph.add_node("left", left)
        graph.add_node("last", last)
        graph.add_edge(START, "node")
        graph.add_edge(START, "left")
        graph.add_edge(["node", "left"], "last")
        return graph.compile().invoke({"log": []})

    return run


def ran(log: Run, since: InvocationStarted) -> list[str]:
    """The names of the nodes and tasks that were executed since then, in the order in which they came back."""
    back = (r for r in log.records[since.seq :] if isinstance(r, InvocationEnded))
    return [r.component.rpartition("/")[2] for r in back if r.how == "executed" and r.call in ("step", "task")]


def fork(program: Program, parent: Run, at: InvocationStarted, **options: Any) -> Run:
    programs.CALLS.clear()
    return record(program, parent=parent, cut=at.seq, **options)


def stale(log: Run) -> list[str]:
    """What a fork served before its cut though its code has changed."""
    notes = [r for r in log.records if isinstance(r, Noted) and r.type == CODE_CHANGED]
    return [component["component"] for note in notes for component in log.body(note.body)["components"]]


def first(log: Run, component: str) -> InvocationStarted:
    return started(log, component)[0]


def test_a_changed_node_is_executed_with_what_follows_from_it() -> None:
    parent, fresh = record(branched(wrong)), record(branched(right))
    at = started(parent, kind="step")[0]
    again = fork(branched(right), parent, at)
    assert again.output == fresh.output != parent.output
    assert ran(again, at) == ["node", "last"]
    assert programs.CALLS == ["model", "model"]


@pytest.mark.parametrize("node", [same, partial(same), wrong])
def test_a_node_with_the_same_code_is_not(node: Any) -> None:
    parent = record(branched(wrong))
    again = fork(branched(node), parent, started(parent, kind="step")[0])
    assert (again.output, programs.CALLS) == (parent.output, [])


def test_a_changed_node_before_the_cut_is_served_and_reported() -> None:
    parent = record(branched(wrong))
    again = fork(branched(right), parent, first(parent, "last"))
    assert (again.status, again.output) == ("completed", parent.output)
    assert stale(again) == ["main/graph/node"]


def test_a_changed_object_that_can_be_called() -> None:
    class Wrong:
        def __call__(self, state: Log) -> Any:
            return wrong(state)

    class Right:
        def __call__(self, state: Log) -> Any:
            return right(state)

    parent = record(branched(Wrong()))
    at = started(parent, kind="step")[0]
    assert ran(fork(branched(Right()), parent, at), at) == ["node", "last"]


def sent(worker: Any) -> Program:
    def run() -> Any:
        graph = StateGraph(Log)
        graph.add_node("work", worker)
        graph.add_node("last", last)
        graph.add_conditional_edges(START, lambda _: [Send("work", {"log": [n]}) for n in range(3)], ["work"])
        graph.add_edge("work", "last")
        return sorted(graph.compile().invoke({"log": []})["log"])

    return run


def test_a_changed_node_of_a_fan_out_is_executed_each_time() -> None:
    parent, fresh = record(sent(wrong)), record(sent(right))
    at = first(parent, "work")
    again = fork(sent(right), parent, at)
    assert again.output == fresh.output
    assert ran(again, at) == ["work", "work", "work", "last"]


def inside(node: Any) -> Program:
    """The node in a graph in a graph."""

    def before(state: Log) -> Any:
        return {"log": [ask("before")]}

    def run() -> Any:
        sub = chain(left).add_node("node", node).add_edge("left", "node").compile()
        return chain(before).add_node("sub", sub).add_edge("before", "sub").compile().invoke({"log": []})

    return run


def test_a_changed_node_of_a_graph_inside_is_executed_alone() -> None:
    parent, fresh = record(inside(wrong)), record(inside(right))
    for at in (first(parent, "before"), first(parent, "sub"), first(parent, "node")):
        again = fork(inside(right), parent, at)
        assert again.output == fresh.output != parent.output
        assert programs.CALLS == ["model"]
        once_more = fork(inside(right), again, first(again, "before"))
        assert (once_more.output, programs.CALLS) == (again.output, [])
    after = record(inside(right), parent=parent, cut=parent.records[-1].seq)
    assert (after.status, after.output) == ("completed", parent.output)
    assert stale(after) == ["main/graph/sub/node"]


named: Any = task(name="late")


def wrongly(text: str) -> str:
    return ask("wrong", text)


def rightly(text: str) -> str:
    return ask("right", text)


@pytest.mark.parametrize("is_async", [False, True])
def test_a_changed_task_is_executed_with_what_follows_from_it(is_async: bool) -> None:
    def working(words: str) -> Program:
        @task
        def early(n: int) -> str:
            return ask("early", n)

        late: Any = named(wrongly if words == "wrong" else rightly)

        @entrypoint()
        def work(n: int) -> Any:
            return late(early(n).result()).result()

        @entrypoint()
        async def awork(n: int) -> Any:
            return await late(await early(n))

        return (lambda: asyncio.run(awork.ainvoke(1))) if is_async else (lambda: work.invoke(1))

    parent, fresh = record(working("wrong")), record(working("right"))
    root = started(parent, kind="flow")[1]
    for at in (root, first(parent, "early"), first(parent, "late")):
        again = fork(working("right"), parent, at)
        assert again.output == fresh.output != parent.output
        assert programs.CALLS == ["model"]
    after = record(working("right"), parent=parent, cut=parent.records[-1].seq)
    assert (after.output, stale(after)) == (parent.output, [f"main/{'a' if is_async else ''}work/late"])


def test_nodes_of_an_agent_have_no_code_of_the_author() -> None:
    def run() -> Any:
        found: Any = create_agent(Scripted(), [programs.look]).invoke({"messages": [HumanMessage("hi")]})
        return [message.content for message in found["messages"]]

    parent = record(run)
    for start in started(parent, kind="step"):
        if start.component.endswith("/model"):
            assert start.digest == start.body


def test_a_changed_router_goes_another_way() -> None:
    def routed(route: Any) -> Program:
        def run() -> Any:
            graph = StateGraph(Log)
            for node in (wrong, right, last):
                graph.add_node(node.__name__, node)
            graph.add_edge(START, "wrong")
            graph.add_conditional_edges("wrong", route, ["right", "last"])
            graph.add_edge("right", "last")
            return graph.compile().invoke({"log": []})

        return run

    parent = record(routed(lambda _: "last"))
    at = first(parent, "last")
    assert ran(fork(routed(lambda _: "right"), parent, at), at) == ["right", "last"]
    assert record(routed(lambda _: "right"), parent=parent).status == "diverged"
