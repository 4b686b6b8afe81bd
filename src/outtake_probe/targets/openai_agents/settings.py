"""What can be read and set of an agent: its instructions, its model and the settings of that, its tools."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

from agents.agent import Agent

from outtake_probe.records import Json
from outtake_probe.targets.openai_agents import models
from outtake_probe.targets.toolkit.settings import FLAG, MODEL_ARGUMENTS, OPTIONAL_TEXT, Setting, attribute, fixed
from outtake_probe.targets.toolkit.weak_maps import ByIdentity

_OF_MODEL = {**MODEL_ARGUMENTS, "tool_choice": OPTIONAL_TEXT, "parallel_tool_calls": FLAG, "verbosity": OPTIONAL_TEXT}
_offered: ByIdentity[list[Any]] = ByIdentity()
"""All tools that an agent was given, to choose among."""


def settings_of(agent: Agent[Any]) -> Iterator[Setting]:
    """The settings of an agent; what a function or an object decides is shown and cannot be set."""
    if callable(agent.instructions):
        yield fixed("instructions", f"made by {getattr(agent.instructions, '__name__', 'a function')}")
    else:
        yield attribute(agent, "instructions", OPTIONAL_TEXT)
    yield attribute(agent, "handoff_description", OPTIONAL_TEXT)
    if agent.model is None or isinstance(agent.model, str):
        yield attribute(agent, "model", OPTIONAL_TEXT)
    else:
        yield fixed("model", models.name_of(agent.model))
    for name, schema in _OF_MODEL.items():
        if isinstance(getattr(agent.model_settings, name, 0.0j), (str, int, float, type(None))):
            yield Setting(name, schema, *_of_model(agent, name))
    offered = _offered.get(agent, lambda: list(agent.tools))
    names = {"type": "array", "items": {"type": "string", "enum": [tool.name for tool in offered]}}

    def choose(value: Json) -> None:
        agent.tools = [tool for tool in offered if tool.name in value]

    yield Setting("tools", names, lambda: [tool.name for tool in agent.tools], choose)
    yield fixed("handoffs", [getattr(each, "agent_name", getattr(each, "name", "")) for each in agent.handoffs])
    kind = agent.output_type
    yield fixed("output_type", getattr(kind, "__name__", str(kind)) if kind is not None else "str")


def _of_model(agent: Agent[Any], name: str) -> tuple[Callable[[], Json], Callable[[Json], None]]:
    def change(value: Json) -> None:
        agent.model_settings = dataclasses.replace(agent.model_settings, **{name: value})

    return lambda: getattr(agent.model_settings, name), change
