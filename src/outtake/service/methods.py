"""Which methods of the service another process may call: each says so itself, where it is defined.

A question changes nothing, so it can be asked again of the next owner, and of a store that cannot be written.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal, ParamSpec, TypeVar

from outtake.core.nesting import DEEPEST, is_too_deep
from outtake.service.errors import WrongUse

__all__ = ["DEEPEST", "asks", "command", "is_too_deep", "local", "method_of", "question", "remote_methods", "streams"]

P = ParamSpec("P")
R = TypeVar("R")
_MARK = "__outtake_method__"


@dataclass(frozen=True, slots=True)
class Method:
    """How a public method of the service may be used."""

    kind: Literal["question", "command", "local"]
    """`local`: of no use to another process."""
    streams: bool
    """It gives its documents one after the other."""


def question(function: Callable[P, R]) -> Callable[P, R]:
    """A method that changes nothing, for every client."""
    return _marked(function, "question")


def command(function: Callable[P, R]) -> Callable[P, R]:
    """A method that changes something, for every client.  It takes no value that is nested too deep to be walked."""

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        given = [*args[1:], *kwargs.values()]
        if any(is_too_deep(value) for value in given):
            raise WrongUse(f"a value is nested more than {DEEPEST} levels deep; give one that is flatter")
        return function(*args, **kwargs)

    return _marked(checked, "command")


def local(function: Callable[P, R]) -> Callable[P, R]:
    """A method for the process that has the service only."""
    return _marked(function, "local")


def method_of(function: Any) -> Method | None:
    """How a method may be used; None where it does not say."""
    found: Method | None = getattr(function, _MARK, None)
    return found


def asks(function: Any) -> bool:
    """Whether a method changes nothing."""
    found = method_of(function)
    return found is not None and found.kind == "question"


def streams(function: Any) -> bool:
    """Whether a method gives its documents one after the other."""
    found = method_of(function)
    return found is not None and found.streams


def remote_methods(service: type) -> Mapping[str, Callable[..., Any]]:
    """The methods of a service that a client may call, by name."""
    found = {name: getattr(service, name) for name in dir(service) if not name.startswith("_")}
    return {name: method for name, method in found.items() if (m := method_of(method)) and m.kind != "local"}


def _marked(function: Callable[P, R], kind: Literal["question", "command", "local"]) -> Callable[P, R]:
    setattr(function, _MARK, Method(kind, inspect.isgeneratorfunction(function)))
    return function
