"""What tells whether a value of the program's state has changed, at the price of copying it once.

A *print* is made of the bytes of the value (`marshal`, where all of it is plain data; its encoded form otherwise).
Of a list that has grown only what is new is hashed and encoded, of an object only what differs, so that a conversation
that is kept in the state costs its new message at each step.  What no record can hold has no print.
"""

from __future__ import annotations

import json
import marshal
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from outtake_probe.records import Json
from outtake_probe.values import Opaque, class_name, encode, is_opaque

_FAST = sys.version_info >= (3, 11)
"""Whether `marshal` writes sets in an order that does not depend on the process."""
_HEAD = 5
"""Bytes before the items of a list: its kind and its length."""
_DEPTH = 6
_SMALL = object.__basicsize__ + 24
_MANY = 8
"""Entries from which only what differs in an object is recorded."""
constants: list[tuple[type, Callable[[Any], Json]]] = []
"""Classes whose objects are parts of the program rather than values: what of them counts is their settings."""
unfit: list[type] = []
"""Classes whose objects have a state that no record holds."""


@dataclass(slots=True)
class Print:
    """What a value looked like."""

    raw: bytes
    digest: str
    count: int = -1
    """Length of a list; -1 for anything else."""
    hashed: Any = None
    parts: dict[str, bytes] | None = field(default=None)
    """Of a large object, a hash for each entry."""

    def grown_from(self, before: Print) -> bool:
        """Whether this is a list that begins with all of another one."""
        return (
            0 <= before.count <= self.count
            and len(self.raw) >= len(before.raw)
            and self.raw.startswith(before.raw[_HEAD:], _HEAD)
        )


ABSENT = Print(b"", "")
"""There is no value."""


def take(value: object, before: Print | None = None) -> Print:
    """The print of a value; `before` is the one that it probably had.  Raises `Opaque`."""
    raw = _bytes(value)
    if before is not None and raw == before.raw:
        return before
    if type(value) is list:
        return _of_list(raw, len(value), before)
    parts = None
    if type(value) is dict and len(value) > _MANY and all(type(key) is str for key in value):
        parts = {key: blake2b(_bytes(item), digest_size=12).digest() for key, item in value.items()}
    return Print(raw, blake2b(raw, digest_size=16).hexdigest(), parts=parts)


def _of_list(raw: bytes, count: int, before: Print | None) -> Print:
    made = Print(raw, "", count)
    if before is not None and before.hashed is not None and made.grown_from(before):
        made.hashed = before.hashed.copy()
        made.hashed.update(raw[len(before.raw) :])
    else:
        made.hashed = blake2b(raw[_HEAD:], digest_size=16)
    made.digest = f"{made.hashed.hexdigest()}:{count}"
    return made


def _bytes(value: object) -> bytes:
    if _FAST:
        try:
            return marshal.dumps(value, 2)  # type: ignore[arg-type]  # what it cannot write raises
        except ValueError:
            pass
    if type(value) is list:
        parts = [_text(item) for item in value]
        return b"\0" * _HEAD + b"".join(len(part).to_bytes(8, "big") + part for part in parts)
    return _text(value)


def _text(value: object) -> bytes:
    return json.dumps(_shown(value, 0), sort_keys=True).encode("utf-8", "surrogatepass")


def _shown(value: object, depth: int) -> Json:
    """A value as JSON that is the same for the same content.  Raises `Opaque` for what has a hidden state."""
    if isinstance(value, tuple(unfit)):
        raise Opaque(f"a {class_name(type(value))} has a state that no record holds")
    for cls, settings in constants:
        if isinstance(value, cls):
            return [class_name(type(value)), settings(value)]
    if isinstance(value, types.MethodType):
        return [value.__name__, _shown(value.__self__, depth + 1)]
    if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, type, types.ModuleType)):
        return _constant(value, depth)
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *(_shown(item, depth + 1) for item in value)]
    if type(value) is dict:
        return {"dict": [[_shown(k, depth + 1), _shown(v, depth + 1)] for k, v in value.items()]}
    coded = encode(value)
    if not is_opaque(coded):
        return coded
    own = getattr(value, "__dict__", None)
    if depth > _DEPTH or own is None or not _is_python(type(value)):
        raise Opaque(f"a {class_name(type(value))} cannot be put into a record")
    return [class_name(type(value)), {name: _shown(item, depth + 1) for name, item in own.items()}]


def _constant(value: Any, depth: int) -> Json:
    """A function, class or module: what it is called, and what a closure holds."""
    cells = [cell.cell_contents for cell in getattr(value, "__closure__", None) or () if _is_filled(cell)]
    inside = [_shown(item, depth + 1) for item in cells] if depth <= _DEPTH else []
    return [getattr(value, "__module__", ""), getattr(value, "__qualname__", value.__name__), *inside]


def _is_filled(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def _is_python(cls: type) -> bool:
    """Whether the objects of a class hide nothing beside their attributes: those written in C are larger than that."""
    return cls.__basicsize__ <= _SMALL


def coded(value: object) -> Json:
    """`value` for a record that is to bring it back.  Raises `Opaque`."""
    found = encode(value)
    if is_opaque(found):
        raise Opaque(f"a {class_name(type(value))} cannot be put into a record")
    return found
