"""Edited arguments: what an edit names, what it leaves out, and what is refused."""

from __future__ import annotations

import pytest

from outtake_probe.commands import BadValue
from outtake_probe.records import Json
from outtake_probe.targets.toolkit.arguments import merge_arguments

SCHEMA: Json = {"type": "object"}


def test_an_object_replaces_what_it_names_and_keeps_the_rest_in_order() -> None:
    merged = merge_arguments("search", {"query": "a", "limit": 3}, {"limit": 5}, ["query", "limit", "page"])
    assert merged == {"query": "a", "limit": 5}
    assert list(merged) == ["query", "limit"]
    assert merge_arguments("search", {"query": "a"}, {"page": 2}, ["query", "page"]) == {"query": "a", "page": 2}


@pytest.mark.parametrize("value", ["b", 3, None, ["b"], True])
def test_any_other_value_is_the_only_argument(value: Json) -> None:
    assert merge_arguments("search", {"query": "a"}, value) == {"query": value}
    assert merge_arguments("search", {}, value, ["query"]) == {"query": value}


def test_the_argument_that_was_given_comes_before_the_one_that_is_declared() -> None:
    assert merge_arguments("search", {"input": "a"}, "b", ["query"]) == {"input": "b"}
    assert merge_arguments("search", {"query": "a"}, "b", ["query", "limit"]) == {"query": "b"}


@pytest.mark.parametrize(
    ("given", "declared", "names"),
    [
        ({}, [], "none"),
        ({}, ["query", "limit"], "query, limit"),
        ({"query": "a", "limit": 3}, ["query", "limit"], "query, limit"),
        ({"query": "a", "limit": 3}, [], "query, limit"),
    ],
)
def test_a_value_that_could_be_several_arguments_is_refused(
    given: dict[str, Json], declared: list[str], names: str
) -> None:
    with pytest.raises(BadValue, match=f"^search takes the arguments {names}: give an object$") as caught:
        merge_arguments("search", given, "b", declared, schema=SCHEMA)
    assert caught.value.schema == SCHEMA


def test_an_unknown_argument_is_refused_unless_the_framework_decides() -> None:
    with pytest.raises(BadValue, match=r"^search has no argument 'page'; it takes query, limit$") as caught:
        merge_arguments("search", {"query": "a"}, {"page": 2}, ["query", "limit"], schema=SCHEMA)
    assert caught.value.schema == SCHEMA
    assert merge_arguments("search", {"query": "a"}, {"page": 2}, allow_unknown=True) == {"query": "a", "page": 2}


def test_the_arguments_that_were_given_are_not_changed() -> None:
    given: dict[str, Json] = {"query": "a"}
    merge_arguments("search", given, {"query": "b"})
    assert given == {"query": "a"}
