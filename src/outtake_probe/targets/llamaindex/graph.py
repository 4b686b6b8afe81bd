"""The static graph of a program: its workflows, their steps, the events between them, agents and their parts."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from workflows.events import Event, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent

from outtake_probe.records import Json
from outtake_probe.targets.base import Component, Edge
from outtake_probe.targets.llamaindex import events as codec
from outtake_probe.targets.llamaindex import settings
from outtake_probe.targets.llamaindex.adapter_state import AdapterState, Described
from outtake_probe.targets.toolkit.settings import describe_settings

START, STOP, PERSON = "start", "stop", "person"


def describe(adapter_state: AdapterState) -> Json:
    """Components and edges of every workflow that is known."""
    components: list[Component] = []
    edges: list[Edge] = []
    for parts, lines in adapter_state.workflows.described():
        components += parts
        edges += lines
    return {"components": [asdict(c) for c in components], "edges": [asdict(e) for e in dict.fromkeys(edges)]}


def of_workflow(path: str, workflow: Any) -> Described:
    """Components and edges of one workflow."""
    return list(_components(path, workflow)), list(_edges(path, _configs(workflow)))


def _configs(workflow: Any) -> dict[str, Any]:
    return {name: step._step_config for name, step in workflow._get_steps().items()}


def _components(path: str, workflow: Any) -> Iterator[Component]:
    yield Component(path, "flow", _doc(type(workflow)), **describe_settings(settings.of_workflow(workflow)))
    for name, step in workflow._get_steps().items():
        declared = step._step_config
        accepts = codec.schemas(cls for cls in declared.accepted_events if isinstance(cls, type))
        about: dict[str, Json] = {
            "returns": codec.schemas(cls for cls in declared.return_types if isinstance(cls, type)),
            "num_workers": declared.num_workers,
            "retry_policy": type(declared.retry_policy).__name__ if declared.retry_policy is not None else None,
            "resources": [definition.name for definition in declared.resources],
        }
        yield Component(f"{path}/{name}", "step", _doc(step), {k: v for k, v in about.items() if v}, {}, accepts)
    for where, agent in settings.agents(path, workflow):
        if where != path:
            yield Component(where, "agent", str(agent.description or ""), **describe_settings(settings.of_agent(agent)))
        for tool in settings.tools_of(agent):
            about = {"description": str(tool.metadata.description or "")}
            told = tool.metadata.get_parameters_dict()
            yield Component(
                f"{where}/tools/{tool.metadata.name}", "tool", about["description"], {}, {}, {"input": told}
            )


def _doc(thing: Any) -> str:
    return inspect.getdoc(thing) or "" if getattr(thing, "__doc__", None) else ""


def _edges(path: str, configs: dict[str, Any]) -> Iterator[Edge]:
    for name, config in configs.items():
        for cls in config.accepted_events:
            if isinstance(cls, type) and issubclass(cls, StartEvent):
                yield Edge(f"{path}/{START}", f"{path}/{name}", cls.__name__)
            if isinstance(cls, type) and issubclass(cls, HumanResponseEvent):
                yield Edge(f"{path}/{PERSON}", f"{path}/{name}", cls.__name__)
        for cls in config.return_types:
            if isinstance(cls, type) and issubclass(cls, Event):
                yield from _from(path, name, cls, configs)


def _from(path: str, name: str, cls: type[Event], configs: dict[str, Any]) -> Iterator[Edge]:
    if issubclass(cls, StopEvent):
        yield Edge(f"{path}/{name}", f"{path}/{STOP}", cls.__name__)
    if issubclass(cls, InputRequiredEvent):
        yield Edge(f"{path}/{name}", f"{path}/{PERSON}", cls.__name__)
    for other, config in configs.items():
        if cls in config.accepted_events:
            yield Edge(f"{path}/{name}", f"{path}/{other}", cls.__name__)
