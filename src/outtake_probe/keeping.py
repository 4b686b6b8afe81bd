"""What a tool keeps of what happens inside it: the memory of an agent that it asks, a list that it closes over.

A call that is served from the record does not run, so what it would keep is not there for the next call.  While a tool
runs, what its code can reach in this process is watched: the variables that its functions close over or read from their
modules, the objects that it belongs to or is given, and what plain containers and objects of the program's own hold.
It keeps something where any of that is another afterwards; of objects whose classes are not the program's, nobody can
tell, so that they count as changed.  Files, and what lies outside the process, are none of this.

Of a tool without calls inside, what it changed is recorded as far as JSON can say it (`ReachableState.changes`), and
done again where a fork serves the call (`redo`).
"""

from __future__ import annotations

import datetime
import decimal
import enum
import functools
import logging
import pathlib
import re
import sys
import threading
import types
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from outtake_probe.kept import Holder, Path, again, told, variables
from outtake_probe.records import Json

_MOST = 500
"""Objects that are looked at for one call."""
_LARGE = 5000
"""Items of a container up to which it is compared."""
_VALUES = (
    str, bytes, int, float, complex, bool, type(None), type(Ellipsis), range, re.Pattern, enum.Enum, uuid.UUID,
    decimal.Decimal, datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo, pathlib.PurePath,
    logging.Logger, type(threading.Lock()), type(threading.RLock()), threading.Event, threading.local,
)  # fmt: skip
"""What is the same for ever, or holds nothing that a tool could tell."""
_LOCKS = frozenset({"asyncio.locks", "typing", "__future__"})
"""Modules whose objects hold nothing that a tool could tell."""
_BASES = frozenset({"builtins.object", "typing.Generic", "typing.Protocol", "abc.ABC", "pydantic.main.BaseModel"})
"""Classes that hide nothing of the objects of those that derive from them."""

stateless: set[type] = set()
"""Classes of frameworks whose objects keep nothing from call to call: clients of models."""

IsOwn = Callable[[str], bool]
"""Whether code of this file is the program's own."""
Look = Callable[[], Sequence[object]]


class ReachableState:
    """What one call of a tool can reach, from its start on."""

    def __init__(self, is_own: IsOwn, roots: Sequence[object] | None) -> None:
        self._is_own = is_own
        self._holders: list[Holder] = []
        self._is_unknown = roots is None
        self.overlaps = False
        """Another tool ran at the same time: nobody can tell which of them changed something."""
        try:
            self._read(list(roots or ()))
        except Exception:  # noqa: BLE001  these are objects of the user's
            self._is_unknown = True

    def kept(self) -> bool:
        """Whether what the call can reach is another now, or may be."""
        try:
            return self._is_unknown or any(not _same(each.before, each.look()) for each in self._holders)
        except Exception:  # noqa: BLE001  these are objects of the user's
            return True

    def changes(self) -> Json:
        """What the call changed, as `redo` takes it; None where that is nothing, or where JSON cannot say it.

        Of objects that nobody can look into, nothing is said.
        Objects that were there before are identified by their place, so that whoever shares them goes on sharing them.
        """
        if self.overlaps:
            return None
        places = {
            id(thing): (*each.path, at) for each in reversed(self._holders) for at, thing in enumerate(each.before)
        }
        try:
            found = [told(each, places) for each in self._holders if not _same(each.before, each.look())]
        except Exception:  # noqa: BLE001  these are objects of the user's, and some cannot be written
            return None
        return found or None

    def redo(self, changes: Any) -> bool:
        """Do again what `changes` says, all of it or nothing.  Returns whether that could be done.

        It cannot where what is reached is not what it was: then the program is another, or went another way.
        """
        at = {each.path: each for each in self._holders}
        try:
            for change in [again(each, at[tuple(each["at"])], lambda p: at[p[:-1]].before[p[-1]]) for each in changes]:
                change()
        except Exception:  # noqa: BLE001  these are objects of the user's
            return False
        return True

    def _read(self, roots: Sequence[object]) -> None:
        seen: dict[int, object] = {}
        own = {id(thing) for thing in roots}
        todo: list[tuple[Path, object]] = [((at,), thing) for at, thing in enumerate(roots)]
        while todo:
            path, thing = todo.pop()
            if issubclass(type(thing), _VALUES) or id(thing) in seen:
                continue
            seen[id(thing)] = thing
            look = _held(thing, self._is_own, is_root=id(thing) in own)
            if len(seen) > _MOST:
                self._is_unknown = True
                return
            held = list(look()) if look is not None else []
            if look is None or len(held) > _LARGE:
                self._is_unknown = True
                continue
            self._holders.append(Holder(thing, path, look, held))
            todo += [((*path, at), each) for at, each in enumerate(held)]


def _held(thing: Any, is_own: IsOwn, *, is_root: bool) -> Look | None:
    """How to see what an object holds; None where nobody can tell."""
    kind = type(thing)
    if kind in (list, tuple, set, frozenset, deque):
        return lambda: list(thing)
    if kind is dict:
        return lambda: [*thing.keys(), *thing.values()]
    if kind is types.MethodType:
        return lambda: (thing.__self__, thing.__func__)
    if kind is types.BuiltinFunctionType:
        return lambda: (thing.__self__,)
    if kind is functools.partial:
        return lambda: (thing.func, *thing.args, *thing.keywords.values())
    if kind is types.FunctionType:
        return _held_by_function(thing, is_own, is_root=is_root)
    if issubclass(kind, types.ModuleType):
        return None if is_own(vars(thing).get("__file__") or "") else _nothing
    if issubclass(kind, type):
        return (lambda: list(_class_values(thing))) if _is_own_class(thing, is_own) else _nothing
    if issubclass(kind, tuple(stateless)) or kind.__module__ in _LOCKS:
        return _nothing
    if (wrapped := _attributes(thing).get("__wrapped__")) is not None:
        return lambda: (wrapped,)
    if all(f"{base.__module__}.{base.__qualname__}" in _BASES or _is_own_class(base, is_own) for base in kind.__mro__):
        return lambda: _names_and_values(_attributes(thing))
    return None


def _names_and_values(held: Mapping[str, object]) -> list[object]:
    return [*held.keys(), *held.values()]


def _nothing() -> Sequence[object]:
    return ()


def _held_by_function(function: types.FunctionType, is_own: IsOwn, *, is_root: bool) -> Look | None:
    wrapped = function.__dict__.get("__wrapped__")
    if function.__dict__.get("__outtake__", ("",))[0] == "model":
        return _nothing  # its answers are served
    if is_own(function.__code__.co_filename):
        named = variables(function.__code__)
        return lambda: list(_variables(function, named))
    if wrapped is not None:
        return lambda: (wrapped,)
    return None if is_root and not function.__closure__ else lambda: list(_variables(function, ()))


def _variables(function: types.FunctionType, named: Sequence[str]) -> Iterator[object]:
    """What a function closes over, reads from its module, has as defaults, and wraps."""
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not assigned yet
            yield None
    for name in named:
        yield function.__globals__.get(name)
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    yield function.__dict__.get("__wrapped__")


def _is_own_class(cls: type, is_own: IsOwn) -> bool:
    """Whether a module of the program's own defines a class."""
    return is_own(getattr(sys.modules.get(cls.__module__), "__file__", None) or "")


def _class_values(cls: type) -> Iterator[object]:
    """Containers that all objects of a class share."""
    for name, value in vars(cls).items():
        if not name.startswith(("_", "model_")) and type(value) in (list, dict, set, deque):
            yield value


def _attributes(thing: object) -> dict[str, object]:
    """The attributes of an object, read without executing code of the program's."""
    try:
        found = dict(object.__getattribute__(thing, "__dict__"))
    except AttributeError:
        found = {}
    for cls in type(thing).__mro__:
        for name, slot in vars(cls).items():
            if type(slot) is types.MemberDescriptorType:
                try:
                    found[name] = slot.__get__(thing)
                except AttributeError:  # not assigned yet
                    found[name] = None
    return found


def _same(before: Sequence[object], now: Sequence[object]) -> bool:
    """Whether the same things are held: values are compared, others are compared by identity."""
    return len(before) == len(now) and all(
        a is b or (type(a) is type(b) and isinstance(a, _VALUES) and a == b) for a, b in zip(before, now, strict=True)
    )
