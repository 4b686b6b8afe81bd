"""Forks of programs of any shape, at any record: the same outcome without an edit; with one, what it changes is run."""

from __future__ import annotations

from collections import Counter

import pytest

pytest.importorskip("pydantic_ai")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outtake_probe.records import InvocationEnded, InvocationStarted
from tests.probe.inprocess import Log
from tests.targets.pydantic_ai.debugging import CALLS, ended, fork, mock, record, started
from tests.targets.pydantic_ai.generated import Program, programs, run_program

LEAVES = ("model", "tool")
many = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


@many
@given(program=programs, data=st.data())
def test_an_unedited_fork_ends_the_same_way_and_calls_nothing(program: Program, data: st.DataObject) -> None:
    parent = record(lambda: run_program(program))
    assert parent.status == "completed", parent.output
    cut = round(data.draw(st.floats(0, 1)) * len(parent.records))  # timing decides how many records there are
    CALLS.clear()
    again = record(lambda: run_program(program), parent=parent, cut=cut, serve_failures=True)
    assert (again.status, again.output) == (parent.status, parent.output)
    assert not CALLS


@many
@given(program=programs, data=st.data())
def test_a_mock_executes_what_it_changes(program: Program, data: st.DataObject) -> None:
    parent = record(lambda: run_program(program))
    assert parent.status == "completed", parent.output
    leaves = [r for r in started(parent) if r.call == "model" and not ended(parent, r).failed]
    edit = mock(leaves[int(data.draw(st.floats(0, 0.99)) * len(leaves))], "said by the user")
    one = fork(lambda: run_program(program), parent, edit)
    fresh = fork(lambda: run_program(program), parent, edit, reuse="none")
    assert (one.status, one.output) == (fresh.status, fresh.output)
    assert executed(one, edit.seq or 0, LEAVES) <= asked(fresh, LEAVES)


def asked(log: Log, kinds: tuple[str, ...]) -> Counter[tuple[str, str]]:
    found = (r for r in log.records if isinstance(r, InvocationStarted) and r.call in kinds)
    return Counter((r.component, r.digest) for r in found)


def executed(log: Log, cut: int, kinds: tuple[str, ...]) -> Counter[tuple[str, str]]:
    """Calls after the cut that were really made."""
    starts = {r.seq: r for r in log.records if isinstance(r, InvocationStarted)}
    ends = [r for r in log.records if isinstance(r, InvocationEnded) and r.seq >= cut and r.how == "executed"]
    return Counter((r.component, starts[r.invocation or 0].digest) for r in ends if r.call in kinds)
