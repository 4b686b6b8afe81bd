"""The difference of two runs: what is told of a function that is the run itself."""

from __future__ import annotations

from outtake.core.diff import diff
from outtake_probe.records import Json


def run(answer: str) -> list[dict[str, Json]]:
    about = {"component": "team", "digest": "asked"}
    back = {"kind": "invocation_ended", "failed": False, "how": "executed", "body": answer}
    return [
        {"kind": "invocation_started", "seq": 1, "call": "flow", "parent": None, **about},
        {"kind": "invocation_started", "seq": 2, "call": "agent", "parent": 1, **about},
        {**back, "seq": 3, "invocation": 2},
        {**back, "seq": 4, "invocation": 1},
    ]


def test_it_differs_once() -> None:
    found = diff(run("519"), run("525"))
    assert [(pair.change, pair.a.kind if pair.a else None) for pair in found.pairs] == [("changed", "agent")]
