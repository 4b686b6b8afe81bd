"""Decorators for plain Python: functions become components, and nothing changes while no debugger is attached.

    @outtake.agent      a part of the program with a role of its own
    @outtake.step       a step of a flow; effects="pure" says that it does nothing but return
    @outtake.tool       something that acts on the world; say how with effects="pure", "read", "write", "irreversible"
    @outtake.model      a call of a language model that goes through no client that Outtake knows
    @outtake.run        what handles one request of a server, or one question of many: each call is a run of its own

Functions, methods, async functions, generators and async generators can be decorated.  The component's path is the
name under the component that calls it: ``writer/search``.  What a decorated call does under the debugger is in
`outtake_probe.targets.plain`, which is loaded only then.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

from outtake_probe.attached import active

if TYPE_CHECKING:
    from outtake_probe.records import CallKind, Effects
    from outtake_probe.targets.plain import Component

P = ParamSpec("P")
R = TypeVar("R")
_EFFECTS = ("pure", "read", "write", "irreversible")
_GENERATOR, _COROUTINE, _ASYNC_GENERATOR = 0x20, 0x80, 0x200  # flags of a code object, see `inspect`


@overload
def agent(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def agent(*, effects: Effects | None = ..., name: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def agent(
    function: Callable[..., Any] | None = None, /, *, effects: Effects | None = None, name: str | None = None
) -> Any:
    """A part of the program with a role of its own.

    With ``effects="pure"`` or ``"read"`` it does nothing but return: a fork serves it as a whole from the record.
    """
    return _decorate("agent", function, name, effects)


@overload
def step(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def step(*, effects: Effects | None = ..., name: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def step(
    function: Callable[..., Any] | None = None, /, *, effects: Effects | None = None, name: str | None = None
) -> Any:
    """A step of a flow.

    With ``effects="pure"`` or ``"read"`` it does nothing but return: a fork serves it as a whole from the record.
    """
    return _decorate("step", function, name, effects)


@overload
def tool(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def tool(
    *, effects: Effects = ..., name: str | None = None, state: str = ...
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    effects: Effects | None = None,
    name: str | None = None,
    state: str = "",
) -> Any:
    """Something that acts on the world.  `effects` says how; unknown counts as a write.

    `state` names what it shares with other tools outside the process (a browser, a shell, a connection): a fork brings
    that to where the record left it, before the first of them is really called.
    """
    return _decorate("tool", function, name, effects, state)


@overload
def model(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def model(*, name: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def model(function: Callable[..., Any] | None = None, /, *, name: str | None = None) -> Any:
    """A call of a language model that goes through no client that Outtake knows."""
    return _decorate("model", function, name)


@overload
def run(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def run(*, name: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def run(function: Callable[..., Any] | None = None, /, *, name: str | None = None) -> Any:
    """What handles one request of a server, or one question of many: each call is a run of its own.

    A fork of it calls the function again, alone, with the recorded arguments, in a process that imports its module.  So
    it is a function of a module, and its arguments are values: texts, numbers, dataclasses, pydantic models.
    """
    if function is None:
        return functools.partial(_mark_run, name=name)
    return _mark_run(function, name)


def _mark_run(function: Callable[..., Any], name: str | None) -> Any:
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(_mark_run(function.__func__, name))
    lazy = _LazyEntry(function, name or function.__name__)
    wrapper = _wrapper(function, lazy)
    vars(wrapper)["__outtake_entry__"] = lazy
    return wrapper


def _decorate(
    kind: CallKind,
    function: Callable[..., Any] | None,
    name: str | None,
    effects: Effects | None = None,
    state: str = "",
) -> Any:
    if effects is not None and effects not in _EFFECTS:
        raise ValueError(f"unknown effects {effects!r}; known: {', '.join(_EFFECTS)}")
    if function is None:
        return lambda decorated: _decorate(kind, decorated, name, effects, state)
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(_decorate(kind, function.__func__, name, effects, state))
    wrapper = _wrapper(function, _Lazy(kind, function, name or function.__name__, effects, state))
    told = effects or ("write" if kind == "tool" else None)
    vars(wrapper)["__outtake__"] = (kind, name or function.__name__, told)  # `describe` reads it
    if effects is not None:
        vars(wrapper)["__outtake_effects__"] = effects  # frameworks' adapters read it
    if state:
        vars(wrapper)["__outtake_state__"] = state  # and this
    return wrapper


class _Lazy:
    """The component of a decorated function, made at the first call under the debugger."""

    def __init__(self, *args: Any) -> None:
        self._args = args

    @functools.cached_property
    def component(self) -> Component:
        from outtake_probe.targets.plain import Component  # noqa: PLC0415  importing `outtake` must cost nothing

        return Component(*self._args)


class _LazyEntry:
    """The same of a function whose calls are runs."""

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        self._function = function
        self._name = name

    @functools.cached_property
    def component(self) -> Component:
        from outtake_probe.requests import Entry  # noqa: PLC0415  importing `outtake` must cost nothing

        return Entry("tool", self._function, self._name, None)


def _wrapper(function: Callable[..., Any], lazy: _Lazy | _LazyEntry) -> Callable[..., Any]:
    flags = getattr(getattr(function, "__code__", None), "co_flags", 0)
    if flags & _ASYNC_GENERATOR:
        return _wrap_async_generator(function, lazy)
    if flags & _COROUTINE:
        return _wrap_coroutine(function, lazy)
    if flags & _GENERATOR:
        return _wrap_generator(function, lazy)
    return _wrap_function(function, lazy)


def _wrap_function(function: Callable[..., Any], lazy: _Lazy | _LazyEntry) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        session = active()
        if session is None:
            return function(*args, **kwargs)
        return lazy.component.call(session, args, kwargs)

    return wrapper


def _wrap_coroutine(function: Callable[..., Any], lazy: _Lazy | _LazyEntry) -> Callable[..., Any]:
    @functools.wraps(function)
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        session = active()
        if session is None:
            return await function(*args, **kwargs)
        return await lazy.component.acall(session, args, kwargs)

    return wrapper


def _wrap_generator(function: Callable[..., Any], lazy: _Lazy | _LazyEntry) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Iterator[Any]:
        session = active()
        if session is None:
            yield from function(*args, **kwargs)
        else:
            yield from lazy.component.stream(session, args, kwargs)

    return wrapper


def _wrap_async_generator(function: Callable[..., Any], lazy: _Lazy | _LazyEntry) -> Callable[..., Any]:
    @functools.wraps(function)
    async def wrapper(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        session = active()
        source = function(*args, **kwargs) if session is None else lazy.component.astream(session, args, kwargs)
        async for item in source:
            yield item

    return wrapper
