"""Promises about what a fork would do to the world once more: it asks, or does as it was told to."""

from __future__ import annotations

from outtake.service.service import Document
from outtake.testing.rig import Rig
from outtake.testing.watched import Watched
from outtake.testing.words import OTHERWISE, SAID, contains, expect, expect_equal, rewritten


def repeat(rig: Rig) -> None:
    baseline = rig.recorded("chat")
    first = _tool(baseline)
    calls = sum(start["seq"] >= first["seq"] for start in baseline.starts("tool"))
    for way, times in (("serve", 0), ("run", calls)):
        fork = baseline.fork(at=first["seq"], reuse="prefix", repeat=way)
        fork.ended()
        _same(baseline, fork, times, f"repeat {way}")
    fork = baseline.fork(at=first["seq"], reuse="prefix", repeat="ask", headless=False)
    asked = 0
    while (held := fork.held_or_ended()) is not None:
        expect_equal(held["call"], "tool", "what is held to ask whether it is to happen again")
        expect("already called" in held["reason"], f"the reason of the hold is {held['reason']!r}")
        expect_equal(_tools(fork), 0, "real calls of the tool while a person is asked")
        start = baseline.starts("tool")[asked]
        fork.release(held, verb="serve", value=baseline.end_of(start)["output"])
        _until_gone(fork, held["hold"])
        asked += 1
    expect_equal(asked, calls, "how often a person was asked")
    _same(baseline, fork, 0, "an answer to the question")


def _until_gone(run: Watched, hold: int) -> None:
    run.until("the answer", lambda info: hold not in [held["hold"] for held in info["held"]])


def irreversible(rig: Rig) -> None:
    name = _tool(rig.recorded("chat"))["component"].rpartition("/")[2]
    folder = rig.folder("chat")
    with (folder / "outtake.toml").open("a", encoding="utf-8") as file:
        file.write(f'\n[effects]\n"{name}" = "irreversible"\n')
    run = rig.run("chat", folder, headless=True)
    run.ended()
    run.freeze()
    expect(_tools(run) > 0, "the irreversible tool was not called in the first run")
    expect_equal(_tool(run).get("effects"), "irreversible", "the effects that are recorded")
    served = run.fork(at=_tool(run)["seq"], reuse="prefix")
    served.ended()
    _same(run, served, 0, "an irreversible tool")
    model = run.starts("model")[0]
    value = rewritten(run.end_of(model)["output"], SAID, OTHERWISE)
    refused = run.fork({"op": "mock_output", "seq": model["seq"], "value": value})
    info = refused.ended("completed", "failed")
    expect_equal(_tools(refused), 0, "real calls of an irreversible tool with a new input, and nobody was asked")
    ends = [r for r in refused.log if r["kind"] == "invocation_ended" and r["call"] == "tool" and r.get("failed")]
    told = bool(ends) and contains([ends[0]["error"], info["error"]], "irreversible")
    expect(told, f"the program did not see that the call was refused: {refused.outcome}")


def _same(parent: Watched, fork: Watched, times: int, what: str) -> None:
    expect_equal(_tools(fork), times, f"real calls of the tool after {what}")
    expect_equal(fork.outcome, parent.outcome, f"the outcome after {what}")


def _tool(run: Watched) -> Document:
    """The first tool call."""
    return run.starts("tool")[0]


def _tools(run: Watched) -> int:
    return sum(call.kind == "tool" for call in run.calls)
