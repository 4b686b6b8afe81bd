"""The promise about looking at a target: what it is made of is told, and nothing of it is executed."""

from __future__ import annotations

from outtake.testing.kit import Scene
from outtake.testing.rig import PROGRAM, Rig
from outtake.testing.watched import environment, real_calls
from outtake.testing.words import expect, expect_equal, shown

LOOKED_AT: tuple[Scene, ...] = ("parallel", "memory", "awaiting")
"""Scenes without an input; of some targets, their function is a factory, of others it does all of the work itself."""


def executes_nothing(rig: Rig) -> None:
    for scene in LOOKED_AT:
        if scene in rig.kit.programs:
            folder = rig.folder(scene)
            before = [run["run"] for run in rig.service.runs()]
            told = rig.service.describe_spec(f"{PROGRAM}:main", rig.kit.python, str(folder), environment())
            expect_equal(told["source"], "built", f"who describes the program {scene}")
            called = real_calls(folder)
            expect(not called, f"to describe the program {scene}, it really called {shown(called)}")
            expect_equal([run["run"] for run in rig.service.runs()], before, "the runs after a look at the program")
