"""What a node may return: mocks are held to it.

A node of a state graph returns an update (some of the state's keys), a command, or a list of them.  A key that the
state does not have would be dropped without a word, and a node that is not there would end the graph: both are refused
here.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langgraph.channels.last_value import LastValue
from langgraph.constants import END
from langgraph.types import Command, Send
from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError

from outtake_probe.codec import TAG, Opaque, decode, encode
from outtake_probe.commands import BadValue
from outtake_probe.records import Json
from outtake_probe.targets.langchain import messages
from outtake_probe.targets.langgraph.causality import GraphRun


@dataclass(frozen=True)
class Named:
    """Stands for a task where only its name matters."""

    name: str


_COMMAND = frozenset({"update", "goto", "resume", "graph"})


def keys(place: GraphRun) -> list[str]:
    """The keys of a graph's state; empty where its state has none."""
    builder = getattr(place.graph, "builder", None)
    if builder is None:
        return []
    return [name for name in builder.channels if name != "__root__"]


def schema(place: GraphRun) -> Json:
    """The JSON schema of a graph's state."""
    return state_schema(place.graph)


def state_schema(graph: Any) -> Json:
    """The JSON schema of what the nodes of a graph may write."""
    builder = getattr(graph, "builder", None)
    if builder is None:
        return {}
    properties = {name: _json_schema(channel) for name, channel in builder.channels.items()}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _json_schema(channel: Any) -> Json:
    adapter = _adapter(_update_type(channel))
    if adapter is None:
        return {}
    try:
        return adapter.json_schema()
    except (PydanticUserError, PydanticSchemaGenerationError, TypeError, ValueError):
        return {}


def _update_type(channel: Any) -> Any:
    try:
        return channel.UpdateType
    except (AttributeError, TypeError, NotImplementedError):
        return Any


@functools.lru_cache(maxsize=1000)
def _cached(cls: Any) -> TypeAdapter[Any] | None:
    try:
        return TypeAdapter(cls)
    except (PydanticUserError, PydanticSchemaGenerationError, TypeError, NameError):
        return None


def _adapter(cls: Any) -> TypeAdapter[Any] | None:
    try:
        return _cached(cls)
    except TypeError:  # a type that cannot be a key
        return None


def full(place: GraphRun, task: Any, value: Json) -> Json:
    """A mocked result in full.  Raises `BadValue`."""
    known = keys(place)
    if not known:
        return encode(decode(value))
    made = _made(place, task, value)
    _check(place, task, made)
    return encode(made)


def _made(place: GraphRun, task: Any, value: Json) -> Any:
    known = keys(place)
    if isinstance(value, str) and "messages" in known:
        return {"messages": [messages.given(value)]}
    if isinstance(value, list):
        return [_made(place, task, item) for item in value]
    if isinstance(value, dict) and TAG not in value and set(value) <= _COMMAND and not set(value) <= set(known):
        value = {TAG: "command", **value}
    if isinstance(value, dict) and TAG not in value:
        return {key: _item(item) for key, item in value.items()}
    try:
        return decode(value)
    except (Opaque, TypeError, ValueError) as error:
        raise BadValue(f"{task.name} cannot return this: {error}", schema(place)) from error


def _item(value: Json) -> Any:
    """The value of a key; a message that was written as a plain object is one."""
    if messages.looks_like_message(value):
        return messages.given(value)
    return [_item(item) for item in value] if isinstance(value, list) else decode(value)


def _check(place: GraphRun, task: Any, made: Any) -> None:
    if made is None:
        return
    if isinstance(made, (list, tuple)):
        if not made or not all(isinstance(item, (Command, dict)) or item is None for item in made):
            raise _no_update(place, task, made)
        for item in made:
            _check(place, task, item)
    elif isinstance(made, Command):
        _check_command(place, task, made)
    elif isinstance(made, dict):
        _check_update(place, task, made)
    elif not (hasattr(type(made), "model_fields") or hasattr(type(made), "__dataclass_fields__")):
        raise _no_update(place, task, made)


def _no_update(place: GraphRun, task: Any, made: Any) -> BadValue:
    what = "an object with some keys of the state, a command, or null"
    return BadValue(f"{task.name} returns {what}, not {type(made).__name__}", schema(place))


def _check_command(place: GraphRun, task: Any, made: Any) -> None:
    if made.graph is not None:
        return
    if isinstance(made.update, dict):
        _check_update(place, task, made.update)
    targets: Sequence[Any] = made.goto if isinstance(made.goto, (list, tuple)) else [made.goto]
    nodes = [name for name in place.graph.nodes if name != "__start__"]
    for target in targets:
        name = target.node if isinstance(target, Send) else target
        if name not in nodes and name != END:
            raise BadValue(f"{task.name} cannot go to {name!r}; the graph has {', '.join(nodes)}", {"enum": nodes})


def _check_update(place: GraphRun, task: Any, made: dict[str, Any]) -> None:
    known = keys(place)
    for key, value in made.items():
        if key not in known:
            raise BadValue(f"{task.name} cannot return {key!r}; the state has {', '.join(known)}", schema(place))
        _check_value(place, task, key, value)


def _check_value(place: GraphRun, task: Any, key: str, value: Any) -> None:
    channel = place.graph.builder.channels[key]
    if type(channel) is not LastValue:
        return  # what a reducer takes is the reducer's to say
    adapter = _adapter(_update_type(channel))
    if adapter is None:
        return
    try:
        adapter.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]["msg"]
        raise BadValue(f"{task.name} cannot return {value!r} as {key}: {first}", _json_schema(channel)) from error
