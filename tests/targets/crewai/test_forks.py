"""Forks of every kind of crew and flow: the same outcome with no call, or what an edit affects and no more."""

from __future__ import annotations

from functools import cache

import pytest

pytest.importorskip("crewai")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outtake_probe.edits import Edit
from tests.probe.inprocess import Log
from tests.targets.crewai import programs
from tests.targets.crewai.debugging import ended, record, started

some = settings(max_examples=2, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
places = st.integers(0, 10_000)
every = pytest.mark.parametrize("name", list(programs.PROGRAMS))


@cache
def recorded(name: str) -> Log:
    """One recorded run."""
    log = record(programs.PROGRAMS[name])
    assert log.status == "completed", log.output
    return log


@every
@some
@given(place=places)
def test_an_unedited_fork_at_any_record_says_the_same_and_calls_nothing(name: str, place: int) -> None:
    parent = recorded(name)
    programs.CALLS.clear()
    fork = record(programs.PROGRAMS[name], parent=parent, cut=place % (len(parent.records) + 1), serve_failures=True)
    assert (fork.status, fork.output) == (parent.status, parent.output)
    assert not programs.CALLS


@every
@some
@given(place=places)
def test_an_edited_answer_executes_only_what_follows_from_it(name: str, place: int) -> None:
    """Nothing that came before in its own agent's work is called again, and what comes after is asked otherwise."""
    parent = recorded(name)
    answers = [start for start in started(parent, "model") if "content" in parent.body(ended(parent, start).body)]
    at = answers[place % len(answers)]
    edit = Edit(op="mock_output", seq=at.seq, component=at.component, call="model", value="EDITED")
    programs.CALLS.clear()
    fork = record(programs.PROGRAMS[name], parent=parent, cut=at.seq, edits=[edit])
    assert fork.status in ("completed", "failed")
    later = [start for start in started(parent, "model") if start.seq > at.seq]
    assert programs.CALLS["model"] <= len(later) + 2  # a guardrail or a converter may ask once more
    again = record(programs.PROGRAMS[name], parent=fork)
    assert (again.status, again.output) == (fork.status, fork.output)
