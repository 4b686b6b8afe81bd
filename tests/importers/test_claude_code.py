"""Sessions of Claude Code as turns with model calls, tools and subagents."""

from __future__ import annotations

import json

from outtake_probe.records import Json
from tests.importers.reading import bodies, calls, found, guesses, outline, recorded, sample

AGENT = "claude-code/agent"


def test_a_session_is_turns_of_model_calls_and_tools() -> None:
    what = found(sample("claude_code.jsonl"))
    (made,) = recorded(what)
    assert (what.importer.name, what.recognised) == ("Claude Code", "a session with 9 messages")
    model, sub = f"{AGENT}/claude-sonnet-4-5", "claude-code/explore"
    assert outline(made) == [
        "flow of claude-code",
        f"says user to {AGENT} in claude-code",
        f"agent of {AGENT} in claude-code",
        f"thought {AGENT} in {AGENT}",
        f"model of {model} in {AGENT}",
        f"end of {model} in {AGENT}",
        f"tool of {AGENT}/tools/Read in {AGENT}",
        f"end of {AGENT}/tools/Read in {AGENT}",
        f"model of {model} in {AGENT}",
        f"end of {model} in {AGENT}",
        f"tool of {AGENT}/tools/Task in {AGENT}",
        f"agent of {sub} in {AGENT}/tools/Task",
        f"model of {sub}/claude-haiku-4-5 in {sub}",
        f"end of {sub}/claude-haiku-4-5 in {sub}",
        f"end of {sub} in {AGENT}/tools/Task",
        f"failed {AGENT}/tools/Task in {AGENT}",
        f"model of {model} in {AGENT}",
        f"end of {model} in {AGENT}",
        f"end of {AGENT} in claude-code",
        "end of claude-code",
    ]
    first, second, _, last = calls(made, "model")
    asked = {"role": "user", "content": "Why does the parser fail?"}
    assert first["input"] == {"model": "claude-sonnet-4-5", "messages": [asked]}
    assert (first["type"], first["tokens"]) == ("messages", (103, 30))
    assert [block["type"] for block in first["output"]["content"]] == ["thinking", "tool_use"]
    assert [said["role"] for said in second["input"]["messages"]] == ["user", "assistant", "user"]
    assert len(last["input"]["messages"]) == 5
    tools = {call["component"].rpartition("/")[2]: call for call in calls(made, "tool")}
    assert (tools["Read"]["output"], tools["Read"]["seconds"]) == ("def parse(): return 1 / 0", 1.0)
    assert tools["Task"]["output"]["message"] == "interrupted"
    (log,) = what.logs
    assert (log.name, log.input, log.output) == ("Fix the parser", asked["content"], "It divides by zero.")
    assert log.told["gitBranch"] == "main"
    assert any("bookkeeping (1)" in guess for guess in guesses(what))


def test_what_the_command_prints_as_it_goes_is_read() -> None:
    lines: list[Json] = [
        {"type": "system", "subtype": "init", "session_id": "s", "model": "m", "tools": ["Bash"]},
        {
            "type": "assistant",
            "session_id": "s",
            "parent_tool_use_id": None,
            "message": {"id": "1", "content": [{"type": "tool_use", "id": "t", "name": "Task", "input": {}}]},
        },
        {
            "type": "assistant",
            "session_id": "s",
            "parent_tool_use_id": "t",
            "message": {"id": "2", "content": [{"type": "text", "text": "Found"}]},
        },
        {"type": "result", "session_id": "s", "is_error": False, "result": "Done", "total_cost_usd": 0.25},
    ]
    what = found("\n".join(map(json.dumps, lines)).encode())
    (made,) = recorded(what)
    assert f"agent of claude-code/subagent in {AGENT}/tools/Task" in outline(made)
    assert (what.logs[0].output, what.logs[0].told["cost"], made.timed) == ("Done", 0.25, False)
    assert bodies(made)[-1]["value"] == "Done"
