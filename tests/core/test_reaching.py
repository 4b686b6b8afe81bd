"""How far the change of a fork went."""

from __future__ import annotations

from outtake.core.reaching import Used, used
from outtake_probe.records import Json


def call(seq: int, component: str, digest: str, how: str = "executed", kind: str = "model") -> list[dict[str, Json]]:
    return [
        {"kind": "invocation_started", "seq": seq, "call": kind, "component": component, "digest": digest},
        {"kind": "invocation_ended", "seq": seq + 1, "invocation": seq, "failed": False, "how": how, "body": digest},
    ]


PARENT = [*call(0, "a", "x"), *call(2, "b", "y"), *call(4, "c", "z"), *call(6, "d", "w", kind="agent")]


def test_calls_with_another_input_are_counted_and_those_that_only_the_fork_makes() -> None:
    fork = [
        *call(0, "a", "x"),
        *call(2, "b", "other", "mocked"),
        *call(4, "c", "other"),
        *call(6, "d", "other", kind="agent"),
        *call(8, "e", "new"),
    ]
    assert used(fork, PARENT, 2) == Used(2, 4)


def test_a_change_that_reached_nothing() -> None:
    fork = [*call(0, "a", "x"), *call(2, "b", "y", "mocked"), *call(4, "c", "z"), *call(6, "d", "w", "reused", "agent")]
    assert used(fork, PARENT, 2) == Used(0, None)
