"""Promises about forks: nothing is called again, only what an edit touched is executed, differences are loud."""

from __future__ import annotations

from outtake.core import words
from outtake.core.glance import glance
from outtake.testing.points import kill_at
from outtake.testing.rig import Rig
from outtake.testing.watched import Watched
from outtake.testing.words import expect, expect_equal, rewritten, shown, spread


def free_forks(rig: Rig) -> None:
    baseline = rig.recorded("chat")
    expect(len(baseline.calls) >= 2, f"the program chat really called only {baseline.calls}")
    _readable(baseline)
    baseline.expect_free_forks(*spread(len(baseline.log), rig.kit.cuts))
    side_by_side = rig.recorded("parallel") if "parallel" in rig.kit.programs else baseline
    side_by_side.expect_free_forks()


def _readable(run: Watched) -> None:
    """Whatever the adapter writes can be shown to a person, short and in full."""
    for record in run.log:
        body = next((record[name] for name in ("input", "output", "error", "body") if name in record), None)
        told = (words.readable(body), words.outline(body), words.arguments(body), glance(body).text)
        expect(not any('"$type"' in text for text in told), f"record {record['seq']} is not told in words: {told}")


def only_what_changed(rig: Rig) -> None:
    baseline = rig.recorded("parallel")
    made = [start for start in baseline.starts("model") if "left" in str(start["input"])]
    expect_equal(len(made), 1, "model calls with left in the input")
    edit = {"op": "replace_input", "seq": made[0]["seq"], "value": rewritten(made[0]["input"], "left", "aside")}
    fork = baseline.fork(edit)
    info = fork.ended()
    expect_equal([("aside" in c.asked, c.kind) for c in fork.calls], [(True, "model")], "what the fork really called")
    expect_equal(info["executed"]["model"], 1, "model calls that the fork executed")
    expect_equal(info["reused"]["model"], 2, "model calls that the fork reused")
    expect(info["output"] != baseline.info["output"], "the edit changed nothing")


def prefix(rig: Rig) -> None:
    baseline = rig.recorded("chat")
    leaves = baseline.starts("model", "tool")
    fork = baseline.fork(at=leaves[1]["seq"], reuse="prefix", repeat="run")
    fork.ended()
    expect_equal(fork.outcome, baseline.outcome, "the outcome of the fork")
    expect_equal(len(fork.calls), len(leaves) - 1, f"real calls of a fork at the second of {len(leaves)}")
    reused = {kind: fork.info["reused"][kind] for kind in ("model", "tool")}
    expect_equal(sum(reused.values()), 1, "calls that the fork reused")


def divergence(rig: Rig) -> None:
    run = rig.run("chat", headless=True)
    run.ended()
    helper = run.folder / "stage.py"
    helper.write_text(helper.read_text("utf-8").replace("tell me about", "what is it with"), "utf-8")
    fork = run.fork()
    info = fork.ended("diverged")
    difference = str((info["error"] or {}).get("difference"))
    first = run.starts("model")[0]
    expect(f"record {first['seq']} " in difference, f"the first difference is record {first['seq']}: {difference}")
    expect(first["component"] in difference, f"the difference does not name {first['component']}: {difference}")
    expect(not fork.calls, f"the changed program really called {shown(fork.calls)} before it was stopped")


def continue_after_kill(rig: Rig) -> None:
    baseline = rig.recorded("chat")
    folder = rig.folder("chat")
    kill_at(folder, 2)
    run = rig.run("chat", folder, headless=True)
    run.ended("failed", "lost")
    expect_equal(len(run.calls), 2, "real calls before the process was killed")
    fork = run.fork(repeat="run")  # the call that was out may have happened: here that is allowed
    fork.ended()
    expect_equal(fork.info["output"], baseline.info["output"], "the output of the run that was continued")
    again = [call for call in fork.calls if call in run.calls[:1]]
    expect(not again, f"what the record holds was called again: {shown(again)}")
    expect_equal(len(fork.calls), len(baseline.calls) - 1, "real calls after the kill")
