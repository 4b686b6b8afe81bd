"""Generated workflows: unedited, the same outcome with no call; edited, what follows from the edit is executed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

pytest.importorskip("workflows")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outtake_probe.edits import Edit
from outtake_probe.records import InvocationStarted
from tests.probe.inprocess import Log
from tests.targets.llamaindex import generated, programs
from tests.targets.llamaindex.debugging import Program, ended, record, started
from tests.targets.llamaindex.generated import Part

some = settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
places = st.integers(0, 10_000)
"""A place in a log by its remainder: a step that gathers may be run once more, so its length is not always the same."""


def program(parts: Sequence[Part]) -> Program:
    async def run() -> Any:
        return await programs.answered(generated.workflow(parts))

    return run


def recorded(parts: Sequence[Part]) -> Log:
    log = record(program(parts))
    assert log.status == "completed", log.output
    return log


@some
@given(parts=generated.parts, one=places, other=places)
def test_an_unedited_fork_says_the_same_and_runs_no_step(parts: tuple[Part, ...], one: int, other: int) -> None:
    parent = recorded(parts)
    steps = started(parent, call="step")
    for cut in (steps[one % len(steps)].seq, other % (len(parent.records) + 1)):
        programs.CALLS.clear()
        fork = record(program(parts), parent=parent, cut=cut, serve_failures=True)
        assert (fork.status, fork.output) == (parent.status, parent.output)
        assert not programs.CALLS


@some
@given(parts=generated.parts, place=places)
def test_an_edited_result_executes_what_follows_from_it(parts: tuple[Part, ...], place: int) -> None:
    parent = recorded(parts)
    steps = [r for r in started(parent, call="step") if _can_be_edited(parent, r)]
    at = steps[place % len(steps)]
    output = parent.body(ended(parent, at).body)
    value = {**output, "fields": {**output["fields"], "text": "EDITED"}}
    edit = Edit(op="mock_output", seq=at.seq, component=at.component, call="step", value=value)
    programs.CALLS.clear()
    fork = record(program(parts), parent=parent, cut=at.seq, edits=[edit])
    assert fork.status == "completed"
    assert Counter({k: n for k, n in programs.CALLS.items() if k != "model"}) == _follow(parent, at)


def _can_be_edited(log: Log, r: InvocationStarted) -> bool:
    """Whether it returned one event with a text, in the workflow itself."""
    end = ended(log, r)
    output = log.body(end.body)
    is_link = isinstance(output, dict) and any(name in output.get("class", "") for name in ("Link", "Done"))
    return is_link and not end.failed and r.component.count("/") == 1 and "gather" not in r.component


def _follow(log: Log, at: InvocationStarted) -> Counter[str]:
    """The steps that follow from an invocation, by the record of what caused what, and what runs inside them."""
    found, inside = {at.seq}, set[int]()
    for r in log.records:
        if isinstance(r, InvocationStarted) and r.seq != at.seq:
            if not found.isdisjoint(r.caused_by) or r.parent in inside:
                inside.add(r.seq)
                found.update({r.seq} if r.call == "step" else set())
        elif r.kind == "message_queued" and (r.parent in found or not found.isdisjoint(r.caused_by)):
            found.add(r.seq)
    steps = {r.seq: r for r in log.records if isinstance(r, InvocationStarted) and r.call == "step"}
    return Counter("step " + steps[seq].component.rpartition("/")[2] for seq in inside if seq in steps)
