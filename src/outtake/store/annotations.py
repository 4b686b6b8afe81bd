"""Annotations in the store: beside the records, never among them."""

from __future__ import annotations

import json
import time
from typing import Any, cast

from sqlalchemy import CTE, RowMapping, Select, case, delete, insert, literal, select, update

from outtake.core.annotations import Annotation, Kind, Note
from outtake.store import tables
from outtake.store.store import Store, number

_DEEPEST = 10_000
"""Forks of forks that are followed."""
_EVER = 2**31 - 1
"""More than any number of a record."""


class Annotations:
    """What was said about the runs of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, run: str, note: Note, created: float | None = None) -> Annotation:
        """Keep a note with a run; `created` is now, unless it is given."""
        at = time.time() if created is None else created
        values = {
            "run": number(run),
            "seq": note.seq,
            "kind": note.kind,
            "author": storable(note.author),
            "text": storable(note.text),
            "data": json.dumps(dict(note.data)),
            "created": at,
        }
        with self._store.writing() as connection:
            made = connection.execute(insert(_TABLE).values(values).returning(_TABLE)).mappings().one()
        return _annotation(made)

    def change(self, id: int, text: str, data: dict[str, Any]) -> None:
        """Let an annotation say something else."""
        values = {"text": storable(text), "data": json.dumps(data)}
        with self._store.writing() as connection:
            connection.execute(update(_TABLE).where(_TABLE.c.id == id).values(values))

    def remove(self, id: int) -> None:
        with self._store.writing() as connection:
            connection.execute(delete(_TABLE).where(_TABLE.c.id == id))

    def get(self, id: int) -> Annotation | None:
        return next(iter(self._found(select(_TABLE).where(_TABLE.c.id == id))), None)

    def of(self, run: str) -> list[Annotation]:
        """Those of a run itself, oldest first."""
        return self._found(select(_TABLE).where(_TABLE.c.run == number(run)).order_by(_TABLE.c.id))

    def seen_from(self, run: str) -> list[Annotation]:
        """Those of a run, and those on records that it shares with the runs it was forked from, oldest first."""
        line = _line(run)
        here = (line.c.depth == 0) | (_TABLE.c.seq < line.c.shared)
        query = select(_TABLE).join_from(_TABLE, line, line.c.number == _TABLE.c.run).where(here)
        return self._found(query.order_by(_TABLE.c.id))

    def judging(self, run: str | None = None) -> list[Annotation]:
        """Expectations and verdicts on runs as a whole, the newest last: all of them, or those that may count for one
        run, the nearest run last.
        """
        whole = _TABLE.c.seq.is_(None) & _TABLE.c.kind.in_(("expectation", "verdict"))
        query = select(_TABLE).where(whole)
        if run is None:
            return self._found(query.order_by(_TABLE.c.id))
        line = _line(run)
        query = query.join_from(_TABLE, line, line.c.number == _TABLE.c.run)
        return self._found(query.order_by(line.c.depth.desc(), _TABLE.c.id))

    def _found(self, query: Select[Any]) -> list[Annotation]:
        with self._store.reading() as connection:
            return [_annotation(row) for row in connection.execute(query).mappings()]


_TABLE = tables.annotations


def storable(text: str) -> str:
    """Text as a database takes it: without what is no valid Unicode."""
    return text.encode("utf-8", "replace").decode()


def _line(run: str) -> CTE:
    """A run and those that it was forked from: their numbers, how far away, and how many of their records it shares."""
    runs = tables.runs
    columns = (runs.c.number, runs.c.parent, runs.c.cut)
    first = select(*columns, literal(_EVER).label("shared"), literal(0).label("depth"))
    line = first.where(runs.c.number == number(run)).cte("line", recursive=True)
    shared = case((line.c.shared < line.c.cut, line.c.shared), else_=line.c.cut)
    before = (runs.c.number == line.c.parent) & (line.c.depth < _DEEPEST)
    return line.union_all(select(*columns, shared, line.c.depth + 1).where(before))


def _annotation(row: RowMapping) -> Annotation:
    return Annotation(
        id=row["id"],
        run=f"r{row['run']}",
        seq=row["seq"],
        kind=cast(Kind, row["kind"]),
        author=row["author"],
        text=row["text"],
        data=json.loads(row["data"]),
        created=row["created"],
    )
