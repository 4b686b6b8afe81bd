"""Promises about states outside the process, which a fork finds as the record left them."""

from __future__ import annotations

from outtake.testing.rig import Rig
from outtake.testing.words import expect_equal, rewritten


def restore(rig: Rig) -> None:
    baseline = rig.recorded("shared")
    puts = baseline.starts("tool")
    expect_equal(len(puts), 3, "tool calls of the program shared")
    edit = {"op": "replace_input", "seq": puts[2]["seq"], "value": rewritten(puts[2]["input"], "three", "four")}
    fork = baseline.fork(edit, repeat="run")
    info = fork.ended()
    expect_equal([call.asked for call in fork.calls], ["put one", "put two", "put four"], "what was really called")
    expect_equal(info["output"], rewritten(baseline.info["output"], "three", "four"), "what the fork found there")
    expect_equal([(s["repeated"], s["different"]) for s in info["restored"]], [(2, 0)], "calls executed again")
    expect_equal(info["executed"]["tool"], 1, "tool calls that the fork executed")
    served = baseline.fork(at=puts[2]["seq"])
    served.ended()
    expect_equal([call.asked for call in served.calls], [], "what was really called for what stays served")
    refused = baseline.fork(edit, repeat="serve")
    expect_equal(refused.ended("completed", "failed")["restored"], [], "what was executed again unasked")
    expect_equal([call.asked for call in refused.calls], [], "what was really called unasked")
