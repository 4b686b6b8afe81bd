"""Promises about holding: what is held has not happened yet, and everything else goes on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from outtake.service.errors import BadBody, WrongUse
from outtake.testing.kit import TOPIC
from outtake.testing.points import wait_at
from outtake.testing.rig import Rig
from outtake.testing.words import contains, expect, expect_equal


def hold_at(kind: str) -> Callable[[Rig], None]:
    """The check that an invocation of this kind can be held before it goes out."""

    def check(rig: Rig) -> None:
        baseline = rig.recorded("chat")
        first = next(iter(baseline.starts(kind)), None)
        expect(first is not None, f"the program chat has no {kind}")
        run = rig.run("chat", breakpoints=[f"{kind}:*"])
        held = run.held(f"a {kind} held", lambda hold: hold["call"] == kind)
        expect_equal(held["when"], "before", f"the {kind} was held")
        if kind in ("model", "tool"):
            expect(kind not in [call.kind for call in run.calls], f"the {kind} was called although it is held")
            expect(bool(held["value"]), f"what the {kind} is given is not shown while it is held")
        run.go_to_end()
        expect_equal(run.outcome, baseline.outcome, "the outcome of the run that was held")

    return check


def hold_message(rig: Rig) -> None:
    baseline = rig.recorded("letters")
    run = rig.run("letters", breakpoints=["message:*"])
    held = run.held("a message held", lambda hold: hold["message"] is not None)
    queued = [message["seq"] for message in run.queued()]
    expect(held["message"] in queued, f"the message {held['message']} is held, but the queue has {queued}")
    expect(not run.calls, "the message was delivered although it is held")
    last = queued[-1]
    run.service.change_breakpoint(run.id, 1, remove=True)
    run.service.run_to(run.id, last)
    held = run.held("the last message held", lambda hold: hold["message"] == last)
    expect_equal(held["reason"], "run to here", "the reason of the hold")
    run.go_to_end()
    expect_equal(run.outcome, baseline.outcome, "the outcome of the run that was held")


def others_go_on(rig: Rig) -> None:
    baseline = rig.recorded("parallel")
    run = rig.run("parallel", breakpoints=['model:* and input~"left"'])
    held = run.held()
    run.until("the end of what runs beside", lambda _: _answered(run.records) >= 2)
    expect_equal(sum("left" in call.asked for call in run.calls), 0, "calls of what is held")
    expect(held["hold"] in [hold["hold"] for hold in run.info["held"]], "the hold went away by itself")
    run.go_to_end()
    expect_equal(run.outcome, baseline.outcome, "the outcome of the run that was held")


def _answered(records: list[dict[str, object]]) -> int:
    return sum(r["kind"] == "invocation_ended" and r["call"] == "model" for r in records)


def pause(rig: Rig) -> None:
    baseline = rig.recorded("chat")
    folder = rig.folder("chat")
    with wait_at(folder, 1) as point:
        run = rig.run("chat", folder)
        point.arrived()
        run.service.control(run.id, "pause")
        with contextlib.suppress(BadBody):  # any answer, a refusal too, shows that the program has heard of the pause
            run.service.describe(run.id)
        begun = len(run.records)
        point.go()
        held = run.held()
    expect_equal(held["reason"], "paused", "the reason of the hold")
    expect_equal(len(run.calls), 1, "real calls when the pause has taken hold")
    later = [r for r in run.records[begun:] if r["kind"] == "invocation_started"]
    expect(not later, f"invocations began after the pause: {[r['component'] for r in later]}")
    run.go_to_end()
    expect_equal(run.outcome, baseline.outcome, "the outcome of the run that was paused")


def breakpoints(rig: Rig) -> None:
    baseline = rig.recorded("chat")
    second = baseline.starts("model")[1]
    run = rig.run("chat", breakpoints=["model:* and hit>=2", 'input~"no such words"'])
    held = run.held()
    expect(held["reason"].startswith("breakpoint 1"), f"the hold says {held['reason']!r}, not which breakpoint")
    models = [call for call in run.calls if call.kind == "model"]
    expect_equal(len(models), 1, "model calls before the second hit")
    expect_equal(held["component"], second["component"], "what is held at the second hit")
    run.service.change_breakpoint(run.id, 1, enabled=False)
    run.service.control(run.id, "continue")
    run.ended()
    text = rig.run("chat", breakpoints=[f'model:* and input~"{TOPIC}"', 'model:* and output~"says"'])
    held = text.held()
    expect(contains(held["value"], TOPIC), f"a hold for the input {TOPIC!r} shows {held['value']}")
    text.release(held)
    after = text.held("the answer held", lambda hold: hold["when"] == "after")
    expect(contains(after["value"], "says"), f"a hold for the output 'says' shows {after['value']}")
    _refuses_unknown_fields(rig)
    text.go_to_end()
    expect_equal(text.outcome, baseline.outcome, "the outcome of the run that was held")


def _refuses_unknown_fields(rig: Rig) -> None:
    try:
        rig.run("chat", breakpoints=["modle:*"]).stop()
    except WrongUse as error:
        expect("known: " in str(error), f"an unknown field is refused without the list of known ones: {error}")
    else:
        expect(False, "a breakpoint with an unknown field was not refused")
