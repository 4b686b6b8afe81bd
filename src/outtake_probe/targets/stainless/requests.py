"""The body of a model request as JSON: what the client would send, without sending it.

A request repeats the whole conversation, so its messages and tools are handed on as `Part`s: what was seen before is
neither serialised nor stored again.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Hashable, Iterator, Mapping
from functools import partial
from typing import Any

from outtake_probe.bodies import Part
from outtake_probe.codec import encode, is_model
from outtake_probe.commands import BadValue
from outtake_probe.records import Json
from outtake_probe.targets.stainless.library import Absent, Turns


def settled(value: Any) -> Any:
    """`value` with its containers copied and its one-shot iterators read: it can be looked at and still be sent."""
    if type(value) is dict:
        return {key: settled(item) for key, item in value.items()}
    if type(value) in (list, tuple) or (isinstance(value, Iterator) and not hasattr(value, "read")):
        return [settled(item) for item in value]
    return value


def plain(value: Any, absent: Absent = ()) -> Json:
    """`value` as the JSON that goes over the wire; what JSON cannot say (a file) is tagged."""
    if isinstance(value, Mapping):
        return {str(key): plain(item, absent) for key, item in value.items() if not isinstance(item, absent)}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item, absent) for item in value]
    if is_model(value):
        return dump(value)
    if isinstance(value, dt.date):
        return value.isoformat()
    return encode(value)


def dump(model: Any) -> Json:
    """A pydantic model as the client libraries serialise it: what was set, under the names of the wire."""
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True, warnings=False)


def body_json(body: Mapping[str, Any], absent: Absent) -> dict[str, Json]:
    """The request's body as the input of an invocation; the items of its lists are `Part`s."""
    return {key: _top(value, absent) for key, value in body.items() if not isinstance(value, absent)}


def _top(value: Any, absent: Absent) -> Json:
    if type(value) is list:
        return [Part(("request", _key(item, absent)), partial(plain, item, absent)) for item in value]
    return plain(value, absent)


def _key(value: Any, absent: Absent) -> Hashable:
    """Equal for equal JSON only; costs little, because a text remembers its hash."""
    kind = type(value)
    if value is None or kind is str:
        return str(value) if kind is str else None
    if kind is dict:
        return ("{", *((key, _key(item, absent)) for key, item in value.items() if not isinstance(item, absent)))
    if kind in (list, tuple):
        return ("[", *(_key(item, absent) for item in value))
    if kind in (bool, int, float):
        return (kind, value)
    return _key(plain(value, absent), absent)


def edited_body(body: Mapping[str, Any], edited: Mapping[str, Json], absent: Absent) -> dict[str, Any]:
    """The body to send for an edited input: what the edit left alone stays the very object that the program gave."""
    same = (key for key, value in edited.items() if key in body and plain(body[key], absent) == value)
    return {**edited, **{key: body[key] for key in same}}


def normalized(now: dict[str, Json], turns: Turns, value: Json) -> dict[str, Json]:
    """The whole request of an edit that names some of its keys; null takes a key out.  Raises `BadValue`."""
    example = {turns.name: turns.example}
    if not isinstance(value, dict) or not value:
        shown = json.dumps(example)
        raise BadValue(f"a request is edited by an object with the keys to replace, like {shown}", example)
    if bool(value.get("stream", now.get("stream"))) != bool(now.get("stream")):
        raise BadValue("the program waits for a stream, or for none: an edit cannot change `stream`")
    if not turns.takes(value.get(turns.name, now.get(turns.name))):
        raise BadValue(f"`{turns.name}` cannot be this; it looks like {json.dumps(example)}", example)
    return {key: item for key, item in {**now, **value}.items() if item is not None}
