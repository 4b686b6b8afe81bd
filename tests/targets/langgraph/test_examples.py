"""The examples, forked at every invocation: the same outcome, and no node and no model runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langgraph")

from outtake_probe.edits import Edit
from outtake_probe.records import InvocationEnded
from tests.probe.inprocess import Log
from tests.targets.langgraph.debugging import output, run_target, started

EXAMPLES = str(Path(__file__).parents[3] / "examples")
sys.path.append(EXAMPLES)

import essays_langgraph
import universities
import universities_langgraph

MAKERS: dict[str, Callable[[], Any]] = {
    "essays": essays_langgraph.grading,
    "universities": universities_langgraph.recommending,
}
every = pytest.mark.parametrize("name", MAKERS)


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(universities, "DELAY", 0.01)
    yield


def _record(name: str, **options: Any) -> Log:
    log = run_target(MAKERS[name], {}, **options)
    assert log.status == "completed", log.output
    return log


@cache
def _recorded(name: str) -> Log:
    return _record(name)


def _executed(log: Log, cut: int) -> list[str]:
    """Nodes and model calls that a fork executed."""
    ends = (r for r in log.records[cut:] if isinstance(r, InvocationEnded) and r.call in ("step", "model"))
    return [r.component.rpartition("/")[2] for r in ends if r.how == "executed"]


@every
def test_a_fork_after_every_invocation_runs_nothing(name: str) -> None:
    parent = _recorded(name)
    cuts = [r.seq + 1 for r in parent.records if isinstance(r, InvocationEnded)]
    assert len(cuts) > 8
    for cut in cuts:
        fork = _record(name, parent=parent, cut=cut)
        assert (fork.output, _executed(fork, cut)) == (parent.output, []), cut


def test_a_changed_task_of_a_fan_out_keeps_its_siblings() -> None:
    parent = _recorded("essays")
    for at in started(parent, "assess"):
        changed = output(parent, at)
        changed["assessed"][0]["marks"]["style"] = 0.1
        edit = Edit(op="mock_output", seq=at.seq, component=at.component, call="step", value=changed)
        fork = _record("essays", parent=parent, cut=at.seq, edits=[edit])
        assert _executed(fork, at.seq) == ["compute", "model", "summarise"]


def test_other_criteria_fetch_no_page_again() -> None:
    parent = _recorded("universities")
    at = started(parent, "criteria")[0]
    value = {"criteria": {"jobs": 1.0}}
    edit = Edit(op="mock_output", seq=at.seq, component=at.component, call="step", value=value)
    fork = _record("universities", parent=parent, cut=at.seq, edits=[edit])
    assert _executed(fork, at.seq) == ["rank", "model", "summarise"]
    assert "Corin" in str(fork.output)
