"""Context variables: set inside, as before outside, whatever ends the block or the iteration."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextvars import ContextVar

import pytest

from outtake_probe.targets.toolkit.context_variables import aiterate_with, assigned, iterate_with

PLACE: ContextVar[str] = ContextVar("place", default="outside")


def test_a_block_has_the_value_and_gives_the_former_one_back() -> None:
    with assigned(PLACE, "a"):
        with pytest.raises(ValueError, match="boom"), assigned(PLACE, "b"):
            assert PLACE.get() == "b"
            raise ValueError("boom")
        assert PLACE.get() == "a"
    assert PLACE.get() == "outside"


class Source:
    """Makes items that say where they were made, and keeps what ended it."""

    def __init__(self, fails: bool = False) -> None:
        self.fails = fails
        self.ended = ""

    def __iter__(self) -> Iterator[str]:
        try:
            yield PLACE.get()
            yield PLACE.get()
            if self.fails:
                raise ValueError("boom")
        finally:
            self.ended = PLACE.get()

    async def __aiter__(self) -> AsyncIterator[str]:
        for item in self:
            await asyncio.sleep(0)
            yield item


async def collect(source: Source) -> list[tuple[str, str]]:
    return [(item, PLACE.get()) async for item in aiterate_with(PLACE, "a", aiter(source))]


def test_items_are_made_with_the_value_and_used_without_it() -> None:
    expected = [("a", "outside"), ("a", "outside")]
    assert [(item, PLACE.get()) for item in iterate_with(PLACE, "a", iter(Source()))] == expected
    assert asyncio.run(collect(Source())) == expected


def test_an_error_of_the_source_leaves_the_former_value() -> None:
    source = Source(fails=True)
    with pytest.raises(ValueError, match="boom"):
        list(iterate_with(PLACE, "a", iter(source)))
    assert (source.ended, PLACE.get()) == ("a", "outside")

    async def fail() -> str:
        with pytest.raises(ValueError, match="boom"):
            await collect(Source(fails=True))
        return PLACE.get()

    assert asyncio.run(fail()) == "outside"


def test_closing_closes_the_source() -> None:
    source = Source()
    items = iterate_with(PLACE, "a", iter(source))
    next(items)
    items.close()
    assert source.ended == "outside"

    async def close() -> str:
        source = Source()
        items = aiterate_with(PLACE, "a", made := aiter(source))
        await anext(items)
        await items.aclose()
        with pytest.raises(StopAsyncIteration):
            await anext(made)
        return PLACE.get()

    assert asyncio.run(close()) == "outside"


def test_an_iterator_that_cannot_be_closed_is_left_as_it_is() -> None:
    source = iter(["x", "y"])
    items = iterate_with(PLACE, "a", source)
    assert next(items) == "x"
    items.close()
    assert next(source) == "y"
