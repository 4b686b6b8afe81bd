"""What a call changed of an object that it can reach, as JSON, and how it is changed so again.

Only what was changed is said, of each object by itself: a list that grew by what was added, an attribute by its new
value.  An object that was there before is identified by its place: whoever shares it goes on sharing it; one that is
new is written as a value.  What was replaced is named, too: where a fork finds something else there, the change would
be another one.
"""

from __future__ import annotations

import types
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from outtake_probe.codec import class_name, decode, encode, is_opaque
from outtake_probe.records import Json

Path = tuple[int, ...]
"""The way to an object: the index of a root, then of what each object on the way holds."""
Places = Mapping[int, Path]
"""Where the objects are that were there before, by their identity."""
Find = Callable[[Path], Any]
"""The object at a place, as it was before.  Raises `LookupError`."""
_SCALARS = (str, bytes, int, float, complex, bool, type(None))


class Untold(ValueError):
    """A change cannot be written as JSON, or does not fit what is there."""


@dataclass(slots=True)
class Holder:
    """An object that can hold others, and what it held when the call started."""

    thing: Any
    path: Path
    look: Callable[[], Sequence[object]]
    before: list[object]


def joined(changes: Json, streamed: Sequence[Json]) -> Json:
    """What is kept of a tool's end: its changes, or these and the events that it streamed to the program."""
    return {"changes": changes, "streamed": list(streamed)} if streamed else changes


def parted(kept: Json) -> tuple[Json, Sequence[Json]]:
    """The changes and the events of what `joined` gave; None where nothing was changed."""
    return (kept["changes"], kept["streamed"]) if isinstance(kept, dict) else (kept, ())


def told(holder: Holder, places: Places) -> Json:
    """What is another now.  Raises `Untold`."""
    write, now = _Writer(places), list(holder.look())
    change: dict[str, Json]
    if type(holder.thing) in (list, deque):
        change = _items(holder.before, now, write)
    elif type(holder.thing) is set:
        change = _members(holder.before, now, write)
    elif type(holder.thing) is types.FunctionType:
        change = {"variables": _replaced(dict(enumerate(holder.before)), dict(enumerate(now)), write)}
    elif _has_names(holder.thing):
        before, after = _named(holder.before), _named(now)
        gone = [[write.new(name), _brief(before[name])] for name in before if name not in after]
        change = {"entries": _replaced(before, after, write), "gone": gone}
    else:
        raise Untold(class_name(type(holder.thing)))
    return {"at": list(holder.path), "class": class_name(type(holder.thing)), **change}


def again(change: Any, holder: Holder, find: Find) -> Callable[[], None]:
    """How to change an object so again.  Raises `Untold` where it is not what it was."""
    thing = holder.thing
    if class_name(type(thing)) != change["class"]:
        raise Untold(change["class"])
    if "added" in change:
        return _grow(thing, [_read(each, find) for each in change["added"]], change.get("removed", ()), holder.before)
    if "items" in change:
        if [_brief(each) for each in holder.before] != change["was"]:
            raise Untold("other items")
        return _fill(thing, [_read(each, find) for each in change["items"]])
    if "variables" in change:
        _check(dict(enumerate(holder.before)), change["variables"])
        return _assign(thing, [(decode(at), _read(value, find)) for at, value, _ in change["variables"]])
    before = _named(holder.before)
    _check(before, change["entries"])
    for name, was in change["gone"]:
        if decode(name) not in before or _brief(before[decode(name)]) != was:
            raise Untold("another entry")
    new = [(decode(name), _read(value, find)) for name, value, _ in change["entries"]]
    return _put(thing, new, [decode(name) for name, _ in change["gone"]])


# -- telling ---------------------------------------------------------------------------------------------------------


class _Writer:
    """Writes what an object holds now."""

    def __init__(self, places: Places) -> None:
        self._places = places

    def held(self, value: object) -> Json:
        """An object that was there before, by its place, or a value."""
        if not isinstance(value, _SCALARS) and id(value) in self._places:
            return {"old": list(self._places[id(value)])}
        return {"new": self.new(value)}

    def new(self, value: object) -> Json:
        written = encode(value)
        if is_opaque(written):
            raise Untold(class_name(type(value)))
        return written


def _items(before: Sequence[object], now: Sequence[object], write: _Writer) -> dict[str, Json]:
    if len(now) >= len(before) and all(_is(a, b) for a, b in zip(before, now, strict=False)):
        return {"added": [write.held(each) for each in now[len(before) :]]}
    return {"items": [write.held(each) for each in now], "was": [_brief(each) for each in before]}


def _members(before: Sequence[object], now: Sequence[object], write: _Writer) -> dict[str, Json]:
    added = [each for each in now if each not in set(before)]
    removed = [each for each in before if each not in set(now)]
    return {"added": [write.held(each) for each in added], "removed": [write.new(each) for each in removed]}


def _replaced(before: Mapping[Any, object], now: Mapping[Any, object], write: _Writer) -> Json:
    """Names with what they stand for now, and a word on what they stood for, if for anything."""
    return [
        [write.new(name), write.held(value), [_brief(before[name])] if name in before else []]
        for name, value in now.items()
        if name not in before or not _is(before[name], value)
    ]


def _is(a: object, b: object) -> bool:
    return a is b or (type(a) is type(b) and isinstance(a, _SCALARS) and a == b)


def _brief(value: object) -> Json:
    """Enough of a value to see whether another is there."""
    return [encode(value)] if isinstance(value, _SCALARS) else class_name(type(value))


def _has_names(thing: object) -> bool:
    """Whether what is seen of it are names and what they stand for: a dictionary, an object of the program's own."""
    if type(thing) is dict:
        return True
    no = (type, types.ModuleType, types.MethodType, types.BuiltinFunctionType, tuple, frozenset, set, list, deque)
    return not isinstance(thing, no) and not hasattr(thing, "__wrapped__") and not hasattr(thing, "func")


def _named(held: Sequence[object]) -> dict[Any, object]:
    half = len(held) // 2
    return dict(zip(held[:half], held[half:], strict=True))


# -- doing it again --------------------------------------------------------------------------------------------------


def _read(written: Any, find: Find) -> Any:
    return find(tuple(written["old"])) if "old" in written else decode(written["new"])


def _check(before: Mapping[Any, object], replaced: Any) -> None:
    """Raises `Untold` where something else than then is to be replaced."""
    for name, _, was in replaced:
        if was and [_brief(before[decode(name)])] != was:
            raise Untold("another value")


def _grow(thing: Any, added: Sequence[object], removed: Any, before: Sequence[object]) -> Callable[[], None]:
    gone = [decode(each) for each in removed]
    if any(each not in before for each in gone):
        raise Untold("other members")

    def grow() -> None:
        if isinstance(thing, set):
            thing.difference_update(gone)
            thing.update(added)
        else:
            thing.extend(added)

    return grow


def _fill(thing: Any, items: Sequence[object]) -> Callable[[], None]:
    def fill() -> None:
        thing.clear()
        thing.extend(items)

    return fill


def _assign(function: types.FunctionType, new: Sequence[tuple[int, object]]) -> Callable[[], None]:
    cells = function.__closure__ or ()
    names = variables(function.__code__)
    if any(at >= len(cells) + len(names) for at, _ in new):
        raise Untold("a default")

    def assign() -> None:
        for at, value in new:
            if at < len(cells):
                cells[at].cell_contents = value
            else:
                function.__globals__[names[at - len(cells)]] = value

    return assign


def variables(code: types.CodeType) -> tuple[str, ...]:
    """The names that a function, and those defined in it, may read from its module."""
    inside = (variables(held) for held in code.co_consts if isinstance(held, types.CodeType))
    return (*code.co_names, *(name for names in inside for name in names))


def _put(thing: Any, new: Sequence[tuple[Any, object]], gone: Sequence[Any]) -> Callable[[], None]:
    def put() -> None:
        for name in gone:
            if type(thing) is dict:
                del thing[name]
            else:
                object.__delattr__(thing, name)
        for name, value in new:
            if type(thing) is dict:
                thing[name] = value
            else:
                object.__setattr__(thing, name, value)

    return put
