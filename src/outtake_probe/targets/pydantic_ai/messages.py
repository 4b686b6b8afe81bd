"""pydantic-ai's messages as JSON that a person can read and edit, and back.

    {"role": "assistant", "content": "...", "thinking": "...", "tool_calls": [{"name": ..., "args": ...}]}

Each part of a request is a message of its own, a response is one message.  A prompt shows what its messages say,
without ids and times, which differ from run to run: equal conversations are equal in every run.  An answer keeps,
beside what it says, all that is needed to bring it back.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic_ai import messages as framework
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from outtake_probe.codec import decode, encode
from outtake_probe.commands import BadValue
from outtake_probe.records import Json

SCHEMA: Json = {
    "type": "object",
    "properties": {
        "role": {"enum": ["system", "user", "assistant", "tool"]},
        "content": {"anyOf": [{"type": "string"}, {"type": "array"}]},
        "thinking": {"type": "string"},
        "tool_calls": {"type": "array", "items": {"type": "object", "required": ["name", "args"]}},
        "name": {"type": "string", "description": "of the tool whose result this is"},
    },
    "required": ["role"],
}
VOLATILE = frozenset(
    {"timestamp", "tool_call_id", "id", "metadata", "signature", "provider_name", "provider_url", "provider_details"}
)
"""Fields that libraries fill in, differently in each run, and that say nothing."""
_ROLES: Mapping[str, type[Any]] = {"system": SystemPromptPart, "user": UserPromptPart, "tool": ToolReturnPart}
_KINDS = ("part_kind", "part_delta_kind")
_SAID = ("content", "thinking", "tool_calls", "other")
Item = Any
"""A part of a request, or a response."""


# -- parts -----------------------------------------------------------------------------------------------------------


@functools.cache
def _kinds(name: str = "part_kind") -> dict[str, type[Any]]:
    """The classes of parts, or (`part_delta_kind`) of changes, by kind; of several, what the others derive from."""
    found: dict[str, type[Any]] = {}
    for cls in vars(framework).values():
        kind = getattr(cls, name, None)
        is_part = isinstance(cls, type) and dataclasses.is_dataclass(cls) and isinstance(kind, str)
        if is_part and issubclass(found.get(str(kind), cls), cls):
            found[str(kind)] = cls
    return found


def fields(value: Any, without: Iterable[str] = ()) -> dict[str, Json]:
    """What the fields of a dataclass hold that are not as by default."""
    out: dict[str, Json] = {}
    for field in dataclasses.fields(value):
        held = getattr(value, field.name)
        if field.name not in without and field.init and not _is_default(field, held):
            out[field.name] = encode(held)
    return out


def _is_default(field: dataclasses.Field[Any], held: object) -> bool:
    if field.default is not dataclasses.MISSING:
        return bool(held == field.default)
    return field.default_factory is not dataclasses.MISSING and not held and not field.default_factory()


def part_fields(part: Any) -> dict[str, Json]:
    """A part of a message, or a change of one, whole."""
    return {name: getattr(part, name) for name in _KINDS if hasattr(part, name)} | fields(part, _KINDS)


def make_part(value: Mapping[str, Json]) -> Any:
    """What `part_fields` wrote.  Raises `BadValue`."""
    name = next((name for name in _KINDS if name in value), _KINDS[0])
    cls = _kinds(name).get(str(value.get(name)))
    if cls is None:
        raise BadValue(f"there is no {name} {value.get(name)!r}; known: {', '.join(sorted(_kinds(name)))}")
    try:
        return cls(**{str(key): decode(item) for key, item in value.items() if key != name})
    except TypeError as error:
        raise BadValue(f"a part of the kind {value[name]!r}: {error}") from error


# -- what messages say -----------------------------------------------------------------------------------------------


def items_of(messages: Iterable[ModelMessage]) -> list[Item]:
    """The parts of requests, and the responses, in order."""
    return [item for m in messages for item in (m.parts if isinstance(m, ModelRequest) else (m,))]


def said(item: Item, *, ids: bool = False) -> dict[str, Json]:
    """What a part of a request or a response says; `ids`: with the ids of tool calls."""
    if isinstance(item, ModelResponse):
        return {"role": "assistant", **_answered(item.parts, ids)}
    role = next((role for role, cls in _ROLES.items() if type(item) is cls), None)
    held = fields(item, VOLATILE)
    name = held.pop("tool_name", None)
    out: dict[str, Json] = {"role": role or ("tool" if name is not None else "user")}
    if role is None:
        out["kind"] = item.part_kind
        held.pop("part_kind", None)
    return {**out, **({"name": name} if name is not None else {}), **held}


def _answered(parts: Sequence[Any], ids: bool) -> dict[str, Json]:
    texts = [part.content for part in parts if type(part) is TextPart]
    thoughts = [part.content for part in parts if type(part) is ThinkingPart]
    calls = [_call(part, ids) for part in parts if isinstance(part, ToolCallPart)]
    other = [_kind_and(part) for part in parts if not isinstance(part, (TextPart, ThinkingPart, ToolCallPart))]
    out: dict[str, Json] = {"content": "".join(texts)}
    given = {"thinking": "\n\n".join(filter(None, thoughts)), "tool_calls": calls, "other": other}
    return {**out, **{name: value for name, value in given.items() if value}}


def _kind_and(part: Any) -> Json:
    return {"part_kind": part.part_kind, **fields(part, VOLATILE)}


def _call(part: ToolCallPart, ids: bool) -> Json:
    out: dict[str, Json] = {"name": part.tool_name, "args": _arguments(part.args)}
    return {**out, "id": part.tool_call_id} if ids else out


def _arguments(args: Any) -> Json:
    """The arguments of a call, which many models write as the text of a JSON object."""
    if isinstance(args, str):
        try:
            read = json.loads(args)
        except ValueError:
            return args
        return read if isinstance(read, dict) else args
    return encode(args or {})


def _parts(value: Mapping[str, Json]) -> list[Any]:
    """The parts of the response that a person means.  Raises `BadValue`."""
    made: list[Any] = [ThinkingPart(str(value["thinking"]))] if value.get("thinking") else []
    content, calls = value.get("content"), value.get("tool_calls") or []
    if not isinstance(content, (str, type(None))) or not isinstance(calls, list):
        raise BadValue('an answer has a text as "content" and a list of "tool_calls"', SCHEMA)
    if content or not (made or calls):
        made.append(TextPart(content or ""))
    for call in calls:
        if not isinstance(call, dict) or not isinstance(call.get("name"), str):
            raise BadValue('a tool call is {"name": ..., "args": {...}}', SCHEMA)
        made.append(ToolCallPart(call["name"], decode(call.get("args")), **_id(call)))
    return [*made, *(make_part(part) for part in value.get("other") or ())]


def _id(call: Mapping[str, Json]) -> dict[str, Any]:
    return {"tool_call_id": str(call["id"])} if call.get("id") else {}


class Snapshot:
    """The items of a conversation and what they held, as far as it can change in place."""

    __slots__ = ("held", "items")

    def __init__(self, items: list[Any]) -> None:
        self.items = items
        self.held = [_held(item) for item in items]

    def begins_with(self, before: Snapshot) -> bool:
        at = len(before.items)
        return at <= len(self.items) and self.held[:at] == before.held and self.items[:at] == before.items


def _held(item: Any) -> object:
    if isinstance(item, ModelResponse):
        return [_held(part) for part in item.parts]
    said = getattr(item, "content", None) or getattr(item, "args", None)
    return said if isinstance(said, str) else repr(said)


# -- whole answers ---------------------------------------------------------------------------------------------------


def encode_response(response: ModelResponse) -> Json:
    """An answer: what it says, and under "response" what else is needed to bring it back."""
    value, rest = said(response, ids=True), fields(response, ("parts",))
    if _parts(value) != list(response.parts):
        rest["parts"] = [part_fields(part) for part in response.parts]
    return {**value, "response": rest}


def decode_response(value: Json) -> ModelResponse:
    """What `encode_response` wrote, or a person: a text, or an object with what it says.  Raises `BadValue`."""
    if isinstance(value, str):
        value = {"content": value}
    if not isinstance(value, dict) or not any(name in value for name in (*_SAID, "response")):
        raise BadValue("an answer is a text, or an object with content, thinking or tool_calls", SCHEMA)
    rest = dict(value.get("response") or {})
    kept = [make_part(part) for part in rest.pop("parts", ())]
    response = ModelResponse(parts=kept, **{name: decode(item) for name, item in rest.items()})
    if not kept or said(response, ids=True) != {"role": "assistant", **_only_said(value)}:
        response.parts = _parts(value)
    return response


def _only_said(value: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value[name] for name in _SAID if value.get(name) or (name == "content" and name in value)}


# -- edited conversations --------------------------------------------------------------------------------------------


def edited(messages: Sequence[ModelMessage], value: Sequence[Json]) -> list[ModelMessage]:
    """The messages of a prompt after an edit: those that it left as they were keep all that they hold.

    Raises `BadValue`.
    """
    items = items_of(messages)
    shown = [said(item) for item in items]
    free = set(range(len(items)))
    made: list[Item] = []
    for number, message in enumerate(value):
        at = _place_of(message, number, shown, free)
        if at is not None:
            free.discard(at)
            made.append(items[at])
            continue
        near = items[number] if number < len(items) else None
        made.append(_item(message, near, made))
    last = next((m for m in reversed(messages) if isinstance(m, ModelRequest)), ModelRequest(parts=[]))
    return _grouped(made, last)


def _place_of(message: Json, number: int, shown: Sequence[Json], free: set[int]) -> int | None:
    """Where the message of that number stood before: there, or else elsewhere."""
    if number in free and shown[number] == message:
        return number
    return next((at for at in sorted(free) if shown[at] == message), None)


def _item(message: Json, near: Item, before: Sequence[Item]) -> Item:
    """A message that a person wrote; `near` is the one that was in its place."""
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        raise BadValue('a message is {"role": ..., "content": ...}', SCHEMA)
    if message["role"] == "assistant":
        response = ModelResponse(parts=_parts(message))
        if isinstance(near, ModelResponse):
            _keep_ids(response, near)
        return response
    cls = _kinds().get(str(message["kind"])) if "kind" in message else _ROLES.get(message["role"])
    if cls is None:
        raise BadValue(f"there is no role {message['role']!r}; known: {', '.join([*_ROLES, 'assistant'])}", SCHEMA)
    held = {name: decode(item) for name, item in message.items() if name not in ("role", "name", "kind")}
    if cls is ToolReturnPart or "name" in message:
        held |= {"tool_name": message.get("name") or "", **_answered_call(message, near, before)}
    try:
        return cls(**held)
    except TypeError as error:
        raise BadValue(f"a message of the role {message['role']}: {error}", SCHEMA) from error


def _keep_ids(response: ModelResponse, old: ModelResponse) -> None:
    """Calls that an edit did not rename keep their ids: results refer to them."""
    for new, was in zip(response.tool_calls, old.tool_calls, strict=False):
        if new.tool_name == was.tool_name:
            new.tool_call_id = was.tool_call_id


def _answered_call(message: Mapping[str, Json], near: Item, before: Sequence[Item]) -> dict[str, str]:
    """The id of the call whose result a message is: as of the result in its place, or the last call of that name."""
    if getattr(near, "tool_name", None) == message.get("name"):
        return {"tool_call_id": near.tool_call_id}
    calls = [call for item in before if isinstance(item, ModelResponse) for call in item.tool_calls]
    found = next((call for call in reversed(calls) if call.tool_name == message.get("name")), None)
    return {"tool_call_id": found.tool_call_id} if found is not None else {}


def _grouped(items: Iterable[Item], last: ModelRequest) -> list[ModelMessage]:
    """Parts of requests that follow each other are one request."""
    made: list[ModelMessage] = []
    for item in items:
        if isinstance(item, ModelResponse):
            made.append(item)
        elif made and isinstance(made[-1], ModelRequest):
            made[-1].parts = [*made[-1].parts, item]
        else:
            made.append(dataclasses.replace(last, parts=[item]))
    return made or [dataclasses.replace(last, parts=[])]
