"""The agents and graphs of a program as components and edges; nothing of the program's is executed for that."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic_ai import Agent
from pydantic_graph.graph_builder import build_mermaid_graph
from pydantic_graph.step import NodeStep, Step

from outtake_probe.codec import encode
from outtake_probe.kept import variables
from outtake_probe.records import Json
from outtake_probe.targets.pydantic_ai import settings
from outtake_probe.targets.pydantic_ai.adapter_state import AdapterState, Described
from outtake_probe.targets.toolkit.settings import Settings, describe_settings
from outtake_probe.targets.toolkit.tools import Tool

Agents = dict[str, Any]
"""The agents that are described, by path."""


def describe(state: AdapterState) -> dict[str, Json]:
    """Components and edges of all that is known."""
    components: dict[str, Json] = {}
    edges: list[Json] = []
    for found, agents in state.made.described():
        for each in found:
            if "path" not in each:
                edges += [each] if each not in edges else []
            elif each["path"] not in components:
                path = each["path"]
                components[path] = {**each, **_settings(state, agents[path], path)} if path in agents else each
    return {"components": list(components.values()), "edges": edges}


def settings_of(state: AdapterState) -> dict[str, Settings]:
    """The settings of all agents that are known, by path."""
    agents = {path: agent for _, its in state.made.described() for path, agent in its.items()}
    return {path: settings.of_agent(agent, state.changes(path)) for path, agent in agents.items()}


def of(path: str, made: Any) -> Described:
    """Components and edges of an agent or a graph, with the agents inside, and these by path."""
    agents: Agents = {}
    found = _agent(path, made, agents, ()) if isinstance(made, Agent) else _graph(path, made, agents)
    return list(found), agents


def _settings(state: AdapterState, agent: Any, path: str) -> dict[str, Json]:
    return describe_settings(settings.of_agent(agent, state.changes(path)))


def _part(path: str, kind: str, doc: str = "", **about: Json) -> Json:
    return {"path": path, "kind": kind, "doc": doc, "config": {}, "schema": {}, "accepts": {}, **about}


def _edge(source: str, target: str, label: str = "") -> Json:
    return {"source": source, "target": target, "label": label}


def _agent(path: str, agent: Any, agents: Agents, around: tuple[Any, ...]) -> Iterator[Json]:
    agents[path] = agent
    doc = getattr(agent, "description", None)
    yield _part(path, "agent", doc if isinstance(doc, str) else "", accepts={"prompt": {}})
    model = getattr(agent.model, "model_name", agent.model)
    if isinstance(model, str):
        yield _part(f"{path}/model", "model", config={"model": model})
        yield _edge(path, f"{path}/model")
    for tool in _tools(agent.toolsets):
        below = f"{path}/tools/{tool.name}"
        known = Tool(tool.name, tool, functions=(tool.function,))
        accepts = {"arguments": encode(tool.function_schema.json_schema)}
        yield _part(below, "tool", tool.description or "", accepts=accepts, effects=known.effects or "write")
        yield _edge(path, below)
        yield from _inside(below, tool.function, agents, (*around, agent))


def _tools(toolsets: Any) -> Iterator[Any]:
    """The tools that are known before anything runs: those of toolsets that are made from functions."""
    for toolset in toolsets:
        held = getattr(toolset, "tools", None)
        if isinstance(held, Mapping):
            yield from (tool for tool in held.values() if hasattr(tool, "function_schema"))
        wrapped = getattr(toolset, "wrapped", None)
        yield from _tools(getattr(toolset, "toolsets", None) or ([wrapped] if wrapped is not None else []))


def _inside(path: str, function: Any, agents: Agents, around: tuple[Any, ...]) -> Iterator[Json]:
    """The agents that a function refers to."""
    for agent in _agents(function):
        if not any(agent is other for other in around):
            below = f"{path}/{settings.name_of(agent)}"
            yield _edge(path, below)
            yield from _agent(below, agent, agents, around)


def _agents(function: Any) -> list[Any]:
    function = inspect.unwrap(getattr(function, "__func__", function))
    if not inspect.isfunction(function):
        return []
    found = [function.__globals__.get(name) for name in variables(function.__code__)]
    for cell in function.__closure__ or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:
            continue  # not assigned yet
    return list({id(each): each for each in found if isinstance(each, Agent)}.values())


# -- graphs ----------------------------------------------------------------------------------------------------------


def _graph(path: str, graph: Any, agents: Agents) -> Iterator[Json]:
    yield _part(path, "flow", accepts={"inputs": {}})
    for name, node in graph.nodes.items():
        if isinstance(node, Step):
            function = node.node_type.run if isinstance(node, NodeStep) else node.call
            source = node.node_type if isinstance(node, NodeStep) else inspect.unwrap(function)
            doc = inspect.getdoc(source) or ""
            yield _part(f"{path}/{name}", "step", node.label or ("" if doc.startswith(f"{name}(") else doc))
            yield from _inside(f"{path}/{name}", function, agents, ())
    yield from _flows(path, graph)


def _flows(path: str, graph: Any) -> Iterator[Json]:
    """From step to step: what lies between them (forks, joins, decisions) is no component."""
    drawn = build_mermaid_graph(graph.nodes, graph.edges_by_source)
    steps = {node.id: f"{path}/{node.id}" for node in drawn.nodes if node.kind == "step"}
    places = {**steps, **{node.id: path for node in drawn.nodes if node.kind in ("start", "end")}}
    for source, place in places.items():
        for target, label in _reached(drawn.edges, source, places, {source}):
            yield _edge(place, places[target], label)


def _reached(edges: Any, source: Any, places: Mapping[Any, str], seen: set[Any]) -> Iterator[tuple[Any, str]]:
    for edge in edges:
        if edge.start_id != source:
            continue
        if edge.end_id in places:
            yield edge.end_id, edge.label or ""
        elif edge.end_id not in seen:
            seen.add(edge.end_id)
            yield from ((target, edge.label or label) for target, label in _reached(edges, edge.end_id, places, seen))
