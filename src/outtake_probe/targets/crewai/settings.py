"""What can be read and set of crews, tasks, agents and flows.

Secrets are never among the values: of a model only its name and its plain settings are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from crewai.agents.agent_builder.base_agent import BaseAgent
from crewai.crew import Crew
from crewai.task import Task

from outtake_probe.records import Json
from outtake_probe.targets.crewai.config_files import ConfigFiles
from outtake_probe.targets.crewai.hub import Hub, agent_name, task_name
from outtake_probe.targets.toolkit.settings import check_setting, find_holder

_TEXT: Json = {"type": "string"}
_OPTIONAL: Json = {"type": ["string", "null"]}
_FLAG: Json = {"type": "boolean"}
_WHOLE: Json = {"type": "integer"}
_LIMIT: Json = {"type": ["integer", "null"]}
_NUMBER: Json = {"type": ["number", "null"]}
_AGENT: Mapping[str, Json] = {
    "role": _TEXT,
    "goal": _TEXT,
    "backstory": _TEXT,
    "allow_delegation": _FLAG,
    "max_iter": _WHOLE,
    "max_retry_limit": _WHOLE,
    "max_execution_time": _LIMIT,
    "system_template": _OPTIONAL,
    "prompt_template": _OPTIONAL,
    "response_template": _OPTIONAL,
    "use_system_prompt": _FLAG,
    "respect_context_window": _FLAG,
    "inject_date": _FLAG,
}
_TASK: Mapping[str, Json] = {
    "description": _TEXT,
    "expected_output": _TEXT,
    "human_input": _FLAG,
    "markdown": _FLAG,
    "output_file": _OPTIONAL,
    "guardrail_max_retries": _WHOLE,
    "async_execution": _FLAG,
}
_CREW: Mapping[str, Json] = {"cache": _FLAG, "verbose": _FLAG, "max_rpm": _LIMIT}
_MODEL: Mapping[str, Json] = {"model": _TEXT, "temperature": _NUMBER, "max_tokens": _NUMBER, "top_p": _NUMBER}
_FIXED = ("process", "planning", "memory")
"""Of a crew, what is shown and decided once it is made."""


def agents_of(crew: Any) -> list[Any]:
    """All agents of a crew: its own, those of its tasks, and its manager."""
    found = [*crew.agents, *(task.agent for task in crew.tasks), getattr(crew, "manager_agent", None)]
    kept: list[Any] = []
    for agent in found:
        if agent is not None and not any(agent is each for each in kept):
            kept.append(agent)
    return kept


def parts(path: str, runnable: Any) -> Iterator[tuple[str, Any]]:
    """What has settings, by path: a crew, its tasks and agents; a flow; an agent."""
    yield path, runnable
    if isinstance(runnable, Crew):
        for task in runnable.tasks:
            yield f"{path}/tasks/{task_name(task, runnable.tasks)}", task
        for agent in agents_of(runnable):
            yield f"{path}/{agent_name(agent)}", agent


def of_part(part: Any) -> tuple[dict[str, Json], dict[str, Json]]:
    """The settings of a part and the schemas of those that can be set, by name."""
    schemas = {name: schema for name, schema in _schemas(part).items() if hasattr(part, name)}
    config: dict[str, Json] = {name: getattr(part, name) for name in schemas}
    if isinstance(part, Crew):
        config |= {name: _shown(getattr(part, name, None)) for name in _FIXED}
    model = getattr(part, "llm", None) if isinstance(part, BaseAgent) else None
    if model is not None and not isinstance(model, str):
        for name, schema in _MODEL.items():
            if hasattr(model, name):
                config[name], schemas[name] = getattr(model, name), schema
    return config, schemas


def origins(files: ConfigFiles, part: Any, names: Sequence[str]) -> dict[str, str]:
    """The files and lines that settings come from, by name, where that can be told."""
    if isinstance(part, BaseAgent):
        return files.origins(part, "role", names)
    return files.origins(part, "description", names) if isinstance(part, Task) else {}


def _schemas(part: Any) -> Mapping[str, Json]:
    if isinstance(part, BaseAgent):
        return _AGENT
    if isinstance(part, Task):
        return _TASK
    return _CREW if isinstance(part, Crew) else {}


def _shown(value: Any) -> Json:
    plain = getattr(value, "value", value)
    return plain if plain is None or isinstance(plain, (str, bool)) else type(value).__name__


def change(hub: Hub, component: str, key: str, value: Json) -> None:
    """Change a setting, from the component's next turn on.  Raises `BadValue`."""
    holders = {place: part for path, runnable in hub.runnables.items() for place, part in parts(path, runnable)}
    part = find_holder(component, holders, lambda each: bool(of_part(each)[1]))
    check_setting(component, key, value, of_part(part)[1])
    if key in _MODEL:
        part.llm = part.llm.model_copy(update={key: value})
        executor = getattr(part, "agent_executor", None)
        if executor is not None:
            executor.llm = part.llm
        return
    setattr(part, key, value)
    if getattr(part, f"_original_{key}", None) is not None:  # into which the next kickoff puts its inputs
        setattr(part, f"_original_{key}", value)
