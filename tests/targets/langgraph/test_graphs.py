"""What the things of a graph become under the debugger: nodes, fan-outs, subgraphs, retries, state, mocks."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any, TypedDict

import pytest

pytest.importorskip("langgraph")

from langchain_core.language_models.chat_models import BaseChatModel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_store
from langgraph.pregel import _loop, _runner
from langgraph.pregel.main import Pregel
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command

from outtake_probe.attached import active
from outtake_probe.conditions import Breakpoint
from outtake_probe.edits import Edit
from outtake_probe.gate.decision import PROCEED, Answer, Stance
from outtake_probe.records import InvocationStarted, Json
from outtake_probe.session import Session
from outtake_probe.targets.langgraph import adapter
from tests.probe.inprocess import Log, execute
from tests.targets.langgraph import programs
from tests.targets.langgraph.debugging import ended, fork, mock, output, record, started
from tests.targets.langgraph.programs import CALLS, CONFIG, PROGRAMS, ask, chain


@pytest.fixture(autouse=True)
def _nothing_called() -> None:
    CALLS.clear()


def numbers(log: Log, component: str) -> list[int]:
    return [r.seq for r in started(log, component)]


# -- what is recorded ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fanned", "afanned"])
def test_a_node_is_caused_by_those_that_triggered_it(name: str) -> None:
    log = record(PROGRAMS[name])
    plans, works, joins = (numbers(log, each) for each in ("plan", "work", "join"))
    assert [r.caused_by for r in started(log, "work")] == [(plans[0],)] * 3 + [(plans[1],)] * 3
    assert [r.caused_by for r in started(log, "join")] == [tuple(works[:3]), tuple(works[3:])]
    assert [r.caused_by for r in started(log, "plan")] == [(), (joins[0],)]
    found = [log.body(r.body) for r in started(log, "work")]
    assert [sorted(found[:3]), sorted(found[3:])] == [[0, 1, 2]] * 2  # each in a thread of its own


def test_a_join_waits_for_all_that_cause_it() -> None:
    log = record(PROGRAMS["asking"])
    asked, other = started(log, "person"), started(log, "other")
    assert [output(log, r)["$type"] for r in asked[:2]] == ["waiting", "waiting"]
    assert started(log, "end")[0].caused_by == tuple(sorted([asked[-1].seq, other[0].seq]))


def test_the_inside_of_a_subgraph_is_inside_its_node() -> None:
    log = record(PROGRAMS["nested"])
    sub, first, second = (started(log, name)[0] for name in ("sub", "first", "second"))
    assert (first.component, first.parent) == ("main/graph/sub/first", sub.seq)
    assert second.caused_by == (first.seq,)
    assert started(log, "after")[0].caused_by == (sub.seq,)
    assert [r.call for r in started(log, "graph")] == ["flow"]


def test_every_attempt_is_an_invocation() -> None:
    log = record(PROGRAMS["retried"])
    assert [ended(log, r).failed for r in started(log, "flaky")] == [True, True, False]


def test_tasks_are_inside_their_entrypoint() -> None:
    log = record(PROGRAMS["tasks"])
    tasks = started(log, kind="task")
    assert {r.component for r in tasks} == {"main/work/square"}
    assert sorted((log.body(r.body) for r in tasks), key=str) == [{"n": 0}, {"n": 1}, {"n": 9, "times": 2}]
    assert {log.records[r.parent or 0].component for r in tasks} == {"main/work"}


def test_models_and_tools_are_inside_their_nodes() -> None:
    log = record(PROGRAMS["agent"])
    assert [r.component for r in started(log, kind="model")] == ["main/graph/model/model"] * 2
    assert [r.component for r in started(log, kind="tool")] == ["main/graph/tools/look"] * 2
    assert {(ended(log, r).tokens_in, ended(log, r).tokens_out) for r in started(log, kind="model")} == {(7, 3)}


def test_an_event_and_a_write_to_a_store_happen_again() -> None:
    parent = record(PROGRAMS["stored"])
    again = fork(PROGRAMS["stored"], parent, cut=0)
    assert again.output == parent.output
    at = started(parent, "put")[0]
    CALLS.clear()
    other = fork(PROGRAMS["stored"], parent, [Edit(op="raise", seq=at.seq, component=at.component, value="no")])
    assert other.status == "failed"
    edit = Edit(op="execute", seq=at.seq, component=at.component)
    CALLS.clear()
    assert fork(PROGRAMS["stored"], parent, [edit]).output == parent.output
    assert CALLS == ["put"]


def read_value() -> Any:
    found = get_store().get(("a",), "k")
    return found.value["v"] if found is not None else None


def test_what_was_read_from_a_store_decides() -> None:
    value = {"v": 1}

    def put(state: Any) -> Any:
        get_store().put(("a",), "k", dict(value))
        return {}

    def get(state: Any) -> Any:
        programs.ran("get")
        return {"log": [read_value()]}

    def program() -> Any:
        store = InMemoryStore()
        return chain(put, get).compile(store=store).invoke({"log": []})

    parent = record(program)
    at = started(parent, "put")[0]
    execute_it = Edit(op="execute", seq=at.seq, component=at.component)
    CALLS.clear()
    assert fork(program, parent, [execute_it]).output == parent.output
    assert CALLS == []
    value["v"] = 2
    assert fork(program, parent, [execute_it]).output == {"log": [2]}
    assert CALLS == ["get"]


# -- edits -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fanned", "afanned"])
def test_editing_one_of_several_parallel_tasks_keeps_its_siblings(name: str) -> None:
    parent = record(PROGRAMS[name])
    works = sorted(started(parent, "work")[:3], key=lambda r: parent.body(r.body))  # each began in a thread of its own
    CALLS.clear()
    one = fork(PROGRAMS[name], parent, [mock(works[1], {"log": ["edited"]})])
    assert one.output["log"][1:4] == [output(parent, works[0])["log"][0], "edited", output(parent, works[2])["log"][0]]
    assert not [name for name in CALLS if name.startswith("work")]
    assert "join" in CALLS


def test_an_edit_inside_a_default_subgraph_keeps_its_earlier_nodes() -> None:
    """LangGraph's own time travel runs the whole subgraph again there, and loses the edit (its issue 8458)."""
    parent = record(PROGRAMS["nested"])
    at = started(parent, "second")[0]
    CALLS.clear()
    one = fork(PROGRAMS["nested"], parent, [mock(at, {"log": ["edited"]})])
    assert "edited" in one.output["log"]
    assert set(CALLS) == {"after", "model"}


@pytest.mark.parametrize("options", [{}, {"checkpointer": True}, {"checkpointer": False}])
def test_subgraphs_with_and_without_a_checkpointer(options: Json) -> None:
    def program() -> Any:
        made = programs.nested(**options)
        graph = made.copy({"checkpointer": InMemorySaver()})
        return graph.invoke({"log": []}, CONFIG)

    parent = record(program)
    assert parent.status == "completed", parent.output
    for cut in range(0, len(parent.records), 4):
        CALLS.clear()
        assert fork(program, parent, cut=cut).output == parent.output
        assert CALLS == []


def test_a_changed_input_is_merged() -> None:
    parent = record(PROGRAMS["nested"])
    at = started(parent, "after")[0]
    edit = Edit(op="replace_input", seq=at.seq, component=at.component, value={"log": ["only this"]})
    one = fork(PROGRAMS["nested"], parent, [edit])
    assert output(one, started(one, "after")[0]) == {"log": [programs.said("after only this")]}


class Essay(TypedDict, total=False):
    title: str
    score: float


def grading() -> Any:
    def grade(state: Essay) -> Any:
        return {"score": len(ask(state["title"])) / 2}

    def report(state: Essay) -> Any:
        return Command(update={"title": f"{state['title']}: {state['score']}"})

    return chain(grade, report, state=Essay).compile().invoke({"title": "Owls"})


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"mark": 3}, "cannot return 'mark'; the state has title, score"),
        ({"score": "many"}, "cannot return 'many' as score"),
        ({"goto": "nowhere"}, "cannot go to 'nowhere'; the graph has grade, report"),
        (3, "returns an object with some keys of the state"),
    ],
)
def test_a_mock_that_the_node_could_not_return_is_refused(value: Json, says: str) -> None:
    parent = record(grading)
    problems: list[str] = []

    def program() -> Any:
        try:
            return grading()
        finally:
            session = adapter.installed.state.adapter_state.session if adapter.installed is not None else None
            problems.append(session.failure if session is not None else "")

    one = fork(program, parent, [mock(started(parent, "grade")[0], value)])
    assert one.status == "stopped"
    assert says in problems[0]


@pytest.mark.parametrize("value", [{"score": 7}, {"update": {"score": 7}}, None, [{"score": 7}, {"goto": "report"}]])
def test_a_mock_that_the_node_could_return_is_taken(value: Json) -> None:
    parent = record(grading)
    one = fork(grading, parent, [mock(started(parent, "report")[0], value)])
    assert one.status == "completed", one.output


def test_a_dropped_node_changes_nothing() -> None:
    parent = record(PROGRAMS["nested"])
    at = started(parent, "after")[0]
    one = fork(PROGRAMS["nested"], parent, [Edit(op="drop", seq=at.seq, component=at.component)])
    assert one.output["log"] == parent.output["log"][:-1]


# -- holding ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fanned", "afanned"])
def test_one_of_three_workers_is_held_while_the_others_run(name: str) -> None:
    holds: list[int] = []
    seen: list[int] = []

    def on_held(session: Session, fields: dict[str, Json]) -> None:
        threading.Thread(target=let_go, args=(session, fields["hold"]), daemon=True).start()

    def let_go(session: Session, hold: int) -> None:
        holds.append(hold)
        deadline = time.monotonic() + 20
        while hold == holds[0] and works() < 2 and time.monotonic() < deadline:
            time.sleep(0.005)
        if hold == holds[0]:
            seen.append(works())
            session.set_stance(Stance())
        session.release(hold, PROCEED)

    def works() -> int:
        return sum(name.startswith("work") for name in CALLS)

    log = record(PROGRAMS[name], stance=Stance(breakpoints=[Breakpoint("step:work", 1)]), on_held=on_held)
    assert log.status == "completed", log.output
    assert seen == [2]


def held_once(program: Any, where: str, seconds: float, answer: Answer = PROCEED) -> Log:
    def on_held(session: Session, fields: dict[str, Json]) -> None:
        def later() -> None:
            time.sleep(seconds)
            session.set_stance(Stance())
            session.release(fields["hold"], answer)

        threading.Thread(target=later, daemon=True).start()

    return record(program, stance=Stance(breakpoints=[Breakpoint(where, 1)]), on_held=on_held)


@pytest.mark.parametrize("is_async", [False, True])
def test_the_time_limit_of_a_step_does_not_run_while_it_is_held(is_async: bool) -> None:
    def slow(state: Any) -> Any:
        return {"log": [ask("slow")]}

    async def aslow(state: Any) -> Any:
        return {"log": [await programs.aask("slow")]}

    def program() -> Any:
        graph = chain(aslow if is_async else slow).compile()
        graph.step_timeout = 0.5
        if is_async:
            return asyncio.run(graph.ainvoke({"log": []}))
        return graph.invoke({"log": []})

    log = held_once(program, "step:*", 1.0)
    assert log.status == "completed", log.output
    log = held_once(program, "model:*", 1.0)
    assert log.status == "completed", log.output


@pytest.mark.parametrize("is_async", [False, True])
def test_the_time_limit_of_a_step_still_holds(is_async: bool) -> None:
    def slow(state: Any) -> Any:
        time.sleep(0.6)
        return {}

    async def aslow(state: Any) -> Any:
        await asyncio.sleep(5)
        return {}

    def program() -> Any:
        graph = chain(aslow if is_async else slow).compile()
        graph.step_timeout = 0.2
        if is_async:
            return asyncio.run(graph.ainvoke({"log": []}))
        return graph.invoke({"log": []})

    assert record(program).status == "failed"


# -- the rest --------------------------------------------------------------------------------------------------------


def test_everything_is_put_back() -> None:
    def state() -> list[Any]:
        modules = (
            _runner,
            _loop,
            Pregel,
            BaseChatModel,
            programs.Scripted,
        )
        names = ("run_with_retry", "arun_with_retry", "prepare_next_tasks", "apply_writes", "invoke", "stream")
        more = ("_generate", "__init_subclass__", "commit", "time", "concurrent", "asyncio")
        return [vars(module).get(name) for module in modules for name in (*names, *more)]

    before = state()
    record(PROGRAMS["agent"])
    assert state() == before


def test_a_graph_outside_of_the_debugger_runs_as_always() -> None:
    assert PROGRAMS["nested"]()["log"]
    assert execute(lambda: PROGRAMS["nested"]()["log"]).status == "completed"


ARUN = "arun_with_retry"


def test_a_seam_that_is_missing_is_told() -> None:
    real = vars(_runner)[ARUN]
    missing: list[str] = []

    def program() -> Any:
        delattr(_runner, ARUN)
        try:
            session = active()
            assert session is not None
            missing.extend(adapter.install(session))
            return PROGRAMS["nested"]()
        finally:
            adapter.remove()
            setattr(_runner, ARUN, real)

    log = execute(program)
    assert log.status == "completed"
    assert [line for line in missing if "arun_with_retry is not there" in line]
    assert [r for r in log.records if isinstance(r, InvocationStarted) and r.call == "step"]
