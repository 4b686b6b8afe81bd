"""Promises about time: what the program takes back, or does when some time has passed, it does so in every fork."""

from __future__ import annotations

from outtake.testing.rig import Rig
from outtake.testing.words import expect, spread


def cancelled(rig: Rig) -> None:
    baseline = rig.recorded("cancelling")
    left = [r for r in baseline.log if r["kind"] == "invocation_ended" and r["interrupted"]]
    expect(bool(left), "no call of the program cancelling was taken back")
    baseline.expect_free_forks(*spread(len(baseline.log), rig.kit.cuts))


def timed(rig: Rig) -> None:
    baseline = rig.recorded("timing")
    baseline.expect_free_forks(*spread(len(baseline.log), rig.kit.cuts))
