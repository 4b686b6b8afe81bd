"""The examples, forked at every invocation: the same outcome, and nothing runs; with a change, what it affects."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("llama_index.core")

from outtake_probe.edits import Edit
from outtake_probe.records import InvocationEnded, InvocationStarted
from tests.probe.inprocess import Log
from tests.targets.llamaindex.debugging import record

EXAMPLES = str(Path(__file__).parents[3] / "examples")
sys.path.append(EXAMPLES)

import essays_llamaindex
import plagiarism_llamaindex
import universities
import universities_llamaindex

MAKERS: dict[str, Callable[[], Any]] = {
    "essays": essays_llamaindex.grading,
    "universities": universities_llamaindex.recommending,
    "plagiarism": plagiarism_llamaindex.checking,
}
GATHERING = ("compute", "gather", "rank")
"""Steps that gather events: what one round took, the last one sees."""
every = pytest.mark.parametrize("name", MAKERS)


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(universities, "DELAY", 0.01)
    yield


async def _run(name: str) -> Any:
    return await MAKERS[name]().run()


def _record(name: str, **options: Any) -> Log:
    log = record(lambda: _run(name), **options)
    assert log.status == "completed", log.output
    return log


@cache
def _recorded(name: str) -> Log:
    return _record(name)


def _steps(log: Log) -> list[InvocationStarted]:
    return [r for r in log.records if isinstance(r, InvocationStarted) and r.call == "step"]


def _executed(log: Log, cut: int) -> list[str]:
    """Steps and model calls that a fork executed."""
    ends = (r for r in log.records[cut:] if isinstance(r, InvocationEnded) and r.call in ("step", "model"))
    return [r.component for r in ends if r.how == "executed"]


@every
def test_a_fork_after_every_invocation_runs_nothing(name: str) -> None:
    parent = _recorded(name)
    cuts = [r.seq + 1 for r in parent.records if isinstance(r, InvocationEnded)]
    assert len(cuts) > 10
    for cut in cuts:
        fork = _record(name, parent=parent, cut=cut)
        assert (fork.output, _executed(fork, cut)) == (parent.output, []), cut


@every
def test_a_changed_result_executes_no_step_that_does_not_follow_from_it(name: str) -> None:
    parent = _recorded(name)
    for at in _steps(parent):
        end = next(r for r in parent.records if isinstance(r, InvocationEnded) and r.invocation == at.seq)
        value = parent.body(end.body)
        fields = (value or {}).get("fields", {})
        name_of = next((key for key, item in fields.items() if isinstance(item, (str, float))), None)
        if name_of is None:
            continue  # nothing that can be changed without knowing what it means
        changed = {**fields, name_of: fields[name_of] * 2}
        edit = Edit(
            op="mock_output", seq=at.seq, component=at.component, call="step", value={**value, "fields": changed}
        )
        fork = _record(name, parent=parent, cut=at.seq, edits=[edit])
        assert set(_executed(fork, at.seq)) <= {parent.records[n].component for n in _followers(parent, at.seq)}


def _followers(log: Log, changed: int) -> set[int]:
    """Invocations that follow from one: as the record says what encloses and causes what, and by what steps gather."""
    found, gathered = {changed}, {log.records[changed].component}
    for r in log.records:
        if not isinstance(r, InvocationStarted) or r.seq <= changed:
            continue
        gathers = r.component in gathered and r.component.rpartition("/")[2] in GATHERING
        if r.parent in found or gathers or not found.isdisjoint(r.caused_by):
            found.add(r.seq)
            gathered.add(r.component)
    return found - {changed}
