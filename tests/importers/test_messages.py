"""Plain lists of messages as runs of agents' turns."""

from __future__ import annotations

import json

import pytest

from outtake_probe.records import Json
from tests.importers.reading import bodies, calls, found, guesses, outline, recorded, sample

MESSAGES: list[dict[str, Json]] = json.loads(sample("messages.json"))


def test_a_list_of_messages_is_a_run_of_turns() -> None:
    what = found(sample("messages.json"))
    (made,) = recorded(what)
    assert (what.importer.name, what.recognised) == ("chat messages", "a list of messages with role and content")
    planner, critic = "team/planner", "team/critic"
    assert outline(made) == [
        "flow of team",
        "says user to team in team",
        f"agent of {planner} in team",
        f"message {planner} in {planner}",
        f"tool of {planner}/tools/weather in {planner}",
        f"end of {planner}/tools/weather in {planner}",
        f"says {planner} to team in {planner}",
        f"end of {planner} in team",
        f"agent of {critic} in team",
        f"says {critic} to team in {critic}",
        f"end of {critic} in team",
        f"agent of {planner} in team",
        f"says {planner} to team in {planner}",
        f"end of {planner} in team",
        "end of team",
    ]
    (weather,) = calls(made, "tool")
    assert (weather["input"], weather["output"]) == ({"city": "Lisbon"}, "24 degrees")
    (log,) = what.logs
    assert (log.input, log.output) == ("Is it warm in Lisbon?", "Yes, it is warm: 24 degrees.")
    assert log.config[f"{planner}.system_prompt"] == "You plan trips."
    assert not made.timed
    first, _, last = calls(made, "agent")
    assert first["input"] == {"messages": [MESSAGES[1]]}
    assert last["input"] == {"messages": [MESSAGES[5]]}
    assert any("everybody heard" in guess for guess in guesses(what))


def as_lines(messages: Json) -> bytes:
    return "\n".join(map(json.dumps, messages)).encode()


@pytest.mark.parametrize("data", [as_lines(MESSAGES), json.dumps({"messages": MESSAGES, "id": 7}).encode()])
def test_messages_by_lines_and_in_an_object_are_the_same_run(data: bytes) -> None:
    (plain,), (other,) = recorded(found(sample("messages.json"))), recorded(found(data))
    assert outline(other) == outline(plain)


def test_each_line_with_messages_is_a_run() -> None:
    what = found(as_lines([{"messages": MESSAGES}, {"messages": MESSAGES[1:2] + MESSAGES[4:5]}]))
    assert [log.output for log in what.logs] == ["Yes, it is warm: 24 degrees.", "It has 24 degrees."]


def test_times_are_those_of_the_messages_and_no_others() -> None:
    said = [{**one, "timestamp": f"2024-05-01T10:00:0{n}Z"} for n, one in enumerate(MESSAGES)]
    (made,) = recorded(found(json.dumps(said).encode()))
    assert made.timed
    (weather,) = calls(made, "tool")
    assert weather["seconds"] == 1.0
    assert made.records[0]["at"] == 1714557601.0


def test_blocks_of_content_are_calls_and_results() -> None:
    said = [
        {"role": "user", "content": "Is it warm?"},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "Rome"}},
            ],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "9"}]}],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "No."}]},
    ]
    what = found(json.dumps(said).encode())
    (made,) = recorded(what)
    (weather,) = calls(made, "tool")
    assert (weather["component"], weather["input"], weather["output"]) == (
        "team/assistant/tools/weather",
        {"city": "Rome"},
        "9",
    )
    assert what.logs[0].output == "No."
    assert any("called assistant" in guess for guess in guesses(what))


def test_what_does_not_fit_together_is_said() -> None:
    said = [MESSAGES[1], MESSAGES[2], {"role": "tool", "tool_call_id": "other", "content": "?"}]
    what = found(json.dumps(said).encode())
    assert any("nobody had called (1)" in guess for guess in guesses(what))
    assert any("never came back (1)" in guess for guess in guesses(what))
    (made,) = recorded(what)
    assert [one["output"] for one in calls(made, "tool")] == [None]
    assert bodies(made)[-1]["value"] is None
