"""What can be read and set of crews, tasks and agents.

Secrets are never among the values: of a model only its name and its plain settings are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from crewai.agents.agent_builder.base_agent import BaseAgent
from crewai.crew import Crew
from crewai.task import Task

from outtake_probe.records import Json
from outtake_probe.targets.crewai.adapter_state import AdapterState, agent_name, task_name
from outtake_probe.targets.crewai.config_files import ConfigFiles
from outtake_probe.targets.toolkit.settings import (
    INTEGER,
    MODEL_ARGUMENTS,
    OPTIONAL_TEXT,
    TEXT,
    Setting,
    change_setting,
    fixed,
)

_FLAG: Json = {"type": "boolean"}
_WHOLE: Json = {"type": "integer"}
_AGENT: Mapping[str, Json] = {
    "role": TEXT,
    "goal": TEXT,
    "backstory": TEXT,
    "allow_delegation": _FLAG,
    "max_iter": _WHOLE,
    "max_retry_limit": _WHOLE,
    "max_execution_time": INTEGER,
    "system_template": OPTIONAL_TEXT,
    "prompt_template": OPTIONAL_TEXT,
    "response_template": OPTIONAL_TEXT,
    "use_system_prompt": _FLAG,
    "respect_context_window": _FLAG,
    "inject_date": _FLAG,
}
_TASK: Mapping[str, Json] = {
    "description": TEXT,
    "expected_output": TEXT,
    "human_input": _FLAG,
    "markdown": _FLAG,
    "output_file": OPTIONAL_TEXT,
    "guardrail_max_retries": _WHOLE,
    "async_execution": _FLAG,
}
_CREW: Mapping[str, Json] = {"cache": _FLAG, "verbose": _FLAG, "max_rpm": INTEGER}
_FIXED = ("process", "planning", "memory")
"""Of a crew, what is decided once it is made."""
_MODEL: Mapping[str, Json] = {
    "model": TEXT,
    **{name: MODEL_ARGUMENTS[name] for name in ("temperature", "top_p", "max_tokens", "seed")},
}


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


def of_part(part: Any, files: ConfigFiles) -> Sequence[Setting]:
    """The settings of a part, each with the file and line that it comes from, where that can be told."""
    if isinstance(part, BaseAgent):
        found = [*_attributes(part, _AGENT, files.origins(part, "role", list(_AGENT))), *_of_model(part)]
    elif isinstance(part, Task):
        found = _attributes(part, _TASK, files.origins(part, "description", list(_TASK)))
    elif isinstance(part, Crew):
        found = [*_attributes(part, _CREW), *(fixed(name, _shown(getattr(part, name, None))) for name in _FIXED)]
    else:
        found = []
    return found


def _attributes(part: Any, schemas: Mapping[str, Json], origins: Mapping[str, str] | None = None) -> list[Setting]:
    return [
        _attribute(part, name, schema, (origins or {}).get(name))
        for name, schema in schemas.items()
        if hasattr(part, name)
    ]


def _attribute(part: Any, name: str, schema: Json, origin: str | None) -> Setting:
    original = f"_original_{name}"

    def change(value: Json) -> None:
        setattr(part, name, value)
        if getattr(part, original, None) is not None:  # into which the next kickoff puts its inputs
            setattr(part, original, value)

    return Setting(name, {**schema, "description": origin} if origin else schema, lambda: getattr(part, name), change)


def _of_model(agent: Any) -> list[Setting]:
    """An agent's model gets a copy with the new value: others may share it."""
    names = [name for name in _MODEL if hasattr(getattr(agent, "llm", None), name)]
    return [_of_model_argument(agent, name) for name in names]


def _of_model_argument(agent: Any, name: str) -> Setting:
    def change(value: Json) -> None:
        agent.llm = agent.llm.model_copy(update={name: value})
        if getattr(agent, "agent_executor", None) is not None:
            agent.agent_executor.llm = agent.llm

    return Setting(name, _MODEL[name], lambda: getattr(agent.llm, name), change)


def _shown(value: Any) -> Json:
    plain = getattr(value, "value", value)
    return plain if plain is None or isinstance(plain, (str, bool)) else type(value).__name__


def change(shared: AdapterState, component: str, key: str, value: Json) -> None:
    """Change a setting, from the component's next turn on.  Raises `BadValue`."""
    found = (part for path, runnable in shared.runnables.items() for part in parts(path, runnable))
    change_setting({path: of_part(part, shared.files) for path, part in found}, component, key, value)
