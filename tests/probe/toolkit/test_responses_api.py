"""Mocked answers in the form of the Responses API."""

from __future__ import annotations

import pytest

from outtake_probe.commands import BadValue
from outtake_probe.targets.toolkit.arguments import parse_arguments
from outtake_probe.targets.toolkit.responses_api import events, message_item, output_items, response, text_part


def test_a_text_is_a_message() -> None:
    (item,) = output_items("hello")
    assert (item["type"], item["content"][0]["text"]) == ("message", "hello")
    assert output_items(None) == []


@pytest.mark.parametrize(
    "call",
    [
        {"name": "look", "arguments": {"what": "x"}, "id": "one"},
        {"name": "look", "args": {"what": "x"}, "call_id": "one"},
        {"function": {"name": "look", "arguments": '{"what": "x"}'}, "id": "one"},
    ],
)
def test_a_tool_call_of_any_library_is_one(call: object) -> None:
    text, item = output_items({"content": "I will look", "tool_calls": [call]})
    assert text["type"] == "message"
    assert (item["type"], item["name"], item["call_id"]) == ("function_call", "look", "one")
    assert parse_arguments(item["arguments"]) == {"what": "x"}


@pytest.mark.parametrize("value", [3, {"text": "x"}, {"tool_calls": [{"arguments": {}}]}])
def test_what_is_no_answer_is_refused(value: object) -> None:
    with pytest.raises(BadValue):
        output_items(value)


def test_the_events_of_a_response_end_with_all_of_it() -> None:
    whole = response("m", [message_item([text_part("one two")])])
    told = events(whole, ["one ", "two"])
    assert [event["sequence_number"] for event in told] == list(range(len(told)))
    assert [event["delta"] for event in told if event["type"].endswith("text.delta")] == ["one ", "two"]
    assert (told[-1]["type"], told[-1]["response"]) == ("response.completed", whole)


def test_arguments_that_are_no_object_are_shown_as_they_are() -> None:
    assert [parse_arguments(text) for text in ("", "[1]", "{")] == [{}, {"input": "[1]"}, {"input": "{"}]
