"""Plain Python: functions become components by a decorator that does nothing when no debugger is attached.

    @outtake.agent      a part of the program with a role of its own
    @outtake.step       a step of a flow
    @outtake.tool       something that acts on the world; say how with effects="pure", "read", "write", "irreversible"
    @outtake.model      a call of a language model that goes through no client that Outtake knows

Functions, methods, async functions, generators and async generators can be decorated.  The component's path is the
name under the component that calls it: ``writer/search``.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, ParamSpec, TypeVar, overload

from outtake_probe.attached import active
from outtake_probe.calling import NewInput, acall, astream, call, stream
from outtake_probe.calls import Call, nested
from outtake_probe.records import EFFECTS, CallKind, Effects, Json
from outtake_probe.session import BadValue
from outtake_probe.values import encode

P = ParamSpec("P")
R = TypeVar("R")


@overload
def agent(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def agent(*, name: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def agent(function: Callable[..., Any] | None = None, /, *, name: str | None = None) -> Any:
    """A part of the program with a role of its own."""
    return _decorate("agent", function, name)


@overload
def step(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def step(*, name: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def step(function: Callable[..., Any] | None = None, /, *, name: str | None = None) -> Any:
    """A step of a flow."""
    return _decorate("step", function, name)


@overload
def tool(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def tool(*, effects: Effects = ..., name: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def tool(function: Callable[..., Any] | None = None, /, *, effects: Effects = "write", name: str | None = None) -> Any:
    """Something that acts on the world.  `effects` says how; unknown counts as a write."""
    if effects not in EFFECTS:
        raise ValueError(f"unknown effects {effects!r}; known: {', '.join(EFFECTS)}")
    return _decorate("tool", function, name, effects)


@overload
def model(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def model(*, name: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def model(function: Callable[..., Any] | None = None, /, *, name: str | None = None) -> Any:
    """A call of a language model that goes through no client that Outtake knows."""
    return _decorate("model", function, name)


def _decorate(
    kind: CallKind, function: Callable[..., Any] | None, name: str | None, effects: Effects | None = None
) -> Any:
    if function is None:
        return lambda decorated: _decorate(kind, decorated, name, effects)
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(_decorate(kind, function.__func__, name, effects))
    wrapper = _wrap(_Component(kind, function, name, effects))
    if effects is not None:
        wrapper.__outtake_effects__ = effects  # type: ignore[attr-defined]  frameworks' adapters read it
    return wrapper


class _Component:
    """A decorated function: how its arguments become an input, and an input its arguments."""

    def __init__(self, kind: CallKind, function: Callable[..., Any], name: str | None, effects: Effects | None) -> None:
        self.kind = kind
        self.function = function
        self.name = name or function.__name__
        self.effects = effects
        self.signature = inspect.signature(function)
        names = list(self.signature.parameters)
        self.bound_to = names[0] if names and names[0] in ("self", "cls") else None

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Call, inspect.BoundArguments]:
        bound = self.signature.bind(*args, **kwargs)
        given = {name: encode(value) for name, value in bound.arguments.items() if name != self.bound_to}
        made = Call(
            self.kind,
            nested(self.name),
            given,
            effects=self.effects,
            normalize=self._normalize,
        )
        return made, bound

    def _normalize(self, current: Json, value: Json) -> Json:
        """An edit names all arguments, or some; a value that is no object is the only argument."""
        names = [name for name in self.signature.parameters if name != self.bound_to]
        if not isinstance(value, dict):
            if len(names) != 1:
                raise BadValue(f"{self.name} takes the arguments {', '.join(names)}: give an object", names)
            value = {names[0]: value}
        unknown = [name for name in value if name not in names]
        if unknown:
            raise BadValue(f"{self.name} has no argument {unknown[0]!r}; it takes {', '.join(names) or 'none'}", names)
        return {**current, **value}

    def again(self, bound: inspect.BoundArguments, new: NewInput | None) -> Any:
        """Call the function, with the arguments that an edit put in their place."""
        if new is not None:
            bound.arguments.update(new.value)
        return self.function(*bound.args, **bound.kwargs)


def _wrap(component: _Component) -> Callable[..., Any]:
    function = component.function
    if inspect.isasyncgenfunction(function):
        return _wrap_async_generator(component)
    if inspect.iscoroutinefunction(function):
        return _wrap_coroutine(component)
    if inspect.isgeneratorfunction(function):
        return _wrap_generator(component)
    return _wrap_function(component)


def _wrap_function(component: _Component) -> Callable[..., Any]:
    @functools.wraps(component.function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        session = active()
        if session is None:
            return component.function(*args, **kwargs)
        what, bound = component.call(args, kwargs)
        return call(session, what, lambda new: component.again(bound, new))

    return wrapper


def _wrap_coroutine(component: _Component) -> Callable[..., Any]:
    @functools.wraps(component.function)
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        session = active()
        if session is None:
            return await component.function(*args, **kwargs)
        what, bound = component.call(args, kwargs)
        return await acall(session, what, lambda new: component.again(bound, new))

    return wrapper


def _wrap_generator(component: _Component) -> Callable[..., Any]:
    @functools.wraps(component.function)
    def wrapper(*args: Any, **kwargs: Any) -> Iterator[Any]:
        session = active()
        if session is None:
            return (yield from component.function(*args, **kwargs))
        what, bound = component.call(args, kwargs)
        return (yield from stream(session, what, lambda new: component.again(bound, new)))

    return wrapper


def _wrap_async_generator(component: _Component) -> Callable[..., Any]:
    @functools.wraps(component.function)
    async def wrapper(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        session = active()
        if session is None:
            async for item in component.function(*args, **kwargs):
                yield item
            return
        what, bound = component.call(args, kwargs)
        async for item in astream(session, what, lambda new: component.again(bound, new)):
            yield item

    return wrapper


