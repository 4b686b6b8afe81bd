"""A program that departs from its record before the cut is stopped at the first difference, which is named."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from outtake_probe.records import Json
from tests.probe.inprocess import Log, execute
from tests.probe.programs import answer, ask_in_thread, look_in_thread, threaded


def original() -> str:
    first = ask_in_thread("one")
    found = "".join(look_in_thread(first))
    return ask_in_thread(found)


def other_input() -> str:
    first = ask_in_thread("two")
    return ask_in_thread(first)


def skips_a_call() -> str:
    first = ask_in_thread("one")
    return ask_in_thread(answer("look" + first) + answer("more" + first))


def asks_more() -> str:
    ask_in_thread("one")
    threaded("more")
    return original()


def ends_early() -> str:
    return ask_in_thread("one")


def difference(log: Log) -> Json:
    return next(fields["difference"] for kind, fields in log.told if kind == "replay" and "difference" in fields)


@pytest.mark.parametrize(
    ("changed", "recorded", "asked"),
    [
        (other_input, "model call of main/ask_in_thread", "model call of main/ask_in_thread"),
        (skips_a_call, "tool call of main/look_in_thread", "nothing"),
        (asks_more, "main/look_in_thread", "step call of main/threaded"),
        (ends_early, "tool call of main/look_in_thread", "the end of the main invocation"),
    ],
)
def test_the_first_difference_is_named(changed: Callable[[], str], recorded: str, asked: str) -> None:
    parent = execute(original)
    fork = execute(changed, parent=parent)
    assert fork.status == "diverged"
    found = difference(fork)
    assert recorded in found["recorded"] or changed is ends_early
    assert asked in found["asked"] or changed is ends_early
    assert len(fork.records) <= len(parent.records) + 1, "nothing of the changed program is mixed into the record"


def test_after_the_cut_a_changed_program_just_runs() -> None:
    parent = execute(original)
    fork = execute(other_input, parent=parent, cut=2)
    assert fork.status == "completed"
    assert fork.output == answer(answer("two"))
