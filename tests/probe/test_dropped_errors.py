"""An error that the program drops is gone at once, as it is without the probe: no frame of the probe keeps it."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from inspect import isawaitable

import pytest

import outtake
from tests.probe.inprocess import execute


class Failed(Exception):
    """Can be referred to weakly."""


@outtake.tool(effects="read")
def tool() -> str:
    raise Failed


@outtake.tool(effects="read")
async def atool() -> str:
    raise Failed


@outtake.model
def model() -> Generator[str]:
    yield "one"
    raise Failed


@outtake.model
async def amodel() -> AsyncGenerator[str]:
    yield "one"
    raise Failed


@outtake.step
def outer() -> str:
    return tool()


@outtake.step
async def aouter() -> str:
    return await atool()


async def _all() -> None:
    async for _ in amodel():
        continue


CALLS: dict[str, Callable[[], object]] = {
    "call": tool,
    "stream": lambda: list(model()),
    "nested": outer,
    "acall": atool,
    "astream": _all,
    "anested": aouter,
}


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Nothing is freed but by its count of references."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("uncollected")
@pytest.mark.parametrize("name", CALLS)
def test_an_error_that_is_dropped_is_freed(name: str) -> None:
    async def program() -> bool:
        kept: weakref.ref[Failed] | None = None
        try:
            given = CALLS[name]()
            if isawaitable(given):
                await given
        except Failed as error:
            kept = weakref.ref(error)
        return kept is not None and kept() is None

    log = execute(lambda: asyncio.run(program()))
    assert (log.status, log.output) == ("completed", True)
    assert execute(lambda: asyncio.run(program()), parent=log).output is True
