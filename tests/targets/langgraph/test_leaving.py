"""What a program leaves: streams that it closes early, graphs that it drops."""

from __future__ import annotations

import asyncio
import gc
import os
import weakref
from inspect import isasyncgen
from traceback import walk_tb
from typing import Any, TypedDict

import pytest

pytest.importorskip("langgraph")

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

import outtake_probe
from outtake_probe.records import Json
from outtake_probe.targets.langgraph import adapter
from tests.targets.hooked import run

PROBE = os.path.dirname(outtake_probe.__file__)


class State(TypedDict):
    text: str


def _graph(nodes: dict[str, Any], edges: list[tuple[str, str]], **options: Any) -> Any:
    builder = StateGraph(State)
    for name, function in nodes.items():
        builder.add_node(name, function)
    for source, target in edges:
        builder.add_edge(source, target)
    return builder.compile(**options)


@pytest.mark.parametrize("nested", [False, True])
def test_a_stream_that_is_closed_cancels_the_nodes_that_run(nested: bool) -> None:
    told: list[str] = []

    async def quick(_: State) -> State:
        await asyncio.sleep(0.01)
        return {"text": "quick"}

    async def slow(_: State) -> State:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            told.append("cancelled")
            raise
        return {"text": "slow"}

    async def program() -> Json:
        inner = _graph({"slow": slow}, [(START, "slow"), ("slow", END)])
        nodes = {"quick": quick, "slow": inner if nested else slow}
        graph = _graph(nodes, [(START, "quick"), (START, "slow"), ("quick", END), ("slow", END)])
        stream = graph.astream({"text": ""}, stream_mode="updates")
        async for item in stream:
            assert "quick" in item  # the other node runs
            await stream.aclose()
            return list(told)
        return []

    log = run(adapter, lambda: asyncio.run(program()))
    assert (log.status, log.output) == ("completed", ["cancelled"]), log.output
    starts = {r.seq for r in log.records if r.kind == "invocation_started"}
    assert starts == {getattr(r, "invocation", None) for r in log.records if r.kind == "invocation_ended"}
    fork = run(adapter, lambda: asyncio.run(program()), parent=log)
    assert fork.status == "completed"


def test_graphs_live_as_long_as_the_program_keeps_them() -> None:
    gone: list[weakref.ref[Any]] = []

    def program() -> Json:
        for number in range(3):

            def node(state: State, number: int = number) -> State:
                return {"text": f"{state['text']} {number}"}

            graph = _graph({"node": node}, [(START, "node"), ("node", END)], checkpointer=InMemorySaver())
            graph.invoke({"text": "x"}, {"configurable": {"thread_id": "1"}})
            gone.extend([weakref.ref(graph), weakref.ref(graph.nodes["node"].bound), weakref.ref(node)])
            del graph, node
        gc.collect()
        return [found() is None for found in gone]

    log = run(adapter, program)
    assert log.status == "completed", log.output
    assert log.output == [True] * 9


@pytest.mark.parametrize("way", ["ainvoke", "astream"])
def test_a_traceback_keeps_no_async_generator(way: str) -> None:
    """Before Python 3.12, the collection of garbage does not see that one keeps its event loop."""

    async def node(state: State) -> State:
        raise ValueError(state["text"])

    async def call() -> None:
        graph = _graph({"node": node}, [(START, "node"), ("node", END)])
        if way == "ainvoke":
            await graph.ainvoke({"text": "x"})
        async for _ in graph.astream({"text": "x"}):
            continue

    def program() -> Json:
        with pytest.raises(ValueError) as caught:
            asyncio.run(call())
        frames = [frame for frame, _ in walk_tb(caught.tb) if frame.f_code.co_filename.startswith(PROBE)]
        local = [each for frame in frames for each in frame.f_locals.values()]
        return [len(frames) > 1, sum(isasyncgen(each) or each is caught.value for each in local)]

    log = run(adapter, program)
    assert (log.status, log.output) == ("completed", [True, 0]), log.output
