"""Promises about the record: errors, streams, tokens are in it, and secrets are not."""

from __future__ import annotations

from outtake.testing import stage
from outtake.testing.kit import TOPIC
from outtake.testing.rig import Rig
from outtake.testing.watched import SECRET_VALUE
from outtake.testing.words import contains, expect, expect_equal
from outtake_probe import life
from outtake_probe.records import Json

HIDDEN = (stage.SECRET, SECRET_VALUE)


def errors(rig: Rig) -> None:
    kind = rig.leaves()[-1]
    run = rig.run("failing", breakpoints=["error"])
    held = run.held("the error held", lambda hold: hold["when"] == "after")
    expect(contains(held["value"], stage.BROKEN), f"the error that is held says {held['value']}")
    run.go_to_end()
    failed = [r for r in run.log if r["kind"] == "invocation_ended" and r.get("failed") and r["call"] == kind]
    expect_equal(len(failed), 1, f"failed {kind} calls in the record")
    expect(contains(failed[0]["error"], stage.BROKEN), f"the error in the record says {failed[0]['error']}")
    asked = run.calls[-1].asked
    expect(stage.BROKEN in asked, f"the program did not go on with the error: it asked {asked!r}")
    run.expect_free_forks(0, failed[0]["seq"], len(run.log), serve_failures=True)
    again = run.fork(at=failed[0]["invocation"])
    again.ended()
    expect_equal(again.info["executed"][kind], 1, f"{kind} calls that a fork tried again after they had failed")
    run.expect_free_forks(failed[0]["seq"] + 1)


def streams(rig: Rig) -> None:
    run = rig.recorded("stream")
    output = run.info["output"]
    text = stage.answer(run.calls[0].asked)
    expect(TOPIC in run.calls[0].asked, f"the model was asked {run.calls[0].asked!r}")
    expect(contains(output, text), f"the program's result {output} has not the text {text!r}")
    expect(isinstance(output, dict) and output["pieces"] >= stage.PIECES, f"the program got no pieces: {output}")
    chunks = [r for r in run.log if r["kind"] == "stream_chunk"]
    expect(bool(chunks), "the record has no pieces of the stream")
    recorded = sum(r.get("count", 1) for r in chunks)
    expect(recorded >= stage.PIECES, f"the record has {recorded} pieces of a stream of {stage.PIECES}")
    run.expect_free_forks(0, chunks[-1]["seq"] + 1)


def threads_at_exit(rig: Rig) -> None:
    folder = rig.folder("chat")
    with (folder / "program.py").open("a", encoding="utf-8") as program:
        program.write("\nfrom stage import linger\nlinger()\n")
    run = rig.run("chat", folder, headless=True)
    run.ended()
    process = int((folder / stage.PROCESS).read_text("utf-8"))
    expect(life.started(process) is None, "the program has ended, and its process lives on")
    run.freeze()
    run.expect_free_forks(run.middle, len(run.log))


def usage(rig: Rig) -> None:
    baseline = rig.recorded("chat")
    told = rig.kit.tokens or (0, 0)
    calls = len(baseline.starts("model"))
    expected = {"input": told[0] * calls, "output": told[1] * calls}
    expect_equal(baseline.info["tokens"], expected, f"tokens of {calls} model calls")
    fork = baseline.fork()
    expect_equal(fork.ended()["tokens"], {"input": 0, "output": 0}, "tokens of a fork that called nothing")


def secrets(rig: Rig) -> None:
    run = rig.run("secret", breakpoints=["model:*"])
    run.held()
    _hidden("what is held", run.service.pending(run.id))
    if "configure" in rig.kit.declared.capabilities:
        _hidden("the description of the program", run.service.describe(run.id))
    run.go_to_end()
    for secret in HIDDEN:
        expect(any(secret in call.asked for call in run.calls), "the program's own model did not get the secret")
    _hidden("the log", run.log)
    _hidden("the console", run.service.console(run.id))
    run.expect_free_forks()
    _hidden("the run's document", run.info)


def _hidden(where: str, document: Json) -> None:
    for secret in HIDDEN:
        expect(not contains(document, secret), f"the secret {secret[:4]}... is in {where}")
