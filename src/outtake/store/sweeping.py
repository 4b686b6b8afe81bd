"""Bodies that nothing refers to any more: deleted with the run that was their last, or by a sweep of the whole store.

Bodies are shared by content, so a deleted run takes with it only what no other run refers to.  A process that records
believes that what it has once sent is there, before any record names it: while one lives, nothing is swept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import zstandard
from sqlalchemy import Connection, delete, select

from outtake.store import tables
from outtake.store.store import TOGETHER, Store, number

_REFERENCE = re.compile(rb'\{"\\u0000":"([0-9a-f]{32})"\}')
"""A node's reference to another one; no text in a node can look like that, as its quotes are escaped."""
_NAME = re.compile(r'"([0-9a-f]{32})"')
_BODIES = tables.bodies.c
_SAID = ((tables.records.c.extra, tables.records.c.run), (tables.annotations.c.data, tables.annotations.c.run))
"""JSON that may name bodies."""
_NAMED = ((tables.records.c.body, tables.records.c.run), (tables.descriptions.c.body, tables.descriptions.c.run))


@dataclass(frozen=True, slots=True)
class Swept:
    """What was removed of the bodies, and what was not."""

    removed: int
    """Nodes."""
    shared: int
    """Nodes that others refer to, too."""
    waits_for: str = ""
    """Why nothing was removed yet."""


def delete_run(store: Store, run: str, waits_for: Iterable[str]) -> Swept:
    """Remove a run with the nodes that no other one refers to; these stay while one of `waits_for` is being recorded.

    `waits_for` is read once nothing more can be written.
    """
    with store.writing() as connection:
        named = set(_roots(connection, number(run)))
        living = ", ".join(waits_for)
        store.delete_rows(connection, run)
        own: set[bytes] = set() if living else _reachable(connection, named)
        left = own - _found_among(connection, own)
        _remove(connection, left)
    store.truncate_log()
    return Swept(len(left), len(own) - len(left), living)


def sweep(store: Store) -> Swept:
    """Remove every node that nothing refers to, and names of components that no record has."""
    with store.writing() as connection:
        used = _reachable(connection, set(_roots(connection)))
        there = {bytes(row.hash) for row in connection.execute(select(_BODIES.hash))}
        _remove(connection, there - used)
        table, named = tables.components, tables.records.c.component
        connection.execute(delete(table).where(table.c.id.not_in(select(named).where(named.is_not(None)).distinct())))
        store.forget_components()
    return Swept(len(there - used), len(there & used))


def _roots(connection: Connection, run: int | None = None) -> Iterator[bytes]:
    """Bodies that the records of a run, or of all, name; and what programs said of themselves, and annotations."""
    for column, of in _NAMED:
        wanted = select(column).where(column.is_not(None))
        for name in connection.scalars((wanted if run is None else wanted.where(of == run)).distinct()):
            yield bytes(name)
    for column, of in _SAID:
        told = select(column).where(column.is_not(None))
        for text in connection.scalars(told if run is None else told.where(of == run)):
            yield from map(bytes.fromhex, _NAME.findall(text))


def _found_among(connection: Connection, wanted: set[bytes]) -> set[bytes]:
    """Which of these nodes anything refers to."""
    return _reachable(connection, set(_roots(connection)), wanted) & wanted if wanted else set()


def _reachable(connection: Connection, names: set[bytes], until: set[bytes] | None = None) -> set[bytes]:
    """The nodes that are there of these, and all that they refer to; `until` all of those are found."""
    seen: set[bytes] = set()
    level = names
    while level and not (until is not None and until <= seen):
        found: set[bytes] = set()
        following: set[bytes] = set()
        ordered = list(level)
        for at in range(0, len(ordered), TOGETHER):
            part = _BODIES.hash.in_(ordered[at : at + TOGETHER])
            for row in connection.execute(select(_BODIES.hash, _BODIES.packed, _BODIES.data).where(part)):
                found.add(bytes(row.hash))
                data = bytes(row.data)
                text = zstandard.decompress(data) if row.packed else data
                following.update(bytes.fromhex(name.decode()) for name in _REFERENCE.findall(text))
        seen |= found
        level = following - seen
    return seen


def _remove(connection: Connection, names: set[bytes]) -> None:
    ordered = list(names)
    for at in range(0, len(ordered), TOGETHER):
        connection.execute(delete(tables.bodies).where(_BODIES.hash.in_(ordered[at : at + TOGETHER])))
