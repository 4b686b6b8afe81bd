"""Promises about time: what the program takes back, or does when some time has passed, it does so in every fork;
and no time passes for a framework while something is held."""

from __future__ import annotations

import threading

from outtake.testing import stage
from outtake.testing.rig import Rig
from outtake.testing.words import expect, expect_equal, spread

LONGER = stage.ALLOWED + 1
"""Seconds for which something is held that the framework allows less."""


def cancelled(rig: Rig) -> None:
    baseline = rig.recorded("cancelling")
    left = [r for r in baseline.log if r["kind"] == "invocation_ended" and r["interrupted"]]
    expect(bool(left), "no call of the program cancelling was taken back")
    baseline.expect_free_forks(*spread(len(baseline.log), rig.kit.cuts))


def timed(rig: Rig) -> None:
    baseline = rig.recorded("timing")
    baseline.expect_free_forks(*spread(len(baseline.log), rig.kit.cuts))


def standing_still(rig: Rig) -> None:
    baseline = rig.recorded("limited")
    run = rig.run("limited", breakpoints=["model:*"])
    run.held()
    threading.Event().wait(LONGER)  # time itself is what is promised to stand still
    run.go_to_end("completed", "failed")
    expect_equal(run.outcome, baseline.outcome, f"the outcome of a run that was held for {LONGER:.0f} s")
