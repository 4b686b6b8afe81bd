"""Crews at their edges: paths, edits and mocks at every level, questions to a person, errors, settings, projects."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("crewai")

from crewai import Crew
from crewai.agent.core import AgentExecutor

from outtake_probe.conditions import Breakpoint
from outtake_probe.edits import Edit
from outtake_probe.gate.decision import Answer, Stance
from outtake_probe.records import Noted
from outtake_probe.session import Session
from outtake_probe.targets.crewai import adapter
from outtake_probe.targets.crewai.config_files import ConfigFiles
from outtake_probe.targets.crewai.program import Project, crew_inputs
from tests.probe.inprocess import Log
from tests.targets.crewai import programs
from tests.targets.crewai.debugging import ended, paths, record, started

Held = Callable[[Session, dict[str, Any]], None]


def answering(*answers: Answer) -> Held:
    """Gives these answers to what is held, in order, and the last one from then on."""
    left = list(answers)

    def on_held(session: Session, fields: dict[str, Any]) -> None:
        answer = left.pop(0) if len(left) > 1 else left[0]
        threading.Thread(target=session.release, args=(fields["hold"], answer)).start()

    return on_held


def edited(name: str, parent: Log, op: Any, component: str, value: Any) -> Log:
    """A fork with an edit of the first invocation whose path ends so."""
    at = next(r for r in started(parent) if r.component.endswith(component))
    edit = Edit(op=op, seq=at.seq, component=at.component, call=at.call, value=value)
    return record(programs.PROGRAMS[name], parent=parent, cut=at.seq, edits=[edit])


def test_paths_are_made_of_names_that_the_program_gives() -> None:
    log = record(programs.PROGRAMS["sequential"])
    assert paths(log, "task") == ["main/crew/tasks/read", "main/crew/tasks/write", "main/crew/tasks/3"]
    assert paths(log, "agent") == ["main/crew/reader", "main/crew/writer", "main/crew/writer"]
    assert paths(log, "tool") == ["main/crew/reader/tools/look"]
    assert [r.type for r in log.records if isinstance(r, Noted) and r.type == "telemetry"] == ["telemetry"]


def test_a_task_a_turn_and_a_tool_are_edited_and_mocked() -> None:
    parent = record(programs.PROGRAMS["sequential"])
    mocked = edited("sequential", parent, "mock_output", "tasks/read", "MOCKED")
    assert mocked.output[1][0] == "MOCKED"
    assert [r.component for r in started(mocked, "tool") if r.seq >= mocked.records[0].seq] == []
    turn = edited("sequential", parent, "replace_input", "crew/writer", {"context": "OTHERWISE"})
    assert turn.output[1][0] == parent.output[1][0]
    assert turn.output[1][1] != parent.output[1][1]
    tool = edited("sequential", parent, "replace_input", "tools/look", {"what": "fish"})
    assert tool.output[1][0] != parent.output[1][0]


def test_a_turn_that_calls_tools_is_edited() -> None:
    parent = record(programs.PROGRAMS["sequential"])
    calls = [{"name": "look", "arguments": {"what": "bees"}}]
    fork = edited("sequential", parent, "mock_output", "reader/model", calls)
    asked = [fork.body(r.body) for r in started(fork, "tool")]
    assert {"what": "bees"} in asked


def test_delegated_work_is_edited_inside() -> None:
    parent = record(programs.PROGRAMS["hierarchical"])
    assert "main/crew/worker/model" in paths(parent, "model")
    fork = edited("hierarchical", parent, "mock_output", "worker/model", "EDITED")
    manager = [r for r in started(fork, "model") if "Manager" in r.component]
    assert "EDITED" in str(fork.body(manager[-1].body))


def test_parallel_tool_calls_are_held_alone_and_an_error_is_recorded() -> None:
    where = Breakpoint('tool:* and input~"bees"', 1)
    answer = Answer("serve", "MOCKED")
    log = record(programs.PROGRAMS["many_tools"], stance=Stance(breakpoints=[where]), on_held=answering(answer))
    ends = {r.component: ended(log, r) for r in started(log, "tool") if "fail" in r.component}
    assert [end.failed for end in ends.values()] == [True]
    asked = log.body(started(log, "model")[-1].body)
    assert "MOCKED" in str(asked) and "no fish" in str(asked)


@pytest.mark.skipif(not hasattr(AgentExecutor, "_format_feedback_message"), reason="this release fails at feedback")
@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_person_is_asked_about_a_result(asynchronous: bool) -> None:
    questions: list[str] = []

    def on_held(session: Session, fields: dict[str, Any]) -> None:
        questions.append(fields["prompt"])
        answer = Answer("serve", "shorter" if len(questions) == 1 else "")
        threading.Thread(target=session.release, args=(fields["hold"], answer)).start()

    def run() -> Any:
        who = programs.agent("writer")
        crew = Crew(agents=[who], tasks=[programs.task("Write.", who, human_input=True)])
        return programs.told(asyncio.run(crew.akickoff()) if asynchronous else crew.kickoff())

    log = record(run, on_held=on_held)
    assert log.status == "completed", log.output
    assert len(questions) == 2 and "says " in questions[0]
    assert "shorter" in str(log.body(started(log, "model")[-1].body))
    programs.CALLS.clear()
    fork = record(run, parent=log)
    assert (fork.status, fork.output, len(questions)) == ("completed", log.output, 2)
    assert not programs.CALLS


def test_a_method_of_a_flow_is_mocked_and_its_state_edited() -> None:
    parent = record(programs.PROGRAMS["flow"])
    assert parent.output["rounds"] == 3
    assert [path.rpartition("/")[2] for path in paths(parent, "step")].count("decide") == 3
    mocked = edited("flow", parent, "mock_output", "Looping/begin", "MOCKED")
    assert mocked.output["notes"][0] == "MOCKED"
    state = {"state": {"topic": "birds", "rounds": 2, "notes": []}}
    assert edited("flow", parent, "replace_input", "Looping/decide", state).output["rounds"] == 3


def _target(made: Any) -> Any:
    found: list[Any] = []

    def run() -> Any:
        assert adapter.installed is not None
        found.append(adapter.make_program(made, adapter.installed).target)

    record(run)
    return found[0]


def test_the_graph_and_the_settings_come_from_the_configuration() -> None:
    crew = programs.sequential()
    target = _target(crew)
    described = target.describe()
    components = {each["path"]: each for each in described["components"]}
    assert components["crew/reader"]["config"]["goal"] == "Help."
    assert components["crew/reader/tools/look"]["kind"] == "tool"
    edges = {(each["source"], each["target"], each["label"]) for each in described["edges"]}
    assert ("crew/tasks/read", "crew/tasks/3", "context") in edges
    assert ("crew/tasks/read", "crew/reader", "is done by") in edges
    target.configure("crew/reader", "temperature", 0.5)
    target.configure("crew/tasks/write", "description", "Write a poem.")
    assert crew.agents[0].llm.temperature == 0.5
    assert crew.tasks[1].description == "Write a poem."
    led = _target(programs.hierarchical()).describe()["edges"]
    assert {"source": "crew", "target": "crew/worker", "label": "may delegate to"} in led
    routes = _target(programs.Looping()).describe()["edges"]
    assert ("Looping/decide", "Looping/repeat", "more") in {(e["source"], e["target"], e["label"]) for e in routes}


AGENTS = """
reader:
  role: >
    {topic} reader
  goal: Read.
  backstory: You read.
"""
TASKS = """
read:
  description: >
    Read about {topic}.
  expected_output: A text.
  agent: reader
"""


def test_settings_of_a_class_with_yaml_files_name_their_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "agents.yaml").write_text(AGENTS, "utf-8")
    (tmp_path / "tasks.yaml").write_text(TASKS, "utf-8")
    monkeypatch.chdir(tmp_path)
    files = ConfigFiles()
    files.add(tmp_path / "agents.yaml", tmp_path / "tasks.yaml")
    who = programs.agent("{topic} reader\n")
    assert files.origins(who, "role", ["role", "goal", "max_iter"]) == {
        "role": "agents.yaml:3",
        "goal": "agents.yaml:5",
    }
    read = programs.task("Read about {topic}.\n", who)
    assert files.origins(read, "description", ["description"]) == {"description": "tasks.yaml:3"}


CREW = """{
  // a comment with "description": "no"
  "name": "readers",
  "agents": ["reader"],
  "tasks": [
    {"name": "read", "description": "Read about {topic}.", "expected_output": "A text.", "agent": "reader"},
    {"name": "sum", "description": "Sum up.",
     "expected_output": "A text.", "agent": "reader"}
  ],
  "inputs": {"topic": "birds"}
}
"""
AGENT = """{
  "role": "reader",
  "goal": "Read.", // and more
  "backstory": "You read."
}
"""


def test_a_project_of_json_files_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "reader.jsonc").write_text(AGENT, "utf-8")
    (tmp_path / "crew.jsonc").write_text(CREW, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    project = adapter.open(str(tmp_path / "crew.jsonc"))
    assert isinstance(project, Project)
    assert crew_inputs(project.crew, None, project.inputs) == {"topic": "birds"}
    assert crew_inputs(project.crew, "fish", project.inputs) == {"topic": "fish"}
    components = {each["path"]: each for each in _target(project).describe()["components"]}
    origins = {
        path: {
            name: told["description"] for name, told in each["schema"]["properties"].items() if "description" in told
        }
        for path, each in components.items()
        if each["kind"] in ("task", "agent")
    }
    assert origins["readers/tasks/read"]["description"] == "crew.jsonc:6"
    assert origins["readers/tasks/sum"]["expected_output"] == "crew.jsonc:8"
    assert origins["readers/reader"] == {
        "role": "agents/reader.jsonc:2",
        "goal": "agents/reader.jsonc:3",
        "backstory": "agents/reader.jsonc:4",
    }


def test_a_memory_is_asked_and_told_only_once(tmp_path: Path) -> None:
    program = programs.remembering(str(tmp_path / "memory"))
    record(program)  # what later runs find there
    log = record(program)
    assert log.status == "completed", log.output
    assert any(path.endswith("memory/recall") for path in paths(log, "tool"))
    assert any(path.endswith("memory/remember_many") for path in paths(log, "tool"))
    for cut in (0, len(log.records) // 2, len(log.records)):
        programs.CALLS.clear()
        fork = record(program, parent=log, cut=cut)
        assert (fork.status, fork.output) == (log.status, log.output)
        assert not programs.CALLS
