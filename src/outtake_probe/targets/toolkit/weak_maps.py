"""What a program made and an adapter knows, for as long as the program itself keeps it."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

V = TypeVar("V")
T = TypeVar("T")


class ByIdentity(Generic[V]):
    """Values that belong to objects, which need not be hashable; a value goes with its object."""

    def __init__(self) -> None:
        self._held: dict[int, tuple[weakref.ref[Any], V]] = {}

    def get(self, thing: Any, make: Callable[[], V]) -> V:
        """The value of an object; made anew each time for one that cannot be referred to weakly."""
        key = id(thing)
        found = self._held.get(key)
        if found is not None and found[0]() is thing:
            return found[1]
        value = make()
        with contextlib.suppress(TypeError):
            self._held[key] = (weakref.ref(thing, lambda gone: self._forget(key, gone)), value)
        return value

    def _forget(self, key: int, gone: weakref.ref[Any]) -> None:
        if key in self._held and self._held[key][0] is gone:
            del self._held[key]

    def __len__(self) -> int:
        return len(self._held)


class Known(Generic[T]):
    """The objects that stand at paths, and a description of each that outlives it."""

    def __init__(self, describe: Callable[[str, Any], T]) -> None:
        self._describe = describe
        self._things: dict[str, weakref.ref[Any]] = {}
        self._told: dict[str, T] = {}

    def add(self, path: str, thing: Any, *, newest: bool, told: bool = True) -> None:
        """An object stands at a path; `newest`: also where another one that still lives does.

        `told`: somebody may ask for its description.
        """
        before = self._at(path)
        if before is thing or (before is not None and not newest):
            return
        if told and path not in self._told:
            self._remember(path, thing)
        self._things[path] = weakref.ref(thing)

    def _at(self, path: str) -> Any:
        found = self._things.get(path)
        return found() if found is not None else None

    def _remember(self, path: str, thing: Any) -> None:
        try:
            self._told[path] = self._describe(path, thing)
        except Exception:  # noqa: BLE001  an object of the user's that cannot be described is run all the same
            return

    def items(self) -> Iterator[tuple[str, Any]]:
        """Those that are still there."""
        for path in list(self._things):
            thing = self._at(path)
            if thing is not None:
                yield path, thing

    def described(self) -> Iterator[T]:
        """A description of each: as it is, or, where it is gone, as it was at first."""
        for path in list(self._things):
            thing = self._at(path)
            if thing is not None:
                yield self._describe(path, thing)
            elif path in self._told:
                yield self._told[path]
