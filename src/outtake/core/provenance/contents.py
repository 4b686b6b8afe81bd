"""What records say, searched by content: each node of the bodies is read and searched once.

Bodies share their nodes (`outtake_probe.bodies`), so what is found in one node is found for every body that refers to
it, however many records hold it.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from outtake.core.provenance.matchers import GRADES, Match, Sought
from outtake_probe.bodies import Unresolvable, cut_list, cut_text, parse, reference, references, resolve
from outtake_probe.records import Json

Fetch = Callable[[Iterable[str]], Mapping[str, bytes]]
"""Gives the texts of the nodes that are there."""
_POSITIONS = {"line": "function", "first": "lines"}
"""Numbers of source lines in the frames of an error, by a key beside each: they are no values of the program's."""
Path = tuple[str | int, ...]
SEAM = 200
"""Characters at each side of a cut in a long text in which a match over the cut is looked for, at least."""


class Contents:
    """The nodes of some bodies."""

    def __init__(self, bodies: Iterable[str], fetch: Fetch) -> None:
        self._nodes: dict[str, Json] = {}
        self._raw: dict[str, bytes] = {}
        level = set(bodies)
        while level:
            found = fetch(level)
            self._raw.update(found)
            self._nodes.update((name, parse(data)) for name, data in found.items())
            level = {ref for name in found for ref in references(self._nodes[name])} - self._nodes.keys()
        self._lengths: dict[str, int | None] = {}

    def value(self, body: str | None) -> Json:
        """A whole body; None where it is not there."""
        if body is None:
            return None
        try:
            return resolve(body, self._raw.__getitem__)
        except (KeyError, Unresolvable):
            return None

    def names(self) -> Iterable[str]:
        """The names of all nodes."""
        return self._nodes

    def node(self, name: str) -> Json:
        """One node, its references in place; None where it is not there."""
        return self._nodes.get(name)

    def texts(self) -> Iterator[str]:
        """Every text and number, once for each node that it stands in."""
        todo = list(self._nodes.values())
        while todo:
            value = todo.pop()
            if isinstance(value, str):
                yield value
            elif isinstance(value, (int, float)) and not isinstance(value, bool):
                yield json.dumps(value)
            elif reference(value) is None and isinstance(value, (dict, list)):
                todo += value.values() if isinstance(value, dict) else value

    def text(self, value: Json) -> str | None:
        """The text that a value is, also one that was cut; None where it is none."""
        if isinstance(value, str):
            return value
        if (name := reference(value)) is not None:
            return self.text(self.node(name))
        pieces = self.pieces(value)
        return "".join(self.text(piece) or "" for piece in pieces) if pieces is not None else None

    def pieces(self, value: Json) -> list[Json] | None:
        """The pieces of a text that was cut."""
        pieces = cut_text(value)
        name = reference(pieces)
        found = self.node(name) if name is not None else pieces
        return list(self.items(found)) if isinstance(found, list) else None

    def items(self, values: Iterable[Json]) -> Iterator[Json]:
        """The items of a list, those of its cut parts in place of these."""
        for value in values:
            run = self.run(value)
            if run is None:
                yield value
            else:
                yield from self.items(run)

    def run(self, value: Json) -> list[Json] | None:
        """The items of the part of a cut list that a value is; None where it is an item."""
        name = reference(value)
        return cut_list(self.node(name) if name is not None else value)

    def length(self, value: Json) -> int:
        """How many items of a list a value stands for."""
        name = reference(value)
        if name is None or name not in self._lengths:
            run = self.run(value)
            length = None if run is None else sum(self.length(item) for item in run)
            if name is None:
                return 1 if length is None else length
            self._lengths[name] = length
        known = self._lengths[name]
        return 1 if known is None else known


@dataclass(frozen=True, slots=True)
class Position:
    """Where in a body something was found."""

    match: Match
    path: Path = ()

    @property
    def grade(self) -> int:
        return GRADES.index(self.match.how)

    def under(self, *path: str | int) -> Position:
        """The same place, from further out."""
        return replace(self, path=(*path, *self.path))


@dataclass(slots=True)
class Search:
    """Finds one text in any number of bodies."""

    contents: Contents
    sought: Sought
    _found: dict[str, Position | None] = field(default_factory=dict)
    _seams: dict[tuple[str, str], Position | None] = field(default_factory=dict)

    def find(self, body: str, pieces: bool = False) -> Position | None:
        """The best place in a body: verbatim before re-formatted, then the first.

        `pieces`: the body may be a stream, and the text in several of its pieces.
        """
        return self._node(body) or (self._joined(body) if pieces else None)

    def value(self, value: Json) -> Position | None:
        """The best place in a value that is in no body."""
        return self._in(value)

    def _node(self, name: str) -> Position | None:
        if name not in self._found:
            self._found[name] = None  # a node that is not there holds nothing
            self._found[name] = self._in(self.contents.node(name))
        return self._found[name]

    def _in(self, value: Json) -> Position | None:
        if isinstance(value, str):
            return self._leaf(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return self._leaf(json.dumps(value))
        if isinstance(value, list):
            return self._list(value)
        return self._object(value) if isinstance(value, dict) else None

    def _leaf(self, text: str) -> Position | None:
        match = self.sought.find(text)
        return Position(match) if match is not None else None

    def _object(self, value: dict[str, Json]) -> Position | None:
        if (name := reference(value)) is not None:
            return self._node(name)
        if (pieces := self.contents.pieces(value)) is not None:
            return self._long(pieces)
        if (items := cut_list(value)) is not None:
            return self._list(items)
        best: Position | None = None
        for key, item in value.items():
            if isinstance(item, int) and _POSITIONS.get(key) in value:
                continue
            name = key.removeprefix("\0")
            found = _better(self._in(item), self._leaf(name))
            best = _better(best, found.under(name) if found is not None else None)
        return best

    def _list(self, items: list[Json]) -> Position | None:
        best: Position | None = None
        place = 0
        for item in items:
            found = self._in(item)
            part = self.contents.run(item) is not None
            if found is not None and part:  # its path begins with the number within the part
                inner, *rest = found.path
                found = replace(found, path=(place + int(inner), *rest))
            elif found is not None:
                found = found.under(place)
            best = _better(best, found)
            place += self.contents.length(item)
        return best

    def _long(self, pieces: list[Json]) -> Position | None:
        """In a text that was cut: in its pieces, and over each cut."""
        best: Position | None = None
        for piece in pieces:
            best = _better(best, self._in(piece))
        for left, right in itertools.pairwise(pieces):
            best = _better(best, self._seam(left, right))
        return best

    def _seam(self, left: Json, right: Json) -> Position | None:
        key = (reference(left) or str(left), reference(right) or str(right))
        if key not in self._seams:
            width = max(SEAM, 4 * len(self.sought.text))
            before, after = self.contents.text(left) or "", self.contents.text(right) or ""
            tail, head = before[-width:], after[:width]
            tail = tail.partition(" ")[2] if len(before) > width else tail  # not in the middle of a number
            head = head.rpartition(" ")[0] if len(after) > width else head
            self._seams[key] = self._leaf(tail + head)
        return self._seams[key]

    def _joined(self, body: str) -> Position | None:
        """In the pieces of a stream, put together."""
        value = self.contents.node(body)
        if not isinstance(value, list):
            return None
        texts: list[str] = []
        for item in self.contents.items(value):
            text = self.contents.text(item)
            if text is None:
                return None
            texts.append(text)
        return self._leaf("".join(texts)) if len(texts) > 1 else None


def _better(a: Position | None, b: Position | None) -> Position | None:
    if a is None or b is None:
        return a or b
    return b if b.grade < a.grade else a
