"""A workflow's own attributes, watched by name: what steps keep on `self`.

While a workflow is debugged its object is of a subclass of its class that tells, when a step's code runs, which of the
attributes that the user set are used.  Agents are configuration: what counts of them is their settings.
"""

from __future__ import annotations

import weakref
from typing import Any

from pydantic import BaseModel
from workflows import Workflow, step
from workflows.events import StartEvent, StopEvent

from outtake_probe.targets.llamaindex.access_tracking import MISSING, AccessTracker, Shared, unwatched, watching

_classes: weakref.WeakKeyDictionary[type, Any] = weakref.WeakKeyDictionary()
_NOTES = "_outtake"
_MARK = "__outtake_watched__"


class _Bare(Workflow):
    """Has the attributes that every workflow has."""

    @step
    async def only(self, ev: StartEvent) -> StopEvent:
        return StopEvent()


FRAMEWORK = frozenset(vars(_Bare())) | {_NOTES}


class _OwnCells:
    """The attributes of a workflow; it is not kept alive."""

    def __init__(self, workflow: Workflow) -> None:
        self._workflow = weakref.ref(workflow)

    def _values(self) -> dict[str, Any]:
        workflow = self._workflow()
        return object.__getattribute__(workflow, "__dict__") if workflow is not None else {}

    def get(self, name: str) -> Any:
        return self._values().get(name, MISSING)

    def set(self, name: str, value: Any) -> None:
        self._values()[name] = value

    def delete(self, name: str) -> None:
        self._values().pop(name, None)


def own(workflow: Any) -> Shared:
    """The cells of a workflow's attributes."""
    values = object.__getattribute__(workflow, "__dict__")
    found = values.get(_NOTES)
    if not isinstance(found, Shared):
        found = values[_NOTES] = Shared("self", _OwnCells(workflow))
    return found


def names(workflow: Any) -> list[str]:
    """The attributes that the user's class set."""
    return [name for name in object.__getattribute__(workflow, "__dict__") if name not in FRAMEWORK]


def watch(workflow: Any) -> None:
    """Let a workflow tell which of its attributes are used."""
    cls = type(workflow)
    if _MARK in vars(cls) or isinstance(workflow, BaseModel):
        return
    made = _classes.get(cls)
    if made is None:
        made = _classes[cls] = _watched(cls)
    try:
        object.__setattr__(workflow, "__class__", made)
    except TypeError:
        return  # its class has a layout of its own: see `start`


def unwatch(workflow: Any) -> None:
    """Make it an object of its own class again."""
    object.__getattribute__(workflow, "__dict__").pop(_NOTES, None)
    plain = vars(type(workflow)).get(_MARK)
    if plain is not None:
        object.__setattr__(workflow, "__class__", plain)


def start(workflow: Any, watch: AccessTracker) -> None:
    """A step begins: what cannot be watched by name counts as read."""
    if _MARK not in vars(type(workflow)):
        for name in names(workflow):
            watch.read(own(workflow), name)


def _watched(cls: Any) -> type:
    def __getattribute__(self: Any, name: str) -> Any:
        watch = watching.get()
        if watch is not None and watch.owner() is self and not watch.paused and name not in FRAMEWORK:
            _used(self, watch, name)
        return cls.__getattribute__(self, name)

    def __setattr__(self: Any, name: str, value: Any) -> None:
        watch = watching.get()
        if watch is None or watch.owner() is not self or watch.paused or name in FRAMEWORK:
            cls.__setattr__(self, name, value)
            return
        watch.writes(own(self), name)
        cls.__setattr__(self, name, value)
        watch.wrote(own(self), name)

    def __delattr__(self: Any, name: str) -> None:
        watch = watching.get()
        if watch is None or watch.owner() is not self or watch.paused:
            cls.__delattr__(self, name)
            return
        watch.writes(own(self), name)
        cls.__delattr__(self, name)
        watch.wrote(own(self), name)

    def _get_steps(self: Any) -> Any:
        values = object.__getattribute__(self, "__dict__")
        own_steps = any(hasattr(values[name], "_step_config") for name in values if name not in FRAMEWORK)
        with unwatched():
            if own_steps:
                return cls._get_steps(self)
            found = steps.get(cls)
            if found is None:
                found = steps[cls] = [name for name in cls._get_steps(self) if name not in cls._step_functions]
            return {**{name: getattr(self, name) for name in found}, **cls._step_functions}

    steps: dict[type, list[str]] = {}

    body = {
        "__getattribute__": __getattribute__,
        "__setattr__": __setattr__,
        "__delattr__": __delattr__,
        "_get_steps": _get_steps,
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__doc__": cls.__doc__,
        _MARK: cls,
    }
    made: Any = type(cls)(cls.__name__, (cls,), body)
    made._step_functions = cls._step_functions  # a new class would begin without the steps that are free functions
    return made  # type: ignore[no-any-return]


def _used(workflow: Any, watch: AccessTracker, name: str) -> None:
    values = object.__getattribute__(workflow, "__dict__")
    if name == "__dict__":
        for each in names(workflow):
            watch.read(own(workflow), each)
    elif name in values:
        watch.read(own(workflow), name)
