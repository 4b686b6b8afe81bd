"""LangChain's messages as JSON that a person can read and edit, and back.

    {"$type": "message", "type": "ai", "content": "...", "tool_calls": [{"name": ..., "args": ..., "id": ...}]}

What a message says is one thing, what a library notes on it another: ids that are made up in each run, headers of
responses, token counts.  Where messages are an input (a prompt, a graph's state) only what they say is shown and
compared, so equal conversations are equal in every run; where they are a result, everything is kept, so that it can be
brought back.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    convert_to_messages,
)

from outtake_probe import nondeterminism
from outtake_probe.bodies import Part
from outtake_probe.codec import TAG, Family, Opaque, class_name, decode, encode, find_class
from outtake_probe.commands import BadValue
from outtake_probe.records import Json

NAME = "message"
VOLATILE = frozenset({"id", "response_metadata", "usage_metadata"})
"""Fields that libraries fill in, differently in each run, and that say nothing."""
SCHEMA: Json = {
    "type": "object",
    "properties": {
        "type": {"enum": ["human", "ai", "system", "tool", "function", "chat", "remove"]},
        "content": {"anyOf": [{"type": "string"}, {"type": "array"}]},
        "tool_calls": {"type": "array", "items": {"type": "object", "required": ["name", "args"]}},
    },
    "required": ["content"],
}
_ROLES = {"user": "human", "assistant": "ai", "developer": "system"}
_CLASSES: dict[str, type[BaseMessage]] = {
    "human": HumanMessage,
    "ai": AIMessage,
    "AIMessageChunk": AIMessageChunk,
    "system": SystemMessage,
    "tool": ToolMessage,
    "function": FunctionMessage,
    "chat": ChatMessage,
    "remove": RemoveMessage,
}
_NAMES = {cls: name for name, cls in _CLASSES.items()}
_FIRST = ("content", "name")
_DEFAULTS = {"status": "success", "example": False}
_scalars = (str, int, float, bool, type(None))
_id = operator.attrgetter("id")


# -- one message -----------------------------------------------------------------------------------------------------


def to_json(message: BaseMessage, depth: int = 0) -> dict[str, Json]:
    """Everything that a message holds, without its tag."""
    return _dump(message, depth, frozenset())


def _dump(message: BaseMessage, depth: int, without: frozenset[str]) -> dict[str, Json]:
    cls = type(message)
    out: dict[str, Json] = {"type": _NAMES.get(cls, message.type)}
    if cls not in _NAMES:
        out["class"] = class_name(cls)
    held = message.__dict__
    for name in _fields(cls, without):
        value = held.get(name)
        if name == "content" or not (_is_empty(value) or (name in _DEFAULTS and value == _DEFAULTS[name])):
            out[name] = _calls(value or ()) if name == "tool_calls" else encode(value, depth + 1)
    return out


def _is_empty(value: Any) -> bool:
    return value is None or (not value and type(value) in (list, dict))


@functools.lru_cache(maxsize=1000)
def _fields(cls: type[BaseMessage], without: frozenset[str]) -> list[str]:
    """The fields to show, what it says first."""
    names = [name for name in cls.model_fields if name != "type" and name not in without]
    return sorted(names, key=lambda name: name not in _FIRST)


def _calls(calls: Sequence[Mapping[str, Any]]) -> Json:
    return [{name: encode(item) for name, item in call.items() if name != "type"} for call in calls]


def from_json(value: Json) -> BaseMessage:
    """The message that `to_json` wrote, or that a person did.  Raises `Opaque`."""
    given = {name: decode(item) for name, item in value.items() if name not in (TAG, "class", "type")}
    found = find_class(value["class"], BaseMessage) if "class" in value else _CLASSES.get(value.get("type", ""))
    if found is None:
        raise Opaque(f"{value.get('type')!r} is no type of message; known: {', '.join(_CLASSES)}")
    for call in given.get("tool_calls", ()):
        call.setdefault("type", "tool_call")
    made: BaseMessage = found(**given)
    return made


FAMILY = Family(NAME, BaseMessage, to_json, from_json)


def slim(message: BaseMessage) -> Json:
    """What a message says."""
    return {TAG: NAME, **_dump(message, 0, VOLATILE)}


def part(message: BaseMessage) -> Json:
    """`slim`, remembered by what it says where that can be determined cheaply."""
    key = key_of(message)
    return slim(message) if key is None else Part(key, functools.partial(slim, message))


def key_of(message: BaseMessage) -> tuple[Any, ...] | None:
    """What a message says, where that is a text and little else."""
    cls, content = type(message), message.content
    if type(content) is not str or message.additional_kwargs:
        return None
    if cls in (HumanMessage, SystemMessage):
        return (NAME, cls, content, message.name)
    if isinstance(message, AIMessage) and not message.tool_calls and not message.invalid_tool_calls:
        return (NAME, cls, content, message.name) if cls is AIMessage else None
    return None


def body(value: Any) -> Json:
    """Any value as an input: messages in it without what libraries note on them."""
    if type(value) in _scalars:
        return encode(value)
    if isinstance(value, BaseMessage):
        return part(value)
    if type(value) is list:
        return [body(item) for item in value]
    if type(value) is dict and all(type(key) is str for key in value) and TAG not in value:
        return {key: body(item) for key, item in value.items()}
    return encode(value)


# -- ids -------------------------------------------------------------------------------------------------------------


def new_id() -> str:
    """An id as LangChain gives a model's answer; it follows from the run's seed and the place in the program."""
    return f"lc_run--{nondeterminism.new_id()}"


def messages_in(value: Any, depth: int = 0) -> Iterator[BaseMessage]:
    """All messages in a value, in order."""
    if isinstance(value, BaseMessage):
        yield value
    elif depth < 6:
        items = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else ()
        for item in items:
            yield from messages_in(item, depth + 1)


def ids_in(value: Any) -> list[str | None]:
    """The ids of all messages in a value, in order."""
    found: list[str | None] = []
    _gather(value, found, 0)
    return found


def _gather(value: Any, found: list[str | None], depth: int) -> None:
    if isinstance(value, BaseMessage):
        found.append(value.id)
    elif type(value) is list and value and isinstance(value[0], BaseMessage):
        try:
            found += list(map(_id, value))
        except AttributeError:  # something else among them
            found += [getattr(item, "id", None) for item in value]
    elif depth < 6:
        items = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else ()
        for item in items:
            if type(item) not in _scalars:
                _gather(item, found, depth + 1)


# -- what a person writes --------------------------------------------------------------------------------------------


def given(value: Json, kind: str = "ai") -> BaseMessage:
    """A message of a text, or of some of its fields.  Raises `BadValue`."""
    fields = {"content": value} if isinstance(value, (str, list)) else value
    if not isinstance(fields, dict):
        raise BadValue("a message is a text, or an object with content", SCHEMA)
    role = str(fields.get("type", fields.get("role", kind)))
    named = {"content": "", **{k: v for k, v in fields.items() if k != "role"}, "type": _ROLES.get(role, role)}
    calls = [
        {"id": f"call_{i}_{call.get('name')}", "args": {}, **call} if isinstance(call, dict) else call
        for i, call in enumerate(named.get("tool_calls") or ())
    ]
    try:
        return from_json({**named, "tool_calls": calls} if calls else named)
    except (Opaque, ValueError, TypeError, AttributeError) as error:
        raise BadValue(f"this is no message: {error}", SCHEMA) from error


def looks_like_message(value: Json) -> bool:
    """Whether an object that a person wrote is meant as a message."""
    return isinstance(value, dict) and "content" in value and ("role" in value or "type" in value) and TAG not in value


def coerced(value: Json, kind: str = "human") -> list[BaseMessage]:
    """Messages of what a person writes: encoded ones, plain objects, texts, pairs of role and text."""
    items = value if isinstance(value, list) else [value]
    out: list[BaseMessage] = []
    for item in items:
        if isinstance(item, dict) and item.get(TAG) == NAME:
            out.append(from_json(item))
        elif isinstance(item, (dict, str)):
            out.append(given(item, kind))
        else:
            out += _converted(item)
    return out


def _converted(item: Json) -> list[BaseMessage]:
    try:
        return convert_to_messages([tuple(item) if isinstance(item, list) else item])
    except (ValueError, NotImplementedError, TypeError) as error:
        raise BadValue(f"this is no message: {error}", SCHEMA) from error
