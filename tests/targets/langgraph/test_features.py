"""What graphs can have besides nodes: time limits, handlers of errors, agents of before, savers on a loop, models."""

from __future__ import annotations

import asyncio
import operator
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import pytest

pytest.importorskip("langgraph")

from langchain_core.messages import HumanMessage
from langgraph import types
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.prebuilt import create_react_agent
from langgraph.types import Command, interrupt
from pydantic import BaseModel

from outtake_probe.edits import Edit
from outtake_probe.records import Json
from tests.probe.inprocess import Log as Run
from tests.targets.langgraph import programs
from tests.targets.langgraph.debugging import ended, fork, mock, output, record, started
from tests.targets.langgraph.programs import Log, Scripted, aask, ask, chain, look, shown
from tests.targets.langgraph.test_graphs import held_once

if TYPE_CHECKING:
    from langgraph.errors import NodeError

Program = Callable[[], Any]


def forks_everywhere(program: Program, parent: Run, step: int = 1) -> None:
    """Forks without an edit end the same way and call nothing."""
    assert parent.status == "completed", parent.output
    for cut in range(0, len(parent.records) + 1, step):
        programs.CALLS.clear()
        again = record(program, parent=parent, cut=cut)
        assert (again.status, again.output) == (parent.status, parent.output)
        assert not {"model", "tool"}.intersection(programs.CALLS)


# -- time limits of nodes --------------------------------------------------------------------------------------------

limited = pytest.mark.skipif(not hasattr(types, "TimeoutPolicy"), reason="nodes have no time limits of their own")
LIMITS: list[dict[str, Any]] = [{"run_timeout": 0.5}, {"idle_timeout": 0.5}, {"run_timeout": 5, "idle_timeout": 0.5}]


def within(limit: dict[str, Any], seconds: float) -> Program:
    async def slow(state: Log) -> Any:
        await asyncio.sleep(seconds)
        return {"log": [await aask("slow")]}

    def program() -> Any:
        policy: Any = types.TimeoutPolicy(**limit)
        return asyncio.run(chain(slow, timeout=policy).compile().ainvoke({"log": []}))

    return program


@limited
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("where", ["step:*", "model:*"])
def test_the_time_limit_of_a_node_does_not_run_while_it_is_held(limit: dict[str, Any], where: str) -> None:
    log = held_once(within(limit, 0.0), where, 1.0)
    assert log.status == "completed", log.output


@limited
@pytest.mark.parametrize("limit", LIMITS)
def test_the_time_limit_of_a_node_still_holds(limit: dict[str, Any]) -> None:
    log = record(within(limit, 3.0))
    assert log.status == "failed"
    assert "Timeout" in log.output["class"]


# -- handlers of errors ----------------------------------------------------------------------------------------------


def handled() -> Any:
    def early(state: Log) -> Any:
        return {"log": [ask("early")]}

    def broken(state: Log) -> Any:
        raise LookupError(ask("broken"))

    def mend(state: Log, error: NodeError) -> Any:
        return Command(update={"log": [ask("mended", error.error)]}, goto="late")

    def late(state: Log) -> Any:
        return {"log": [ask("late", *state["log"])]}

    graph = StateGraph(Log)
    graph.add_node("early", early)
    graph.add_node("broken", broken, error_handler=mend)
    graph.add_node("late", late)
    graph.add_edge(START, "early")
    graph.add_edge("early", "broken")
    return graph.compile().invoke({"log": []})


has_handlers = pytest.mark.skipif(
    "error_handler" not in StateGraph.add_node.__annotations__, reason="nodes have no handlers of errors"
)


@has_handlers
def test_a_handler_of_an_error_is_caused_by_the_node_that_failed() -> None:
    log = record(handled)
    assert log.status == "completed", log.output
    names = {r.component.rpartition("/")[2]: r for r in started(log, kind="step")}
    handler = next(r for name, r in names.items() if "handler" in name)
    assert ended(log, names["broken"]).failed
    assert handler.caused_by == (names["broken"].seq,)
    assert names["late"].caused_by == (handler.seq,)


@has_handlers
def test_forks_of_what_was_handled() -> None:
    parent = record(handled)
    forks_everywhere(handled, parent)
    broken = next(r for r in started(parent, "broken", "step"))
    again = fork(handled, parent, [mock(broken, {"log": ["fine"]})])
    assert again.status == "completed"
    assert again.output["log"][-1] == "fine"


# -- agents of before ------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_an_agent_of_before(version: Any) -> None:
    def program() -> Any:
        agent: Any = create_react_agent(Scripted(), [look], prompt="Be brief.", version=version)
        return shown(agent.invoke({"messages": [HumanMessage("hi")]}))

    parent = record(program)
    forks_everywhere(program, parent, step=3)
    tool = started(parent, kind="tool")[0]
    again = fork(program, parent, [mock(tool, "saw nothing")])
    assert again.status == "completed"
    assert again.output != parent.output
    assert [r.component.rpartition("/")[2] for r in started(again, kind="model")] == ["model", "model"]
    assert ended(again, started(again, kind="model")[-1]).how == "executed"


# -- a saver on a loop -----------------------------------------------------------------------------------------------


def test_a_saver_on_a_loop(tmp_path: Path) -> None:
    count = iter(range(100))

    async def asks(state: Log) -> Any:
        return {"log": [await aask("asks"), interrupt("how many?")]}

    async def tells(state: Log) -> Any:
        return {"log": [await aask("tells", *state["log"])]}

    async def go() -> Any:
        async with AsyncSqliteSaver.from_conn_string(str(tmp_path / f"{next(count)}.db")) as saver:
            graph = chain(asks, tells).compile(checkpointer=saver)
            config: Any = {"configurable": {"thread_id": "1"}}
            await graph.ainvoke({"log": []}, config)
            return await graph.ainvoke(Command(resume=3), config)

    def program() -> Any:
        return asyncio.run(go())

    parent = record(program)
    assert parent.status == "completed", parent.output
    assert 3 in parent.output["log"]
    forks_everywhere(program, parent, step=2)


# -- models as states ------------------------------------------------------------------------------------------------


class Line(BaseModel):
    text: str
    words: int


class Page(BaseModel):
    title: str = "none"
    lines: Annotated[list[Line], operator.add] = []


def lined() -> Any:
    def write(state: Page) -> Any:
        text = ask("write", state.title)
        return {"lines": [Line(text=text, words=1)]}

    def count(state: Page) -> Any:
        return Page(title=f"{len(state.lines)} {ask('count', state.lines[0].text)}")

    done: dict[str, Any] = chain(write, count, state=Page).compile().invoke({"title": "owls"})
    return [done["title"], *[line.text for line in done["lines"]]]


@cache
def written() -> Run:
    return record(lined)


def test_a_model_as_a_state() -> None:
    parent = written()
    forks_everywhere(lined, parent)
    write, count = started(parent, kind="step")
    assert parent.body(write.body)["fields"] == {"title": "owls", "lines": []}
    assert output(parent, write)["lines"][0]["fields"]["words"] == 1
    assert count.caused_by == (write.seq,)


@pytest.mark.parametrize(
    "value", [{"lines": [{"$type": "model", "class": f"{__name__}:Line", "fields": {"text": "mine", "words": 2}}]}]
)
def test_a_model_as_a_state_is_mocked(value: Json) -> None:
    write = started(written(), kind="step")[0]
    again = fork(lined, written(), [mock(write, value)])
    assert again.output[1] == "mine"
    assert again.output[0] != written().output[0]


def test_a_model_as_a_state_is_changed() -> None:
    write = started(written(), kind="step")[0]
    new = {"$type": "model", "class": f"{__name__}:Page", "fields": {"title": "bats", "lines": []}}
    edit = Edit(op="replace_input", seq=write.seq, component=write.component, call="step", value=new)
    again = fork(lined, written(), [edit])
    assert again.status == "completed"
    assert again.output[1] == programs.said("write bats")
