"""Promises about changing one thing: an input, an output, an error in its place, nothing at all.

Each is done twice: to what is held in a live run, and as an edit of a fork.  Forks of what comes out call nothing.
"""

from __future__ import annotations

from outtake.testing.kit import TOPIC
from outtake.testing.rig import Rig
from outtake.testing.watched import Watched
from outtake.testing.words import OTHERWISE, SAID, contains, expect, expect_equal, rewritten

INSTEAD = "stones"
NO_LUCK = "no such luck"


def edit_input(rig: Rig) -> None:
    run = rig.run("chat", breakpoints=["model:*"])
    held = run.held()
    run.release(held, verb="proceed", value=rewritten(held["value"], TOPIC, INSTEAD), edited=True)
    run.go_to_end()
    _asked_instead(run)
    run.expect_free_forks()
    baseline = rig.recorded("chat")
    first = baseline.starts("model")[0]
    edit = {"op": "replace_input", "seq": first["seq"], "value": rewritten(first["input"], TOPIC, INSTEAD)}
    fork = baseline.fork(edit, repeat="run")
    fork.ended()
    _asked_instead(fork)
    expect_equal(fork.info["output"], run.info["output"], "the output of the fork with the edit that was made live")


def _asked_instead(run: Watched) -> None:
    expect(bool(run.calls), "nothing was called after the edit")
    asked = run.calls[0].asked
    expect(INSTEAD in asked and TOPIC not in asked, f"after the edit the model was asked {asked!r}")


def mock_output(rig: Rig) -> None:
    run = rig.run("chat", breakpoints=["model:*"])
    baseline = rig.recorded("chat")
    first = baseline.starts("model")[0]
    value = rewritten(baseline.end_of(first)["output"], SAID, OTHERWISE)
    held = run.held()
    run.release(held, verb="serve", value=value)
    run.go_to_end()
    _mocked(run)
    run.expect_free_forks()
    fork = baseline.fork({"op": "mock_output", "seq": first["seq"], "value": value}, repeat="run")
    fork.ended()
    _mocked(fork)
    expect_equal(fork.info["output"], run.info["output"], "the output of the fork with the mock that was made live")


def _mocked(run: Watched) -> None:
    expect_equal(run.info["mocked"]["model"], 1, "mocked model calls")
    asked = [call.asked for call in run.calls]
    expect(not any(TOPIC in text for text in asked[:1]), "the mocked model was called")
    expect(any(OTHERWISE in text for text in asked), f"nobody was told what the mock says: {asked}")


def edit_output(rig: Rig) -> None:
    run = rig.run("chat", breakpoints=['model:* and output~"says"'])
    held = run.held("the answer held", lambda hold: hold["when"] == "after")
    run.release(held, verb="serve", value=rewritten(held["value"], SAID, OTHERWISE))
    run.go_to_end()
    later = [call.asked for call in run.calls[1:]]
    expect(any(OTHERWISE in text for text in later), f"nobody was told what the answer was changed to: {later}")
    run.expect_free_forks()


def raise_error(rig: Rig) -> None:
    run = rig.run("chat", breakpoints=["model:*"])
    run.release(run.held(), verb="serve", value=NO_LUCK, failed=True)
    run.go_to_end("failed", "completed")
    _raised(run)
    run.expect_free_forks()
    baseline = rig.recorded("chat")
    fork = baseline.fork({"op": "raise", "seq": baseline.starts("model")[0]["seq"], "value": NO_LUCK})
    _raised(fork)


def _raised(run: Watched) -> None:
    info = run.ended("failed", "completed")
    expect(not run.calls, "the model was called although an error was put in its place")
    failed = [r for r in run.log if r["kind"] == "invocation_ended" and r["call"] == "model"]
    expect(bool(failed) and failed[0].get("failed", False), "the record does not say that the model call failed")
    expect(contains(failed[0]["error"], NO_LUCK), f"the record of the error says {failed[0]['error']}")
    expect(contains([info["error"], info["output"]], NO_LUCK), "the program never saw the error")


def drop_call(rig: Rig) -> None:
    kind = rig.leaves()[-1]
    run = rig.run("chat", breakpoints=[f"{kind}:*"])
    run.release(run.held(), verb="drop")
    run.go_to_end("failed", "completed")
    _dropped(run, kind)
    run.expect_free_forks()
    baseline = rig.recorded("chat")
    fork = baseline.fork({"op": "drop", "seq": baseline.starts(kind)[0]["seq"]}, repeat="run")
    _dropped(fork, kind)


def _dropped(run: Watched, kind: str) -> None:
    run.ended("completed", "failed")
    ends = [r for r in run.log if r["kind"] == "invocation_ended" and r["call"] == kind]
    expect_equal(ends[0].get("how"), "dropped", "how the dropped call ended")
    really = sum(call.kind == kind for call in run.calls)
    went_out = sum(end.get("how", "executed") == "executed" for end in ends)
    expect_equal(really, went_out, f"real calls of the {kind} that was dropped once")
