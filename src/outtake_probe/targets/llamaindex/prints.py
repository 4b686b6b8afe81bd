"""What tells whether a value of the program's state has changed, at the price of a comparison.

A *print* keeps the content of plain data (lists, objects, simple values), of other values their text.  Of a list that
has grown only what is new is hashed and recorded, of an object only what differs, so that a conversation that is kept
in the state costs its new message at each step.  What no record can hold has no print.
"""

from __future__ import annotations

import json
import marshal
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from outtake_probe.records import Json
from outtake_probe.values import Opaque, class_name, encode, is_opaque

_SORTS_SETS = sys.version_info >= (3, 11)
"""Whether `marshal` writes sets in an order that does not depend on the process."""
_LEAVES = frozenset({str, int, float, bool, bytes, complex, type(None)})
_DEPTH = 6
_SMALL = object.__basicsize__ + 24
_MANY = 8
"""Entries from which only what differs in an object is recorded."""
constants: list[tuple[type, Callable[[Any], Json]]] = []
"""Classes whose objects are parts of the program rather than values: what of them counts is their settings."""
unfit: list[type] = []
"""Classes whose objects have a state that no record holds."""


class _NotPlain(Exception):
    """A value that is not made of lists, objects and simple values only."""


@dataclass(slots=True)
class Print:
    """What a value looked like: its content, with containers of its own, where it is plain; else its text."""

    content: Any
    digest: str
    text: bytes = b""
    hashed: Any = None
    """Of a list, the hash of its items so far; of an object, the sum of the hashes of its entries."""

    def grown_from(self, before: Print) -> bool:
        """Whether this is a list that begins with all of another one."""
        mine, theirs = self.content, before.content
        if type(mine) is not list or type(theirs) is not list or len(theirs) > len(mine):
            return False
        return bool(mine[: len(theirs)] == theirs)

    def entries(self) -> dict[str, Any] | None:
        """The entries of a large object."""
        found = self.content
        return found if type(found) is dict and len(found) > _MANY and _has_names(found) else None


ABSENT = Print(None, "")
"""There is no value."""


def _has_names(value: dict[Any, Any]) -> bool:
    return all(type(key) is str for key in value)


def take(value: object, before: Print | None = None) -> Print:
    """The print of a value; `before` is the one that it probably had.  Raises `Opaque`."""
    kind = type(value)
    if before is not None and before is not ABSENT and not before.text:
        if type(before.content) is kind and before.content == value:
            return before  # compared by identity first, so this is quick
        if kind is list and type(before.content) is list:
            return _grown(value, before)  # type: ignore[arg-type]
    try:
        return _of_plain(value)
    except _NotPlain:
        text = _text(value)
        return Print(None, blake2b(text, digest_size=16).hexdigest(), text=text)


def _of_plain(value: Any) -> Print:
    content = _snapshot(value, 0)
    if type(content) is list:
        return _of_list(content, blake2b(digest_size=16), content)
    if type(content) is dict and _has_names(content):
        total = sum(_entry(key, item) for key, item in content.items())
        return Print(content, f"{total % (1 << 128):032x}:{len(content)}", hashed=total)
    return Print(content, blake2b(_dump(content), digest_size=16).hexdigest())


def _of_list(content: list[Any], hashed: Any, new: list[Any]) -> Print:
    for item in new:
        text = _dump(item)
        hashed.update(len(text).to_bytes(8, "big") + text)
    return Print(content, f"{hashed.hexdigest()}:{len(content)}", hashed=hashed)


def _grown(value: list[Any], before: Print) -> Print:
    """The print of a list that may have grown since."""
    old = before.content
    try:
        if len(value) >= len(old) and value[: len(old)] == old:
            new = [_snapshot(item, 1) for item in value[len(old) :]]
            return _of_list([*old, *new], before.hashed.copy(), new)
        return _of_plain(value)
    except _NotPlain:
        text = _text(value)
        return Print(None, blake2b(text, digest_size=16).hexdigest(), text=text)


def _snapshot(value: Any, depth: int) -> Any:
    """A copy of the containers of plain data.  Raises `_NotPlain`."""
    kind = type(value)
    if kind in _LEAVES:
        return value
    if depth > 30:
        raise _NotPlain
    if kind is list:
        return [_snapshot(item, depth + 1) for item in value]
    if kind is dict:
        return {_snapshot(key, depth + 1): _snapshot(item, depth + 1) for key, item in value.items()}
    if kind is tuple:
        return tuple(_snapshot(item, depth + 1) for item in value)
    if kind in (set, frozenset) and _SORTS_SETS and all(type(item) in _LEAVES for item in value):
        return kind(value)
    raise _NotPlain


def _dump(value: Any) -> bytes:
    return marshal.dumps(value, 2)


def _entry(key: str, item: Any) -> int:
    return int.from_bytes(blake2b(_dump((key, item)), digest_size=16).digest(), "big")


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
