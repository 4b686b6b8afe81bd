"""What can be read and changed of the nodes of a graph: an agent's prompt, its tools, a model's name and temperature.

LangChain's agents keep their prompt and model in the closures of their node's functions.  They are looked for by what
they are, and where they are not found, there is no such setting.  A changed prompt or model is what the next call uses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import CellType, FunctionType
from typing import Any

from langchain_core.language_models.base import BaseLanguageModel
from langchain_core.messages import SystemMessage
from langchain_core.tools import BaseTool

from outtake_probe.records import Json
from outtake_probe.targets.langchain import prompts
from outtake_probe.targets.toolkit.settings import check_setting, find_holder

PROMPT = "system_prompt"
_CELLS = ("system_message", "prompt", "system_prompt")
"""Names under which agents keep their prompt."""
_TEXT: Json = {"type": ["string", "null"]}
_KINDS: dict[str, Json] = {
    "temperature": {"type": ["number", "null"]},
    "top_p": {"type": ["number", "null"]},
    "top_k": {"type": ["integer", "null"]},
    "max_tokens": {"type": ["integer", "null"]},
    "max_output_tokens": {"type": ["integer", "null"]},
    "seed": {"type": ["integer", "null"]},
    "n": {"type": ["integer", "null"]},
    "reasoning_effort": _TEXT,
    "model": {"type": "string"},
}


@dataclass
class Found:
    """What a node holds."""

    model: Any = None
    tools: list[Any] = field(default_factory=list)
    prompts: list[tuple[CellType, Any]] = field(default_factory=list)
    """Where the prompt is kept, once for each function of the node."""


def find(node: Any) -> Found:
    """The model, the tools and the prompt of a node."""
    found = Found()
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


def of_graph(graph: Any) -> dict[str, Json]:
    """A graph itself has nothing to set."""
    return _shown({}, {})


def _shown(config: dict[str, Json], schemas: dict[str, Json]) -> dict[str, Json]:
    return {"config": config, "schema": {"type": "object", "properties": schemas} if schemas else {}}


def described(found: Found) -> dict[str, Json]:
    """The settings of a node."""
    if not found.prompts:
        return _shown({}, {})
    return _shown({PROMPT: _text(found.prompts[0][1])}, {PROMPT: _TEXT})


def _text(prompt: Any) -> Json:
    if isinstance(prompt, SystemMessage):
        return prompt.content
    return prompt if isinstance(prompt, str) else None


def of_model(model: Any) -> dict[str, Json]:
    """The settings of a model, without secrets."""
    values = prompts.settings(model)
    name = _name_field(model)
    if name is not None:
        values["model"] = getattr(model, name)
    return _shown(values, {key: _KINDS.get(key, {}) for key in values})


def _name_field(model: Any) -> str | None:
    return next((name for name in prompts.NAMES if isinstance(getattr(model, name, None), str)), None)


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
    holder = find_holder(component, dict(_holders(graphs)), lambda each: bool(_schema(each)))
    check_setting(component, key, value, _schema(holder))
    if isinstance(holder, Found):
        _instruct(holder, value)
        return Changed(component, key, value, frozenset(id(cell) for cell, _ in holder.prompts))
    field_name = _name_field(holder) if key == "model" else key
    object.__setattr__(holder, field_name or key, value)
    return Changed(component, key, value, None)


def _schema(holder: Any) -> dict[str, Json]:
    schema: dict[str, Json] = (described(holder) if isinstance(holder, Found) else of_model(holder))["schema"]
    properties: dict[str, Json] = schema.get("properties", {})
    return properties


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


def _instruct(found: Found, value: Json) -> None:
    for cell, old in found.prompts:
        as_text = isinstance(old, str)
        cell.cell_contents = value if as_text or value is None else SystemMessage(content=value)
