"""Values of settings: every type that a schema may name, several types, and the items of an array."""

from __future__ import annotations

import pytest

from outtake_probe.commands import BadValue
from outtake_probe.records import Json
from outtake_probe.targets.toolkit.schema import check_value

EVERY: list[Json] = ["text", 3, 0.5, True, False, ["a"], {"a": 1}, None]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("string", ["text"]),
        ("integer", [3]),
        ("number", [3, 0.5]),
        ("boolean", [True, False]),
        ("array", [["a"]]),
        ("object", [{"a": 1}]),
        ("null", [None]),
        (["string", "null"], ["text", None]),
    ],
)
def test_a_type_accepts_its_values_and_no_others(kind: Json, expected: list[Json]) -> None:
    assert [value for value in EVERY if _fits(value, {"type": kind})] == expected


def _fits(value: Json, schema: dict[str, Json]) -> bool:
    try:
        check_value("agent.x", value, schema)
    except BadValue:
        return False
    return True


def test_what_is_refused_says_what_fits() -> None:
    schema: dict[str, Json] = {"type": ["number", "null"]}
    with pytest.raises(BadValue, match=r"agent\.temperature is number or null, not 'hot'") as caught:
        check_value("agent.temperature", "hot", schema)
    assert caught.value.schema == schema


@pytest.mark.parametrize("schema", [{}, {"type": []}, {"type": "unheard of"}, {"title": "anything"}])
def test_a_schema_without_a_known_type_accepts_everything(schema: dict[str, Json]) -> None:
    assert all(_fits(value, schema) for value in EVERY)


def test_the_items_of_an_array_are_among_the_options() -> None:
    tools: dict[str, Json] = {"type": "array", "items": {"enum": ["search", "read"]}}
    assert _fits([], tools)
    assert _fits(["read", "search"], tools)
    with pytest.raises(BadValue, match=r"agent\.tools: there is no 'serach'; known: search, read"):
        check_value("agent.tools", ["serach"], tools)
    with pytest.raises(BadValue, match=r"agent\.tools: there is no 'search'; known: none"):
        check_value("agent.tools", ["search"], {"type": "array", "items": {"enum": []}})
    assert _fits(None, {"type": ["array", "null"], "items": {"enum": ["search"]}})
    assert _fits(["anything"], {"type": "array", "items": {"type": "string"}})
