"""What can be read and set of an agent: its instructions, its model and the settings of that, its tools."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from agents.agent import Agent

from outtake_probe.records import Json
from outtake_probe.targets.openai_agents import models
from outtake_probe.targets.toolkit.settings import check_setting, find_holder
from outtake_probe.targets.toolkit.weak_maps import ByIdentity

_TEXT: Json = {"type": ["string", "null"]}
_NUMBER: Json = {"type": ["number", "null"]}
_OF_MODEL: dict[str, Json] = {
    "temperature": _NUMBER,
    "top_p": _NUMBER,
    "frequency_penalty": _NUMBER,
    "presence_penalty": _NUMBER,
    "max_tokens": {"type": ["integer", "null"]},
    "tool_choice": _TEXT,
    "parallel_tool_calls": {"type": ["boolean", "null"]},
    "verbosity": _TEXT,
    "truncation": _TEXT,
}
_offered: ByIdentity[list[Any]] = ByIdentity()
"""All tools that an agent was given, to choose among."""


def read(agent: Agent[Any]) -> tuple[dict[str, Json], dict[str, Json]]:
    """The settings of an agent, and their schema; what a function or an object decides is shown and cannot be set."""
    config: dict[str, Json] = {"handoff_description": agent.handoff_description}
    schema: dict[str, Json] = {"handoff_description": _TEXT}
    if callable(agent.instructions):
        config["instructions"] = f"made by {getattr(agent.instructions, '__name__', 'a function')}"
    else:
        config["instructions"], schema["instructions"] = agent.instructions, _TEXT
    config["model"] = models.name_of(agent.model) if agent.model is not None else None
    if agent.model is None or isinstance(agent.model, str):
        schema["model"] = _TEXT
    for name, kind in _OF_MODEL.items():
        value = getattr(agent.model_settings, name, None)
        if hasattr(agent.model_settings, name) and isinstance(value, (str, int, float, type(None))):
            config[name], schema[name] = value, kind
    names = [tool.name for tool in _offered.get(agent, lambda: list(agent.tools))]
    config["tools"] = [tool.name for tool in agent.tools]
    schema["tools"] = {"type": "array", "items": {"type": "string", "enum": names}}
    config["handoffs"] = [getattr(each, "agent_name", getattr(each, "name", "")) for each in agent.handoffs]
    kind = agent.output_type
    config["output_type"] = getattr(kind, "__name__", str(kind)) if kind is not None else "str"
    return config, {"type": "object", "properties": schema}


def change(agents: Mapping[str, Agent[Any]], component: str, key: str, value: Json) -> None:
    """Change a setting, from the agent's next turn on.  Raises `BadValue`."""
    agent = find_holder(component, agents)
    check_setting(component, key, value, read(agent)[1]["properties"])
    if key in _OF_MODEL:
        agent.model_settings = dataclasses.replace(agent.model_settings, **{key: value})
    elif key == "tools":
        agent.tools = [tool for tool in _offered.get(agent, list) if tool.name in value]
    else:
        setattr(agent, key, value)
