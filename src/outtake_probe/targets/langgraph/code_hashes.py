"""The functions behind nodes and tasks: where their code changed, what was recorded of the old is not true any more.

What encloses nodes and tasks (a graph as a node, the function of an `@entrypoint`) stays what it is when these change,
but the record cannot answer for it as a whole.  Code that comes with the frameworks counts for nothing, nor do routers:
they always run.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from hashlib import blake2b
from types import FunctionType
from typing import Any

from langgraph.constants import START
from langgraph.pregel.main import Pregel

from outtake_probe.session import Session
from outtake_probe.targets.toolkit.weak_maps import ByIdentity

TASK = "_TaskFunction"
"""LangGraph's class for what `@task` makes."""
_FRAMEWORK = ("langgraph", "langchain")
_DEEP = 50


class Codes:
    """What a program's graphs run."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._inside: ByIdentity[str] = ByIdentity()

    def own(self, bound: Any) -> tuple[Any, ...]:
        """The functions that a node or task consists of, as their author wrote them."""
        steps = getattr(bound, "steps", None)
        if isinstance(steps, (list, tuple)) and not isinstance(bound, Pregel):
            return tuple(function for step in steps for function in self.own(step))
        return tuple(_own(bound))

    def inside(self, bound: Any) -> str:
        """A hash of the code of the nodes and tasks that it encloses; empty where it encloses none."""
        steps = getattr(bound, "steps", None)
        if isinstance(steps, (list, tuple)) and not isinstance(bound, Pregel):
            return "".join(map(self.inside, steps))
        return self._inside.get(bound, lambda: self._hash_inside(bound))

    def _hash_inside(self, bound: Any) -> str:
        code = self._session.code
        found = [(name, code.of(functions).fingerprint) for name, functions in _enclosed(bound, [])]
        return blake2b(repr(sorted(found)).encode(), digest_size=8).hexdigest() if found else ""


def functions(bound: Any) -> Iterator[Any]:
    """The functions of a node, as its author wrote them."""
    for name in ("func", "afunc"):
        function = getattr(bound, name, None)
        while isinstance(function, functools.partial):
            function = function.func
        if callable(function) and not _is_stand_in(function):
            yield function


def _is_stand_in(function: Any) -> bool:
    """Whether this is LangGraph's own, which sends a function without `async` to a thread."""
    return getattr(function, "__name__", "") == "run_in_executor"


def _own(bound: Any) -> Iterator[Any]:
    for function in functions(bound):
        yield from _written(function)


def _written(function: Any) -> Iterator[Any]:
    """What the author wrote: the function, or those that a function of a framework was made from."""
    if not _is_framework(function):
        yield function
        return
    for value in _kept(function):
        if isinstance(value, FunctionType) and not _is_framework(value):
            yield value


def _is_framework(function: Any) -> bool:
    return str(getattr(function, "__module__", "") or "").split(".")[0].split("_")[0] in _FRAMEWORK


def _enclosed(bound: Any, around: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Names and functions of the nodes and tasks that something runs, at any depth."""
    if any(bound is other for other in around) or len(around) > _DEEP:
        return
    deeper = [*around, bound]
    if isinstance(bound, Pregel):
        for name, node in bound.nodes.items():
            if name != START:
                yield name, list(_own(node.bound))
                yield from _enclosed(node.bound, deeper)
    for function in functions(bound) if not isinstance(bound, Pregel) else ():
        yield from _called(function, deeper)


def _called(function: Any, around: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    """The graphs and tasks that a function can name."""
    if _is_framework(function):
        return
    for value in held(function):
        if isinstance(value, Pregel):
            yield from _enclosed(value, around)
        elif type(value).__name__ == TASK:
            yield str(getattr(value, "__name__", "")), [value.func]
            yield from _helped(value.func, around)
        elif isinstance(value, FunctionType) and value.__module__ == getattr(function, "__module__", None):
            yield from _helped(value, around)


def _helped(function: Any, around: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    if not any(function is other for other in around) and len(around) <= _DEEP:
        yield from _called(function, [*around, function])


def held(function: Any) -> Iterator[Any]:
    """What a function can call by name."""
    code = getattr(function, "__code__", None)
    if code is None:
        return
    yield from (function.__globals__.get(name) for name in code.co_names)
    yield from _kept(function)


def _kept(function: Any) -> Iterator[Any]:
    """What a function keeps in its closure."""
    for cell in getattr(function, "__closure__", None) or ():
        try:
            yield cell.cell_contents
        except ValueError:
            continue
