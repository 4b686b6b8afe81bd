"""Forks of generated programs: unedited, the same outcome with no call; edited, only the calls whose input changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outtake_probe.edits import Edit
from outtake_probe.records import InvocationEnded, InvocationStarted, Record
from tests.probe.inprocess import Log, execute
from tests.probe.programs import Node, programs, run, run_threads, world

LEAVES = ("model", "tool")
slow = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def record(nodes: tuple[Node, ...]) -> Log:
    log = execute(lambda: run(nodes))
    assert log.status == "completed", log.output
    return log


def story(records: Sequence[Record]) -> Counter[tuple[str, str, str | None]]:
    return Counter((r.kind, r.component, r.body) for r in records)


def asked(log: Log) -> Counter[tuple[str, str]]:
    """Every model and tool call of a run, by component and input."""
    found = (r for r in log.records if isinstance(r, InvocationStarted) and r.call in LEAVES)
    return Counter((r.component, r.digest) for r in found)


def executed(log: Log) -> Counter[tuple[str, str]]:
    """The model and tool calls of a run that were really made, by component and input."""
    starts = {r.seq: r for r in log.records if isinstance(r, InvocationStarted)}
    ends = (r for r in log.records if isinstance(r, InvocationEnded) and r.how == "executed" and r.call in LEAVES)
    return Counter((r.component, starts[r.invocation or 0].digest) for r in ends)


def own_executed(log: Log, cut: int) -> Counter[tuple[str, str]]:
    return executed(Log([r for r in log.records if r.seq >= cut or isinstance(r, InvocationStarted)]))


@slow
@given(programs, st.data())
def test_an_unedited_fork_has_the_same_outcome_and_calls_nothing(nodes: tuple[Node, ...], data: st.DataObject) -> None:
    parent = record(nodes)
    before = list(parent.records)
    cut = data.draw(st.integers(0, len(parent.records)))
    world.calls.clear()
    fork = execute(lambda: run(nodes), parent=parent, cut=cut, serve_failures=True)
    assert (fork.status, fork.output) == (parent.status, parent.output)
    assert not world.calls
    assert story(fork.records) == story(parent.records)
    assert parent.records == before


@slow
@given(programs, st.data())
def test_an_unedited_fork_tries_again_what_failed_after_the_cut_and_nothing_else(
    nodes: tuple[Node, ...], data: st.DataObject
) -> None:
    parent = record(nodes)
    cut = data.draw(st.integers(0, len(parent.records)))
    fork = execute(lambda: run(nodes), parent=parent, cut=cut)
    assert fork.status == parent.status
    assert in_one_line(nodes) <= (fork.output == parent.output)
    assert own_executed(fork, cut).keys() == failed_after(parent, cut).keys()


def failed_after(log: Log, cut: int) -> Counter[tuple[str, str]]:
    """The model and tool calls that failed after the cut, and those inside which they did."""
    starts = {r.seq: r for r in log.records if isinstance(r, InvocationStarted)}
    ends = [r for r in log.records[cut:] if isinstance(r, InvocationEnded) and r.failed and r.call in LEAVES]
    found: Counter[tuple[str, str]] = Counter()
    for end in ends:
        start = starts[end.invocation or 0]
        found[start.component, start.digest] += 1
        found += around(log, start)
    return found


@pytest.mark.parametrize("width", [1, 2, 5])
def test_threads_are_replayed_at_any_record(width: int) -> None:
    parent = execute(lambda: run_threads(width))
    for cut in range(len(parent.records) + 1):
        world.calls.clear()
        fork = execute(lambda: run_threads(width), parent=parent, cut=cut)
        assert (fork.status, fork.output) == ("completed", parent.output), cut
        assert not world.calls, cut


@slow
@given(programs, st.data())
def test_prefix_executes_everything_after_the_cut(nodes: tuple[Node, ...], data: st.DataObject) -> None:
    parent = record(nodes)
    cut = data.draw(st.integers(0, len(parent.records)))
    world.calls.clear()
    fork = execute(lambda: run(nodes), parent=parent, cut=cut, reuse="prefix")
    assert fork.status == "completed"
    served = {r.invocation for r in parent.records[:cut] if r.kind in ("invocation_ended", "stream_chunk")}
    leaves = {r.seq for r in fork.records if isinstance(r, InvocationStarted) and r.call in LEAVES}
    assert sum(world.calls.values()) == len(leaves - served)


@slow
@given(programs, st.data())
def test_an_edit_executes_exactly_what_it_changes(nodes: tuple[Node, ...], data: st.DataObject) -> None:
    parent = record(nodes)
    starts = [r for r in parent.records if isinstance(r, InvocationStarted) and r.call in LEAVES]
    if not starts:
        return
    at = data.draw(st.sampled_from(starts))
    edit = mock(parent, at)
    world.calls.clear()
    fork = execute(lambda: run(nodes), parent=parent, cut=at.seq, edits=[edit], serve_failures=True)
    called = sum(world.calls.values())
    fresh = execute(lambda: run(nodes), parent=parent, edits=[edit], reuse="none")
    if in_one_line(nodes):
        assert (fork.status, fork.output) == (fresh.status, fresh.output)
        expected = asked(fresh) - asked(parent) + around(parent, at)
        assert own_executed(fork, at.seq) == expected
    assert called == sum(own_executed(fork, at.seq).values())


def mock(parent: Log, at: InvocationStarted) -> Edit:
    """Another output for a call, as the fork's plan names it."""
    same = [r for r in parent.records if isinstance(r, InvocationStarted) and r.component == at.component]
    output = {"found": "EDITED"} if at.component.endswith("look") else "EDITED"
    return Edit(
        op="mock_output",
        seq=at.seq,
        component=at.component,
        call=at.call,
        occurrence=1 + [r.seq for r in same].index(at.seq),
        value=output,
    )


def around(log: Log, at: InvocationStarted) -> Counter[tuple[str, str]]:
    """Tools inside which `at` was called: they run again, so that the edit can take effect."""
    starts = {r.seq: r for r in log.records if isinstance(r, InvocationStarted)}
    found: Counter[tuple[str, str]] = Counter()
    parent = at.parent
    while parent is not None:
        if starts[parent].call in LEAVES:
            found[starts[parent].component, starts[parent].digest] += 1
        parent = starts[parent].parent
    return found


def in_one_line(nodes: tuple[Node, ...]) -> bool:
    """Whether nothing runs at once: then a fresh run must come to the same."""
    return all(node.op != "fan" and in_one_line(node.inside) for node in nodes)
