"""The program's own files that a run imported, in the store: each by its path and a hash of its text."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import delete, insert, select, tuple_

from outtake.store import tables
from outtake.store.store import Store, number

_TABLE = tables.files


class Files:
    """What the runs of a store imported of their programs."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, run: str, files: Mapping[str, str]) -> None:
        """Keep files, by path, with the hashes of their texts; one that was imported anew has its newest."""
        of = number(run)
        rows = [{"run": of, "path": path, "hash": hash} for path, hash in files.items()]
        if not rows:
            return
        with self._store.writing() as connection:
            known = tuple_(_TABLE.c.run, _TABLE.c.path).in_([(of, path) for path in files])
            connection.execute(delete(_TABLE).where(known))
            connection.execute(insert(_TABLE), rows)

    def of(self, run: str) -> dict[str, str]:
        """The files of a run, in order of their paths; of a run that was recorded before this was kept, none."""
        wanted = select(_TABLE.c.path, _TABLE.c.hash).where(_TABLE.c.run == number(run)).order_by(_TABLE.c.path)
        with self._store.reading() as connection:
            return {row.path: row.hash for row in connection.execute(wanted)}
