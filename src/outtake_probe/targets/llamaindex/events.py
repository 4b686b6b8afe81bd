"""Events as JSON and back, and what a person may write for one.

An event is ``{"$type": "event", "class": "module:name", "fields": {...}}``: its declared fields, the dynamic ones, and
of a stop event its result.  A step that waits is ``{"$type": "waiting", ...}``.  Both are coded at the gate, because
agents change events in place after they have sent them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError
from workflows.events import Event, HumanResponseEvent, StopEvent
from workflows.runtime.types.results import AddWaiter

from outtake_probe.codec import TAG, Family, class_name, decode, encode, find_class, know, register
from outtake_probe.commands import BadValue
from outtake_probe.records import Json
from outtake_probe.targets.toolkit.random_ids import is_random_id

_OWN = ("_data", "_result")
_PASSING = frozenset({"elapsed_seconds", "failed_at", "stream_id", "binding_id"})
"""Fields of the framework's own events that differ from run to run."""


def install() -> None:
    """Let values hold events."""
    register(Family("event", Event, _to_json, _from_json))
    register(Family("waiting", AddWaiter, _waiting_to_json, _waiting_from_json))


def know_all(classes: Iterable[object]) -> None:
    """Event types that a workflow names can be found again, also those made inside a function."""
    for cls in classes:
        if isinstance(cls, type):
            know(cls)


# -- coding ----------------------------------------------------------------------------------------------------------


def fields_of(event: Event) -> dict[str, Any]:
    """All that an event holds, by name."""
    own, private = event.__dict__, event.__pydantic_private__ or {}
    found = {**{name: own.get(name) for name in type(event).model_fields}, **private.get("_data", {})}
    if isinstance(event, StopEvent) and "result" not in found and private.get("_result") is not None:
        found["result"] = private["_result"]
    return found


def _to_json(event: Event, depth: int) -> dict[str, Json]:
    fields = {name: encode(value, depth + 2) for name, value in fields_of(event).items()}
    coded: dict[str, Json] = {"class": class_name(type(event)), "fields": fields}
    private = {k: v for k, v in (event.__pydantic_private__ or {}).items() if k not in _OWN}
    if private:
        coded["private"] = {name: encode(value, depth + 2) for name, value in private.items()}
    return coded


def _from_json(value: Json) -> Event:
    cls = find_class(value["class"], Event)
    return _made(cls, {name: decode(item) for name, item in value["fields"].items()}, value.get("private", {}))


def _made(cls: type[Event], fields: Mapping[str, Any], private: Mapping[str, Json]) -> Event:
    """An event as it was, without running its validators again."""
    event = cls.model_construct(**{name: item for name, item in fields.items() if name in cls.model_fields})
    rest = {name: item for name, item in fields.items() if name not in cls.model_fields}
    kept = event.__pydantic_private__ or {}
    if issubclass(cls, StopEvent) and "_result" in kept:
        kept["_result"] = rest.pop("result", None)
    kept["_data"] = rest
    kept.update({name: decode(item) for name, item in private.items()})
    object.__setattr__(event, "__pydantic_private__", kept)
    return event


def _waiting_to_json(add: AddWaiter[Any], depth: int) -> dict[str, Json]:
    return {
        "for": class_name(add.event_type),
        "asks": encode(add.waiter_event, depth + 1),
        "requirements": encode(dict(add.requirements), depth + 1),
        "timeout": add.timeout,
        "id": add.waiter_id,
    }


def _waiting_from_json(value: Json) -> AddWaiter[Any]:
    return AddWaiter.model_construct(
        type="add_waiter",
        waiter_id=value["id"],
        waiter_event=decode(value["asks"]),
        requirements=decode(value["requirements"]),
        timeout=value["timeout"],
        event_type=find_class(value["for"], Event),
        has_requirements=bool(value["requirements"]),
    )


def identity(value: Json) -> Json:
    """An encoded event without what differs from run to run."""
    if isinstance(value, list):
        return [identity(item) for item in value]
    if isinstance(value, str):
        return "(random)" if is_random_id(value) else value
    if not isinstance(value, dict):
        return value
    if value.get(TAG) == "event" and str(value.get("class", "")).startswith("workflows."):
        kept = {name: identity(item) for name, item in value["fields"].items() if name not in _PASSING}
        return {**value, "fields": kept}
    return {name: identity(item) for name, item in value.items()}


# -- what a person writes --------------------------------------------------------------------------------------------


def names(classes: Iterable[type]) -> str:
    return ", ".join(sorted(cls.__name__ for cls in classes)) or "nothing"


def schema(cls: type[Event]) -> Json:
    """The JSON schema of an event's declared fields."""
    try:
        return cls.model_json_schema()
    except Exception:  # noqa: BLE001  a field's type may be anything of the user's
        return {"type": "object", "properties": {name: {} for name in cls.model_fields}}


def schemas(classes: Iterable[type[Event]]) -> dict[str, Json]:
    return {cls.__name__: schema(cls) for cls in classes}


def build(value: Json, allowed: Sequence[type[Event]], type_name: str = "") -> Event:
    """The event that a person means: of a type among `allowed`, which may be left out where only one fits."""
    if isinstance(value, dict) and value.get(TAG) == "event":
        type_name, value = str(value["class"]).rpartition(":")[2].rpartition(".")[2], decode(value["fields"])
    if not type_name and isinstance(value, dict) and value.get("type") in [cls.__name__ for cls in allowed]:
        type_name, value = value["type"], {name: item for name, item in value.items() if name != "type"}
    if type_name:
        named = [cls for cls in allowed if type_name in (cls.__name__, class_name(cls))]
        if not named:
            raise BadValue(
                f"an event of type {type_name!r} does not fit; one of these does: {names(allowed)}", schemas(allowed)
            )
        return _validated(named[0], value)
    return _only_fitting(value, allowed)


def _only_fitting(value: Json, allowed: Sequence[type[Event]]) -> Event:
    if len(allowed) == 1:
        return _validated(allowed[0], value)
    fits: list[Event] = []
    for cls in allowed:
        try:
            fits.append(_validated(cls, value))
        except BadValue:
            continue
    if len(fits) != 1:
        told = names(type(event) for event in fits) if fits else names(allowed)
        raise BadValue(f"say the type of the event: {told}", schemas(allowed))
    return fits[0]


def _validated(cls: type[Event], value: Json) -> Event:
    fields = _named(cls, value)
    unknown = [name for name in fields if cls.model_fields and name not in cls.model_fields and name != "result"]
    if unknown:
        known = ", ".join(cls.model_fields)
        raise BadValue(f"{cls.__name__} has no field {unknown[0]!r}; it has {known}", schema(cls))
    try:
        return cls(**fields)
    except (ValidationError, TypeError, ValueError) as error:
        raise BadValue(f"{cls.__name__}: {_words(error)}", schema(cls)) from error


def _named(cls: type[Event], value: Json) -> dict[str, Any]:
    """The fields of an event; a value that is no object is its only field, or the result of a stop event."""
    if isinstance(value, dict):
        return {str(name): decode(item) for name, item in value.items()}
    if value is None:
        return {}
    if len(cls.model_fields) == 1:
        return {next(iter(cls.model_fields)): decode(value)}
    if issubclass(cls, StopEvent) and not cls.model_fields:
        return {"result": decode(value)}
    if issubclass(cls, HumanResponseEvent) and not cls.model_fields:
        return {"response": decode(value)}  # as the framework's own examples call it
    raise BadValue(
        f"{cls.__name__} is an object with the fields {', '.join(cls.model_fields) or 'that you like'}", schema(cls)
    )


def _words(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    return "; ".join(f"{'.'.join(map(str, e['loc'])) or 'value'}: {e['msg']}" for e in error.errors()[:3])


def plain(value: object) -> Json:
    """A result as its author would show it: of an event its fields, of a model its dump."""
    if isinstance(value, Event):
        return {name: encode(item) for name, item in fields_of(value).items()}
    if isinstance(value, BaseModel):
        return encode(value.model_dump())
    return encode(value)
