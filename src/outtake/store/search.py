"""Search in the records of a run: what their bodies say, and what they name, shared prefix included.

Nothing is done as records are written.  The first search of a run reads its bodies, later ones what has been added.
"""

from __future__ import annotations

import itertools
import json
import threading
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import zstandard
from sqlalchemy import bindparam, select

from outtake.core.excerpts import folded, spellings
from outtake.core.runs import Segment
from outtake.store import tables
from outtake.store.contents import Contents, Source
from outtake.store.giving_up import check
from outtake.store.rows import KIND_NAMES
from outtake.store.store import TOGETHER, Store, number
from outtake_probe.records import Json

MOST = 1 << 28
"""Characters of nodes that are kept for later searches, unless one run alone has more."""
RUNS = 16
"""Runs of which it is kept what their records hold."""
PAGE = 50_000
"""Records that are read at a time."""
_NO_BODY = -1

_NAMES: Mapping[str, Sequence[str]] = {
    "message_queued": ("recipient", "type"),
    "invocation_started": ("type",),
    "noted": ("type",),
    "span_started": ("name",),
    "config_set": ("key",),
    "value_read": ("value",),
}
"""Where kinds of record name something, beside the component."""
_NAMING = {kind for kind, name in KIND_NAMES.items() if name in _NAMES}
_RECORDS = tables.records
_BODIES = tables.bodies.c
_NODES = select(_BODIES.hash, _BODIES.packed, _BODIES.data).where(_BODIES.hash.in_(bindparam("names", expanding=True)))
Names = tuple[tuple[str, str], ...]
"""Where a record names something, and what."""
Said = Mapping[int, Sequence[str]]
"""Nodes that say a text, with the scalars in which they do."""
Held = Mapping[int, Sequence[int]]
"""Nodes that hold such nodes, or hold one that does, with what they hold of them."""


class _Line(NamedTuple):
    """A record that says a text: with a node of its body that does, or holds one that does, or in a name."""

    seq: int
    first: bool
    node: int | None
    name: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class Hit:
    """A record that says the text: in its body, at `source`, or in a name."""

    seq: int
    first: bool
    """It says it in words that no record before it has, so it does not just repeat what was said."""
    source: Source | None
    name: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The records of a run that say a text, in order."""

    total: int
    firsts: int
    hits: list[Hit]
    """As many of them as were asked for."""


@dataclass(slots=True)
class _Log:
    """What the records of a run hold: the number of each one's body, and of its names."""

    parts: list[Segment]
    next: int = 0
    seqs: array[int] = field(default_factory=lambda: array("l"))
    bodies: array[int] = field(default_factory=lambda: array("l"))
    names: array[int] = field(default_factory=lambda: array("l"))


class Search:
    """Finds texts in the runs of a store.  Safe to use from several threads."""

    def __init__(self, store: Store, most: int = MOST) -> None:
        self._store = store
        self._most = most
        self._lock = threading.Lock()
        self._logs: dict[str, _Log] = {}
        self._contents = Contents(self._fetch)
        self._names: dict[Names, int] = {}
        self._components: dict[int, str] = {}
        self._unpacker = zstandard.ZstdDecompressor()

    def find(self, run: str, text: str, *, after: int = -1, limit: int = 100, first: bool = False) -> SearchResult:
        """The records of a run that say `text`, whatever the case of its letters and, of a number, with or without
        commas between its thousands; the first `limit` over `after`.

        With `first`, only those that say it in words that no record before them has.
        """
        with self._lock, self._store.decoding():
            log = self._read(run)
            said: dict[int, list[str]] = {}
            for spelling in spellings(text):
                for node, words in self._contents.saying(spelling).items():
                    said.setdefault(node, []).extend(words)
            held = self._contents.holding(said)
            lines = list(self._lines(log, text, said, held))
            shown = (line for line in lines if line.seq > after and (line.first or not first))
            hits = [self._hit(line, said, held) for line in itertools.islice(shown, limit)]
            return SearchResult(len(lines), sum(line.first for line in lines), hits)

    def _lines(self, log: _Log, text: str, said: Said, held: Held) -> Iterator[_Line]:
        sought = [folded(spelling) for spelling in spellings(text)]
        named = {
            n: pairs[0]
            for names, n in self._names.items()
            if (pairs := [pair for pair in names if any(one in folded(pair[1]) for one in sought)])
        }
        having = said.keys() | held.keys()
        looked: set[int] = set()
        known: set[str | tuple[str, str]] = set()
        for seq, body, names in zip(log.seqs, log.bodies, log.names, strict=True):
            if body in having:
                new = _new(body, said, held, looked, known) if body not in looked else None
                yield _Line(seq, new is not None, body if new is None else new, None)
            elif names in named:
                name = named[names]
                yield _Line(seq, name not in known, None, name)
                known.add(name)

    def _hit(self, line: _Line, said: Said, held: Held) -> Hit:
        if line.node is None:
            return Hit(line.seq, line.first, None, line.name)
        return Hit(line.seq, line.first, self._contents.source(_any(line.node, said, held)), None)

    # -- reading -----------------------------------------------------------------------------------------------------

    def _read(self, run: str) -> _Log:
        """The log of a run with all records that are there."""
        parts = self._store.segments(run)
        log = self._logs.pop(run, None)
        if self._contents.size > self._most and self._logs:
            self._logs.clear()
            self._contents = Contents(self._fetch)
            log = None
        if log is None or log.parts != parts:  # a fork's replay may have gone live from an earlier record
            log = _Log(parts)
        while len(self._logs) >= RUNS:
            del self._logs[next(iter(self._logs))]
        self._logs[run] = log  # the last one that was used is the last one to go
        for part in parts:
            if part.last is None or part.last > log.next:
                self._read_part(log, part)
        return log

    def _read_part(self, log: _Log, part: Segment) -> None:
        """Read the records of a part of a run that are new, with their bodies."""
        c = _RECORDS.c
        query = select(c.seq, c.kind, c.component, c.body, c.extra).where(c.run == number(part.run))
        if part.last is not None:
            query = query.where(c.seq < part.last)
        while True:
            more = query.where(c.seq >= max(part.first, log.next)).order_by(c.seq).limit(PAGE)
            check()
            with self._store.reading() as connection:
                rows = connection.execute(more).all()
            if rows:
                seqs, kinds, components, bodies, extras = zip(*rows, strict=True)
                self._read_components(set(components) - self._components.keys() - {None})
                self._contents.read(set(bodies) - {None})
                numbers = self._contents.numbers
                log.seqs.extend(seqs)
                log.bodies.extend([numbers.get(body, _NO_BODY) for body in bodies])
                log.names.extend(self._numbered(kinds, components, extras))
                log.next = seqs[-1] + 1
            if len(rows) < PAGE:
                return

    def _numbered(
        self, kinds: Iterable[int], components: Iterable[int | None], extras: Iterable[str | None]
    ) -> Iterator[int]:
        """The numbers of what records name."""
        found: dict[tuple[int, int | None, str | None], int] = {}
        for kind, component, extra in zip(kinds, components, extras, strict=True):
            about = (kind, component, extra if kind in _NAMING else None)
            if about not in found:
                found[about] = self._names.setdefault(self._named(*about), len(self._names))
            yield found[about]

    def _named(self, kind: int, component: int | None, extra: str | None) -> Names:
        """What a record names."""
        told = json.loads(extra) if extra is not None else {}
        path = self._components.get(component, "") if component is not None else ""
        named = [("component", path), *((name, _text(told.get(name))) for name in _NAMES.get(KIND_NAMES[kind], ()))]
        return tuple((where, name) for where, name in named if name)

    def _read_components(self, wanted: Iterable[int]) -> None:
        components = tables.components
        with self._store.reading() as connection:
            for part in _parts(wanted):
                rows = connection.execute(select(components).where(components.c.id.in_(part)))
                self._components.update((row.id, row.path) for row in rows)

    def _fetch(self, names: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
        """The nodes that are there."""
        with self._store.reading() as connection:
            for part in _parts(sorted(names)):  # in the order of the index
                for name, packed, data in connection.execute(_NODES, {"names": part}).all():
                    yield name, self._unpacker.decompress(data) if packed else data


def _parts(items: Iterable[Any]) -> Iterator[list[Any]]:
    """The items, as many at a time as one question may name."""
    rest = list(items)
    for at in range(0, len(rest), TOGETHER):
        yield rest[at : at + TOGETHER]


def _text(value: Json) -> str:
    """A name as it is searched for."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def _new(body: int, said: Said, held: Held, looked: set[int], known: set[str | tuple[str, str]]) -> int | None:
    """A node of a body that says the text in new words, if there is one; what was looked at says nothing new."""
    found: int | None = None
    todo = [body]
    while todo:
        node = todo.pop()
        if node in looked:
            continue
        looked.add(node)
        words = [said_here for said_here in said.get(node, ()) if said_here not in known]
        known.update(words)
        if words and found is None:
            found = node
        todo += held.get(node, ())
    return found


def _any(body: int, said: Said, held: Held) -> int:
    """A node of a body that says the text."""
    while body not in said:
        body = held[body][0]
    return body
