"""Promises about waits: a person is asked for what only they can answer, and for nothing else."""

from __future__ import annotations

from outtake.core.runs import ENDED
from outtake.testing.rig import Rig
from outtake.testing.watched import Watched
from outtake.testing.words import expect, expect_equal

WORD = "sparrows"
"""What the person answers."""


def answered(rig: Rig) -> Watched:
    """A run of `asking` whose question a person has answered."""
    run = rig.run("asking")
    held = run.held("the question to a person", lambda hold: hold["when"] == "input")
    expect(not held.get("others"), "nobody but the person can answer, and the hold says otherwise")
    expect(not run.calls, "the program went on although nobody has answered")
    run.release(held, verb="serve", value=rig.kit.reply(WORD))
    run.ended()
    run.freeze()
    return run


def for_a_person(rig: Rig) -> None:
    run = answered(rig)
    expect_equal([WORD in call.asked for call in run.calls], [True], "calls with the answer in them")
    run.expect_free_forks(run.middle, len(run.log))


def for_the_program(rig: Rig) -> None:
    run = rig.run("awaiting", headless=True)
    run.until("the end", lambda info: info["status"] in ENDED or any(not h.get("others") for h in info["held"]))
    run.ended()
    expect_equal(["later" in call.asked for call in run.calls], [True], "calls with what the program waited for")
    run.freeze()
    run.expect_free_forks(run.middle, len(run.log))
