"""The store: runs, records and bodies in one file, with one writer and any number of readers.

A fork stores nothing that its parent stored: its records are its parent's up to the cut, then its own; bodies are
shared by content among all runs.  Appending is one transaction: after it, the records survive the end of any process.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import math
import re
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import zstandard
from sqlalchemy import (
    Connection,
    Engine,
    RowMapping,
    Table,
    bindparam,
    create_engine,
    delete,
    event,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool
from sqlalchemy.schema import CreateTable

from outtake.core.runs import Counts, EndlessLine, Fork, Launch, Run, Segment, State, lineage, segments
from outtake.store import tables
from outtake.store.errors import (
    MALFORMED,
    UNREADABLE,
    WAY_OUT,
    Damaged,
    NewerFormat,
    NotWritten,
    Overtaken,
    StoreError,
    UnknownBody,
    UnknownRun,
    one_line,
    unreadable,
)
from outtake.store.giving_up import check
from outtake.store.outline import FIELDS, Outline, outline
from outtake.store.private import DATABASE, close_to_others, private_file, private_folder
from outtake.store.reading_only import ReadOnlyFile
from outtake.store.rows import CALL_NUMBERS, KIND_NUMBERS, compact_row, from_row, to_row
from outtake_probe.bodies import Unresolvable, parse, references, resolve
from outtake_probe.records import Json

PACK = 150
"""Bytes from which a node is compressed, where that helps."""
PAGE = 2000
TOGETHER = 500
"""Names or numbers in one question to the database."""
LARGEST = 2**63 - 1
"""The largest number that the database holds."""
LONGEST_NUMBER = 20
"""Digits of a number that is looked at."""
BRIEF = 500
"""Milliseconds that are waited for readers before SQLite's log is emptied."""
_NAME = re.compile(r"[0-9a-f]{32}")
CONSOLE_LIMIT = 4 << 20
"""Characters of a process's output that are kept."""


class Store:
    """Runs, records and bodies in `folder`.  Safe to use from several threads; one process writes.

    One that is not `writable` is read as it is, and nothing is made beside it.  Raises `StoreError`, `OSError`.
    """

    def __init__(self, folder: Path, *, writable: bool = True) -> None:
        self.folder = folder
        self.path = folder / DATABASE
        self._file = None if writable else _read_only(self.path)
        self._engine = _open_file(self._file) if self._file is not None else _open(self.path)
        self._lock = threading.RLock()
        self._paths: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._packer = zstandard.ZstdCompressor(level=3)
        self._printed: dict[str, int] = {}
        self._statements: dict[str, str] = {}
        self._writer: Connection | None = None
        self._writes = 0
        """Transactions, one in the other, of the thread that has the lock."""
        self._writing_thread = 0
        self._closed = False
        self._check(self._found() if self._file is not None else self._prepare())

    def close(self) -> None:
        """Nothing is written from now on, whoever may still want to."""
        with self._lock:
            self._closed = True
            self._abandon()
        self._engine.dispose()
        if self._file is not None:
            self._file.close()

    def _prepare(self) -> str | None:
        """Make what is not there; the format of what is.  A store of a newer format is left as it is."""
        try:
            with self._engine.begin() as connection:
                tables.meta.create(connection, checkfirst=True)
                found = connection.scalar(select(tables.meta.c.value).where(tables.meta.c.key == "format"))
                if found is None or _readable(found):
                    tables.metadata.create_all(connection)
                if found is None:
                    connection.execute(insert(tables.meta).values(key="format", value=str(tables.FORMAT)))
        except (DBAPIError, sqlite3.Error, UnicodeDecodeError) as error:
            raise unreadable(self.path, error, "cannot be opened as a store") from error
        return found

    def _found(self) -> str | None:
        with self.reading() as connection:
            return connection.scalar(select(tables.meta.c.value).where(tables.meta.c.key == "format"))

    def _check(self, found: str | None) -> None:
        """Whether this Outtake reads that format."""
        if found is not None and not found.isdecimal():
            raise Damaged(f"{self.path} has no format, but {found!r}: {WAY_OUT}")
        if found is not None and not _readable(found):
            raise NewerFormat(
                f"{self.path} has format {found}; this Outtake reads up to {tables.FORMAT}. Install a newer Outtake, "
                "or name another store with --store"
            )

    # -- runs --------------------------------------------------------------------------------------------------------

    def create(
        self,
        launch: Launch,
        fork: Fork | None,
        *,
        seed: int,
        name: str = "",
        status: State = "starting",
        listed: bool = True,
    ) -> Run:
        """A new run.

        One that is not listed only serves to look at a target, and is deleted then.  It is numbered below zero: no run
        that somebody sees misses a number for it.
        """
        values = {
            "name": name,
            "launch": _dump(dataclasses.asdict(launch)),
            "parent": number(fork.parent) if fork else None,
            "cut": fork.cut if fork else 0,
            "fork": _dump(dataclasses.asdict(fork)) if fork else None,
            "status": status,
            "created": time.time(),
            "seed": seed,
        }
        of = tables.runs.c.number
        with self.writing() as connection:
            if not listed:
                lowest = connection.scalar(select(func.min(of)))
                values["number"] = min(lowest or 0, 0) - 1
            made = connection.execute(insert(tables.runs).values(values).returning(of)).scalar_one()
        return self.run(f"r{made}")

    def run(self, run: str) -> Run:
        """The run with this id.  Raises `UnknownRun`."""
        with self.reading() as connection:
            row = connection.execute(select(tables.runs).where(tables.runs.c.number == number(run))).mappings().first()
            if row is None:
                raise UnknownRun(f"there is no run {run} in {self.folder}; `outtake runs` lists them")
            return _run(row, self._length(connection, row))

    def runs(self, *, listed: bool = True) -> list[Run]:
        """All runs, oldest first; or those that are not listed, see `create`.

        The length of each is looked up by itself: nothing goes through the records.
        """
        records, number_of = tables.records, tables.runs.c.number
        wanted = number_of > 0 if listed else number_of < 0
        last = select(func.max(records.c.seq)).where(records.c.run == number_of).scalar_subquery()
        with self.reading() as connection:
            told = select(tables.runs, last.label("last")).where(wanted).order_by(number_of)
            rows = connection.execute(told).mappings().all()
            return [_run(row, row["cut"] if row["last"] is None else row["last"] + 1) for row in rows]

    def lineage(self, run: Run) -> Iterator[Run]:
        """The run, then those that it was forked from, the nearest first."""
        with self._sound():
            yield from lineage(run, self.run)

    def segments(self, run: str) -> list[Segment]:
        """Where the records of a run are stored, in order."""
        with self._sound():
            return segments(self.run(run), self.run)

    @contextlib.contextmanager
    def _sound(self) -> Iterator[None]:
        try:
            yield
        except EndlessLine as error:
            raise Damaged(f"{self.path} is damaged: {error}; {WAY_OUT}") from error

    def _length(self, connection: Connection, row: RowMapping) -> int:
        last = select(func.max(tables.records.c.seq)).where(tables.records.c.run == row["number"])
        seq = connection.scalar(last)
        return int(row["cut"]) if seq is None else int(seq) + 1

    def change(self, run: str, **values: Any) -> None:
        """Change columns of a run: status, ended, output, error, counts, name."""
        for name in ("output", "error", "counts"):
            if name in values:
                values[name] = _dump(values[name])
        with self.writing() as connection:
            connection.execute(update(tables.runs).where(tables.runs.c.number == number(run)).values(values))

    def delete(self, run: str) -> None:
        """Remove a run, its records, its console and what was said about it; its bodies: `outtake.store.sweeping`."""
        with self.writing() as connection:
            self.delete_rows(connection, run)

    def delete_rows(self, connection: Connection, run: str) -> None:
        """What `delete` removes, as a part of a larger transaction."""
        of = number(run)
        for table in (tables.records, tables.console, tables.annotations, tables.descriptions, tables.files):
            connection.execute(delete(table).where(table.c.run == of))
        connection.execute(delete(tables.runs).where(tables.runs.c.number == of))

    def size(self) -> int:
        """Bytes of the database in the file system."""
        files = (self.path, self.path.with_name(f"{self.path.name}-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def compact(self) -> None:
        """Give the space of what was removed back to the file system."""
        with self._lock:
            self._connection()
            self._abandon()
            self._alone("VACUUM")
        self.truncate_log()

    def truncate_log(self) -> None:
        """Move what is in SQLite's log into the database, so that nothing removed stands there.

        Where a reader is in the way for long, that waits for the next time.
        """
        with self._lock:
            if self._engine.dialect.name == "sqlite" and not self._closed:
                self._alone(
                    f"PRAGMA busy_timeout={BRIEF}", "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA busy_timeout=10000"
                )

    def _alone(self, *statements: str) -> None:
        """Execute what can be in no transaction."""
        try:
            with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                for statement in statements:
                    connection.exec_driver_sql(statement)
        except DBAPIError as error:
            raise self._failed(error) from error

    def forget_components(self) -> None:
        """Numbers of components may have been removed."""
        self._paths.clear()
        self._names.clear()

    def recut(self, run: str, cut: int) -> None:
        """A replay went on live from an earlier point: the fork shares less."""
        found = self.run(run)
        if found.fork is None:
            raise StoreError(f"{run} is no fork")
        fork = dataclasses.replace(found.fork, cut=cut)
        self.change(run, cut=cut, fork=_dump(dataclasses.asdict(fork)))

    # -- records -----------------------------------------------------------------------------------------------------

    def append(self, run: str, records: Sequence[Mapping[str, Json]], nodes: Sequence[tuple[str, bytes]] = ()) -> None:
        """Write records and the nodes of their bodies, in one transaction.  Records that are there stay as they are."""
        with self.writing() as connection:
            if nodes:
                self._insert(connection, tables.bodies, ("hash",), [self._pack(*n) for n in nodes])
            if records:
                of = number(run)
                rows = [to_row(of, r, lambda path: self._component(connection, path)) for r in records]
                self._insert(connection, tables.records, ("run", "seq"), rows)

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection of one reader; who is writing reads what it has written.

        Raises `StoreError`.
        """
        with self.decoding():
            if self._writes and self._writing_thread == threading.get_ident():
                yield self._connection()
            else:
                with self._engine.connect() as connection:
                    yield connection

    @contextlib.contextmanager
    def decoding(self) -> Iterator[None]:
        """Where rows are read and something is made of them: a row that is none any more is a fault of the file."""
        try:
            yield
        except (DBAPIError, sqlite3.Error, *UNREADABLE) as error:
            raise unreadable(self.path, error, "cannot be read") from error

    @contextlib.contextmanager
    def still(self) -> Iterator[None]:
        """Nobody else writes meanwhile."""
        with self._lock:
            yield

    @contextlib.contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction of the one writer; one inside another is a part of it, and nothing is kept if it fails."""
        with self._lock:
            self._writes += 1
            self._writing_thread = threading.get_ident()
            try:
                yield self._connection()
                if self._writes == 1 and self._writer is not None:
                    self._writer.commit()
            except DBAPIError as error:
                raise self._failed(error) from error
            except (sqlite3.Error, UnicodeDecodeError) as error:  # the words of the database are damaged, too
                self._abandon()
                raise unreadable(self.path, error, "cannot be written") from error
            except BaseException:
                self._abandon()  # half of it must not go with the next one
                raise
            finally:
                self._writes -= 1

    def _failed(self, error: DBAPIError) -> StoreError:
        """Give the transaction up; what to raise for it."""
        self._abandon()
        told = f"{self.path} cannot be written: {one_line(error.orig)}"
        if any(word in told for word in MALFORMED):
            return Damaged(f"{told}; {WAY_OUT}")
        if isinstance(error, OperationalError):  # of the file and its disk, not of what was written
            return NotWritten(f"{told}; make room, nothing is lost")
        if isinstance(error, IntegrityError) and "FOREIGN KEY" in str(error.orig):
            return Overtaken("a run was deleted while it was forked or written to; `outtake runs` tells what there is")
        return StoreError(told)

    def _connection(self) -> Connection:
        """The connection of the one writer, kept open."""
        if self._file is not None:
            raise StoreError(f"{self.path} can only be read")
        if self._closed:
            raise StoreError(f"{self.path} is closed: nothing can be written any more")
        if self._writer is None:
            self._writer = self._engine.connect()
        return self._writer

    def _abandon(self) -> None:
        """A transaction failed: what it gave out, such as numbers of components, is gone with it."""
        self._paths.clear()
        writer, self._writer = self._writer, None
        if writer is not None:
            with contextlib.suppress(DBAPIError):
                writer.close()

    def _insert(
        self, connection: Connection, table: Table, keys: Sequence[str], rows: Sequence[tuple[Any, ...]]
    ) -> None:
        """Insert rows in the order of the table's columns (without an automatic one); those that are there stay.

        The statement is compiled once: this is on the path of every record.
        """
        text = self._statements.get(table.name)
        if text is None:
            names = [c.name for c in table.columns if c.name != "id"]
            statement = self._insert_new(table, *keys).values({name: bindparam(name) for name in names})
            text = self._statements[table.name] = str(statement.compile(dialect=self._engine.dialect))
        connection.exec_driver_sql(text, list(rows))

    def _insert_new(self, table: Any, *keys: str) -> Any:
        dialect = postgresql if self._engine.dialect.name == "postgresql" else sqlite
        return dialect.insert(table).on_conflict_do_nothing(index_elements=keys)

    def _component(self, connection: Connection, path: str) -> int:
        found = self._paths.get(path)
        if found is None:
            connection.execute(self._insert_new(tables.components, "path").values(path=path))
            where = tables.components.c.path == path
            found = int(connection.execute(select(tables.components.c.id).where(where)).scalar_one())
            self._paths[path] = found
        return found

    def _pack(self, name: str, data: bytes) -> tuple[bytes, int, bytes]:
        packed = self._packer.compress(data) if len(data) > PACK else data
        small = len(packed) < len(data)
        return bytes.fromhex(name), int(small), packed if small else data

    def records(
        self,
        run: str,
        *,
        after: int = -1,
        before: int | None = None,
        kind: str | None = None,
        component: str | None = None,
        limit: int | None = None,
    ) -> Iterator[dict[str, Json]]:
        """The records of a run with numbers over `after`, in order, as they are on disk when they are reached.

        `kind` is a kind of record or of invocation, `component` a path; both narrow the result.
        """
        if kind is not None and kind not in KIND_NUMBERS and kind not in CALL_NUMBERS:
            raise StoreError(f"unknown kind {kind!r}; known: {', '.join((*KIND_NUMBERS, *CALL_NUMBERS))}")
        page = PAGE if limit is None else min(PAGE, limit)
        found = (
            record
            for part in self.segments(run)
            for record in self._segment(_within(part, after, before), kind, component, page)
        )
        yield from itertools.islice(found, limit)

    def compact_records(self, run: str, *, before: int) -> Iterator[dict[str, Json]]:
        """The records of a run as they were written: what is not said has its default."""
        for part in self.segments(run):
            yield from self._segment(_within(part, -1, before), None, None, compact=True)

    def outline(self, run: str, *, after: int = -1, before: int | None = None) -> Outline:
        """What the records of a run with numbers over `after` are about; see `outtake.store.outline`."""
        parts = [_within(part, after, before) for part in self.segments(run)]
        with self.reading() as connection:
            rows = [row for part in parts for row in self._lines(connection, part)]
            # After the rows: a run that goes on may meanwhile have its first record of a component.
            paths = {row.id: row.path for row in connection.execute(select(tables.components))}
            return outline(rows, after + 1, paths.__getitem__)

    def _lines(self, connection: Connection, part: Segment) -> Iterator[Sequence[Any]]:
        """Rows as the driver gives them: there may be a hundred thousand."""
        table = tables.records
        query = select(*(table.c[name] for name in FIELDS)).where(
            table.c.run == number(part.run), table.c.seq >= part.first
        )
        if part.last is not None:
            query = query.where(table.c.seq < part.last)
        found = connection.execute(query.order_by(table.c.seq))
        return iter(found.cursor.fetchall())

    def _segment(
        self, part: Segment, kind: str | None, component: str | None, page: int = PAGE, *, compact: bool = False
    ) -> Iterator[dict[str, Json]]:
        read = compact_row if compact else from_row
        table, first = tables.records, part.first
        query = select(table).where(table.c.run == number(part.run), table.c.seq >= bindparam("first"))
        query = query.order_by(table.c.seq)
        if part.last is not None:
            query = query.where(table.c.seq < part.last)
        if kind is not None:
            query = query.where(table.c.kind == KIND_NUMBERS[kind] if kind in KIND_NUMBERS else _is_call(kind))
        if component is not None:
            number_of = select(tables.components.c.id).where(tables.components.c.path == component).scalar_subquery()
            query = query.where(table.c.component == number_of)
        while True:
            with self.reading() as connection:
                rows = connection.execute(query.limit(page), {"first": first}).all()
                paths = self._names_of(connection, rows)
                found = [read(row, paths) for row in rows]
            check()
            yield from found
            if len(rows) < page:
                return
            first = rows[-1].seq + 1

    def picked(self, run: str, seqs: Iterable[int]) -> Iterator[dict[str, Json]]:
        """The records with these numbers, in order; a number that the run has not is left out."""
        table, wanted = tables.records, sorted(seq for seq in set(seqs) if seq <= LARGEST)
        for part in self.segments(run):
            last = part.last if part.last is not None else math.inf
            inside = [seq for seq in wanted if part.first <= seq < last]
            for at in range(0, len(inside), TOGETHER):
                query = select(table).where(
                    table.c.run == number(part.run), table.c.seq.in_(inside[at : at + TOGETHER])
                )
                with self.reading() as connection:
                    rows = connection.execute(query.order_by(table.c.seq)).all()
                    paths = self._names_of(connection, rows)
                    yield from [from_row(row, paths) for row in rows]

    def _names_of(self, connection: Connection, rows: Sequence[Any]) -> Mapping[int, str]:
        missing = {row.component for row in rows if row.component is not None} - self._names.keys()
        if missing:
            ids = tables.components.c.id
            for row in connection.execute(select(tables.components).where(ids.in_(missing))):
                self._names[row.id] = row.path
        return self._names

    def components(self, run: str) -> set[str]:
        """Paths of all components that the records of a run name."""
        found: set[str] = set()
        for part in self.segments(run):
            table = tables.records
            where = [table.c.run == number(part.run), table.c.seq >= part.first, table.c.component.is_not(None)]
            if part.last is not None:
                where.append(table.c.seq < part.last)
            join = table.join(tables.components, tables.components.c.id == table.c.component)
            with self.reading() as connection:
                found.update(
                    connection.scalars(select(tables.components.c.path).select_from(join).where(*where).distinct())
                )
        return found

    # -- bodies ------------------------------------------------------------------------------------------------------

    def node(self, name: str) -> bytes:
        """The text of one node.  Raises `KeyError`."""
        found = self.nodes([name])
        if name not in found:
            raise KeyError(name)
        return found[name]

    def nodes(self, names: Iterable[str]) -> dict[str, bytes]:
        """The texts of the nodes that are there."""
        wanted = [bytes.fromhex(name) for name in names if _NAME.fullmatch(name)]
        out: dict[str, bytes] = {}
        with self.reading() as connection:
            for at in range(0, len(wanted), TOGETHER):
                check()
                part = tables.bodies.c.hash.in_(wanted[at : at + TOGETHER])
                for row in connection.execute(select(tables.bodies).where(part)):
                    data = bytes(row.data)
                    out[row.hash.hex()] = zstandard.decompress(data) if row.packed else data
        return out

    def tree(self, names: Iterable[str]) -> dict[str, bytes]:
        """The nodes with everything that they refer to, fetched level by level."""
        out: dict[str, bytes] = {}
        level = set(names)
        while level:
            found = self.nodes(level)
            out.update(found)
            level = {ref for name, data in found.items() for ref in self._references(name, data)} - out.keys()
        return out

    def _references(self, name: str, data: bytes) -> list[str]:
        try:
            return references(parse(data))
        except (ValueError, RecursionError) as error:
            raise Damaged(f"{self.path}: body {name} is no JSON ({error}): {WAY_OUT}") from error

    def body(self, name: str) -> Json:
        """The value of a body.  Raises `UnknownBody`, `StoreError`."""
        try:
            return resolve(name, self.tree([name]).__getitem__)
        except KeyError as error:
            raise UnknownBody(f"{self.folder} has no body {name}, or not all of it: {error} is not there") from error
        except Unresolvable as error:
            raise StoreError(f"{error}; it cannot be shown") from error

    def describe(self, run: str, body: str) -> None:
        """Keep what the program of a run said of itself, a body that is there, in place of what it said before."""
        table, of = tables.descriptions, number(run)
        with self.writing() as connection:
            connection.execute(delete(table).where(table.c.run == of))
            connection.execute(insert(table).values(run=of, body=bytes.fromhex(body)))

    def description(self, run: str) -> str | None:
        """The body that says what the program of a run said of itself."""
        table = tables.descriptions
        with self.reading() as connection:
            found = connection.scalar(select(table.c.body).where(table.c.run == number(run)))
        return found.hex() if found is not None else None

    # -- console -----------------------------------------------------------------------------------------------------

    def printed(self, run: str, stream: int, text: str) -> None:
        """Keep what a process printed, up to `CONSOLE_LIMIT` characters; what is over is left out, and that is said."""
        text = text.encode("utf-8", "replace").decode()
        with self.writing() as connection:
            of = number(run)
            size = self._printed.get(run, 0)
            if size > CONSOLE_LIMIT:
                return
            total = size + len(text)
            if total > CONSOLE_LIMIT:
                text = text[: CONSOLE_LIMIT - size] + "\n[more output than is kept]\n"
            table = tables.console
            last = connection.scalar(select(func.max(table.c.n)).where(table.c.run == of))
            n = 0 if last is None else last + 1
            connection.execute(insert(table).values(run=of, n=n, stream=stream, text=text))
        self._printed[run] = total

    def console(self, run: str, after: int = -1) -> list[tuple[int, int, str]]:
        """What the process of a run printed after part `after`: number, stream (1 output, 2 error), text; in order."""
        table = tables.console
        query = select(table).where(table.c.run == number(run), table.c.n > after).order_by(table.c.n)
        with self.reading() as connection:
            return [(row.n, row.stream, row.text) for row in connection.execute(query)]


def number(run: str) -> int:
    """The number of a run's id.  Raises `UnknownRun`."""
    digits = run.removeprefix("r")
    if not digits.removeprefix("-").isdecimal():
        raise UnknownRun(f"{run!r} is no run; runs are called r1, r2, ... and `outtake runs` lists them")
    found = int(digits) if len(digits) <= LONGEST_NUMBER else LARGEST + 1
    if found > LARGEST:
        raise UnknownRun(f"there is no run r{digits[:20]}...: no store has that many; `outtake runs` lists them")
    return found


def _readable(found: str) -> bool:
    """Whether this Outtake reads a store of that format."""
    return found.isdecimal() and int(found) <= tables.FORMAT


def _within(part: Segment, after: int, before: int | None) -> Segment:
    """The part of a segment between two records."""
    bounds = [bound for bound in (part.last, before) if bound is not None]
    last = min(bounds, default=None)
    return Segment(part.run, min(max(part.first, after + 1), LARGEST), None if last is None else min(last, LARGEST))


def _is_call(kind: str) -> Any:
    return tables.records.c.call == CALL_NUMBERS[kind]


def _read_only(path: Path) -> ReadOnlyFile:
    try:
        return ReadOnlyFile(path)
    except sqlite3.Error as error:
        raise StoreError(f"{path} cannot be read: {error}") from error


def _open_file(file: ReadOnlyFile) -> Engine:
    """What an earlier Outtake did not have yet is there, and empty: tables of a connection, in memory."""
    engine = create_engine("sqlite://", creator=file.connect, poolclass=QueuePool)

    @event.listens_for(engine, "connect")
    def _complete(connection: Any, _: ConnectionPoolEntry) -> None:
        connection.execute("PRAGMA temp_store=MEMORY")
        there = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        for table in tables.metadata.sorted_tables:
            if there and table.name not in there:
                made = CreateTable(table, include_foreign_key_constraints=[]).compile(dialect=engine.dialect)
                connection.execute(str(made).replace("CREATE TABLE", "CREATE TEMP TABLE", 1))

    return engine


def _open(path: Path) -> Engine:
    private_folder(path.parent)
    private_file(path)  # prompts are private; SQLite gives its other files the same rights
    for other in path.parent.glob(f"{path.name}-*"):
        close_to_others(other)
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": 10, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def _pragmas(connection: Any, _: ConnectionPoolEntry) -> None:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA secure_delete=ON")  # what is deleted does not stand in free pages

    return engine


def _run(row: RowMapping, length: int) -> Run:
    """The run of a row; one whose row is damaged can still be listed, read and deleted."""
    try:
        return _read_run(row, length)
    except UNREADABLE as error:
        told = f"the row of r{row['number']} is damaged ({type(error).__name__}: {error})"[:200]
        return Run(
            id=f"r{row['number']}",
            launch=Launch(spec="", folder="", python="", imported="a damaged store"),
            status="lost",
            error={"message": f"{told}; its records may be whole, and it can be deleted"},
            records=length,
        )


def _read_run(row: RowMapping, length: int) -> Run:
    fork = json.loads(row["fork"]) if row["fork"] else None
    return Run(
        id=f"r{row['number']}",
        launch=Launch(**json.loads(row["launch"])),
        fork=Fork(**fork) if fork else None,
        status=row["status"],
        created=row["created"],
        ended=row["ended"],
        seed=row["seed"],
        name=row["name"],
        output=json.loads(row["output"]) if row["output"] else None,
        error=json.loads(row["error"]) if row["error"] else None,
        counts=_counts(row["counts"]),
        records=length,
    )


def _counts(text: str | None) -> Counts | None:
    data = json.loads(text) if text is not None else None
    if data is None:
        return None
    names = [f.name for f in dataclasses.fields(Counts) if f.default_factory is Counter]
    tallies = {name: Counter(data.get(name, {})) for name in names}
    return Counts(**{**data, **tallies})


def _dump(value: Json) -> str:
    return json.dumps(value)
