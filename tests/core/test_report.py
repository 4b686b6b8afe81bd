"""The report of a fork: which processes it really started, and what is counted."""

from __future__ import annotations

from outtake.core.report import report
from outtake_probe.records import PROCESS_STARTED, Json


def started(seq: int, call: str, component: str, parent: int | None = None) -> dict[str, Json]:
    return {"kind": "invocation_started", "seq": seq, "call": call, "component": component, "parent": parent}


def ended(seq: int, invocation: int, how: str = "executed", changes: str | None = None) -> dict[str, Json]:
    return {"kind": "invocation_ended", "seq": seq, "invocation": invocation, "how": how, "changes": changes}


def process(seq: int, parent: int, body: str) -> dict[str, Json]:
    about = {"component": "main", "parent": parent, "body": body}
    return {"kind": "noted", "seq": seq, "type": PROCESS_STARTED, **about}


PARENT = [
    started(0, "flow", "main"),
    process(1, 0, "make"),
    started(2, "step", "main/node", 0),
    process(3, 2, "in a node"),
    ended(4, 2, changes="what it set"),
    started(5, "step", "main/plain", 0),
    process(6, 5, "test"),
    ended(7, 5),
    process(8, 0, "test"),
    ended(9, 0),
]


def found(
    own: list[dict[str, Json]], cut: int, parent: list[dict[str, Json]] = PARENT
) -> list[tuple[str | None, bool]]:
    return [(start.body, start.again) for start in report(own, parent, cut).processes]


def test_a_fork_starts_again_what_no_record_answers_for() -> None:
    assert found(PARENT, 10) == [("make", True), ("test", True), ("test", True)]


def test_what_a_fork_does_after_its_cut_is_again_or_new() -> None:
    node = [started(5, "step", "main/node", 0), process(6, 5, "in a node"), ended(7, 5, "reused", "what it set")]
    after = [process(8, 0, "test"), process(9, 0, "deploy"), process(10, 0, "test"), process(11, 0, "test")]
    own = [*PARENT[:2], *node, *after]
    assert found(own, 2) == [("make", True), ("test", True), ("deploy", False), ("test", True), ("test", False)]


def test_what_was_mocked_started_nothing() -> None:
    own = [*PARENT[:5], started(5, "step", "main/plain", 0), ended(6, 5, "mocked")]
    assert found(own, 5) == [("make", True)]
    assert found([*own[:6], process(6, 5, "test")], 5) == [("make", True), ("test", True)]


def test_a_run_of_its_own_starts_nothing_again() -> None:
    assert found(PARENT, 0, []) == [("make", False), ("in a node", False), ("test", False), ("test", False)]


def test_what_a_replay_that_diverged_came_to_is_not_known() -> None:
    own = [*PARENT, {"kind": "run_ended", "seq": 10, "status": "diverged"}]
    assert found(own, 10) == []


def test_a_function_that_is_the_run_itself_is_one_line() -> None:
    """Its flow is the same call."""
    own = [started(1, "flow", "team"), started(2, "agent", "team", 1), ended(3, 2), ended(4, 1)]
    made = report([*own, process(5, 1, "make")], own, 0)
    assert [(line.kind, line.component) for line in made.lines] == [("agent", "team")]
    assert dict(made.counts["executed"]) == {"agent": 1}
    other = [started(1, "flow", "main"), started(2, "agent", "main/team", 1)]
    assert [line.kind for line in report(other, [], 0).lines] == ["flow", "agent"]
