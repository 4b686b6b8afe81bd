"""The graphs of a program as components and edges, before anything has run."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from langgraph.constants import END, START
from langgraph.pregel.main import Pregel

from outtake_probe.records import Json
from outtake_probe.targets.langchain import tools
from outtake_probe.targets.langgraph import outputs, settings
from outtake_probe.targets.langgraph.adapter_state import AdapterState, Described
from outtake_probe.targets.langgraph.causality import is_function, name_of
from outtake_probe.targets.toolkit.settings import describe_settings


def describe(adapter_state: AdapterState) -> dict[str, Json]:
    """Components and edges of every graph that is known."""
    components: dict[str, Json] = {}
    edges: list[Json] = []
    for parts, lines in adapter_state.graphs.described():
        for found in parts:
            components.setdefault(found["path"], found)
        edges += [edge for edge in lines if edge not in edges]
    return {"components": list(components.values()), "edges": edges}


def of_graph(path: str, graph: Any) -> Described:
    """Components and edges of one graph."""
    return list(_components(path, graph, ())), list(_edges(path, graph, ()))


def _components(path: str, graph: Any, around: tuple[Any, ...]) -> Iterator[dict[str, Json]]:
    yield {"path": path, "kind": "flow", "doc": _doc(graph), "accepts": _input(graph), **describe_settings(())}
    for name, node in graph.nodes.items():
        if name == START:
            continue
        below = path if is_function(graph) and name_of(graph) == name else f"{path}/{name}"
        found = settings.find(node)
        if below != path:
            schema = {"state": outputs.state_schema(graph)} if getattr(graph, "builder", None) is not None else {}
            about = {"accepts": schema, **describe_settings(settings.of_node(found))}
            yield {"path": below, "kind": "step", "doc": _doc(node.bound), **about}
        yield from _parts(below, found)
        for inner in _subgraphs(node):
            if inner not in around:
                yield from _inside(below, inner, (*around, graph))


def _inside(path: str, graph: Any, around: tuple[Any, ...]) -> Iterator[dict[str, Json]]:
    for found in _components(path, graph, around):
        if found["path"] != path:
            yield found


def _parts(path: str, found: settings.NodeParts) -> Iterator[dict[str, Json]]:
    """The models and tools that a node uses, where that can be determined without running it."""
    if found.model is not None:
        about = describe_settings(settings.of_model(found.model))
        yield {"path": f"{path}/model", "kind": "model", "doc": "", "accepts": {}, **about}
    base = path if path.endswith("/tools") else f"{path}/tools"
    for tool in found.tools:
        about = {"config": {}, "schema": {}, "accepts": {"arguments": tools.schema(tool)}}
        effects = tools.described(tool).effects
        doc = {"doc": getattr(tool, "description", "") or "", "effects": effects or "write"}
        yield {"path": f"{base}/{tool.name}", "kind": "tool", **doc, **about}


def _subgraphs(node: Any) -> list[Any]:
    return [inner for inner in node.subgraphs if isinstance(inner, Pregel)]


def _edges(path: str, graph: Any, around: tuple[Any, ...]) -> Iterator[dict[str, Json]]:
    try:
        drawn = graph.get_graph()
    except Exception:  # noqa: BLE001  a graph of the user's whose drawing fails is run all the same
        return
    for edge in drawn.edges:
        label = str(edge.data) if edge.data is not None else "conditional" if edge.conditional else ""
        yield {"source": _place(path, edge.source), "target": _place(path, edge.target), "label": label}
    for name, node in graph.nodes.items():
        for inner in _subgraphs(node):
            if inner not in around:
                yield from _edges(f"{path}/{name}", inner, (*around, graph))


def _place(path: str, name: str) -> str:
    return path if name in (START, END) else f"{path}/{name}"


def _input(graph: Any) -> dict[str, Json]:
    try:
        return {"input": graph.get_input_jsonschema()}
    except Exception:  # noqa: BLE001  a schema of the user's that pydantic cannot describe
        return {}


def _doc(bound: Any) -> str:
    """What the author says of a node."""
    function = getattr(bound, "func", None) or getattr(bound, "afunc", None)
    text = inspect.getdoc(function) if inspect.isroutine(function) else None
    if text is None and isinstance(bound, Pregel):
        text = getattr(getattr(getattr(bound, "builder", None), "state_schema", None), "__doc__", None)
        text = text if text and not text.startswith("dict()") else None
    return text or ""
