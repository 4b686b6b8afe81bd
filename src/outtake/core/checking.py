"""Whether JSON from a stranger is what a small frozen type of ours says: its fields, and the type of each.

The check of a type is made of its annotations, so there is no list beside the types that could differ from them.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from outtake_probe.records import KINDS, Json, Record

HIGHEST = 2**63 - 1
"""The highest number that a store holds."""
LARGEST = 1e15
"""The largest number with a fraction: what is worked out from it is finite."""
_LONGEST = 100
"""Characters of a value that an error shows."""

Check = Callable[[Any], bool]


class Misfit(ValueError):
    """A value is not what the type says; the message names the field, what it holds and what it should."""


def check_fields(cls: type, data: Json, what: str) -> None:
    """Whether `data` is a JSON object with the fields of the dataclass `cls`; `what` it is, for the error.

    Raises `Misfit`.
    """
    if not isinstance(data, dict):
        raise Misfit(f"{what} is {_shown(data)}, not an object")
    fields = _fields(cls)
    for name in data:
        if name not in fields:
            raise Misfit(f"{what} has an unknown field {_shown(name)}")
    for name, field in fields.items():
        if name in data and not field.fits(data[name]):
            raise Misfit(f"{what}: {name} is {_shown(data[name])}, not {field.told}")
        if name not in data and field.needed:
            raise Misfit(f"{what} has no {name}")


def check_record(data: Json, what: str) -> type[Record]:
    """The kind of record that `data` is, every field of its type.  Raises `Misfit`."""
    kind = data.get("kind") if isinstance(data, dict) else None
    cls = KINDS.get(kind) if isinstance(kind, str) else None
    if cls is None:
        raise Misfit(f"{what}: unknown kind of record {_shown(kind)}; known: {', '.join(KINDS)}")
    check_fields(cls, {name: value for name, value in data.items() if name != "kind"}, what)
    return cls


@dataclasses.dataclass(frozen=True, slots=True)
class _Field:
    fits: Check
    told: str
    needed: bool


@cache
def _fields(cls: type) -> Mapping[str, _Field]:
    hints = typing.get_type_hints(cls)
    found = {}
    for field in dataclasses.fields(cls):
        hint = hints[field.name]
        told = getattr(hint, "__name__", None) if typing.get_origin(hint) is None else None
        needed = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        found[field.name] = _Field(_check(hint), told or str(hint).replace("typing.", ""), needed)
    return found


def _check(hint: Any) -> Check:
    """Whether a JSON value is of a type."""
    if hint is Any:
        return lambda _: True
    if hint is None or hint is type(None):
        return lambda value: value is None
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is None:
        return _SIMPLE[hint]
    if origin is typing.Literal:
        return lambda value: isinstance(value, str) and value in inner
    if origin in (types.UnionType, typing.Union):
        checks = [_check(part) for part in inner]
        return lambda value: any(check(value) for check in checks)
    if origin in (tuple, Sequence):
        item = _check(inner[0])
        return lambda value: isinstance(value, list | tuple) and all(map(item, value))
    if origin is Mapping:
        held = _check(inner[1])
        return lambda value: isinstance(value, dict) and all(map(held, value.values()))
    raise TypeError(f"no check is known for {hint}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -HIGHEST <= value <= HIGHEST


def _is_float(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -LARGEST <= value <= LARGEST


_SIMPLE: Mapping[Any, Check] = {
    str: lambda value: isinstance(value, str),
    bool: lambda value: isinstance(value, bool),
    int: _is_number,
    float: _is_float,
}


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
