"""Promises about stepping: into everything, over what is inside, out to the result."""

from __future__ import annotations

from collections import Counter

from outtake.service.service import Document
from outtake.testing.rig import Rig
from outtake.testing.watched import Watched
from outtake.testing.words import Broken, expect, expect_equal


def step_in(rig: Rig) -> None:
    baseline = rig.recorded("chat")
    run = rig.run("chat", pause=True)
    seen: list[tuple[str, str]] = []
    while (held := run.held_or_ended()) is not None:
        expect_equal(held["when"], "before", f"stepping held {held['component']}")
        seen.append((held["call"], held["component"]))
        run.step("step", held)
    run.ended()
    gates = [(start["call"], start["component"]) for start in baseline.starts()]
    missed, more = Counter(gates) - Counter(seen), Counter(seen) - Counter(gates)
    expect(not missed, f"stepping in passed by {list(missed)}")
    expect(not more, f"stepping in stopped where nothing goes out: {list(more)}")
    expect_equal(run.outcome, baseline.outcome, "the outcome of the run that was stepped through")


def step_over(rig: Rig) -> None:
    run, held = _before_the_first_model(rig)
    run.step("next", held)
    following = run.held_or_ended()
    around = next(r for r in reversed(run.records) if _starts(r) and r["component"] == held["component"])
    inside = _inside(run.records, around["seq"])
    expect(any(r["call"] == "model" for r in inside), "stepping over did not let happen what is inside")
    if following is not None:
        lineage = _lineage(run.records, following["parent"])
        where = following["component"]
        expect(around["seq"] not in lineage, f"stepping over {held['component']} stopped inside, at {where}")
    run.go_to_end()
    expect_equal(run.outcome, rig.recorded("chat").outcome, "the outcome of the run that was stepped over")


def step_out(rig: Rig) -> None:
    run = rig.run("chat", pause=True)
    while (held := run.held("the first model call"))["call"] != "model":
        run.step("step", held)
    around = held["parent"]
    expect(around is not None, "the model call is inside of nothing")
    run.step("out", held)
    result = run.held("the result of what is around", lambda hold: hold["reason"] == "step out")
    expect_equal((result["when"], result["invocation"]), ("after", around), "stepping out of the model call held")
    run.go_to_end()
    expect_equal(run.outcome, rig.recorded("chat").outcome, "the outcome of the run that was stepped out")


def _before_the_first_model(rig: Rig) -> tuple[Watched, Document]:
    """A run that is held before what encloses its first model call."""
    baseline = rig.recorded("chat")
    parent = baseline.starts("model")[0]["parent"]
    around = next(start for start in baseline.starts() if start["seq"] == parent)
    nth = [s["seq"] for s in baseline.starts() if s["component"] == around["component"]].index(parent)
    run = rig.run("chat", pause=True)
    while (held := run.held_or_ended()) is not None:
        if held["component"] == around["component"]:
            if nth == 0:
                return run, held
            nth -= 1
        run.step("step", held)
    raise Broken(f"stepping never came to {around['component']}, inside of which a model is called")


def _starts(record: Document) -> bool:
    return bool(record["kind"] == "invocation_started")


def _lineage(records: list[Document], invocation: int | None) -> list[int]:
    """An invocation and all that enclose it."""
    parents = {r["seq"]: r["parent"] for r in records if _starts(r)}
    found = []
    while invocation is not None:
        found.append(invocation)
        invocation = parents.get(invocation)
    return found


def _inside(records: list[Document], invocation: int) -> list[Document]:
    return [r for r in records if _starts(r) and invocation in _lineage(records, r["parent"])]
