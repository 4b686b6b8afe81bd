"""What an adapter knows of a program's objects goes with them; what was told of them stays."""

from __future__ import annotations

import gc

import pytest

from outtake_probe.targets.toolkit.weak_maps import ByIdentity, Known


class Thing:
    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


def test_a_value_belongs_to_one_object_and_goes_with_it() -> None:
    values: ByIdentity[str] = ByIdentity()
    one, other = Thing("one"), Thing("other")
    assert values.get(one, lambda: "a") == "a"
    assert values.get(other, lambda: "b") == "b"
    assert values.get(one, lambda: "c") == "a"
    assert len(values) == 2
    del one
    gc.collect()
    assert len(values) == 1
    assert values.get(17, lambda: "n") == "n"
    assert len(values) == 1


@pytest.mark.parametrize(("newest", "left"), [(True, "second"), (False, "first")])
def test_what_is_gone_is_described_as_it_was(newest: bool, left: str) -> None:
    known = Known(lambda path, thing: f"{path} {thing.name}")
    first, second = Thing("first"), Thing("second")
    known.add("main", first, newest=newest)
    known.add("main", second, newest=newest)
    assert [thing.name for _, thing in known.items()] == [left]
    first.name = second.name = "renamed"
    assert list(known.described()) == ["main renamed"]
    del first, second
    gc.collect()
    assert list(known.items()) == []
    assert list(known.described()) == ["main first"]
    third = Thing("third")
    known.add("main", third, newest=False)
    assert list(known.described()) == ["main third"]


def test_what_cannot_be_described_is_known_all_the_same() -> None:
    def describe(path: str, thing: Thing) -> str:
        raise ValueError(path)

    known = Known(describe)
    thing = Thing("odd")
    known.add("main", thing, newest=True)
    assert [found for _, found in known.items()] == [thing]
