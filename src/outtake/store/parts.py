"""What the records of a run name: components, messages between them, settings; counted where the records are."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from sqlalchemy import ColumnElement, Select, func, select

from outtake.core.describing import Called, Parts, Sent
from outtake.core.runs import Segment
from outtake.store import tables
from outtake.store.rows import CALL_NUMBERS, KIND_NUMBERS
from outtake.store.store import Store, number
from outtake_probe.records import Json

_R = tables.records.c
_CALLS = {n: name for name, n in CALL_NUMBERS.items()}


def parts(store: Store, run: str) -> Parts:
    """What the records of a run name, those that it shares with its ancestors included."""
    found = Parts()
    for part in store.segments(run):
        _read(store, part, found)
        _read_nesting(store, run, part, found)
    for record in store.records(run, kind="config_set"):
        value = store.body(record["body"]) if record.get("body") else None
        found.settings[record.get("component", ""), record["key"]] = value
    return found


def _read(store: Store, part: Segment, found: Parts) -> None:
    """Invocations and messages: what makes one of many is left out of what is grouped, so the groups are few."""
    component, how_many = tables.components.c.path, func.count()
    for kind, call, path, extra, times in _rows(
        store,
        select(_R.kind, _R.call, component, _R.extra, how_many)
        .join_from(tables.records, tables.components, tables.components.c.id == _R.component, isouter=True)
        .where(*_within(part), _R.kind.in_((KIND_NUMBERS["invocation_started"], KIND_NUMBERS["message_queued"])))
        .group_by(_R.kind, _R.call, component, _R.extra)
        .order_by(func.min(_R.seq)),
    ):
        told: dict[str, Json] = json.loads(extra) if extra is not None else {}
        if kind == KIND_NUMBERS["message_queued"]:
            found.sent[Sent(path or "", told.get("recipient", ""), told.get("type", ""))] += times
        else:
            found.called[Called(path or "", _CALLS[call], told.get("effects") or "")] += times


def _read_nesting(store: Store, run: str, part: Segment, found: Parts) -> None:
    """What was called inside what."""
    outer, started = tables.records.alias("outer"), _R.kind == KIND_NUMBERS["invocation_started"]
    paths, outer_paths = tables.components, tables.components.alias("outer_paths")
    rows = _rows(
        store,
        select(outer_paths.c.path, paths.c.path, func.count())
        .join_from(tables.records, outer, (outer.c.run == _R.run) & (outer.c.seq == _R.parent))
        .join(paths, paths.c.id == _R.component)
        .join(outer_paths, outer_paths.c.id == outer.c.component)
        .where(*_within(part), started)
        .group_by(outer_paths.c.path, paths.c.path)
        .order_by(func.min(_R.seq)),
    )
    found.inside.update({(above, below): times for above, below, times in rows})
    if part.first > 0:  # what goes on in an invocation that began before the cut is stored with another run
        before = _rows(
            store,
            select(_R.parent, paths.c.path, func.count())
            .join_from(tables.records, paths, paths.c.id == _R.component)
            .where(*_within(part), started, _R.parent < part.first)
            .group_by(_R.parent, paths.c.path),
        )
        counted = Counter({(parent, path): times for parent, path, times in before})
        begun = {r["seq"]: r.get("component", "") for r in store.picked(run, {parent for parent, _ in counted})}
        for (parent, path), times in counted.items():
            if begun.get(parent):
                found.inside[begun[parent], path] += times


def _within(part: Segment) -> list[ColumnElement[bool]]:
    bounds = [_R.run == number(part.run), _R.seq >= part.first]
    return bounds if part.last is None else [*bounds, _R.seq < part.last]


def _rows(store: Store, query: Select[Any]) -> Iterator[Any]:
    with store.reading() as connection:
        yield from connection.execute(query).all()
