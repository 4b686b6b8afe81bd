"""Promises about what happens inside of what a fork serves: agents remember what they were asked, output is there."""

from __future__ import annotations

from outtake.testing.rig import Rig
from outtake.testing.words import expect, expect_equal, rewritten, spread


def remembered(rig: Rig) -> None:
    baseline = rig.recorded("memory")
    uses = baseline.starts("tool")
    expect_equal(len(uses), 3, "tool calls of the program memory")
    expect_equal(len(baseline.calls), 3, "real calls of the program memory")
    edit = {"op": "replace_input", "seq": uses[2]["seq"], "value": rewritten(uses[2]["input"], "three", "four")}
    fork = baseline.fork(edit, repeat="run")
    fork.ended()
    live = [rewritten(call.asked, "three", "four") for call in baseline.calls[2:]]
    expect_equal([call.asked for call in fork.calls], live, "what the agent was asked after an edit of the third use")
    baseline.expect_free_forks(*spread(len(baseline.log), rig.kit.cuts))


def printed(rig: Rig) -> None:
    baseline = rig.recorded("printing")
    expect(all("main" in text for text in baseline.printed.values()), f"the program printed {baseline.printed}")
    for cut in spread(len(baseline.log), rig.kit.cuts):
        fork = baseline.fork(at=cut)
        fork.ended()
        for name, text in fork.printed.items():
            expect_equal(text, baseline.printed[name], f"{name} of a fork at record {cut} without an edit")
