"""Generated programs: unedited, a fork says the same and calls nothing; edited, it says what a live run would."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

pytest.importorskip("agents.run_internal")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outtake_probe.records import Json
from tests.probe.inprocess import Log
from tests.targets.openai_agents.debugging import fork, mock, output, record, started
from tests.targets.openai_agents.generated import Team, program, teams
from tests.targets.openai_agents.programs import CALLS

some = settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
places = st.integers(0, 10_000)


def _recorded(team: Team, folder: Path) -> Log:
    log = record(program(team, folder))
    assert log.status == "completed", log.output
    return log


@some
@given(team=teams, place=places)
def test_an_unedited_fork_says_the_same_and_calls_nothing(team: Team, place: int) -> None:
    with TemporaryDirectory() as folder:
        parent = _recorded(team, Path(folder))
        for cut in (place % (len(parent.records) + 1), len(parent.records)):
            CALLS.clear()
            again = record(program(team, Path(folder)), parent=parent, cut=cut)
            assert (again.status, again.output) == ("completed", parent.output)
            assert not CALLS


@some
@given(team=teams, place=places)
def test_an_edited_answer_has_the_consequences_that_a_live_run_has(team: Team, place: int) -> None:
    with TemporaryDirectory() as folder:
        parent = _recorded(team, Path(folder))
        tools = [start for start in started(parent, kind="tool") if isinstance(output(parent, start), str)]
        if not tools:
            return
        edit = mock(tools[place % len(tools)], "EDITED")
        outcomes: list[Json] = []
        for reuse in ("matching", "prefix"):
            CALLS.clear()
            changed = fork(program(team, Path(folder)), parent, [edit], reuse=reuse)
            assert changed.status == "completed", changed.output
            outcomes.append(changed.output)
        assert outcomes[0] == outcomes[1]
        assert outcomes[0] != parent.output


@some
@given(team=teams, place=places)
def test_a_fork_of_a_fork_says_the_same(team: Team, place: int) -> None:
    with TemporaryDirectory() as folder:
        parent = _recorded(team, Path(folder))
        models = started(parent, kind="model")
        at = models[place % len(models)]
        changed = fork(program(team, Path(folder)), parent, [mock(at, "EDITED")])
        assert changed.status == "completed", changed.output
        CALLS.clear()
        again = record(program(team, Path(folder)), parent=changed, cut=len(changed.records))
        assert (again.output, CALLS) == (changed.output, {})
