"""Checks new values of settings against their JSON schemas.

Of JSON Schema it knows what adapters write for settings: `type`, one or several, and `enum` of the `items` of an array.
Anything else in a schema is for the reader, and accepts every value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from outtake_probe.commands import BadValue
from outtake_probe.records import Json

_TYPES: Mapping[str, Any] = {
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}


def check_value(name: str, value: Json, schema: Mapping[str, Json]) -> None:
    """Raises `BadValue` where the value does not fit the schema; `name` is what the message calls the setting."""
    kinds = schema.get("type")
    allowed = kinds if isinstance(kinds, list) else [kinds] if kinds else []
    if allowed and not any(_is_of_type(value, kind) for kind in allowed):
        raise BadValue(f"{name} is {' or '.join(allowed)}, not {value!r}", schema)
    options = schema.get("items", {}).get("enum")
    unknown = [item for item in value if item not in options] if options is not None and isinstance(value, list) else []
    if unknown:
        raise BadValue(f"{name}: there is no {unknown[0]!r}; known: {', '.join(options) or 'none'}", schema)


def _is_of_type(value: Json, kind: str) -> bool:
    if isinstance(value, bool) and kind in ("number", "integer"):
        return False  # to Python a boolean is an integer
    return isinstance(value, _TYPES.get(kind, object))
