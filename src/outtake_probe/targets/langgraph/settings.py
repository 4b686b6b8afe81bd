"""What can be read and changed of the nodes of a graph: an agent's prompt, its tools, a model's name and temperature.

LangChain's agents keep their prompt and model in the closures of their node's functions.  They are looked for by what
they are, and where they are not found, there is no such setting.  A changed prompt or model is what the next call uses.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import CellType, FunctionType
from typing import Any

from langchain_core.language_models.base import BaseLanguageModel
from langchain_core.messages import SystemMessage
from langchain_core.tools import BaseTool

from outtake_probe.records import Json
from outtake_probe.targets.langchain import prompts
from outtake_probe.targets.toolkit.settings import (
    MODEL_ARGUMENTS,
    OPTIONAL_TEXT,
    TEXT,
    Setting,
    Settings,
    attribute,
    change_setting,
)

PROMPT = "system_prompt"
_CELLS = ("system_message", "prompt", "system_prompt")
"""Names under which agents keep their prompt."""


@dataclass
class NodeParts:
    """What a node holds."""

    model: Any = None
    tools: list[Any] = field(default_factory=list)
    prompts: list[tuple[CellType, Any]] = field(default_factory=list)
    """Where the prompt is kept, once for each function of the node."""


def find(node: Any) -> NodeParts:
    """The model, the tools and the prompt of a node."""
    found = NodeParts()
    tools = getattr(node.bound, "tools_by_name", None)
    if isinstance(tools, dict):
        found.tools = list(tools.values())
    for name, cell, value in _held(node.bound):
        if name in _CELLS and (value is None or isinstance(value, (str, SystemMessage))):
            found.prompts.append((cell, value))
        elif isinstance(_model_in(value), BaseLanguageModel) and found.model is None:
            found.model = _model_in(value)
        elif isinstance(value, BaseTool) and value not in found.tools:
            found.tools.append(value)
    return found


def _held(bound: Any) -> Iterator[tuple[str, CellType, Any]]:
    """What the functions of a node hold in their closures, and in the functions there."""
    todo = [getattr(bound, name, None) for name in ("func", "afunc")]
    seen: list[Any] = []
    while todo:
        function = todo.pop()
        function = getattr(function, "__wrapped__", function)
        args = getattr(function, "args", None)
        if args and not isinstance(function, FunctionType):
            todo += [arg for arg in args if isinstance(arg, FunctionType)]
        if not isinstance(function, FunctionType) or any(function is other for other in seen) or len(seen) > 50:
            continue
        seen.append(function)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
            try:
                value = cell.cell_contents
            except ValueError:
                continue
            if isinstance(value, FunctionType):
                todo.append(value)
            yield name, cell, value


def _model_in(value: Any) -> Any:
    """The model itself, where it is bound to tools or the first of a chain."""
    for _ in range(4):
        inner = getattr(value, "bound", None)
        if inner is None:
            break
        value = inner
    return value


# -- reading ---------------------------------------------------------------------------------------------------------


def of_node(found: NodeParts) -> Settings:
    """The settings of a node: the prompt of an agent."""
    if not found.prompts:
        return ()
    return [Setting(PROMPT, OPTIONAL_TEXT, lambda: _text(found.prompts[0][1]), lambda value: _instruct(found, value))]


def _text(prompt: Any) -> Json:
    if isinstance(prompt, SystemMessage):
        return prompt.content
    return prompt if isinstance(prompt, str) else None


def of_model(model: Any) -> Settings:
    """The settings of a model, without secrets."""
    found = [_of_field(model, name, name) for name in prompts.settings(model)]
    name = next((name for name in prompts.NAMES if isinstance(getattr(model, name, None), str)), None)
    return [*found, _of_field(model, name, "model")] if name is not None else found


def _of_field(model: Any, name: str, key: str) -> Setting:
    """A field of a model, whose class may validate assignments by the program's own code: they pass by that."""
    schema = TEXT if key == "model" else MODEL_ARGUMENTS[key]
    setting = attribute(model, name, schema, key)
    return dataclasses.replace(setting, set=lambda value: object.__setattr__(model, name, value))


# -- changing --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Changed:
    """A setting that was changed, and where that is kept; a model may be used anywhere."""

    component: str
    key: str
    value: Json
    places: frozenset[int] | None

    def concerns(self, places: frozenset[int]) -> bool:
        """Whether what keeps its settings there is another one now."""
        return self.places is None or not self.places.isdisjoint(places)


def places_of(node: Any, around: tuple[Any, ...] = ()) -> frozenset[int]:
    """Where a node, and the graphs inside it, keep their settings."""
    found = {id(cell) for cell, _ in find(node).prompts}
    for inner in node.subgraphs:
        if inner not in around and hasattr(inner, "nodes"):
            for below in inner.nodes.values():
                found |= places_of(below, (*around, inner))
    return frozenset(found)


def change(graphs: Mapping[str, Any], component: str, key: str, value: Json) -> Changed:
    """Change a setting.  Raises `BadValue`."""
    holders = dict(_holders(graphs))
    components = {
        path: of_node(each) if isinstance(each, NodeParts) else of_model(each) for path, each in holders.items()
    }
    change_setting(components, component, key, value)
    holder = holders[component]
    places = frozenset(id(cell) for cell, _ in holder.prompts) if isinstance(holder, NodeParts) else None
    return Changed(component, key, value, places)


def _holders(graphs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for path, graph in list(graphs.items()):
        yield from _in_graph(path, graph, ())


def _in_graph(path: str, graph: Any, around: tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    for name, node in graph.nodes.items():
        found = find(node)
        yield f"{path}/{name}", found
        if found.model is not None:
            yield f"{path}/{name}/model", found.model
        for inner in node.subgraphs:
            if inner not in around and hasattr(inner, "nodes"):
                yield from _in_graph(f"{path}/{name}", inner, (*around, graph))


def _instruct(found: NodeParts, value: Json) -> None:
    for cell, old in found.prompts:
        as_text = isinstance(old, str)
        cell.cell_contents = value if as_text or value is None else SystemMessage(content=value)
