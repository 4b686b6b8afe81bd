"""What can be read and set of a workflow: its time-out; of agents their prompts, models, tools and descriptions.

Secrets are never among the values: of a model only plain settings are shown, without those that are named like a key.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from outtake_probe.records import Json
from outtake_probe.targets.llamaindex.hub import Hub
from outtake_probe.targets.toolkit.classes import derives_from
from outtake_probe.targets.toolkit.secret_names import is_secret_field
from outtake_probe.targets.toolkit.settings import check_setting, find_holder

_TEXT: Json = {"type": ["string", "null"]}
_NUMBER: Json = {"type": ["number", "null"]}
_AGENT: dict[str, Json] = {
    "system_prompt": _TEXT,
    "description": {"type": "string"},
    "streaming": {"type": "boolean"},
    "can_handoff_to": {"type": ["array", "null"], "items": {"type": "string"}},
}
_WORKFLOW: dict[str, Json] = {"timeout": _NUMBER}
_PROMPTS = ("handoff_prompt", "handoff_output_prompt", "state_prompt")
_MODEL = ("model", "temperature", "max_tokens")
_MODEL_TYPES: dict[type, Json] = {str: _TEXT, int: {"type": "number"}, float: {"type": "number"}}
_offered: dict[int, tuple[Any, list[Any]]] = {}
"""All tools that an agent was given, to choose among, by its identity."""


# -- what there is ---------------------------------------------------------------------------------------------------


def is_agent(value: Any) -> bool:
    return derives_from(type(value), "BaseWorkflowAgent")


def agents(path: str, workflow: Any) -> Iterator[tuple[str, Any]]:
    """The agents of a workflow by path; an agent is its own."""
    if is_agent(workflow):
        yield path, workflow
    several = getattr(workflow, "agents", None)
    for name, agent in several.items() if isinstance(several, dict) else ():
        if is_agent(agent):
            yield f"{path}/{name}", agent


def tools_of(agent: Any) -> list[Any]:
    return [tool for tool in agent.tools or [] if hasattr(tool, "metadata")]


def of_workflow(workflow: Any) -> tuple[dict[str, Json], dict[str, Json]]:
    """The settings of a workflow, and their schema."""
    config: dict[str, Json] = {"timeout": workflow._timeout}
    schema = dict(_WORKFLOW)
    if is_agent(workflow):
        own, own_schema = of_agent(workflow)
        return {**config, **own}, _object({**schema, **own_schema["properties"]})
    for name in _PROMPTS:
        if hasattr(workflow, "agents") and hasattr(workflow, name):
            config[name], schema[name] = _template(getattr(workflow, name)), {"type": "string"}
    return config, _object(schema)


def of_agent(agent: Any) -> tuple[dict[str, Json], dict[str, Json]]:
    config: dict[str, Json] = {name: getattr(agent, name) for name in _AGENT if hasattr(agent, name)}
    schema = {name: _AGENT[name] for name in config}
    names = [tool.metadata.name for tool in _all_tools(agent)]
    config["tools"] = [tool.metadata.name for tool in tools_of(agent)]
    schema["tools"] = {"type": "array", "items": {"type": "string", "enum": names}}
    llm = getattr(agent, "llm", None)
    config["llm"] = type(llm).__name__
    for name in _MODEL:
        value = getattr(llm, name, None)
        if name in getattr(type(llm), "model_fields", {}) and (value is None or type(value) in _MODEL_TYPES):
            config[name] = value
            schema[name] = _MODEL_TYPES.get(type(value), _NUMBER)
    return config, _object(schema)


def _object(properties: dict[str, Json]) -> dict[str, Json]:
    return {"type": "object", "properties": properties}


def _template(value: Any) -> Json:
    return value if isinstance(value, str) else getattr(value, "template", str(value))


def _all_tools(agent: Any) -> list[Any]:
    known = _offered.get(id(agent))
    if known is None or known[0] is not agent:
        known = _offered[id(agent)] = (agent, tools_of(agent))
    return known[1]


def of_model(model: Any) -> dict[str, Json]:
    """The plain settings of a model or an embedding, without secrets."""
    cls: type = type(model)
    found = {name: getattr(model, name, None) for name in _plain_fields(cls)}
    return {name: value for name, value in found.items() if type(value) in (str, int, float, bool) and value != ""}


@functools.lru_cache(maxsize=256)
def _plain_fields(cls: type) -> list[str]:
    """The fields that may be told."""
    fields = getattr(cls, "model_fields", {})
    return [name for name in fields if not is_secret_field(name)]


def of_component(value: Any) -> Json:
    """What of a part of the program decides what it does: its settings, and those of its parts."""
    if is_agent(value):
        config, _ = of_agent(value)
        return config
    if isinstance(value, BaseModel):
        return of_model(value)
    told = getattr(value, "metadata", None)
    return [getattr(told, "name", ""), getattr(told, "description", "")] if told is not None else None


# -- changing it -----------------------------------------------------------------------------------------------------


def change(hub: Hub, component: str, key: str, value: Json) -> None:
    """Change a setting, from the component's next turn on."""
    holder, schema = find_holder(component, _holders(hub))
    check_setting(component, key, value, schema["properties"])
    _set(holder, key, value)


def _holders(hub: Hub) -> dict[str, tuple[Any, dict[str, Json]]]:
    found: dict[str, tuple[Any, dict[str, Json]]] = {}
    for path, workflow in hub.workflows.items():
        found[path] = (workflow, of_workflow(workflow)[1])
        for where, agent in agents(path, workflow):
            if where != path:
                found[where] = (agent, of_agent(agent)[1])
    return found


def _set(holder: Any, key: str, value: Json) -> None:
    if key == "timeout":
        holder._timeout = value
    elif key == "tools":
        holder.tools = [tool for tool in _all_tools(holder) if tool.metadata.name in value]
    elif key in _PROMPTS:
        holder.update_prompts({key: _same_kind(getattr(holder, key), value)})
    elif key in _MODEL:
        holder.llm = holder.llm.model_copy(update={key: value})
    else:
        setattr(holder, key, value)


def _same_kind(old: Any, text: str) -> Any:
    return text if isinstance(old, str) else type(old)(text)
