"""How deep values lie inside values: what walks through them needs a place on the stack for each level."""

from __future__ import annotations

from outtake_probe.records import Json

DEEPEST = 200
"""Levels that a value given by a client may have."""


def is_too_deep(value: Json, most: int = DEEPEST) -> bool:
    """Whether a value has more than `most` levels of lists and objects."""
    level = [value]
    for _ in range(most + 1):
        level = list({id(inner): inner for outer in level for inner in _inside(outer)}.values())
        if not level:
            return False
    return True


def _inside(value: Json) -> list[Json]:
    if isinstance(value, dict):
        return [inner for inner in value.values() if isinstance(inner, dict | list | tuple)]
    if isinstance(value, list | tuple):
        return [inner for inner in value if isinstance(inner, dict | list | tuple)]
    return []
