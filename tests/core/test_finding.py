"""Programs found in source texts: what they are, how they are run, what their input looks like."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from outtake.core.finding import FoundProgram, Module, offered


def found(text: str, name: str = "p.py", **others: str) -> dict[str, FoundProgram]:
    """What is offered of a file, beside others, by spec."""
    modules = [Module(f"{key}.py", ast.parse(other)) for key, other in others.items()]
    return {one.spec: one for one in offered([Module(name, ast.parse(text)), *modules])[0]}


def properties(one: FoundProgram) -> Any:
    assert one.input is not None
    return one.input.schema["properties"]


def test_a_function_that_no_other_code_uses_is_a_program_and_its_helpers_are_not() -> None:
    told = found("def words(text): return text.split()\ndef main(question: str, _n=3): return words(question)\n")
    assert set(told) == {"p.py:main"}
    main = told["p.py:main"]
    assert (main.kind, main.takes, main.line) == ("function", "input", 2)
    assert main.input is not None
    assert main.input.parameter == "question"
    assert properties(main) == {"question": {"type": "string"}}


def test_what_another_file_uses_is_a_part() -> None:
    told = found("def words(text: str): ...\n", "helpers.py", other="import helpers\ndef main(): helpers.words('')\n")
    assert set(told) == {"other.py:main"}


def test_a_function_of_several_arguments_is_given_all_of_them() -> None:
    told = found("def main(topic, lines: int, style='plain', *, loud: bool): ...\ndef named(*, key): ...\n")
    assert [(spec, one.takes) for spec, one in told.items()] == [("p.py:main", "input"), ("p.py:named", "input")]
    main = told["p.py:main"].input
    assert main is not None
    assert (main.parameter, main.schema["required"]) == (None, ["topic", "lines", "loud"])
    assert list(main.schema["properties"]) == ["topic", "lines", "style", "loud"]


def test_functions_that_no_input_can_be_written_for_are_not_offered() -> None:
    text = """
from pathlib import Path
def strange(page: Path): ...
def both(topic: str, page: Path): ...
def _own(): ...
@app.get("/")
def handler(): ...
"""
    assert found(text) == {}


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        ("str", {"type": "string"}),
        ("'int'", {"type": "integer"}),
        ("float | None", {"anyOf": [{"type": "number"}, {"type": "null"}]}),
        ("Optional[bool]", {"anyOf": [{"type": "boolean"}, {"type": "null"}]}),
        ("list[str]", {"type": "array", "items": {"type": "string"}}),
        ("Sequence[dict[str, int]]", {"type": "array", "items": {"type": "object"}}),
        ("Literal['a', 'b']", {"enum": ["a", "b"]}),
        ("Annotated[str, 'what is asked']", {"type": "string", "description": "what is asked"}),
        ("Any", {}),
        ("object", {}),
    ],
)
def test_annotations_are_schemas(annotation: str, schema: Any) -> None:
    assert properties(found(f"def main(asked: {annotation}): ...")["p.py:main"]) == {"asked": schema}


def test_defaults_are_told_with_their_type() -> None:
    told = found("def main(cities='Oslo Paris'): ...")["p.py:main"]
    assert properties(told) == {"cities": {"type": "string", "default": "Oslo Paris"}}
    assert told.input is not None
    assert told.input.schema["required"] == []
    assert properties(found("def main(size=1e999): ...")["p.py:main"]) == {"size": {}}


def test_a_request_of_outtake_takes_all_its_arguments() -> None:
    text = "import outtake\n@outtake.run(name='x')\ndef handle(user: str, *, count: int = 2): ...\n"
    told = found(text)["p.py:handle"]
    assert told.input is not None
    assert (told.input.parameter, told.input.schema["required"]) == (None, ["user"])
    assert properties(told) == {"user": {"type": "string"}, "count": {"type": "integer", "default": 2}}


def test_teams_of_autogen_are_factories_and_objects_of_a_module() -> None:
    text = """
from autogen_agentchat.teams import RoundRobinGroupChat as Chat
from autogen_agentchat import agents
def helper(): ...
async def team():
    one = agents.AssistantAgent("one", tools=[helper])
    made = Chat([one])
    return made
kept = Chat([])
"""
    told = found(text)
    assert {spec: (one.kind, one.framework) for spec, one in told.items()} == {
        "p.py:team": ("team", "AutoGen"),
        "p.py:kept": ("team", "AutoGen"),
    }
    assert properties(told["p.py:team"]) == {"task": {"type": "string"}}


def test_a_graph_has_the_fields_of_its_state() -> None:
    text = """
from typing import TypedDict, NotRequired
from langgraph.graph import StateGraph, START
class Base(TypedDict):
    question: str
class State(Base):
    answers: NotRequired[list[str]]
def answer(state: State): ...
builder = StateGraph(State)
builder.add_node("answer", answer)
graph = builder.add_edge(START, "answer").compile()
"""
    told = found(text)
    assert {spec: one.kind for spec, one in told.items()} == {"p.py:builder": "graph", "p.py:graph": "graph"}
    assert properties(told["p.py:graph"]) == {
        "question": {"type": "string"},
        "answers": {"type": "array", "items": {"type": "string"}},
    }
    assert told["p.py:graph"].input is not None
    assert told["p.py:graph"].input.schema["required"] == ["question"]


def test_a_workflow_has_the_fields_of_its_first_event() -> None:
    text = """
from workflows import Workflow, step
from workflows.events import StartEvent, StopEvent
from pydantic import Field
class Asked(StartEvent):
    wish: str = Field(description="What somebody wants", default="sun")
class Flow(Workflow):
    @step
    async def begin(self, ev: Asked) -> StopEvent: ...
def make() -> Flow:
    return Flow(timeout=3)
"""
    told = found(text)
    assert list(told) == ["p.py:make"]
    assert properties(told["p.py:make"]) == {
        "wish": {"type": "string", "description": "What somebody wants", "default": "sun"}
    }


def test_an_agent_of_the_openai_agents_sdk_is_a_program() -> None:
    text = """
from agents import Agent
triage = Agent(name="triage", instructions="Ask who can help.")
def make() -> Agent:
    return triage
"""
    assert {spec: (one.kind, one.framework) for spec, one in found(text).items()} == {
        "p.py:triage": ("agent", "OpenAI Agents SDK"),
        "p.py:make": ("agent", "OpenAI Agents SDK"),
    }


def test_a_crew_is_found_and_what_kicks_it_off() -> None:
    text = """
from crewai import Crew
crew = Crew(agents=[])
def kick(topic: str):
    return crew.kickoff({"topic": topic})
if __name__ == "__main__":
    kick("x")
"""
    assert {spec: one.kind for spec, one in found(text).items()} == {
        "p.py": "script",
        "p.py:crew": "crew",
        "p.py:kick": "function",
    }
    assert found("import crewai\ncrew = crewai.Crew()")["p.py:crew"].framework == "CrewAI"
    assert found("from pydantic_ai import Agent\nann = Agent(m)")["p.py:ann"].framework == "pydantic-ai"


def test_a_class_of_crews_and_one_of_flows_are_found() -> None:
    text = """
from crewai.flow.flow import Flow
from crewai.project import CrewBase
@CrewBase
class Writers:
    ...
class Story(Flow):
    ...
"""
    assert {spec: one.kind for spec, one in found(text).items()} == {"p.py:Writers": "crew", "p.py:Story": "workflow"}


@pytest.mark.parametrize(
    ("text", "name", "spec"),
    [
        ("import sys\nif __name__ == '__main__':\n    sys.exit(0)", "tools/p.py", "tools/p.py"),
        ("import asyncio\nasyncio.run(team())", "p.py", "p.py"),
        ("answer = crew.kickoff()", "p.py", "p.py"),
        ("if __name__ == '__main__': go()", "pkg/__main__.py", "-m pkg"),
    ],
)
def test_files_that_do_something_are_scripts(text: str, name: str, spec: str) -> None:
    (script,) = found(text, name).values()
    assert (script.spec, script.kind, script.takes) == (spec, "script", "nothing")


def test_tests_come_last() -> None:
    modules = [Module(name, ast.parse("def main(): ...")) for name in ("tests/tool.py", "deep/er/tool.py", "test_x.py")]
    assert [one.file for one in offered(modules)[0]] == ["deep/er/tool.py", "test_x.py", "tests/tool.py"]


def test_of_very_many_the_likeliest_are_offered_and_the_rest_counted() -> None:
    texts = [Module(f"m{n}.py", ast.parse("def main(): ...")) for n in range(100)]
    first, more = offered([*texts, Module("z.py", ast.parse("import langgraph.graph as g\nx = g.StateGraph(S)"))])
    assert (first[0].spec, len(first), more) == ("z.py:x", 60, 41)
