"""Every kind of program says the same under our runtime as under AutoGen's own."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("autogen_core")

from autogen_agentchat.base import TaskResult
from autogen_core import SingleThreadedAgentRuntime

from outtake_probe.records import MessageQueued
from tests.targets.autogen import programs
from tests.targets.autogen.debugging import of_coroutine, of_team, record

pytestmark = pytest.mark.filterwarnings("ignore:No approval function")


@pytest.fixture(autouse=True)
def _no_calls() -> None:
    programs.CALLS.clear()


@pytest.mark.parametrize("name", programs.TEAMS)
def test_a_team_says_the_same(name: str) -> None:
    program = of_team(programs.TEAMS[name])
    plain = program()
    calls = dict(programs.CALLS)
    programs.CALLS.clear()
    log = record(program)
    assert (log.status, log.output) == ("completed", plain)
    assert dict(programs.CALLS) == calls


def test_a_program_of_routed_agents_gives_the_same() -> None:
    program = of_coroutine(programs.route(SingleThreadedAgentRuntime))
    plain = program()
    programs.CALLS.clear()
    hooked = of_coroutine(programs.route(_runtime_of_a_script))
    log = record(hooked)
    assert (log.status, log.output) == ("completed", plain)
    paths = {r.recipient for r in log.records if isinstance(r, MessageQueued)}
    assert paths == {"factorial", "factorial/below-4", "factorial/below-3", "factorial/below-2"}
    for cut in range(len(log.records) + 1):
        programs.CALLS.clear()
        assert record(hooked, parent=log, cut=cut).output == plain


def _runtime_of_a_script() -> Any:
    """What a script that imports the runtime's class now is given."""
    from autogen_core import SingleThreadedAgentRuntime as Given  # noqa: PLC0415

    return Given()


def test_a_team_can_run_again() -> None:
    async def twice() -> list[Any]:
        team = programs.round_robin()
        results: list[TaskResult] = [await team.run(task="one"), await team.run(task="two")]
        await team.reset()
        results.append(await team.run(task="three"))
        return [programs.transcript(result) for result in results]

    program = of_coroutine(twice)
    plain = program()
    assert record(program).output == plain


def test_a_team_on_a_runtime_of_the_program_s_own() -> None:
    async def run() -> Any:
        runtime = _runtime_of_a_script()
        runtime.start()
        team = programs.selector()
        team._runtime, team._embedded_runtime = runtime, False  # type: ignore[attr-defined]
        result = await team.run(task="go")
        await runtime.stop_when_idle()
        return programs.transcript(result)

    program = of_coroutine(run)
    plain = program()
    assert record(program).output == plain


def test_paths_say_where_an_agent_stands_and_hold_no_ids() -> None:
    log = record(of_team(programs.nested))
    paths = {r.component for r in log.records} | {getattr(r, "recipient", "") for r in log.records}
    assert {"office/desk/ann/model", "office/desk/ann/tools/search", "office/manager", "office/desk/output"} <= paths
    assert not [path for path in paths if any(len(part) > 20 for part in path.split("/"))]
    society = {r.component for r in record(of_team(programs.society)).records}
    assert {"team/mind/model", "team/mind/team/ann/model"} <= society
    assert "team/person/input" in {r.component for r in record(of_team(programs.user_proxy)).records}
    assert "team/runner/code" in {r.component for r in record(of_team(programs.coder)).records}
    assert "team/orchestrator/model" in {r.component for r in record(of_team(programs.magentic)).records}


def test_an_agent_that_fails_fails_the_team_as_it_does_without_us() -> None:
    program = of_team(programs.failing_agent)
    with pytest.raises(RuntimeError, match="ZeroDivisionError: no") as plain:
        program()
    log = record(program)
    assert log.status == "failed"
    first = str(plain.value).splitlines()[0]
    assert log.output["message"].splitlines()[0] == first
    for cut in range(0, len(log.records) + 1, 4):
        programs.CALLS.clear()
        fork = record(program, parent=log, cut=cut, serve_failures=True)
        assert (fork.status, fork.output["message"].splitlines()[0]) == ("failed", first), cut
        assert not programs.CALLS, cut
    again = record(program, parent=log, cut=0)
    assert (again.status, again.output["message"].splitlines()[0]) == ("failed", first)
    assert programs.CALLS == {"bad": 1}
