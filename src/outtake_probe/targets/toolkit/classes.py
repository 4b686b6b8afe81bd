"""Classes of a framework, and those that derive from them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def with_subclasses(cls: type[Any]) -> Iterator[type[Any]]:
    """The class and all that derive from it, each before those that derive from it; one with two bases comes twice."""
    yield cls
    for derived in cls.__subclasses__():
        yield from with_subclasses(derived)


def derives_from(cls: type, *names: str) -> bool:
    """Whether the class or one of its bases has one of these names; nothing is imported to see that."""
    return any(base.__name__ in names for base in cls.__mro__)
