"""Whether a value still holds what it held, determined without copying or encoding it.

The parts of a value are laid out by level and by type, in order: of containers and objects how many parts each has, of
what cannot change the part itself.  Where all of that is the same, the value is.  A list that has only grown begins
with what it was.  Of a long conversation this looks at each part once, many at a time.
"""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import pathlib
import uuid
import weakref
from collections.abc import Callable
from itertools import chain
from operator import attrgetter, is_
from typing import Any

from pydantic import BaseModel

_LEAVES: frozenset[type] = frozenset(
    {str, int, float, bool, bytes, complex, type(None), type, dt.datetime, dt.date, dt.time, dt.timedelta}
    | {decimal.Decimal, uuid.UUID, pathlib.PurePosixPath, pathlib.PosixPath, pathlib.PureWindowsPath, range}
)
_DEPTH = 12
_MOST = 500_000
"""Parts of a value from which it is not looked at."""
_SMALL = object.__basicsize__ + 24
_dict = attrgetter("__dict__")
_private = attrgetter("__pydantic_private__")
_extra = attrgetter("__pydantic_extra__")

Path = tuple[Any, ...]


class _Unknown(Exception):
    """It holds what cannot be looked at."""


class Contents:
    """The parts of some items, by their place among them."""

    __slots__ = ("_equal", "_left", "_same", "count")

    def __init__(self, items: list[Any], closed: Callable[[type], bool]) -> None:
        self.count = len(items)
        self._equal: dict[Path, list[Any]] = {}
        self._same: dict[Path, list[Any]] = {}
        self._left = _MOST
        self._look(items, (), closed)

    def begins_with(self, before: Contents) -> bool:
        """Whether the first items are those of `before`, and hold what they held."""
        if self.count < before.count:
            return False
        for path, old in before._equal.items():
            if self._equal.get(path, [])[: len(old)] != old:
                return False
        for path, old in before._same.items():
            new = self._same.get(path, [])
            if len(new) < len(old) or not all(map(is_, old, new)):
                return False
        return True

    def is_same(self, before: Contents) -> bool:
        return self.count == before.count and self.begins_with(before)

    def _look(self, parts: list[Any], path: Path, closed: Callable[[type], bool]) -> None:
        if not parts:
            return
        self._left -= len(parts)
        if self._left < 0 or len(path) > _DEPTH:
            raise _Unknown
        kinds = self._equal[path] = list(map(type, parts))
        distinct = dict.fromkeys(kinds)
        holders = [kind for kind in distinct if kind not in _LEAVES and not isinstance(kind, enum.EnumMeta)]
        if not holders:
            self._same[path] = parts
        elif len(holders) < len(distinct):
            leaves = set(distinct).difference(holders)
            self._same[path] = [part for part in parts if type(part) in leaves]
        for kind in holders:
            group = parts if len(distinct) == 1 else [part for part in parts if type(part) is kind]
            self._inside(kind, group, (*path, kind), closed)

    def _inside(self, kind: Any, group: list[Any], path: Path, closed: Callable[[type], bool]) -> None:
        """Go on with what the objects of a type hold."""
        if kind in (list, tuple, set, frozenset):
            self._equal[_size(path)] = list(map(len, group))
            self._look(list(chain.from_iterable(group)), path, closed)
        elif kind is dict:
            self._names(group, path, closed)
            self._values(group, path, closed)
        elif closed(kind):
            raise _Unknown
        elif issubclass(kind, BaseModel):
            self._values(list(map(_dict, group)), path, closed)
            if kind.__private_attributes__:
                self._look(list(map(_private, group)), (*path, "private"), closed)
            if kind.model_config.get("extra") == "allow":
                self._look(list(map(_extra, group)), (*path, "extra"), closed)
        elif _is_open(kind):
            attributes = list(map(_dict, group))
            self._names(attributes, path, closed)
            self._values(attributes, path, closed)
        else:
            raise _Unknown

    def _names(self, group: list[dict[Any, Any]], path: Path, closed: Callable[[type], bool]) -> None:
        self._look(list(chain.from_iterable(group)), (*path, "names"), closed)

    def _values(self, group: list[dict[Any, Any]], path: Path, closed: Callable[[type], bool]) -> None:
        self._equal[_size(path)] = list(map(len, group))
        self._look(list(chain.from_iterable(map(dict.values, group))), path, closed)


def _size(path: Path) -> Path:
    return (*path, "size")


_open: weakref.WeakKeyDictionary[type, bool] = weakref.WeakKeyDictionary()


def _is_open(kind: type) -> bool:
    """Whether its objects hold nothing but their attributes."""
    found = _open.get(kind)
    if found is None:
        slots = any(vars(cls).get("__slots__") for cls in kind.__mro__)
        made_by_object = getattr(kind, "__new__", None) == object.__new__
        small = kind.__basicsize__ <= _SMALL and kind.__dictoffset__ != 0
        found = _open[kind] = made_by_object and small and not slots
    return found


def look(items: list[Any], closed: Callable[[type], bool]) -> Contents | None:
    """The contents of these items; None where they cannot be determined, as of the types that are `closed`."""
    try:
        return Contents(items, closed)
    except _Unknown:
        return None
