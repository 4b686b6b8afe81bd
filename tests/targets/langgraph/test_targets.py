"""Graphs as targets: their input, questions to a person, changes of the state, settings, descriptions."""

from __future__ import annotations

import asyncio
import operator
import sqlite3
import threading
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest

pytest.importorskip("langgraph")

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.func import entrypoint, task
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt

from outtake_probe.commands import BadValue
from outtake_probe.edits import Edit
from outtake_probe.gate.decision import Answer
from outtake_probe.records import ConfigSet, Json, MessageQueued
from outtake_probe.session import Session
from tests.probe.inprocess import Log
from tests.targets.langgraph import programs
from tests.targets.langgraph.debugging import Person, output, run_target, started
from tests.targets.langgraph.programs import CALLS, agent, ask, asking, chain


class Kept(TypedDict, total=False):
    log: Annotated[list[Any], operator.add]
    lock: Any


def locked() -> Any:
    """Asks a person while its state holds what no checkpointer can write down."""

    def lock(state: Kept) -> Any:
        return {"lock": threading.Lock()}

    def question(state: Kept) -> Any:
        with state["lock"]:
            return {"log": [interrupt("go on?")]}

    return chain(lock, question, state=Kept)


def stopping() -> Any:
    def first(state: Any) -> Any:
        return {"log": ["first"]}

    def second(state: Any) -> Any:
        return {"log": [ask(*state["log"])]}

    return chain(first, second).compile(interrupt_before=["second"])


@pytest.mark.parametrize("options", [{}, {"checkpointer": InMemorySaver()}], ids=["without", "with a checkpointer"])
def test_a_question_is_answered_with_send(options: Json) -> None:
    person = Person("yes", "really")
    log = run_target(lambda: asking(**options), {"log": []}, on_held=person.on_held)
    assert log.status == "completed", log.output
    assert not person.errors
    question = programs.said("question " + log.output["log"][0])
    assert person.asked == [{"sure": question}, "really?"]
    answers = [r for r in log.records if isinstance(r, MessageQueued)]
    assert [(log.body(r.body), r.type, r.injected) for r in answers] == [
        ("yes", "resume", True),
        ("really", "resume", True),
    ]
    assert [r.message for r in started(log, "person")] == [None, answers[0].seq, answers[1].seq]
    for cut in range(len(log.records) + 1):
        CALLS.clear()
        again = run_target(lambda: asking(**options), {"log": []}, parent=log, cut=cut)
        assert (again.status, again.output) == (log.status, log.output), cut
        assert "model" not in CALLS


def test_a_question_is_answered_where_it_is_held() -> None:
    def release(session: Session, fields: dict[str, Json]) -> None:
        session.release(fields["hold"], Answer("serve", "yes", edited=True))

    log = run_target(locked, {"log": []}, on_held=Person(release).on_held)
    assert log.output["log"] == ["yes"]
    again = run_target(locked, {"log": []}, parent=log)
    assert again.output["log"] == ["yes"]


def test_a_static_interrupt_waits_and_the_state_can_be_changed() -> None:
    def update(session: Session, fields: dict[str, Json]) -> None:
        value = {"values": {"log": ["between"]}, "as_node": "first"}
        session.command("send", {"component": "graph", "type": "update", "value": value})

    person = Person(update, None)
    log = run_target(stopping, {"log": []}, on_held=person.on_held)
    assert not person.errors
    assert log.output["log"] == ["first", "between", programs.said("first between")]
    assert run_target(stopping, {"log": []}, parent=log).output == log.output


def test_a_checkpointer_of_threads_is_used_by_threads(tmp_path: Path) -> None:
    def make() -> Any:
        kept = sqlite3.connect(tmp_path / "kept.sqlite", check_same_thread=False)
        return asking(checkpointer=SqliteSaver(kept))

    log = run_target(make, {"log": []}, on_held=Person("yes", "really").on_held)
    assert log.status == "completed", log.output
    again = run_target(make, {"log": []}, parent=log)
    assert again.output == log.output


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ({"component": "graph", "type": "resume", "value": 1}, "does not wait for an answer now"),
        ({"component": "graph", "type": "letter", "value": 1}, "takes no message of type 'letter'"),
        ({"component": "other", "type": "resume", "value": 1}, "there is no 'other'"),
        ({"component": "graph", "type": "update", "value": {"logs": []}}, "cannot return 'logs'"),
        ({"component": "graph", "type": "update", "value": {"values": {}, "as_node": "x"}}, "there is no node 'x'"),
    ],
)
def test_what_a_graph_cannot_take_is_refused(command: Json, says: str) -> None:
    refused: list[str] = []

    def then(session: Session) -> None:
        with pytest.raises(BadValue) as error:
            session.command("send", command)
        refused.append(str(error.value))

    run_target(lambda: chain(first_of_two), {"log": []}, then=then)
    assert says in refused[0]


def first_of_two(state: Any) -> Any:
    """Says a word."""
    return {"log": ["word"]}


@pytest.mark.parametrize("given", ["hi", {"messages": "hi"}, {"messages": [{"role": "user", "content": "hi"}]}])
def test_a_text_is_what_the_user_says(given: Json) -> None:
    log = run_target(agent, given)
    assert log.status == "completed", log.output
    assert log.body(started(log, kind="model")[0].body)["messages"][1]["content"] == "hi"


def test_an_input_that_does_not_fit_is_refused() -> None:
    log = run_target(asking, {"logs": []})
    assert log.status == "failed"
    assert "the graph takes no 'logs'; it takes log" in log.output["message"]


def test_a_function_is_a_target() -> None:
    @entrypoint()
    async def work(n: int) -> Any:
        return await programs.aask("work", n)

    log = run_target(lambda: work, 3)
    assert log.output == programs.said("work 3")
    assert [r.component for r in started(log, kind="step")] == ["work"]


@pytest.mark.parametrize("saver", [None, InMemorySaver()])
def test_functions_without_async_run_in_one_thread(saver: Any) -> None:
    seen: list[threading.Thread] = []

    def first(state: Any) -> Any:
        seen.append(threading.current_thread())
        return {"log": ["first"]}

    def second(state: Any) -> Any:
        seen.append(threading.current_thread())
        return {"log": ["second"]}

    log = run_target(lambda: chain(first, second).compile(checkpointer=saver), {"log": []})
    assert log.output == {"log": ["first", "second"]}
    assert seen[0] is seen[1] is not threading.main_thread()


def test_what_needs_a_loop_runs_on_one() -> None:
    @task
    async def double(n: int) -> int:
        return 2 * n

    def work(state: Any) -> Any:
        return {"log": [double(21).result()]}

    async def wait(state: Any) -> Any:
        return {"log": [asyncio.get_running_loop().is_running()]}

    assert run_target(lambda: chain(work), {"log": []}).output == {"log": [42]}
    assert run_target(lambda: chain(wait), {"log": []}).output == {"log": [True]}


def test_two_forks_do_not_share_a_thread() -> None:
    def thread(state: Any, config: RunnableConfig) -> Any:
        return {"log": [config["configurable"]["thread_id"]]}

    first, second = (run_target(lambda: chain(thread), {"log": []}) for _ in range(2))
    assert first.output != second.output


def describe(make: Any, given: Json = None) -> tuple[Log, Json]:
    found: list[Json] = []
    log = run_target(make, given, then=lambda session: found.append(session.command("describe", {})))
    return log, found[0]


def test_an_agent_is_described_with_its_prompt_and_tools() -> None:
    _, described = describe(agent, "hi")
    components = {component["path"]: component for component in described["components"]}
    assert set(components) == {"graph", "graph/model", "graph/model/model", "graph/tools", "graph/tools/look"}
    assert components["graph/model"]["config"] == {"system_prompt": "Be brief."}
    assert components["graph/tools/look"]["doc"] == "Look at something."
    assert components["graph/tools/look"]["accepts"]["arguments"]["properties"]["what"]["type"] == "string"
    assert {"source": "graph", "target": "graph/model", "label": ""} in described["edges"]
    assert described["missing"] == []


def test_nodes_are_described_with_their_state() -> None:
    _, described = describe(lambda: chain(first_of_two), {"log": []})
    found = next(c for c in described["components"] if c["path"] == "graph/first_of_two")
    assert found["doc"] == "Says a word."
    assert found["accepts"]["state"]["properties"]["log"]["type"] == "array"


def test_the_inside_of_subgraphs_is_described() -> None:
    _, described = describe(programs.nested, {"log": []})
    paths = {component["path"] for component in described["components"]}
    assert {"graph/sub", "graph/sub/first", "graph/sub/second"} <= paths
    assert {"source": "graph/sub/first", "target": "graph/sub/second", "label": ""} in described["edges"]


def twice() -> Any:
    """One agent, used by two nodes, and a node that does not depend on it."""
    made = agent()

    def between(state: Any) -> Any:
        programs.ran("between")
        return {"messages": [("user", ask("between", len(state["messages"])))]}

    graph = StateGraph(MessagesState)
    graph.add_node("one", made)
    graph.add_node("between", between)
    graph.add_node("two", made)
    for start, end in ((START, "one"), ("one", "between"), ("between", "two")):
        graph.add_edge(start, end)
    return graph


def test_a_setting_that_changed_is_used_and_recorded() -> None:
    def then(session: Session) -> None:
        session.command("configure", {"component": "graph/model", "key": "system_prompt", "value": "Shout."})

    log = run_target(agent, "hi", then=then)
    assert [r.key for r in log.records if isinstance(r, ConfigSet)] == ["system_prompt"]
    assert log.body(started(log, kind="model")[0].body)["messages"][0]["content"] == "Shout."
    CALLS.clear()
    assert run_target(agent, "hi", parent=log).output == log.output
    assert CALLS == []


@pytest.mark.parametrize(
    ("component", "key", "value", "says"),
    [
        ("graph/model", "temperature", 1, "has no setting 'temperature'; it has system_prompt"),
        ("graph/model", "system_prompt", 3, "is string or null, not 3"),
        (
            "graph/nobody",
            "system_prompt",
            "x",
            "there is no component 'graph/nobody' with settings",
        ),
    ],
)
def test_a_setting_that_does_not_fit_is_refused(component: str, key: str, value: Json, says: str) -> None:
    refused: list[str] = []

    def then(session: Session) -> None:
        with pytest.raises(BadValue) as error:
            session.command("configure", {"component": component, "key": key, "value": value})
        refused.append(str(error.value))

    run_target(agent, "hi", then=then)
    assert says in refused[0]


def test_a_setting_changed_in_a_fork_executes_what_depends_on_it() -> None:
    parent = run_target(twice, "hi")
    second = started(parent, "graph/two")[0]
    edit = Edit(op="set_config", component="graph/two/model", key="system_prompt", value="Shout.")
    CALLS.clear()
    fork = run_target(twice, "hi", parent=parent, cut=second.seq, edits=[edit])
    assert fork.status == "completed", fork.output
    assert set(CALLS) == {"model"}
    assert output(fork, started(fork, "graph/one")[0]) == output(parent, started(parent, "graph/one")[0])
