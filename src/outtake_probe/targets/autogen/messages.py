"""AutoGen's messages as JSON that a person can read and edit, and back into the objects that agents exchange.

    {"type": "TextMessage", "source": "coder", "content": "..."}                              a chat message or an event
    {"response": {"chat_message": {...}, "inner_messages": [...]}, "name": "coder"}           an event of a group chat

Ids and times that AutoGen puts into each message are left out: equal content gives an equal body in every run.  An edit
may name a part only: a text, or some fields, of the chat message inside.  The objects of a group chat are changed in
place, because the team, its manager and its log share one message object, and have to go on saying the same.
"""

from __future__ import annotations

import abc
import dataclasses
import enum
import functools
import itertools
import json
import sys
import types
import typing
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeVar

from autogen_core import FunctionCall, Image
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.errors import PydanticSchemaGenerationError

from outtake_probe.bodies import Part
from outtake_probe.codec import TAG, Opaque, decode, encode
from outtake_probe.commands import BadValue
from outtake_probe.records import Json
from outtake_probe.targets.toolkit.classes import with_subclasses

VOLATILE = frozenset({"id", "created_at", "full_message_id", "request_id"})
"""Fields of a chat message that differ from run to run and that nothing depends on."""
_FIRST = ("type", "source", "content")
_INNER = ("chat_message", "response", "message", "messages", "result")
"""Where an event of a group chat keeps the message that it is about."""
_IMAGES: weakref.WeakKeyDictionary[Image, str] = weakref.WeakKeyDictionary()
_numbers = itertools.count()
_Plain = (str, int, float, bool, type(None))
T = TypeVar("T")


def is_chat_message(value: object) -> bool:
    """Whether this is a message or an event of AgentChat, determined without importing AgentChat."""
    return is_chat_class(type(value))


def type_name(value: object) -> str:
    """The name of a message's type, as AutoGen's registry and its users say it."""
    return type(value).__name__


# -- to JSON ---------------------------------------------------------------------------------------------------------


def body(message: object) -> Json:
    """A message as it is now, as JSON; it is serialised once for all who hear it."""
    if type(message) in _Plain:
        return message
    if isinstance(message, BaseModel) and not type(message).model_fields:
        return {}
    return Part(("message", next(_numbers)), functools.partial(_dump, message, part))


def plain(message: object) -> Json:
    """`body` without shortcuts: every part spelled out."""
    return _dump(message, _chat_message)


def identity(message: object, said: Json) -> Json:
    """What names a message in every run: its body, without what differs from run to run."""
    error = getattr(message, "error", None)
    if error is None or not hasattr(error, "traceback"):
        return said
    return {**_dump(message, part), "error": {"type": error.error_type, "message": error.error_message}}


def text(message: object) -> str:
    """A message as a line of JSON, for the program's own log handlers."""
    try:
        return json.dumps(plain(message))
    except (TypeError, ValueError):
        return "Message could not be serialized"


def answer(value: Any) -> Json:
    """What a handler returned, able to be brought back."""
    return value if type(value) in _Plain else encode(value)


def from_answer(value: Json, types_: Sequence[Any]) -> Any:
    """What a handler returned, or what the user says it did, which may be the plain fields of a declared type."""
    if isinstance(value, dict) and TAG not in value:
        for cls in types_:
            try:
                return build(cls, value)
            except BadValue:
                continue
    return decode(value)


def part(message: Any) -> Json:
    """A chat message, remembered by its content where that can be compared cheaply."""
    content = message.content if type(message).__name__ in _TEXTS else None
    if type(content) is not str or message.metadata:
        return _chat_message(message)
    usage = message.models_usage
    tokens = (usage.prompt_tokens, usage.completion_tokens) if usage is not None else None
    extra = (getattr(message, "target", None), len(getattr(message, "context", ())))
    if extra[1]:
        return _chat_message(message)
    key = ("chat", type(message), message.source, content, tokens, extra[0])
    return Part(key, functools.partial(_chat_message, message))


_TEXTS = frozenset(("TextMessage", "StopMessage", "HandoffMessage", "ThoughtEvent", "ModelClientStreamingChunkEvent"))


def _chat_message(message: Any) -> Json:
    fields = {name: getattr(message, name) for name in type(message).model_fields if name not in VOLATILE}
    ordered = {"type": fields.pop("type", None) or getattr(message, "type", type(message).__name__)}
    for name in _FIRST[1:]:
        if name in fields:
            ordered[name] = fields.pop(name)
    shown = {name: value for name, value in fields.items() if value not in (None, {}, [])}
    return {name: _dump(value, _chat_message) for name, value in {**ordered, **shown}.items()}


def _dump(value: Any, chat: Callable[[Any], Json]) -> Json:
    if type(value) in _Plain:
        return value
    if is_chat_message(value):
        return chat(value)
    if isinstance(value, (list, tuple)):
        return [_dump(item, chat) for item in value]
    if type(value) is dict and all(type(key) is str for key in value):
        return {key: _dump(item, chat) for key, item in value.items()}
    if isinstance(value, Image):
        return {"type": "Image", "data": image_data(value)}
    if isinstance(value, BaseModel):
        fields = {name: getattr(value, name) for name in type(value).model_fields}
        return {name: _dump(item, chat) for name, item in {**fields, **(value.model_extra or {})}.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _dump(getattr(value, f.name, None), chat) for f in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return _dump(value.value, chat)
    try:
        return json.loads(_any_json(type(value), value))
    except Exception:  # noqa: BLE001  the type's own serialiser is the boundary
        return encode(value)


def _any_json(cls: type, value: object) -> bytes:
    return adapter(cls).dump_json(value)


def image_data(image: Image) -> str:
    """The image's PNG as base64, made once."""
    found = _IMAGES.get(image)
    if found is None:
        found = _IMAGES[image] = image.to_base64()
    return found


@functools.lru_cache(maxsize=1000)
def adapter(cls: Any) -> TypeAdapter[Any]:
    return TypeAdapter(cls)


# -- from JSON -------------------------------------------------------------------------------------------------------


def schema(cls: Any) -> Json:
    """The JSON schema of a message type; empty where pydantic has none for it."""
    try:
        return _schema(cls)
    except Exception:  # noqa: BLE001  a type of the user's that pydantic cannot describe
        return {}


@functools.lru_cache(maxsize=1000)
def _schema(cls: Any) -> Json:
    return adapter(cls).json_schema()


def build(cls: type[T], value: Json) -> T:
    """A new message of a type.  Raises `BadValue` with the type's schema."""
    try:
        made = _build(cls, value)
    except (ValidationError, Opaque, TypeError, ValueError, KeyError) as error:
        raise BadValue(f"this is no {cls.__name__}: {_reason(error)}", schema(cls)) from error
    return typing.cast(T, made)


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        where = ".".join(str(at) for at in first["loc"])
        return f"{where}: {first['msg']}" if where else first["msg"]
    return str(error)


def _build(cls: Any, value: Json) -> Any:
    """`value` as an instance of `cls`, chat messages inside as the classes that their `type` names."""
    if isinstance(value, dict) and TAG in value:
        return decode(value)
    if isinstance(cls, type) and issubclass(cls, BaseModel):
        return _build_model(cls, value)
    if isinstance(cls, type) and dataclasses.is_dataclass(cls) and isinstance(value, dict):
        return _build_dataclass(cls, value)
    if isinstance(cls, type) and issubclass(cls, Image):
        return Image.from_base64(value["data"])
    origin, args = typing.get_origin(cls), typing.get_args(cls)
    if origin is typing.Annotated:
        return _build(args[0], value)
    if origin in (typing.Union, types.UnionType):
        return _build_union(cls, args, value)
    if isinstance(value, list) and args and isinstance(origin, type) and issubclass(origin, Sequence):
        return [_build(args[0], item) for item in value]
    return value


def build_chat(value: Json, source: str) -> Any:
    """A chat message: of a text, or of its fields.  Raises `BadValue`."""
    given = {"content": value} if isinstance(value, str) else value
    if not isinstance(given, dict):
        raise BadValue("a chat message is an object or a text")
    cls = chat_class(given.get("type", "TextMessage"))
    if cls is None:
        raise BadValue(f"unknown type of message {given['type']!r}; known: {', '.join(sorted(known()))}")
    return build(cls, {"source": source, **given})


def events(*names: str) -> dict[str, Any]:
    """AutoGen's classes around chat messages, those of these names that are there."""
    places = [sys.modules.get("autogen_agentchat.teams._group_chat._events"), sys.modules.get("autogen_agentchat.base")]
    return {name: getattr(place, name) for name in names for place in places if hasattr(place, name)}


def _build_union(cls: Any, args: tuple[Any, ...], value: Json) -> Any:
    options = [arg for arg in args if arg is not type(None)]
    if value is None or len(options) == 1:
        return value if value is None else _build(options[0], value)
    if not isinstance(value, dict):
        return value
    models = [arg for arg in options if isinstance(arg, type) and not issubclass(arg, (str, int, float, bool))]
    named = chat_class(value.get("type"))
    if named is not None and any(issubclass(named, arg) for arg in models):
        return _build_model(named, value)
    if named is None and "type" in value and any(is_chat_class(arg) for arg in models):
        raise _unknown_type(value["type"], *models)
    tagged = [arg for arg in models if _tag(arg) is not None and _tag(arg) == value.get("type")]
    errors: list[Exception] = []
    for arg in tagged or models:
        try:
            return _build(arg, value)
        except (ValidationError, TypeError, ValueError, KeyError) as error:
            errors.append(error)
    if errors:
        raise errors[0]
    return value


def _unknown_type(name: Json, *classes: Any) -> ValueError:
    names = sorted(found for cls in classes for found in known(cls))
    return ValueError(f"unknown type of message {name!r}; known: {', '.join(names)}")


def _tag(cls: Any) -> Any:
    """What a model of a union says in its field `type`."""
    return cls.model_fields["type"].default if "type" in getattr(cls, "model_fields", {}) else None


def _build_model(cls: Any, value: Json) -> Any:
    if not isinstance(value, dict):
        return adapter(cls).validate_python(value)
    named = chat_class(value.get("type"))
    if named is not None and issubclass(named, cls):
        cls = named
    elif named is None and "type" in value and is_chat_class(cls):
        raise _unknown_type(value["type"], cls)
    allowed = set(cls.model_fields) | ({"type"} if is_chat_class(cls) else set())
    unknown = [name for name in value if name not in allowed]
    if unknown and cls.model_config.get("extra") != "allow":
        raise ValueError(f"{cls.__name__} has no field {unknown[0]!r}; it has {', '.join(cls.model_fields)}")
    hints = _hints(cls)
    fields = {name: _build(hints.get(name, Any), item) for name, item in value.items() if name in cls.model_fields}
    if "type" in value and is_chat_class(cls) and "type" in fields and fields["type"] != cls.__name__:
        fields.pop("type")
    extra = {name: item for name, item in value.items() if name in unknown}
    return cls.model_validate({**fields, **extra})


def _build_dataclass(cls: Any, value: dict[str, Json]) -> Any:
    names = [f.name for f in dataclasses.fields(cls)]
    unknown = [name for name in value if name not in names]
    if unknown:
        raise ValueError(f"{cls.__name__} has no field {unknown[0]!r}; it has {', '.join(names)}")
    hints = _hints(cls)
    fields = {name: _build(hints.get(name, Any), item) for name, item in value.items()}
    try:
        return adapter(cls).validate_python(fields)
    except PydanticSchemaGenerationError:
        return cls(**fields)


@functools.lru_cache(maxsize=1000)
def _hints(cls: Any) -> Mapping[str, Any]:
    if hasattr(cls, "model_fields"):
        return {name: info.annotation for name, info in cls.model_fields.items()}
    try:
        return typing.get_type_hints(cls, include_extras=True)
    except NameError:
        return {}


def is_chat_class(cls: Any) -> bool:
    """Whether this is a class of AgentChat's messages and events, determined without importing AgentChat."""
    return _is_chat_class(cls)


@functools.lru_cache(maxsize=1000)
def _is_chat_class(cls: Hashable) -> bool:
    return isinstance(cls, type) and issubclass(cls, BaseModel) and hasattr(cls, "to_text") and hasattr(cls, "dump")


def chat_class(name: object) -> Any:
    """The class of AgentChat's messages (the user's own included) that has this name."""
    if not isinstance(name, str):
        return None
    return known().get(name)


def known(below: Any = None) -> dict[str, Any]:
    """All classes of chat messages and events that can be made, by name."""
    root = below if below is not None else _root()
    return {} if root is None else {cls.__name__: cls for cls in with_subclasses(root) if not _is_template(cls)}


def _is_template(cls: Any) -> bool:
    """Whether only its subclasses, or its versions for a type, are messages."""
    return bool(abc.ABC in cls.__bases__ or cls.__abstractmethods__ or cls.__pydantic_generic_metadata__["parameters"])


def _root() -> Any:
    return getattr(sys.modules.get("autogen_agentchat.messages"), "BaseMessage", None)


# -- edits -----------------------------------------------------------------------------------------------------------


def normalize(message: Any, value: Json) -> Json:
    """The full new body of a message, of a value that may say only part of it.  Raises `BadValue`."""
    now = plain(message)
    full = _merge(message, now, value)
    made = build(type(message), full)
    return _dump(made, _chat_message)


def _merge(message: Any, now: Json, value: Json) -> Json:
    if not isinstance(now, dict):
        return value
    inner = _inner(message)
    if isinstance(value, str):
        if inner is not None:
            return _within(now, inner, value)
        name = "content" if "content" in now else _only_text(now)
        if name is None:
            raise BadValue(f"a {type_name(message)} is no text: give an object", schema(type(message)))
        return {**now, name: value}
    if not isinstance(value, dict):
        raise BadValue(f"a {type_name(message)} is an object or a text", schema(type(message)))
    if inner is not None and value and not set(value) <= set(now):
        return _within(now, inner, value)
    return _deep(now, value)


def _inner(message: Any) -> str | None:
    names = field_names(type(message))
    if is_chat_message(message) or not _is_group_chat(message):
        return None
    return next((name for name in _INNER if name in names), None)


def field_names(cls: Any) -> list[str]:
    """The fields of a model or a dataclass."""
    return [*(getattr(cls, "model_fields", None) or getattr(cls, "__dataclass_fields__", None) or ())]


def _is_group_chat(message: object) -> bool:
    return type(message).__module__.startswith("autogen_agentchat.")


def _within(now: dict[str, Json], name: str, value: Json) -> Json:
    """`now` with `value` merged into the message that it holds under `name`, at whatever depth."""
    held = now[name]
    if isinstance(held, list):
        if not held:
            raise BadValue("there is no message in it to change: give the list of messages")
        return {**now, name: [*held[:-1], _into(held[-1], value)]}
    if held is None:
        text = value if isinstance(value, dict) else {"content": value}
        return {**now, name: [{"type": "TextMessage", "source": "user", **text}]}
    deeper = next((inner for inner in _INNER if inner in held), None)
    return {**now, name: _within(held, deeper, value) if deeper else _into(held, value)}


def _into(held: dict[str, Json], value: Json) -> Json:
    if isinstance(value, str):
        return {**held, "content": value}
    if value.get("type", held.get("type")) != held.get("type"):
        return {"source": held.get("source"), **value}
    return _deep(held, value)


def _deep(now: Json, value: Json) -> Json:
    if not (isinstance(now, dict) and isinstance(value, dict)):
        return value
    return {**now, **{name: _deep(now.get(name), item) for name, item in value.items()}}


def _only_text(now: dict[str, Json]) -> str | None:
    texts = [name for name, item in now.items() if isinstance(item, str)]
    return texts[0] if len(now) == 1 and texts else None


def apply(message: Any, value: Json) -> Any:
    """The message with a new full body: the same object for a group chat, whose members share it, else a new one."""
    made = build(type(message), value)
    if not (is_chat_message(message) or _is_group_chat(message)):
        return made
    _become(message, made)
    return message


def _become(old: Any, new: Any) -> Any:
    """Let `old` say what `new` says; objects inside stay the same objects where they can."""
    if is_chat_message(old) and is_chat_message(new):
        kept = {name: getattr(old, name) for name in ("id", "created_at")}
        if type(old) is not type(new):
            object.__setattr__(old, "__class__", type(new))
        old.__dict__.clear()
        old.__dict__.update({**new.__dict__, **kept})
        return old
    if type(old) is type(new) and isinstance(old, BaseModel):
        old.__dict__.update({name: _become(old.__dict__.get(name), item) for name, item in new.__dict__.items()})
        return old
    if type(old) is type(new) and dataclasses.is_dataclass(old) and not isinstance(old, FunctionCall):
        for f in dataclasses.fields(old):
            object.__setattr__(old, f.name, _become(getattr(old, f.name), getattr(new, f.name)))
        return old
    if isinstance(old, list) and isinstance(new, list):
        return [_become(a, b) for a, b in zip(old, new, strict=False)] + new[len(old) :]
    return new
