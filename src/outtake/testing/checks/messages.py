"""Promises about messages that wait: seen, edited, dropped, put in another order, joined by a new one."""

from __future__ import annotations

from outtake.service.service import Document
from outtake.testing.rig import Rig
from outtake.testing.watched import Watched
from outtake.testing.words import contains, expect, expect_equal, rewritten

LETTERS = ["one", "two", "three"]


def _waiting(rig: Rig) -> tuple[Watched, list[Document]]:
    """A run whose three letters wait, and these three."""
    run = rig.run("letters", breakpoints=["message:*"])
    _until_delivery(run)
    letters = run.queued()
    said = [next((word for word in LETTERS if contains(m["body"], word)), "?") for m in letters]
    expect_equal(said, LETTERS, "the messages that wait say")
    return run, letters


def _until_delivery(run: Watched) -> None:
    """Go past what has a type, too, but is no delivery of a message, to the first that is one."""
    passed: set[int] = set()
    while True:
        hold = run.held("a message held", lambda hold: hold["hold"] not in passed)
        if hold["message"] is not None:
            return
        passed.add(hold["hold"])
        run.release(hold)


def _letters(run: Watched, *more: str) -> list[str]:
    """Which letters the model was asked about, in order."""
    words = [*LETTERS, *more]
    return [next((word for word in words if word in call.asked), call.asked) for call in run.calls]


def _ends_with(run: Watched, *letters: str, more: str = "") -> None:
    run.go_to_end()
    expect_equal(_letters(run, *([more] if more else [])), list(letters), "the model was asked about")
    run.expect_free_forks(0, len(run.log))


def _sent(run: Watched, word: str) -> Document:
    """The record of the letter with this word."""
    found = [r for r in run.log if r["kind"] == "message_queued" and contains(r["body"], word)]
    expect(bool(found), f"the record has no message that says {word!r}")
    return found[0]


def queue(rig: Rig) -> None:
    run, letters = _waiting(rig)
    run.service.move(run.id, letters[2]["seq"], letters[1]["seq"])
    run.until("the new order", lambda _: [m["seq"] for m in run.queued()] == [letters[i]["seq"] for i in (0, 2, 1)])
    _ends_with(run, "one", "three", "two")


def edit_message(rig: Rig) -> None:
    run, letters = _waiting(rig)
    second = letters[1]
    run.service.edit(run.id, second["seq"], rewritten(second["body"], "two", "zebra"))
    run.until("the new content", lambda _: contains(run.queued()[1]["body"], "zebra"))
    _ends_with(run, "one", "zebra", "three", more="zebra")
    baseline = rig.recorded("letters")
    sent = _sent(baseline, "two")
    value = rewritten(sent["body"], "two", "zebra")
    fork = baseline.fork({"op": "replace_message", "seq": sent["seq"], "value": value})
    fork.ended()
    expect_equal(_letters(fork, "zebra"), ["zebra"], "the fork with one edited message executed")
    expect_equal(fork.info["output"], run.info["output"], "the output of the fork with the edit that was made live")


def drop_message(rig: Rig) -> None:
    run, letters = _waiting(rig)
    run.service.drop(run.id, letters[1]["seq"])
    run.until("two messages that wait", lambda _: len(run.queued()) == 2)
    _ends_with(run, "one", "three")
    baseline = rig.recorded("letters")
    fork = baseline.fork({"op": "drop", "seq": _sent(baseline, "two")["seq"]})
    fork.ended()
    expect(not fork.calls, f"the fork without one message executed {_letters(fork)}")
    expect_equal(fork.info["output"], run.info["output"], "the output of the fork with the drop that was made live")


def inject(rig: Rig) -> None:
    run, letters = _waiting(rig)
    to = letters[0]["recipient"]
    run.service.send(run.id, to, rig.kit.message("zebra"))
    run.until("four messages that wait", lambda _: len(run.queued()) == 4)
    _ends_with(run, "one", "two", "three", "zebra", more="zebra")
    baseline = rig.recorded("letters")
    delivery = next(s for s in baseline.starts() if s["message"] == _sent(baseline, "three")["seq"])
    fork = baseline.fork({"op": "inject", "component": to, "value": rig.kit.message("zebra")}, at=delivery["seq"])
    fork.ended()
    expect_equal(_letters(fork, "zebra"), ["zebra"], "the fork with one new message executed")
