"""What tells whether a state has changed says the same with and without what it remembers of the last time."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

pytest.importorskip("workflows")

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, PrivateAttr

from outtake_probe.codec import Opaque
from outtake_probe.targets.llamaindex import fingerprints
from outtake_probe.targets.llamaindex.shallow_snapshot import look


class Note(BaseModel):
    """A model with all that models have."""

    text: Any = ""
    parts: list[Any] = []
    more: dict[str, Any] = {}
    _seen: int = PrivateAttr(default=0)


@dataclass
class Thing:
    """An object."""

    value: Any = 0
    inside: list[Any] = field(default_factory=list)


class Odd:
    """What it holds cannot be told."""

    __slots__ = ("hidden",)


leaves = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.0, 1.0, 2.0, "", "a", "b", b"a"])
notes = st.builds(Note, text=leaves, parts=st.lists(leaves, max_size=2), more=st.dictionaries(st.text("ab"), leaves))
things = st.builds(Thing, value=leaves, inside=st.lists(leaves, max_size=2))
values = st.recursive(
    leaves | notes | things,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner) | st.tuples(inner),
    max_leaves=8,
)
lists = st.lists(values, max_size=4)


def _places(value: Any, found: list[Callable[[Any], None]]) -> list[Callable[[Any], None]]:
    """Everything in a value that can be set."""
    if isinstance(value, list):
        found += [partial(value.__setitem__, i) for i in range(len(value))]
        found += [value.append, lambda _: value.clear()]
    elif isinstance(value, dict):
        found += [partial(value.__setitem__, name) for name in [*value, "new"]]
    elif isinstance(value, (Note, Thing)):
        found += [partial(value.__dict__.__setitem__, name) for name in value.__dict__]
    if isinstance(value, Note):
        found.append(partial(setattr, value, "_seen"))
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    for item in inside if not isinstance(value, (Note, Thing)) else value.__dict__.values():
        _places(item, found)
    return found


@settings(max_examples=150, deadline=None)
@given(lists | values, st.lists(st.tuples(st.integers(0, 50), values), max_size=5))
def test_a_print_does_not_depend_on_the_last_one(value: Any, steps: list[tuple[int, Any]]) -> None:
    last = fingerprints.take(value)
    for number, new in steps:
        places = _places(value, [])
        if not places:
            return
        before = copy.deepcopy(value)
        places[number % len(places)](new)
        now = fingerprints.take(value, last)
        assert now.digest == fingerprints.take(value).digest
        assert fingerprints.take(copy.deepcopy(value), last).digest == now.digest
        if now.digest != last.digest and now.grown_from(last):
            assert isinstance(value, list) and fingerprints.take(value[: len(before)]).digest == last.digest
        last = now


@settings(max_examples=100, deadline=None)
@given(st.sampled_from([leaves, notes | things, st.lists(leaves, max_size=2)]), st.data())
def test_a_list_that_has_grown_is_known_to_have(items: Any, data: st.DataObject) -> None:
    value, new = data.draw(st.lists(items, max_size=4)), data.draw(st.lists(items, max_size=3))
    last = fingerprints.take(value)
    assert fingerprints.take([*value, *new], last).grown_from(last)


@pytest.mark.parametrize(("old", "new"), [(1, 1.0), (1, True), ([1, 2], [1.0, 2]), ([{"a": 0}], [{"a": False}])])
def test_numbers_of_other_types_are_other_values(old: Any, new: Any) -> None:
    assert fingerprints.take(new, fingerprints.take(old)).digest != fingerprints.take(old).digest


def test_an_item_that_moves_from_one_list_to_the_next_is_seen() -> None:
    value = [[["a"]], [["b"], ["c"]]]
    last = fingerprints.take(value)
    value[0].append(value[1].pop(0))
    assert fingerprints.take(value, last).digest != last.digest


def test_what_cannot_be_told_is_not_taken_for_unchanged() -> None:
    odd = Odd()
    assert look([odd], lambda _: False) is None
    cycle: list[Any] = [Thing()]
    cycle[0].inside.append(cycle)
    assert look(cycle, lambda _: False) is None
    with pytest.raises(Opaque):
        fingerprints.take([odd])


def test_a_long_conversation_costs_what_is_new() -> None:
    said = [Note(text=str(n), parts=[n]) for n in range(500)]
    last = fingerprints.take(said)
    said.append(Note(text="new"))
    now = fingerprints.take(said, last)
    assert now.items is not None and last.items is not None
    assert all(a is b for a, b in zip(last.items, now.items, strict=False))
