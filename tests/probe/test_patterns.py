"""Patterns over inputs: which invocations a mock is meant for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outtake_probe.bodies import Part
from outtake_probe.codec import encode
from outtake_probe.patterns import check_pattern, matches
from outtake_probe.records import Json

EVENT: Json = {"$type": "model", "class": "essay:Assessed", "fields": {"student": "Ann", "marks": [3, 4.5], "ok": True}}

_keys = st.text("abc", min_size=1, max_size=3)
_values: st.SearchStrategy[Json] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="ascii")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_keys, inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("pattern", "holds"),
    [
        ({"student": "Ann"}, True),
        ({"student": "Bob"}, False),
        ({"grade": {"$any": True}}, False),
        ({"marks": [3, {"$gt": 4}]}, True),
        ({"marks": [3]}, False),
        ({"marks": [True, 4.5]}, False),
        ({"ok": 1}, False),
        ({"ok": True}, True),
        ({"student": {"$regex": "^A"}}, True),
        ({"student": {"$in": ["Ann", "Bob"]}}, True),
        ({"$exact": {"student": "Ann"}}, False),
        ({"$exact": {"student": "Ann", "marks": [3, 4.5], "ok": True}}, True),
        ({"$type": "model", "class": "essay:Assessed"}, True),
        ({"$type": "model", "class": "essay:Marked"}, False),
        ({"$any": True}, True),
        ({"marks": [{"$ge": 3, "$le": 3}, {"$lt": 5}]}, True),
    ],
)
def test_a_pattern_over_an_event(pattern: Json, holds: bool) -> None:
    check_pattern(pattern)
    assert matches(pattern, EVENT) is holds


@given(_values)
def test_every_value_matches_itself_and_anything(value: Json) -> None:
    assert matches(value, encode(value))
    assert matches({"$exact": value}, encode(value))
    assert matches({"$any": True}, value)


@given(st.dictionaries(st.text("abcd", min_size=1, max_size=2), st.integers(), min_size=1), st.data())
def test_naming_fewer_fields_matches_more(value: dict[str, int], data: st.DataObject) -> None:
    some = data.draw(st.sets(st.sampled_from(sorted(value))))
    assert matches({key: value[key] for key in some}, value)
    assert matches({"$exact": {key: value[key] for key in some}}, value) is (some == set(value))


def test_what_is_made_on_demand_is_looked_into() -> None:
    assert matches({"name": ["x"]}, {"name": Part("key", lambda: ["x"])})


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ({"$like": 1}, "unknown operator '\\$like'; known: \\$any"),
        ({"a": {"$regex": "("}}, "is no regular expression"),
        ({"$in": 3}, "takes a list"),
        ([{"$gt": "3"}], "takes a number"),
        ({"$gt": 3, "name": "x"}, "stands beside fields"),
    ],
)
def test_a_pattern_that_says_nothing_clear_is_refused(pattern: Json, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        check_pattern(pattern)
