"""Settings of components: what is shown of them, and changes, which are checked before anything changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from outtake_probe.commands import BadValue
from outtake_probe.records import Json
from outtake_probe.targets.toolkit.schema import check_value

TEXT: Json = {"type": "string"}
OPTIONAL_TEXT: Json = {"type": ["string", "null"]}
NUMBER: Json = {"type": ["number", "null"]}
INTEGER: Json = {"type": ["integer", "null"]}
FLAG: Json = {"type": ["boolean", "null"]}
MODEL_ARGUMENTS: Mapping[str, Json] = {
    "temperature": NUMBER,
    "top_p": NUMBER,
    "top_k": INTEGER,
    "max_tokens": INTEGER,
    "max_output_tokens": INTEGER,
    "seed": INTEGER,
    "n": INTEGER,
    "frequency_penalty": NUMBER,
    "presence_penalty": NUMBER,
    "reasoning_effort": OPTIONAL_TEXT,
}
"""Schemas of what providers let a caller set, by the names that most of them use."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of a component."""

    key: str
    schema: Json
    """The JSON schema of its value."""
    get: Callable[[], Json]
    """The value now, as JSON."""
    set: Callable[[Json], None] | None = None
    """Changes it from now on, to a value that fits the schema.  None: it is shown, and cannot be changed."""


Settings = Sequence[Setting]


def attribute(holder: Any, name: str, schema: Json, key: str = "") -> Setting:
    """A setting that is an attribute of an object, whose value is JSON."""
    return Setting(key or name, schema, lambda: getattr(holder, name), lambda value: setattr(holder, name, value))


def fixed(key: str, value: Json) -> Setting:
    """What is shown among the settings, and cannot be changed."""
    return Setting(key, {}, lambda: value)


def describe_settings(settings: Iterable[Setting]) -> dict[str, Json]:
    """The `config` (all values) and the `schema` (of those that can be changed) in the description of a component."""
    found = list(settings)
    schemas = schemas_of(found)
    return {
        "config": {setting.key: setting.get() for setting in found},
        "schema": {"type": "object", "properties": schemas, "additionalProperties": False} if schemas else {},
    }


def schemas_of(settings: Iterable[Setting]) -> dict[str, Json]:
    """The schemas of those that can be changed, by key."""
    return {setting.key: setting.schema for setting in settings if setting.set is not None}


def change_setting(components: Mapping[str, Settings], component: str, key: str, value: Json) -> None:
    """Change a setting of one of the `components`, which are all that there are, by path.

    Raises `BadValue` for an unknown component, with those that have settings, for an unknown key, with the known ones,
    and for a value that does not fit.
    """
    if component not in components:
        known = ", ".join(sorted(path for path, its in components.items() if schemas_of(its))) or "none yet"
        raise BadValue(f"there is no component {component!r} with settings; known: {known}")
    schemas = schemas_of(components[component])
    if key not in schemas:
        schema = {"type": "object", "properties": schemas}
        raise BadValue(f"{component} has no setting {key!r}; it has {', '.join(schemas) or 'none'}", schema)
    check_value(f"{component}.{key}", value, schemas[key])
    for setting in components[component]:
        if setting.key == key and setting.set is not None:
            setting.set(value)
