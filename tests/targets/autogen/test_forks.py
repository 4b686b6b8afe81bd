"""Forks of every kind of team at any record, with a model that answers with a hash of all that it was told.

Any error in what a replay restores (queues, turns, termination counters, contexts) changes the transcript.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

pytest.importorskip("autogen_core")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outtake_probe.edits import Edit
from outtake_probe.records import InvocationEnded, InvocationStarted
from tests.probe.inprocess import Log
from tests.targets.autogen import programs
from tests.targets.autogen.debugging import of_team, record

LEAVES = ("model", "tool")
some = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
teams = pytest.mark.parametrize("team", list(programs.TEAMS))
hashing = pytest.mark.parametrize("team", [name for name in programs.TEAMS if name != "user_proxy"])
"""All but the one with a person, who says something else every time."""


@cache
def recorded(team: str) -> Log:
    """One recorded run of a team."""
    return record(of_team(programs.TEAMS[team]))


def asked(log: Log) -> Counter[tuple[str, str]]:
    found = (r for r in log.records if isinstance(r, InvocationStarted) and r.call in LEAVES)
    return Counter((r.component, r.digest) for r in found)


def executed(log: Log, cut: int) -> Counter[tuple[str, str]]:
    """Model and tool calls after the cut that were really made."""
    starts = {r.seq: r for r in log.records if isinstance(r, InvocationStarted)}
    ends = [r for r in log.records if isinstance(r, InvocationEnded) and r.seq >= cut and r.how == "executed"]
    return Counter((r.component, starts[r.invocation or 0].digest) for r in ends if r.call in LEAVES)


@teams
@some
@given(data=st.data())
def test_an_unedited_fork_says_the_same_and_calls_nothing(team: str, data: st.DataObject) -> None:
    parent = recorded(team)
    cut = data.draw(st.integers(0, len(parent.records)))
    before = list(parent.records)
    programs.CALLS.clear()
    fork = record(of_team(programs.TEAMS[team]), parent=parent, cut=cut, serve_failures=True)
    assert (fork.status, fork.output) == (parent.status, parent.output)
    assert not programs.CALLS
    assert not executed(fork, cut)
    assert parent.records == before


@hashing
@some
@given(data=st.data())
def test_a_mocked_answer_executes_exactly_what_it_changes(team: str, data: st.DataObject) -> None:
    parent = recorded(team)
    models = [r for r in parent.records if isinstance(r, InvocationStarted) and r.call == "model"]
    at = data.draw(st.sampled_from(models))
    same = [r.seq for r in models if r.component == at.component]
    edit = Edit(
        op="mock_output",
        seq=at.seq,
        component=at.component,
        call="model",
        occurrence=1 + same.index(at.seq),
        value="said by the user of the debugger",
    )
    make = of_team(programs.TEAMS[team])
    fork = record(make, parent=parent, cut=at.seq, edits=[edit])
    fresh = record(make, parent=parent, edits=[edit], reuse="none")
    assert (fork.status, _comparable(fork)) == (fresh.status, _comparable(fresh))
    assert executed(fork, at.seq) == asked(fresh) - asked(parent)


def _comparable(log: Log) -> object:
    """The outcome; of a failure, what was said."""
    return log.output.get("message") if isinstance(log.output, dict) else log.output


@hashing
@some
@given(data=st.data())
def test_prefix_asks_every_model_after_the_cut_again(team: str, data: st.DataObject) -> None:
    parent = recorded(team)
    cut = data.draw(st.integers(0, len(parent.records)))
    fork = record(of_team(programs.TEAMS[team]), parent=parent, cut=cut, reuse="prefix")
    assert (fork.status, fork.output) == (parent.status, parent.output)
    begun = {r.invocation for r in parent.records[:cut] if r.kind in ("invocation_ended", "stream_chunk")}
    after = Counter(
        (r.component, r.digest)
        for r in parent.records
        if isinstance(r, InvocationStarted) and r.call in LEAVES and r.seq not in begun
    )
    assert executed(fork, cut) == after
