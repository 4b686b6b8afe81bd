"""The code behind nodes and tasks, as hashes: where it changed, what was recorded of the old code is not true any more.

A node with other code is another node.  What encloses nodes and tasks (a graph as a node, the function of an
`@entrypoint`) stays what it is when these change, but the record cannot answer for it as a whole.  Code that comes with
the frameworks counts for nothing, nor do routers: they always run.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from hashlib import blake2b
from types import FunctionType
from typing import Any

from langgraph.constants import START
from langgraph.pregel.main import Pregel

from outtake_probe.codes import fingerprint

TASK = "_TaskFunction"
"""LangGraph's class for what `@task` makes."""
_FRAMEWORK = ("langgraph", "langchain")
_DEEP = 50


class Codes:
    """Hashes of what a program's graphs run, made once for each."""

    def __init__(self) -> None:
        self._own: dict[int, tuple[Any, str]] = {}
        self._inside: dict[int, tuple[Any, str]] = {}

    def own(self, bound: Any) -> str:
        """Of the functions that a node or task consists of; empty where it has none of the author's."""
        steps = getattr(bound, "steps", None)
        if isinstance(steps, (list, tuple)) and not isinstance(bound, Pregel):
            return "".join(map(self.own, steps))
        return _remembered(self._own, bound, _own)

    def inside(self, bound: Any) -> str:
        """Of the nodes and tasks that it encloses; empty where it encloses none."""
        steps = getattr(bound, "steps", None)
        if isinstance(steps, (list, tuple)) and not isinstance(bound, Pregel):
            return "".join(map(self.inside, steps))
        return _remembered(self._inside, bound, _inside)


def _remembered(known: dict[int, tuple[Any, str]], bound: Any, make: Any) -> str:
    found = known.get(id(bound))
    if found is None or found[0] is not bound:
        found = known[id(bound)] = (bound, make(bound))
    return found[1]


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


def _own(bound: Any) -> str:
    return "".join(_code(written) for function in functions(bound) for written in _written(function))


def _written(function: Any) -> Iterator[Any]:
    """What the author wrote: the function, or those that a function of a framework was made from."""
    if not _is_framework(function):
        yield function
        return
    for value in _kept(function):
        if isinstance(value, FunctionType) and not _is_framework(value):
            yield value


def _code(function: Any) -> str:
    return fingerprint(function) or fingerprint(vars(type(function)).get("__call__"))


def _is_framework(function: Any) -> bool:
    return str(getattr(function, "__module__", "") or "").split(".")[0].split("_")[0] in _FRAMEWORK


def _inside(bound: Any) -> str:
    found = list(_enclosed(bound, []))
    return blake2b(repr(sorted(found)).encode(), digest_size=8).hexdigest() if found else ""


def _enclosed(bound: Any, around: list[Any]) -> Iterator[tuple[str, str]]:
    """Names and hashes of the nodes and tasks that something runs, at any depth."""
    if any(bound is other for other in around) or len(around) > _DEEP:
        return
    deeper = [*around, bound]
    if isinstance(bound, Pregel):
        for name, node in bound.nodes.items():
            if name != START:
                yield name, _own(node.bound)
                yield from _enclosed(node.bound, deeper)
    for function in functions(bound) if not isinstance(bound, Pregel) else ():
        yield from _called(function, deeper)


def _called(function: Any, around: list[Any]) -> Iterator[tuple[str, str]]:
    """The graphs and tasks that a function can name."""
    if _is_framework(function):
        return
    for value in held(function):
        if isinstance(value, Pregel):
            yield from _enclosed(value, around)
        elif type(value).__name__ == TASK:
            yield str(getattr(value, "__name__", "")), _code(value.func)
            yield from _helped(value.func, around)
        elif isinstance(value, FunctionType) and value.__module__ == getattr(function, "__module__", None):
            yield from _helped(value, around)


def _helped(function: Any, around: list[Any]) -> Iterator[tuple[str, str]]:
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
