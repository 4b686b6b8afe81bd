"""The state of a run, watched by key: what `ctx.store` is while a step runs."""

from __future__ import annotations

import weakref
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from typing import Any

from pydantic import BaseModel
from workflows.context.state_store import DictState, InMemoryStateStore

from outtake_probe.targets.llamaindex.access_tracking import MISSING, AccessTracker, Shared, read_all


def live(store: Any) -> BaseModel | None:
    """The state itself, not a copy; None where the store keeps it elsewhere."""
    if not isinstance(store, InMemoryStateStore):
        return None
    storage = getattr(store, "_memory_storage", None)
    if storage is not None:
        record = storage.load_sync()
        return record.data if record is not None else None
    return getattr(store, "_state", None)


class StoreCells:
    """The keys of a state."""

    def __init__(self, store: Any) -> None:
        self._store = store

    @property
    def state(self) -> Any:
        return live(self._store)

    def keys(self) -> list[str]:
        return keys(self.state)

    def get(self, name: str) -> Any:
        return value_of(self.state, name)

    def set(self, name: str, value: Any) -> None:
        state = self.state
        if isinstance(state, DictState) and name not in type(state).model_fields:
            state._data[name] = value
        else:
            state.__dict__[name] = value

    def delete(self, name: str) -> None:
        state = self.state
        if isinstance(state, DictState):
            state._data.pop(name, None)


def keys(state: Any) -> list[str]:
    own = [name for name in type(state).model_fields if name in state.__dict__]
    return [*own, *dict.keys(state._data)] if isinstance(state, DictState) else own


def value_of(state: Any, name: str) -> Any:
    if state is None:
        return MISSING
    data = (state.__pydantic_private__ or {}).get("_data", {}) if isinstance(state, DictState) else {}
    if dict.__contains__(data, name):
        return dict.__getitem__(data, name)  # it may be a `Spy`, which is not to hear of this
    return state.__dict__.get(name, MISSING)


class TrackedStore:
    """`ctx.store` inside a step.  What it does not know, it hands on, and takes it for reading everything."""

    def __init__(self, store: Any, shared: Shared, watch: AccessTracker) -> None:
        self._store = store
        self._shared = shared
        self._watch = watch

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # a program may ask what kind of store it has
        return type(self._store)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name not in ("state_type",):
            self._all()
        return getattr(self._store, name)

    def _keys(self) -> list[str]:
        cells = self._shared.cells
        return cells.keys() if isinstance(cells, StoreCells) else []

    def _all(self) -> None:
        read_all(self._watch, self._shared, self._keys())

    async def get(self, path: str, default: Any = ...) -> Any:
        key = path.partition(".")[0]
        if key:
            self._watch.read(self._shared, key)
        else:
            self._all()
        return await self._store.get(path, default)

    async def set(self, path: str, value: Any) -> None:
        key, nested, _ = path.partition(".")
        if nested:
            self._watch.read(self._shared, key)
        else:
            self._watch.writes(self._shared, key)
        await self._store.set(path, value)
        self._watch.wrote(self._shared, key)

    async def get_state(self) -> Any:
        state = await self._store.get_state()
        spy(state, self._watch, self._shared, live(self._store))
        return state

    async def set_state(self, state: Any) -> None:
        unspy(state)
        before = self._keys()
        await self._store.set_state(state)
        self._written({*before, *self._keys()})

    async def clear(self) -> None:
        before = self._keys()
        await self._store.clear()
        self._written({*before, *self._keys()})

    def _written(self, names: Iterable[str]) -> None:
        for name in sorted(names):
            self._watch.writes(self._shared, name)
            self._watch.wrote(self._shared, name)

    @asynccontextmanager
    async def edit_state(self) -> AsyncIterator[Any]:
        touched: set[str] = set()
        try:
            async with self._store.edit_state() as state:
                spy(state, self._watch, self._shared, None, touched)
                try:
                    yield state
                finally:
                    unspy(state)
        finally:
            for name in sorted(touched):
                self._watch.wrote(self._shared, name)


# -- looking over the shoulder ---------------------------------------------------------------------------------------


def spy(state: Any, watch: AccessTracker, shared: Shared, original: Any, touched: set[str] | None = None) -> None:
    """Let a copy of the state say which of its keys are used."""

    def use(name: str, reads: bool) -> None:
        if reads or touched is None:
            watch.read(shared, name)
        else:
            watch.writes(shared, name)
        if touched is not None:
            touched.add(name)

    if isinstance(state, DictState):
        write_through = original._data if original is not None and original._data is state._data else None
        state._data = Spy(state._data, use, write_through)
        return
    cls = _spying(type(state))
    if cls is None:
        for name in keys(state):
            use(name, True)
        return
    _users[id(state)] = use
    weakref.finalize(state, _users.pop, id(state), None)
    object.__setattr__(state, "__class__", cls)


def unspy(state: Any) -> None:
    """Make a plain state of it again."""
    if isinstance(state, DictState) and isinstance(state._data, Spy):
        state._data = state._data.plain()
    plain = getattr(type(state), "__outtake_spied__", None)
    if plain is not None:
        _users.pop(id(state), None)
        object.__setattr__(state, "__class__", plain)


class Spy(dict[str, Any]):
    """The entries of a state that tell which of them are used; `through` is written, too."""

    def __init__(self, data: dict[str, Any], use: Any, through: dict[str, Any] | None) -> None:
        super().__init__(data)
        self._use = use
        self._through = through

    def plain(self) -> dict[str, Any]:
        return dict(super().items())

    def _every(self) -> None:
        for key in list(super().keys()):
            self._use(key, True)

    def __getitem__(self, key: str) -> Any:
        self._use(key, True)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self._use(str(key), True)
        return super().__contains__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self._use(key, True)
        return super().get(key, default)

    def __setitem__(self, key: str, value: Any) -> None:
        self._use(key, False)
        super().__setitem__(key, value)
        if self._through is not None:
            self._through[key] = value

    def __delitem__(self, key: str) -> None:
        self._use(key, True)
        super().__delitem__(key)
        if self._through is not None:
            self._through.pop(key, None)

    def setdefault(self, key: str, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: str, *default: Any) -> Any:
        self._use(key, True)
        if self._through is not None:
            self._through.pop(key, None)
        return super().pop(key, *default)

    def update(self, *args: Any, **kwargs: Any) -> None:
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def clear(self) -> None:
        for key in list(super().keys()):
            del self[key]

    def __iter__(self) -> Iterator[str]:
        self._every()
        return super().__iter__()

    def __len__(self) -> int:
        self._every()
        return super().__len__()

    def keys(self) -> Any:
        self._every()
        return super().keys()

    def values(self) -> Any:
        self._every()
        return super().values()

    def items(self) -> Any:
        self._every()
        return super().items()


_users: dict[int, Any] = {}
"""What is reported of the fields of a model that is looked at, by its identity."""
_spies: dict[type, type | None] = {}


def _spying(cls: type) -> type | None:
    """A subclass of a state's class that tells which of its fields are used; None where there can be none."""
    if cls not in _spies:
        _spies[cls] = _make_spying(cls)
    return _spies[cls]


def _make_spying(cls: Any) -> type | None:
    names = frozenset(cls.model_fields)

    def __getattribute__(self: Any, name: str) -> Any:
        if name in names and id(self) in _users:
            _users[id(self)](name, True)
        return cls.__getattribute__(self, name)

    def __setattr__(self: Any, name: str, value: Any) -> None:
        if name in names and id(self) in _users:
            _users[id(self)](name, False)
        cls.__setattr__(self, name, value)

    own = {"__getattribute__": __getattribute__, "__setattr__": __setattr__, "__outtake_spied__": cls}
    about = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
    try:
        made: type = type(cls)(cls.__name__, (cls,), {**own, **about})
    except Exception:  # noqa: BLE001  a class of the user's may refuse to be derived from
        return None
    return made
