"""Patterns over JSON values: which inputs a mock is meant for.

    {"city": "Rome"}             an object whose field is this; fields that are not named may be anything
    ["a", "b"]                   a list of exactly these
    "Rome", 3, true, null        this value
    {"$any": true}               anything, but there
    {"$regex": "^R"}             a text in which the pattern is found
    {"$in": [1, 2]}              one of these
    {"$gt": 1, "$le": 5}         a number in this range; also "$ge", "$lt"
    {"$exact": {"city": "Rome"}} exactly this, no further field

A typed value (an event, a message, a tuple) is looked into: a pattern that does not name its ``$type`` is about its
fields.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

from outtake_probe.records import Json

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "$gt": operator.gt,
    "$ge": operator.ge,
    "$lt": operator.lt,
    "$le": operator.le,
}
OPERATORS = ("$any", "$regex", "$in", "$exact", *_COMPARE)


def check_pattern(pattern: Json) -> None:
    """Raises `ValueError` for a pattern that says nothing clear; the message names the operator and those known."""
    if isinstance(pattern, list):
        for item in pattern:
            check_pattern(item)
    if not isinstance(pattern, dict):
        return
    asked = [name for name in pattern if name.startswith("$") and name != "$type"]
    for name in asked:
        if name not in OPERATORS:
            raise ValueError(f"unknown operator {name!r}; known: {', '.join(OPERATORS)}")
        _check_operand(name, pattern[name])
    if asked and len(asked) < len(pattern):
        raise ValueError(f"{asked[0]} stands beside fields; a pattern is operators, or fields")
    if not asked:
        for item in pattern.values():
            check_pattern(item)


def _check_operand(name: str, operand: Json) -> None:
    if name == "$regex":
        try:
            re.compile(operand)
        except (re.error, TypeError) as error:
            raise ValueError(f"{operand!r} is no regular expression: {error}") from error
    if name == "$in" and not isinstance(operand, list):
        raise ValueError(f"$in takes a list, not {operand!r}")
    if name in _COMPARE and not _is_number(operand):
        raise ValueError(f"{name} takes a number, not {operand!r}")


def matches(pattern: Json, value: Json) -> bool:
    """Whether a value is what the pattern describes."""
    value = _made(value)
    if isinstance(pattern, dict):
        if any(name in OPERATORS for name in pattern):
            return all(_holds(name, operand, value) for name, operand in pattern.items())
        inner = value if "$type" in pattern else _untyped(value)
        return isinstance(inner, dict) and all(k in inner and matches(p, inner[k]) for k, p in pattern.items())
    value = _untyped(value)
    if isinstance(pattern, list):
        same = isinstance(value, (list, tuple)) and len(pattern) == len(value)
        return same and all(matches(p, v) for p, v in zip(pattern, value))  # noqa: B905  the same length
    return _same(pattern, value)


def _holds(name: str, operand: Json, value: Json) -> bool:
    if name == "$any":
        return True
    if name == "$exact":
        return _exactly(operand, value)
    plain = _untyped(value)
    if name == "$in":
        return any(_exactly(item, plain) for item in operand)
    if name == "$regex":
        return isinstance(plain, str) and re.search(operand, plain) is not None
    return _is_number(plain) and _COMPARE[name](plain, operand)


def _exactly(wanted: Json, value: Json) -> bool:
    value = _made(value)
    if isinstance(wanted, dict):
        inner = value if "$type" in wanted else _untyped(value)
        same = isinstance(inner, dict) and wanted.keys() == inner.keys()
        return same and all(_exactly(wanted[k], inner[k]) for k in wanted)
    value = _untyped(value)
    if isinstance(wanted, list):
        same = isinstance(value, (list, tuple)) and len(wanted) == len(value)
        return same and all(_exactly(w, v) for w, v in zip(wanted, value))  # noqa: B905  the same length
    return _same(wanted, value)


def _same(wanted: Json, value: Json) -> bool:
    """Equal, where true is not 1."""
    return isinstance(wanted, bool) == isinstance(value, bool) and bool(wanted == value)


def _is_number(value: Json) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _made(value: Json) -> Json:
    """A part that is made when it is asked for (`outtake_probe.bodies.Part`), made."""
    make = getattr(value, "make", None)
    return make() if make is not None else value


def _untyped(value: Json) -> Json:
    """What a tagged value (see `outtake_probe.codec`) holds."""
    if isinstance(value, dict) and "$type" in value:
        for name in ("fields", "items", "value"):
            if name in value:
                return value[name]
    return value
