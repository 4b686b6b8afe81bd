"""Promises about what happens inside of what a fork serves: agents remember what they were asked, output is there."""

from __future__ import annotations

from outtake.testing.rig import Rig
from outtake.testing.words import OTHERWISE, SAID, contains, expect, expect_equal, rewritten, spread


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


def read(rig: Rig) -> None:
    baseline = rig.recorded("reading")
    first = baseline.starts("model")[0]
    value = rewritten(baseline.end_of(first)["output"], SAID, OTHERWISE)
    fork = baseline.fork({"op": "mock_output", "seq": first["seq"], "value": value})
    fork.ended()
    asked = [call.asked for call in fork.calls]
    expect(len(asked) == 1 and OTHERWISE in asked[0], f"after an edit of what the second step reads, it asked {asked}")
    seen, last = fork.info["output"]
    expect_equal(last, baseline.info["output"][1], "what the step gave that reads nothing of it")
    expect(not contains(baseline.info["output"], seen), "what the step gave that reads what was edited did not change")
    baseline.expect_free_forks()


def printed(rig: Rig) -> None:
    baseline = rig.recorded("printing")
    expect(all("main" in text for text in baseline.printed.values()), f"the program printed {baseline.printed}")
    for cut in spread(len(baseline.log), rig.kit.cuts):
        fork = baseline.fork(at=cut)
        fork.ended()
        for name, text in fork.printed.items():
            expect_equal(text, baseline.printed[name], f"{name} of a fork at record {cut} without an edit")
