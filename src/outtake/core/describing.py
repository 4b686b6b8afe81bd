"""What a target is made of, as the records of a run show it, and joined with what the target said of itself.

Records show which components were called, who sent what to whom, what called what, and which settings were changed.
They know nothing of docstrings, schemas and what a component accepts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeGuard

from outtake_probe.records import Json

Document = dict[str, Json]
USER, TOPIC, CALLS = "user", "topic:", "calls"


class Called(NamedTuple):
    """An invocation, without what makes it one of many."""

    path: str
    call: str
    effects: str


class Sent(NamedTuple):
    """A message, without what makes it one of many."""

    sender: str
    recipient: str
    type: str


@dataclass(slots=True)
class Parts:
    """What the records of a run name, and how often."""

    called: Counter[Called] = field(default_factory=Counter)
    sent: Counter[Sent] = field(default_factory=Counter)
    inside: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Which component was called by which other one, the outer one first."""
    settings: dict[tuple[str, str], Json] = field(default_factory=dict)
    """What settings were set to last, by component and key."""


_COMPONENT = {
    "path": str,
    "kind": str,
    "doc": str,
    "config": dict,
    "schema": dict,
    "accepts": dict,
    "effects": str | None,
}
_EDGE = {"source": str, "target": str, "label": str}


def is_description(value: Json) -> TypeGuard[Document]:
    """Whether a value is what a target says of itself: an adapter may be a stranger's, and a file from anywhere."""
    if not isinstance(value, dict):
        return False
    parts, edges = value.get("components"), value.get("edges", [])
    names = [*_list(value.get("missing", [])), *_list(value.get("capabilities", []))]
    return (
        _all(parts, _COMPONENT, ("path", "kind"))
        and _all(edges, _EDGE, ("source", "target"))
        and all(isinstance(name, str) for name in names)
    )


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [None]


def _all(items: Json, types: Mapping[str, Any], needed: Sequence[str]) -> bool:
    """Whether these are objects with fields of these types."""
    return isinstance(items, list) and all(
        isinstance(item, dict)
        and all(name in item for name in needed)
        and all(isinstance(item[name], kind) for name, kind in types.items() if name in item)
        for item in items
    )


def described(parts: Parts, config: Mapping[str, Json]) -> Document:
    """The components and edges that records show; `config` are the settings at the start, by ``component.key``."""
    components: dict[str, Document] = {}
    for called, times in parts.called.items():
        found = components.setdefault(called.path, {"path": called.path, "kind": called.call, "calls": 0})
        found["calls"] += times
        if called.effects:
            found["effects"] = called.effects
    for sent in parts.sent:
        for path in (sent.sender, sent.recipient):
            if path and path != USER and not path.startswith(TOPIC):
                components.setdefault(path, {"path": path, "kind": "agent", "calls": 0})
    starting = {_place(name): value for name, value in config.items()}
    for (path, key), value in {**starting, **parts.settings}.items():
        components.setdefault(path, {"path": path, "kind": "", "calls": 0}).setdefault("config", {})[key] = value
    return {"components": list(components.values()), "edges": _edges(parts)}


def _place(name: str) -> tuple[str, str]:
    path, _, key = name.rpartition(".")
    return path, key


def _edges(parts: Parts) -> list[Document]:
    """Who sent what to whom, the most frequent type first, and what called what."""
    types: dict[tuple[str, str], list[str]] = {}
    for sent, _ in parts.sent.most_common():
        types.setdefault((sent.sender, sent.recipient), []).append(sent.type)
    edges = [
        {"source": source, "target": target, "label": ", ".join(filter(None, dict.fromkeys(names)))}
        for (source, target), names in types.items()
        if source and target
    ]
    calls = [{"source": outer, "target": inner, "label": CALLS} for outer, inner in parts.inside]
    return edges + calls


def joined(told: Document, shown: Document) -> Document:
    """What a target said of itself, with what records show beside that: how often, and what else was called.

    A plain program names its functions, not the paths under which they are called: the last part of a path tells.
    """
    said = {part["path"]: part for part in told["components"]}
    by_path = {part["path"]: part for part in shown["components"]}
    used: set[str] = set()
    components: list[Document] = []
    for path, part in by_path.items():
        name = path if path in said else path.rpartition("/")[2]
        if name in said and (name == path or said[name]["kind"] == part["kind"]):
            used.add(name)
            components.append({**part, **said[name], "path": path, "calls": part["calls"]})
        else:
            components.append(part)
    silent = [{**part, "calls": 0} for path, part in said.items() if path not in used]
    order = {path: n for n, path in enumerate(said)}
    components = sorted(components + silent, key=lambda part: order.get(part["path"], len(order)))
    return {**told, "components": components, "edges": told.get("edges") or shown["edges"]}
