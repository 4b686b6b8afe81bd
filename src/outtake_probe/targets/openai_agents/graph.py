"""Agents as components, with settings: handoffs, tools and agents as tools, loops included; nothing is executed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from agents.agent import Agent
from agents.handoffs import Handoff
from agents.tool import FunctionTool

from outtake_probe.records import Json
from outtake_probe.targets.base import Component, Edge
from outtake_probe.targets.openai_agents import guardrails, models, tools
from outtake_probe.targets.toolkit import settings
from outtake_probe.targets.toolkit.settings import Setting, attribute, fixed
from outtake_probe.targets.toolkit.weak_maps import ByIdentity

Agents = Mapping[str, Agent[Any]]
_OF_MODEL = {
    **settings.MODEL_ARGUMENTS,
    **dict.fromkeys(("tool_choice", "verbosity"), settings.OPTIONAL_TEXT),
    "parallel_tool_calls": settings.FLAG,
}
_offered: ByIdentity[list[Any]] = ByIdentity()
"""All tools that an agent was given, to choose among."""


def handoffs_of(agent: Agent[Any]) -> Iterator[tuple[str, Agent[Any] | None]]:
    """The agents to which one hands off, by name; a handoff that was made by hand may not say which agent."""
    for each in agent.handoffs:
        if isinstance(each, Handoff):
            ref = getattr(each, "_agent_ref", None)
            yield each.agent_name, ref() if ref is not None else None
        else:
            yield each.name, each


def agents_of(agent: Agent[Any]) -> list[Agent[Any]]:
    """An agent and all that can get its conversation by handoffs."""
    found: list[Agent[Any]] = [agent]
    for each in found:
        found += [other for _, other in handoffs_of(each) if other is not None and all(other is not a for a in found)]
    return found


def places(path: str, agent: Agent[Any]) -> dict[str, Agent[Any]]:
    """Every agent that a run of this one may reach, by path: by handoffs beside it, and inside its tools."""
    found: dict[str, Agent[Any]] = {}
    todo: list[tuple[str, Agent[Any], tuple[Agent[Any], ...]]] = [(path.rpartition("/")[0], agent, ())]
    while todo:
        base, first, around = todo.pop(0)
        for each in agents_of(first):
            place = f"{base}/{each.name}" if base else each.name
            if place in found:
                continue
            found[place] = each
            for tool in each.tools:
                inner = getattr(tool, "_agent_instance", None)
                if inner is not None and all(inner is not other for other in (*around, each)):
                    todo.append((f"{place}/tools/{tool.name}", inner, (*around, each)))
    return found


def known(roots: Agents) -> dict[str, Agent[Any]]:
    """Every agent by path, of all runs so far."""
    return {place: agent for path, root in list(roots.items()) for place, agent in places(path, root).items()}


def describe(roots: Agents) -> dict[str, Json]:
    """Components and edges as JSON."""
    found = known(roots)
    components = [each for path, agent in found.items() for each in _components(path, agent)]
    edges = dict.fromkeys(edge for path, agent in found.items() for edge in _edges(path, agent))
    return {
        "components": [dataclasses.asdict(each) for each in {each.path: each for each in components}.values()],
        "edges": [dataclasses.asdict(edge) for edge in edges],
    }


def _components(path: str, agent: Agent[Any]) -> Iterator[Component]:
    said = settings.describe_settings(settings_of(agent))
    yield Component(path, "agent", agent.handoff_description or "", said["config"], said["schema"])
    yield Component(f"{path}/model", "model", "", {"model": models.name_of(agent.model) if agent.model else None})
    for tool in agent.tools:
        name = getattr(tool, "name", type(tool).__name__)
        if isinstance(tool, FunctionTool):
            about: dict[str, Json] = {"effects": tools.effects_of(tool) or "unknown"}
            given = {"arguments": tool.params_json_schema}
            yield Component(f"{path}/tools/{name}", "tool", tool.description or "", about, {}, given)
        else:
            yield Component(f"{path}/tools/{name}", "tool", type(tool).__name__)
    for guardrail in (*agent.input_guardrails, *agent.output_guardrails):
        yield Component(f"{path}/{guardrails.PART}/{guardrails.name_of(guardrail)}", "step", type(guardrail).__name__)


def _edges(path: str, agent: Agent[Any]) -> Iterator[Edge]:
    base = path.rpartition("/")[0]
    for name, _ in handoffs_of(agent):
        yield Edge(path, f"{base}/{name}" if base else name, "hands off")
    for tool in agent.tools:
        inner = getattr(tool, "_agent_instance", None)
        place = f"{path}/tools/{getattr(tool, 'name', type(tool).__name__)}"
        yield Edge(path, place, "uses")
        if inner is not None:
            yield Edge(place, f"{place}/{inner.name}", "asks")
    for server in agent.mcp_servers:
        yield Edge(path, f"mcp:{server.name}", "has the tools of")


# -- settings ---------------------------------------------------------------------------------------------------------


def settings_of(agent: Agent[Any]) -> Iterator[Setting]:
    """The settings of an agent; what a function or an object decides is shown and cannot be set."""
    if callable(agent.instructions):
        yield fixed("instructions", f"made by {getattr(agent.instructions, '__name__', 'a function')}")
    else:
        yield attribute(agent, "instructions", settings.OPTIONAL_TEXT)
    yield attribute(agent, "handoff_description", settings.OPTIONAL_TEXT)
    if agent.model is None or isinstance(agent.model, str):
        yield attribute(agent, "model", settings.OPTIONAL_TEXT)
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
