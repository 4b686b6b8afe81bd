"""What a tool reaches outside the process, found by the objects that its code refers to.

Those are its own attributes, the object that its method belongs to, and the variables that its function closes over or
reads from its module; of plain objects among them, their attributes, too.  A Playwright page or an MCP session is a
state that is known; so is any object that can save and load what it holds.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from outtake_probe.calls import Known
from outtake_probe.states import States
from outtake_probe.states.saving import offers

_MOST = 400
"""Objects that are looked at for one tool."""
_FRAMEWORKS = ("autogen_", "crewai", "langchain", "langgraph", "llama_index", "pydantic", "workflows")
"""Packages whose own `save_state` is about their objects, not about what is outside."""
_KNOWN = {
    ("playwright", "Browser"): "browser",
    ("playwright", "BrowserContext"): "browser",
    ("playwright", "Page"): "browser",
    ("playwright", "Frame"): "browser",
    ("mcp", "ClientSession"): "mcp",
}
"""Package and class of what is known, and how its state is called."""
_PLAIN = (str, bytes, int, float, bool, type(None), type, types.ModuleType, types.BuiltinFunctionType)


def known(states: States, *roots: object) -> Known | None:
    """The state that a tool uses, found among the objects that `roots` (the tool, its functions, its object) reach."""
    found: Known | None = None
    for thing in islice(_reached(roots), _MOST):
        if is_holder(thing):
            return Known(states.name(called(thing), thing), thing)
        name = _name(thing)
        if name is not None and found is None:
            found = Known(states.name(name, _whole(thing)))
    return found


def resource(*roots: object) -> object | None:
    """The object that is a state by itself, among those that `roots` reach."""
    reached = islice(_reached(roots), _MOST)
    return next((_whole(thing) for thing in reached if is_holder(thing) or _name(thing) is not None), None)


def called(thing: object) -> str:
    """What to call the state of an object that has no name of its own."""
    return type(thing).__name__.lower()


def owned(states: States, thing: object, place: str) -> Known:
    """The state of an object that has one of its own, such as a code executor, called by where it is used first."""
    return Known(states.name(place, thing), thing if is_holder(thing) else None)


def declared(*places: object) -> str:
    """The state that the program declares with a decorator on any of these."""
    told = (getattr(place, "__outtake_state__", "") for place in places)
    return next((name for name in told if isinstance(name, str) and name), "")


def is_holder(thing: object) -> bool:
    """Whether this is an object of the program's that saves and loads what it holds."""
    if isinstance(thing, _PLAIN) or not offers(type(thing)):
        return False
    module = getattr(type(thing).save_state, "__module__", "") or ""  # type: ignore[attr-defined]
    return not module.startswith(_FRAMEWORKS)


def _name(thing: object) -> str | None:
    for cls in type(thing).__mro__:
        name = _KNOWN.get((cls.__module__.partition(".")[0], cls.__name__))
        if name is not None:
            return name
    return None


def _whole(thing: Any) -> object:
    """A page is part of a browser: all that share one share its state."""
    for name in ("page", "context", "browser"):
        thing = _read(thing, name) or thing
    return thing


def _read(thing: object, name: str) -> object | None:
    """An attribute of a Playwright object, which a property reads without asking the browser."""
    if type(thing).__module__.partition(".")[0] != "playwright" or not isinstance(
        getattr(type(thing), name, None), property
    ):
        return None
    return getattr(thing, name)  # type: ignore[no-any-return]


def _reached(roots: tuple[object, ...]) -> Iterator[object]:
    seen: set[int] = set()
    for root in roots:
        for thing in chain([root], _refers(root)):
            if isinstance(thing, _PLAIN) or id(thing) in seen:
                continue
            seen.add(id(thing))
            yield thing
            yield from (each for each in _inner(thing) if not isinstance(each, _PLAIN) and id(each) not in seen)


def _refers(thing: object) -> Iterator[object]:
    """What a function or a tool refers to."""
    if isinstance(thing, functools.partial):
        yield from (thing.func, *thing.args, *thing.keywords.values())
        yield from _refers(thing.func)
    elif isinstance(thing, types.MethodType):
        yield thing.__self__
        yield from _refers(thing.__func__)
    elif isinstance(thing, types.FunctionType):
        yield from _variables(thing)
    else:
        yield from _inner(thing)


def _variables(function: types.FunctionType) -> Iterator[object]:
    """The values of what a function closes over and reads from its module, and those of what it wraps."""
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:
            continue  # not assigned yet
    yield from (function.__globals__[name] for name in _names(function.__code__) if name in function.__globals__)
    wrapped = getattr(function, "__wrapped__", None)
    if isinstance(wrapped, types.FunctionType):
        yield from _variables(wrapped)


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for held in code.co_consts:
        if isinstance(held, types.CodeType):
            yield from _names(held)


def _inner(thing: object) -> Iterator[object]:
    """The attributes of an object, and what a plain container holds."""
    if isinstance(thing, dict):
        yield from islice(thing.values(), 20)
    elif isinstance(thing, (list, tuple)):
        yield from islice(thing, 20)
    elif not isinstance(thing, (types.FunctionType, types.MethodType)):
        try:
            held = object.__getattribute__(thing, "__dict__")  # without code of the program's
        except AttributeError:
            return
        yield from list(held.values())
