"""Context variables that have a value while certain code runs: a block, or a generator each time it makes an item."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
Item = TypeVar("Item")


@contextmanager
def assigned(variable: ContextVar[T], value: T) -> Iterator[None]:
    """The variable has this value inside the block, and its former one afterwards."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def iterate_with(variable: ContextVar[T], value: T, source: Iterator[Item]) -> Generator[Item, None, None]:
    """The items of `source`; the variable has this value while an item is made, and not while the consumer uses it.

    A generator is closed with the one that iterates over it.
    """
    try:
        while True:
            token = variable.set(value)
            try:
                item = next(source)
            except StopIteration:
                return
            finally:
                variable.reset(token)
            yield item
    finally:
        if inspect.isgenerator(source):
            source.close()


async def aiterate_with(variable: ContextVar[T], value: T, source: AsyncIterator[Item]) -> AsyncGenerator[Item, None]:
    """`iterate_with`, of an async iterator."""
    try:
        while True:
            token = variable.set(value)
            try:
                item = await source.__anext__()
            except StopAsyncIteration:
                return
            finally:
                variable.reset(token)
            yield item
    finally:
        if inspect.isasyncgen(source):
            await source.aclose()
        del source  # see `outtake_probe.gate.invoke.astream`
