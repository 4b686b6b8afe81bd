"""Trajectories of SWE-agent and events of OpenHands as turns of an agent."""

from __future__ import annotations

import json

from outtake_probe.records import Json
from tests.importers.reading import calls, found, guesses, outline, recorded, sample

AGENT = "team/agent"


def test_a_trajectory_of_swe_agent_is_turns_with_tools() -> None:
    what = found(sample("swe_agent.traj"))
    (made,) = recorded(what)
    assert (what.importer.name, what.recognised) == ("SWE-agent", "a trajectory of 2 steps")
    assert outline(made) == [
        "flow of team",
        "says user to team in team",
        f"agent of {AGENT} in team",
        f"model of {AGENT}/gpt-4o in {AGENT}",
        f"end of {AGENT}/gpt-4o in {AGENT}",
        f"thought {AGENT} in {AGENT}",
        f"tool of {AGENT}/tools/ls in {AGENT}",
        f"end of {AGENT}/tools/ls in {AGENT}",
        f"end of {AGENT} in team",
        f"agent of {AGENT} in team",
        f"thought {AGENT} in {AGENT}",
        f"tool of {AGENT}/tools/submit in {AGENT}",
        f"end of {AGENT}/tools/submit in {AGENT}",
        f"end of {AGENT} in team",
        "end of team",
    ]
    (model,) = calls(made, "model")
    assert model["input"] == {
        "model": "gpt-4o",
        "messages": [{"role": "system", "content": "You fix bugs."}, {"role": "user", "content": "The parser fails."}],
    }
    assert model["output"]["choices"][0]["message"]["content"].startswith("I look around.")
    look, _ = calls(made, "tool")
    assert (look["input"], look["output"]) == ({"action": "ls -F"}, "parser.py\n")
    (log,) = what.logs
    assert (log.input, log.output) == ("The parser fails.", "diff --git a/parser.py")
    assert log.config == {f"{AGENT}.system_prompt": "You fix bugs."}
    assert not made.timed


def test_a_trajectory_of_mini_swe_agent_is_its_messages() -> None:
    said = [
        {"role": "system", "content": "You fix bugs."},
        {"role": "user", "content": "The parser fails."},
        {"role": "assistant", "content": "```bash\nls\n```", "extra": {}},
        {"role": "user", "content": "parser.py"},
    ]
    told = {"info": {"submission": "a diff"}, "messages": said, "trajectory_format": "mini-swe-agent-1.1"}
    what = found(json.dumps(told).encode())
    assert (what.importer.name, what.logs[0].output) == ("SWE-agent", "a diff")
    assert recorded(what)


def test_events_of_openhands_are_turns_with_model_calls_and_tools() -> None:
    what = found(sample("openhands.json"))
    (made,) = recorded(what)
    assert (what.importer.name, what.recognised) == ("OpenHands", "actions and observations (6)")
    tool = f"{AGENT}/tools/execute_bash"
    assert outline(made) == [
        "flow of team",
        "says user to team in team",
        f"agent of {AGENT} in team",
        f"model of {AGENT}/gpt-4o in {AGENT}",
        f"end of {AGENT}/gpt-4o in {AGENT}",
        f"thought {AGENT} in {AGENT}",
        f"tool of {tool} in {AGENT}",
        f"end of {tool} in {AGENT}",
        f"says {AGENT} to team in {AGENT}",
        f"end of {AGENT} in team",
        "end of team",
    ]
    (model,) = calls(made, "model")
    assert (model["tokens"], model["input"]["model"]) == ((50, 5), "gpt-4o")
    (ran,) = calls(made, "tool")
    assert (ran["input"]["command"], ran["output"], ran["seconds"]) == ("ls", "parser.py", 1.0)
    (log,) = what.logs
    assert (log.input, log.output) == ("Fix the parser.", "It is fixed.")
    assert any("left out: events about states and memories (2)" in guess for guess in guesses(what))


def test_events_of_the_agent_sdk_are_read() -> None:
    def event(kind: str, **more: Json) -> Json:
        return {"kind": kind, "id": "e", "timestamp": "2025-02-03T10:00:00", "source": "agent", **more}

    words: Json = [{"type": "text", "text": "Fix it."}]
    events = [
        event("SystemPromptEvent", system_prompt={"type": "text", "text": "You fix bugs."}, tools=[]),
        event("MessageEvent", source="user", llm_message={"role": "user", "content": words}),
        event("ActionEvent", thought=[], tool_name="terminal", tool_call_id="c1", action={"command": "ls"}),
        event("ObservationEvent", tool_call_id="c1", observation={"content": [{"type": "text", "text": "a.py"}]}),
        event("ActionEvent", tool_name="terminal", tool_call_id="c2", action={"command": "rm"}),
        event("AgentErrorEvent", tool_call_id="c2", error="no such tool"),
        event("ActionEvent", tool_name="finish", tool_call_id="c3", action={"message": "Fixed."}),
    ]
    what = found("\n".join(map(json.dumps, events)).encode())
    (made,) = recorded(what)
    look, remove = calls(made, "tool")
    assert (look["output"], remove["output"]["message"]) == ("a.py", "no such tool")
    assert (what.logs[0].input, what.logs[0].output) == ("Fix it.", "Fixed.")
    assert what.logs[0].config == {f"{AGENT}.system_prompt": "You fix bugs."}
