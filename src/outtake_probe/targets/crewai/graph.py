"""Crews and flows as components and edges, from what they are made of, before anything runs."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from crewai.crew import Crew
from crewai.flow.flow import Flow
from crewai.flow.visualization import build_flow_structure
from crewai.process import Process

from outtake_probe.records import Json
from outtake_probe.targets.crewai import settings
from outtake_probe.targets.crewai.adapter_state import AdapterState, Described, agent_name, task_name
from outtake_probe.targets.crewai.tools import of_tool
from outtake_probe.targets.toolkit.settings import describe_settings

KINDS = {"Crew": "flow", "Flow": "flow", "Task": "task"}


def describe(shared: AdapterState) -> dict[str, Json]:
    """Components and edges of all that is known."""
    components: dict[str, Json] = {}
    edges: list[Json] = []
    for parts, lines in shared.runnables.described():
        for found in parts:
            components.setdefault(found["path"], found)
        edges += [edge for edge in lines if edge not in edges]
    return {"components": list(components.values()), "edges": edges}


def of_runnable(shared: AdapterState, path: str, runnable: Any) -> Described:
    """Components and edges of a crew, a flow or an agent."""
    if isinstance(runnable, Flow):
        return list(_flow(path, runnable)), list(_flow_edges(path, runnable))
    components = []
    for place, part in settings.parts(path, runnable):
        components.append(_component(shared, place, part))
        components += _below(place, part)
    return components, list(_crew_edges(path, runnable)) if isinstance(runnable, Crew) else []


def _component(shared: AdapterState, path: str, part: Any) -> dict[str, Json]:
    kind = next((KINDS[cls.__name__] for cls in type(part).__mro__ if cls.__name__ in KINDS), "agent")
    doc = getattr(part, "goal" if kind == "agent" else "description", None)
    about = describe_settings(settings.of_part(part, shared.files))
    return {"path": path, "kind": kind, "doc": doc or "", "accepts": _accepts(part), **about}


def _accepts(part: Any) -> dict[str, Json]:
    if not isinstance(part, Crew):
        return {}
    names = sorted(part.fetch_inputs())
    properties: Json = {name: {"type": "string"} for name in names}
    return {"inputs": {"type": "object", "properties": properties, "required": names}} if names else {}


def _below(path: str, part: Any) -> Iterator[dict[str, Json]]:
    """The model and the tools of an agent."""
    model = getattr(part, "llm", None)
    if model is None or isinstance(part, Crew):
        return
    name = model if isinstance(model, str) else getattr(model, "model", "")
    yield {"path": f"{path}/model", "kind": "model", "doc": "", "config": {"model": name}, "schema": {}, "accepts": {}}
    for made in getattr(part, "tools", None) or []:
        tool = of_tool(made)
        about = {"config": {}, "schema": {}, "accepts": {"arguments": dict(tool.parameters())}}
        doc = {"doc": str(getattr(made, "description", "") or ""), "effects": tool.effects or "write"}
        yield {"path": f"{path}/tools/{tool.name}", "kind": "tool", **doc, **about}


def _crew_edges(path: str, crew: Crew) -> Iterator[dict[str, Json]]:
    places = {id(task): f"{path}/tasks/{task_name(task, crew.tasks)}" for task in crew.tasks}
    for before, after in zip(crew.tasks, crew.tasks[1:], strict=False):
        yield _edge(places[id(before)], places[id(after)], "then")
    for task in crew.tasks:
        place = places[id(task)]
        for other in task.context if isinstance(task.context, list) else []:
            if id(other) in places:
                yield _edge(places[id(other)], place, "context")
        if task.agent is not None:
            yield _edge(place, f"{path}/{agent_name(task.agent)}", "is done by")
    manager = getattr(crew, "manager_agent", None)
    if crew.process == Process.hierarchical and manager is None:  # CrewAI makes one when the crew runs
        yield from (_edge(path, f"{path}/{agent_name(agent)}", "may delegate to") for agent in crew.agents)
    for agent in settings.agents_of(crew):
        for other in crew.agents:
            leads = agent is manager or (crew.process != Process.hierarchical and agent.allow_delegation)
            if leads and other is not agent:
                yield _edge(f"{path}/{agent_name(agent)}", f"{path}/{agent_name(other)}", "may delegate to")


def _edge(source: str, target: str, label: str) -> dict[str, Json]:
    return {"source": source, "target": target, "label": label}


# -- flows -----------------------------------------------------------------------------------------------------------


def _flow(path: str, flow: Any) -> Iterator[dict[str, Json]]:
    fields = getattr(type(flow.state), "model_json_schema", None)
    accepts = {"inputs": fields()} if fields is not None else {}
    plain: dict[str, Json] = {"config": {}, "schema": {}}
    yield {"path": path, "kind": "flow", "doc": inspect.cleandoc(type(flow).__doc__ or ""), "accepts": accepts, **plain}
    for name in build_flow_structure(flow)["nodes"]:
        doc = inspect.getdoc(getattr(flow, name, None)) or ""
        yield {"path": f"{path}/{name}", "kind": "step", "doc": doc, "accepts": {}, **plain}


def _flow_edges(path: str, flow: Any) -> Iterator[dict[str, Json]]:
    structure = build_flow_structure(flow)
    for edge in structure["edges"]:
        label = edge.get("router_event") or ("and" if edge.get("condition_type") == "AND" else "")
        yield _edge(f"{path}/{edge['source']}", f"{path}/{edge['target']}", label)
    nodes = structure["nodes"]
    silent = [name for name in structure["router_methods"] if not nodes[name].get("router_events")]
    for name, node in nodes.items():  # a router whose annotation does not say what it returns may return any of these
        for event in node.get("trigger_methods") or []:
            if event not in nodes:
                yield from (_edge(f"{path}/{router}", f"{path}/{name}", event) for router in silent if router != name)
