"""A change of a setting: the component, the setting and the value are checked before anything changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from outtake_probe.records import Json
from outtake_probe.session import BadValue
from outtake_probe.targets.toolkit.schema import check_value

H = TypeVar("H")


def find_holder(component: str, holders: Mapping[str, H], has_settings: Callable[[H], bool] = lambda _: True) -> H:
    """What holds the settings of a component; `holders` are all of them by path.

    Raises `BadValue` for an unknown one, with those that have settings.
    """
    if component not in holders:
        known = ", ".join(sorted(path for path, holder in holders.items() if has_settings(holder))) or "none yet"
        raise BadValue(f"there is no component {component!r} with settings; known: {known}")
    return holders[component]


def check_setting(component: str, key: str, value: Json, schemas: Mapping[str, Json]) -> None:
    """Raises `BadValue` where the component has no such setting, or the value does not fit.

    `schemas` are those of the settings that can be changed, by key.
    """
    if key not in schemas:
        schema = {"type": "object", "properties": dict(schemas)}
        raise BadValue(f"{component} has no setting {key!r}; it has {', '.join(schemas) or 'none'}", schema)
    check_value(f"{component}.{key}", value, schemas[key])
