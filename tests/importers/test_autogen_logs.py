"""AutoGen's console and its event log as runs."""

from __future__ import annotations

from tests.importers.reading import calls, found, guesses, outline, recorded, sample

PLANNER = "team/planner"


def test_what_the_console_prints_is_turns() -> None:
    what = found(sample("autogen_console.txt"))
    (made,) = recorded(what)
    assert (what.importer.name, what.recognised) == ("AutoGen's console", "messages of AutoGen's console (8)")
    assert outline(made) == [
        "flow of team",
        "says user to team in team",
        f"agent of {PLANNER} in team",
        f"thought {PLANNER} in {PLANNER}",
        f"tool of {PLANNER}/tools/weather in {PLANNER}",
        f"end of {PLANNER}/tools/weather in {PLANNER}",
        f"says {PLANNER} to team in {PLANNER}",
        f"end of {PLANNER} in team",
        "agent of team/critic in team",
        "says team/critic to team in team/critic",
        "end of team/critic in team",
        f"agent of {PLANNER} in team",
        f"says {PLANNER} to team in {PLANNER}",
        f"end of {PLANNER} in team",
        "end of team",
    ]
    (tool,) = calls(made, "tool")
    assert (tool["input"], tool["output"]) == ({"city": "Lisbon"}, "24 degrees")
    (log,) = what.logs
    assert (log.input, log.output) == ("Is it warm in Lisbon?", "It is warm.")
    assert log.told["summary"].startswith("Number of messages: 7")
    assert not made.timed


def test_a_chat_of_ag2_is_messages_to_whom_they_name() -> None:
    dashes = "-" * 80
    chat = (
        f"user_proxy (to planner):\n\nIs it warm?\n\n{dashes}\nplanner (to user_proxy):\n\nYes.\nVery.\n\n{dashes}\n"
        f"\n>>>>>>>> NO HUMAN INPUT RECEIVED.\nuser_proxy (to planner):\n\nTERMINATE\n\n{dashes}\n"
    )
    what = found(chat.encode())
    (made,) = recorded(what)
    assert what.recognised == "messages of a chat as AG2 prints them"
    assert [line for line in outline(made) if line.startswith("says")] == [
        "says user to team/planner in team",
        "says team/planner to team/user_proxy in team/planner",
        "says team/user_proxy to team/planner in team/user_proxy",
    ]
    assert what.logs[0].input == "Is it warm?"


def test_the_event_log_is_model_calls_tools_and_messages() -> None:
    what = found(sample("autogen_events.log"))
    (made,) = recorded(what)
    assert (what.importer.name, what.recognised) == ("AutoGen's event log", "events of autogen_core (5)")
    assert outline(made) == [
        "flow of team",
        f"says team to {PLANNER} in team",
        f"model of {PLANNER}/gpt-4o in team",
        f"end of {PLANNER}/gpt-4o in team",
        f"tool of {PLANNER}/tools/weather in team",
        f"end of {PLANNER}/tools/weather in team",
        f"says {PLANNER} to team/output in team",
        "end of team",
    ]
    (model,) = calls(made, "model")
    assert [said["role"] for said in model["input"]["messages"]] == ["system", "user"]
    assert model["input"]["tools"][0]["function"]["name"] == "weather"
    assert (model["tokens"], model["seconds"]) == ((20, 7), 0.0)  # when it began is not in the log
    assert made.timed
    assert made.records[0]["at"] == 1741082400.1
    assert any("delivered (1)" in guess for guess in guesses(what))
    bare = "\n".join(line.partition("INFO - ")[2] for line in sample("autogen_events.log").decode().splitlines())
    lines = [line for line in bare.splitlines() if line.startswith("{")]
    (other,) = recorded(found("\n".join(lines).encode()))
    assert outline(other) == outline(made)
    assert not other.timed


def test_streams_are_one_call_from_their_beginning_to_their_end() -> None:
    lines = [
        '{"type": "LLMStreamStart", "messages": [{"role": "user", "content": "Hi"}], "agent_id": "a/1"}',
        '{"type": "LLMStreamEnd", "response": {"content": "Hello"}, "prompt_tokens": 1, "completion_tokens": 2, '
        '"agent_id": "a/1"}',
    ]
    (made,) = recorded(found("\n".join(lines).encode()))
    (model,) = calls(made, "model")
    assert model["output"]["choices"][0]["message"]["content"] == "Hello"
    assert model["tokens"] == (1, 2)


def test_an_older_console_prints_no_types() -> None:
    (made,) = recorded(found(b"---------- user ----------\nHi\n---------- planner ----------\nHello\n"))
    assert [line for line in outline(made) if line.startswith("says")] == [
        "says user to team in team",
        f"says {PLANNER} to team in {PLANNER}",
    ]
