"""Forks of every kind of graph at any record: the same outcome without an edit; with one, exactly what it changes."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

pytest.importorskip("langgraph")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outtake_probe.records import InvocationEnded, InvocationStarted
from tests.probe.inprocess import Log
from tests.targets.langgraph import programs
from tests.targets.langgraph.debugging import ended, fork, mock, output, record, started
from tests.targets.langgraph.generated import graphs, run_graph

LEAVES = ("model", "tool")
AGAIN = {
    "locked": {"make"},
    "in_place": {"sneak"},
    "streamed_tasks": {"work"},
    "astreamed_tasks": {"node"},
    "streamed_inside": {"before", "after", "first", "second"},
    "events": {"before", "after", "first", "second"},
}
"""Nodes that no record can answer for."""
some = settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
every = pytest.mark.parametrize("name", list(programs.PROGRAMS))


@cache
def recorded(name: str) -> Log:
    """One recorded run of a program."""
    log = record(programs.PROGRAMS[name])
    assert log.status == "completed", log.output
    return log


@every
@some
@given(data=st.data())
def test_an_unedited_fork_ends_the_same_way_and_calls_nothing(name: str, data: st.DataObject) -> None:
    parent = recorded(name)
    cut = data.draw(st.integers(0, len(parent.records)))
    programs.CALLS.clear()
    again = record(programs.PROGRAMS[name], parent=parent, cut=cut)
    assert (again.status, again.output) == (parent.status, parent.output)
    assert not set(programs.CALLS) & set(LEAVES)
    assert set(programs.CALLS) <= AGAIN.get(name, set())


@pytest.mark.parametrize("name", ["fanned", "afanned", "nested", "agent", "tasks", "retried", "called_inside"])
@some
@given(data=st.data())
def test_a_mocked_model_executes_what_it_changes(name: str, data: st.DataObject) -> None:
    parent = recorded(name)
    at = data.draw(st.sampled_from(started(parent, kind="model")))
    edit = mock(at, "said by the user")
    program = programs.PROGRAMS[name]
    one = fork(program, parent, [edit])
    fresh = fork(program, parent, [edit], reuse="none")
    assert (one.status, texts(one)) == (fresh.status, texts(fresh))
    assert executed(one, at.seq, LEAVES) == asked(fresh, LEAVES) - asked(parent, LEAVES)


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(graph=graphs, data=st.data())
def test_generated_graphs_fork_anywhere(graph: object, data: st.DataObject) -> None:
    parent = record(lambda: run_graph(graph))
    assert parent.status == "completed", parent.output
    cut = data.draw(st.integers(0, len(parent.records)))
    programs.CALLS.clear()
    again = record(lambda: run_graph(graph), parent=parent, cut=cut)
    assert (again.status, again.output) == (parent.status, parent.output)
    assert not [name for name in programs.CALLS if name in LEAVES]


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(graph=graphs, data=st.data())
def test_an_edit_of_a_generated_graph_executes_exactly_what_follows(graph: object, data: st.DataObject) -> None:
    parent = record(lambda: run_graph(graph))
    steps = [r for r in leaves_of(parent) if "log" in (output(parent, r) or {}) and not ended(parent, r).failed]
    at = data.draw(st.sampled_from(steps))
    edit = mock(at, {"log": ["edited"], "last": "edited"})
    one = fork(lambda: run_graph(graph), parent, [edit])
    fresh = fork(lambda: run_graph(graph), parent, [edit], reuse="none")
    assert (one.status, one.output) == (fresh.status, fresh.output)
    assert executed(one, at.seq, ("model",)) == asked(fresh, ("model",)) - asked(parent, ("model",))
    new = [r for r in leaves_of(one) if ended(one, r).how == "executed" and r.seq >= at.seq]
    edited = next(r for r in leaves_of(one) if ended(one, r).how == "mocked")
    reached = reachable(one, edited.seq)
    assert {r.seq for r in new if not waits(one, r)} <= reached


def waits(log: Log, start: InvocationStarted) -> bool:
    """A node that asks a person is executed up to there in every run."""
    said = output(log, start)
    return isinstance(said, dict) and said.get("$type") == "waiting"


def reachable(log: Log, seq: int) -> set[int]:
    """What the recorded causes lead to from here; the inside of a node is caused as the node is, and its end causes."""
    found = {seq}
    for r in started(log):
        around = {c for c in (r.parent,) if c is not None and log.records[c].component != "main"}
        inside = {s.seq for s in started(log) if s.parent in r.caused_by}
        if set(r.caused_by) & found or around & found or inside & found:
            found.add(r.seq)
    return found


def leaves_of(log: Log) -> list[InvocationStarted]:
    """Nodes that are no graphs."""
    around = {r.parent for r in started(log) if r.call == "step"}
    return [r for r in started(log, kind="step") if r.seq not in around]


def texts(log: Log) -> object:
    """The outcome without ids: those of a fork that went another way are its own."""
    if isinstance(log.output, dict) and "message" in log.output:
        return log.output["message"]
    return (
        [m[:2] for m in log.output] if isinstance(log.output, list) and log.output[0:] and is_talk(log) else log.output
    )


def is_talk(log: Log) -> bool:
    return all(isinstance(m, tuple) and len(m) == 4 for m in log.output)


def asked(log: Log, kinds: tuple[str, ...]) -> Counter[tuple[str, str]]:
    found = (r for r in log.records if isinstance(r, InvocationStarted) and r.call in kinds)
    return Counter((r.component, r.digest) for r in found)


def executed(log: Log, cut: int, kinds: tuple[str, ...]) -> Counter[tuple[str, str]]:
    """Calls after the cut that were really made."""
    starts = {r.seq: r for r in log.records if isinstance(r, InvocationStarted)}
    ends = [r for r in log.records if isinstance(r, InvocationEnded) and r.seq >= cut and r.how == "executed"]
    return Counter((r.component, starts[r.invocation or 0].digest) for r in ends if r.call in kinds)
