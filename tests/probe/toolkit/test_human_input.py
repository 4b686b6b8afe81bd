"""Questions to a person: the call that is recorded, and the hold that is shown."""

from __future__ import annotations

import pytest

from outtake_probe.gate.decision import DROP, PROCEED, STOP, Answer
from outtake_probe.targets.toolkit.human_input import input_call, is_answered, question


def test_a_question_is_a_call_of_a_tool_that_only_reads() -> None:
    call = input_call("team/user/input", "Go on?")
    assert (call.kind, call.component, call.input, call.effects) == (
        "tool",
        "team/user/input",
        {"prompt": "Go on?"},
        "read",
    )


def test_a_hold_shows_who_asks_what_and_offers_to_answer() -> None:
    assert question("input", "Name? ") == {
        "when": "input",
        "reason": "waits for input",
        "component": "input",
        "call": "tool",
        "prompt": "Name? ",
        "offers": ["mock_output"],
    }
    asked = question("graph", ["One?", "Two?"], "waits for an answer", "flow")
    assert (asked["reason"], asked["call"], asked["prompt"]) == ("waits for an answer", "flow", ["One?", "Two?"])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (Answer("serve", "yes"), True),
        (Answer("serve", None, edited=True), True),
        (Answer("serve", {"type": "EOFError"}, failed=True), False),
        (PROCEED, False),
        (DROP, False),
        (STOP, False),
    ],
)
def test_only_a_served_value_is_an_answer(given: Answer, expected: bool) -> None:
    assert is_answered(given) is expected
