"""What tells whether a value of the program's state has changed, at the price of a comparison.

A *print* is the digest of a value, with what makes the next one cheap: the parts of the value as they were (see
`contents`), and digests of the items of a list or the entries of an object.  Of a list that has grown only what is new
is hashed and recorded, of an object only what differs, so that a conversation that is kept in the state costs its new
message at each step.  What no record can hold has no print.
"""

from __future__ import annotations

import json
import marshal
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from operator import is_
from typing import Any

from outtake_probe.codec import Opaque, class_name, encode, is_opaque
from outtake_probe.records import Json
from outtake_probe.targets.llamaindex import shallow_snapshot
from outtake_probe.targets.llamaindex.shallow_snapshot import Contents

_SORTS_SETS = sys.version_info >= (3, 11)
"""Whether `marshal` writes sets in an order that does not depend on the process."""
_LEAVES = frozenset({str, int, float, bool, bytes, complex, type(None)})
_DEPTH = 6
_DEEP = 30
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

    kind: type
    digest: str
    seen: Contents | None = None
    """Its parts, of a list its items' parts; None where they cannot be determined, or need not be."""
    items: list[Any] | None = None
    """Of a list, its items where all are simple values, else a digest of each."""
    simple: bool = False
    names: dict[str, int] | None = None
    """Of an object, a digest of each entry."""
    hashed: Any = None
    """Of a list, the hash of its items so far."""
    value: Any = None
    """Of a simple value, the value."""

    def grown_from(self, before: Print) -> bool:
        """Whether this is a list that begins with all of another one."""
        mine, theirs = self.items, before.items
        if mine is None or theirs is None:
            return False
        return not theirs or (self.simple == before.simple and _begins(mine, theirs))

    def entries(self) -> dict[str, int] | None:
        """The entries of a large object."""
        return self.names if self.names is not None and len(self.names) > _MANY else None


ABSENT = Print(type(None), "")
"""There is no value."""


def take(value: object, before: Print | None = None) -> Print:
    """The print of a value; `before` is the one that it probably had.  Raises `Opaque`."""
    kind = type(value)
    if kind in _LEAVES:
        if before is not None and before is not ABSENT and before.kind is kind and before.value is value:
            return before
        return Print(kind, _digest(_dump(value)), value=value)
    last = before if before is not None and before.kind is kind else None
    if kind is list:
        return _of_list(value, last)  # type: ignore[arg-type]
    seen = shallow_snapshot.look([value], _is_closed)
    if seen is not None and last is not None and last.seen is not None and seen.is_same(last.seen):
        return last
    if kind is dict and all(type(key) is str for key in value):  # type: ignore[attr-defined]
        names = {key: _entry(key, item) for key, item in value.items()}  # type: ignore[attr-defined]
        return Print(kind, f"{sum(names.values()) % (1 << 128):032x}:{len(names)}", seen, names=names)
    return Print(kind, _digest(_dump(value)), seen)


def _of_list(value: list[Any], last: Print | None) -> Print:
    simple = _LEAVES.issuperset(map(type, value))
    seen = None if simple else shallow_snapshot.look(value, _is_closed)
    old = last.items if last is not None and last.simple == simple else None
    if last is None or old is None or not (_begins(value, old) if simple else _went_on(seen, last.seen)):
        return _listed(value, [], blake2b(digest_size=16), seen, simple)
    if len(old) == len(value):
        return last
    return _listed(value, old, last.hashed.copy(), seen, simple)


def _went_on(seen: Contents | None, before: Contents | None) -> bool:
    return seen is not None and before is not None and seen.begins_with(before)


def _listed(value: list[Any], old: list[Any], hashed: Any, seen: Contents | None, simple: bool) -> Print:
    """The print of a list whose first items are `hashed` already."""
    texts = [_dump(item) for item in value[len(old) :]]
    for text in texts:
        hashed.update(len(text).to_bytes(8, "big") + text)
    items = list(value) if simple else [*old, *(blake2b(text, digest_size=16).digest() for text in texts)]
    return Print(list, f"{hashed.hexdigest()}:{len(items)}", seen, items=items, simple=simple, hashed=hashed)


def _begins(value: list[Any], old: list[Any]) -> bool:
    """Whether a list of simple values begins with these."""
    if len(value) < len(old):
        return False
    if all(map(is_, old, value)):
        return True
    start = value[: len(old)]
    return start == old and list(map(type, start)) == list(map(type, old))


def _is_closed(kind: type) -> bool:
    """Whether it is more, or less, than its parts that counts."""
    return issubclass(kind, (*unfit, *(cls for cls, _ in constants)))


def _digest(text: bytes) -> str:
    return blake2b(text, digest_size=16).hexdigest()


def _dump(value: Any) -> bytes:
    """The same text for the same content.  Raises `Opaque`."""
    if _is_plain(value, 0):
        return marshal.dumps(value, 2)
    return json.dumps(_shown(value, 0), sort_keys=True).encode("utf-8", "surrogatepass")


def _is_plain(value: Any, depth: int) -> bool:
    """Whether a value is made of lists, objects and simple values only."""
    kind = type(value)
    if kind in _LEAVES:
        return True
    if depth > _DEEP:
        return False
    if kind is list or kind is tuple:
        return all(_is_plain(item, depth + 1) for item in value)
    if kind is dict:
        return all(_is_plain(key, depth + 1) and _is_plain(item, depth + 1) for key, item in value.items())
    return _SORTS_SETS and kind in (set, frozenset) and all(type(item) in _LEAVES for item in value)


def _entry(key: str, item: Any) -> int:
    return int.from_bytes(blake2b(_dump(key) + _dump(item), digest_size=16).digest(), "big")


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
