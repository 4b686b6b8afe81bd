"""Requests to models with their responses, of the OpenAI and of the Anthropic API."""

from __future__ import annotations

import json

import pytest

from outtake_probe.records import Json
from tests.importers.reading import calls, found, guesses, outline, recorded, sample

FAILED = {"$type": "exception", "class": "log:rate_limit", "message": "slow down"}


def test_openai_requests_are_model_calls_with_the_tools_between_them() -> None:
    what = found(sample("openai.jsonl"))
    (made,) = recorded(what)
    assert what.importer.name == "OpenAI requests"
    assert what.recognised == "requests and responses of the OpenAI API (3)"
    assert outline(made) == [
        "flow of program",
        "model of program/gpt-4o in program",
        "end of program/gpt-4o in program",
        "tool of program/tools/weather in program",
        "end of program/tools/weather in program",
        "model of program/gpt-4o in program",
        "end of program/gpt-4o in program",
        "model of program/gpt-4o in program",
        "failed program/gpt-4o in program",
        "end of program",
    ]
    first, second, third = calls(made, "model")
    assert (first["type"], first["tokens"], first["seconds"]) == ("chat.completions", (20, 9), 2.0)
    assert first["input"]["tools"][0]["function"]["name"] == "weather"
    assert second["output"]["choices"][0]["message"]["content"] == "Yes: 24 degrees."
    assert second["seconds"] == 0.0  # only its beginning is in the log
    assert (third["type"], third["output"]) == ("responses", FAILED)
    (tool,) = calls(made, "tool")
    assert (tool["input"], tool["output"]) == ({"city": "Lisbon"}, "24 degrees")
    assert what.logs[0].input == "Is it warm in Lisbon?"
    assert any("tools gave what the next prompt says (1)" in guess for guess in guesses(what))


def test_anthropic_requests_and_responses_that_follow_each_other_are_model_calls() -> None:
    what = found(sample("anthropic.json"))
    (made,) = recorded(what)
    assert what.importer.name == "Anthropic requests"
    first, second = calls(made, "model")
    assert (first["type"], first["tokens"], first["input"]["system"]) == ("messages", (25, 9), "You plan trips.")
    assert second["output"]["content"][0]["text"] == "Yes: 24 degrees."
    (tool,) = calls(made, "tool")
    assert (tool["component"], tool["output"]) == ("program/tools/weather", "24 degrees")
    assert not made.timed


ASKED: Json = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
ANSWERED: Json = {"choices": [{"message": {"role": "assistant", "content": "Hello"}}]}
STREAMED: Json = [{"choices": [{"delta": {"content": "Hel"}}]}, {"choices": [{"delta": {"content": "lo"}}]}]
CLAUDE: Json = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Hello"}]}


@pytest.mark.parametrize(
    ("documents", "name"),
    [
        ([ASKED, ANSWERED], "OpenAI requests"),
        ([{"input": ASKED, "output": ANSWERED}], "OpenAI requests"),
        ([{**ASKED, "response": ANSWERED}], "OpenAI requests"),
        ([{"request": {"url": "x", "body": json.dumps(ASKED)}, "response": ANSWERED}], "OpenAI requests"),
        ([{"request": ASKED, "response": STREAMED}], "OpenAI requests"),
        ([{"req": ASKED, "res": CLAUDE}], "Anthropic requests"),
        ([{"request": ASKED, "response": [{"type": "message_start", "message": {}}]}], "Anthropic requests"),
        (
            [{"request": {"model": "m", "input": "Hi"}, "response": {"object": "response", "output": []}}],
            "OpenAI requests",
        ),
    ],
)
def test_the_usual_ways_to_write_them_down_are_known(documents: list[Json], name: str) -> None:
    for data in (json.dumps(documents), "\n".join(map(json.dumps, documents))):
        what = found(data.encode())
        assert what.importer.name == name
        (made,) = recorded(what)
        (call,) = calls(made, "model")
        assert call["input"]["model"] == "m"
        assert call["output"] is not None


def test_a_request_without_a_response_never_came_back() -> None:
    what = found("\n".join(map(json.dumps, [ASKED, ASKED, ANSWERED])).encode())
    (made,) = recorded(what)
    assert [call["output"] for call in calls(made, "model")] == [None, ANSWERED]
    assert any("never came back (1)" in guess for guess in guesses(what))
