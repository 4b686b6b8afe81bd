"""Tools of one toolkit share an object: a browser, a database, a session.  What they do there is one state."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from pydantic import BaseModel

from outtake_probe.calls import Known
from outtake_probe.states import States
from outtake_probe.targets.toolkit import resources
from outtake_probe.targets.toolkit.patches import Patches

_made: dict[int, weakref.ref[BaseTool]] = {}
"""The tools that there are in this process."""
_PLAIN = (str, bytes, int, float, bool, list, tuple, dict, set, type(None), type, Runnable)


def install(patches: Patches) -> None:
    """See every tool that is made."""
    patches.wrap(BaseTool, "__init__", _init)
    patches.then(_made.clear)


def _init(method: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(method)
    def __init__(self: BaseTool, *args: Any, **kwargs: Any) -> None:
        method(self, *args, **kwargs)
        number = id(self)
        _made[number] = weakref.ref(self, lambda _: _made.pop(number, None) and None)

    return __init__


def known(states: States, tool: BaseTool, *functions: object) -> Known | None:
    """The state that a tool uses: what it shares with another tool, or what is known by itself.

    What is shared goes first: that is there from the start, when the page or the session in it may not be open yet.
    """
    shared = _shared(tool)
    if shared is None:
        return resources.known(states, tool, *functions)
    inner = resources.resource(tool, *functions)
    name = states.name(resources.called(shared), shared, *([inner] if inner is not None else []))
    return Known(name, next((thing for thing in (shared, inner) if resources.is_holder(thing)), None))


def _shared(tool: BaseTool) -> object | None:
    """What a tool has in common with another one."""
    others = [other for ref in list(_made.values()) if (other := ref()) is not None and other.name != tool.name]
    held = {id(thing) for other in others for thing in _held(other)}
    return next((thing for thing in _held(tool) if id(thing) in held), None)


def _held(tool: BaseTool) -> Iterator[object]:
    """The objects that a tool has beside what every tool has, and those that its functions are methods of."""
    for name, value in vars(tool).items():
        if name in BaseTool.model_fields or isinstance(value, _PLAIN):
            continue
        if callable(value) and not isinstance(value, BaseModel):
            value = getattr(value, "__self__", None)
        if value is not None and not isinstance(value, _PLAIN):
            yield value
