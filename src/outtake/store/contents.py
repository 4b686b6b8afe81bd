"""What the nodes of bodies say, in memory, packed: each node is read once, and a search goes through all of them.

An index on disk would cost more than it gives: built as records are written, it slows the recording; built at the first
search, that search waits longer than it takes to read every node.  A node is kept as its JSON text, folded and without
what it refers to, next to others in a block; thousands of blocks of text are gone through in milliseconds.
"""

from __future__ import annotations

import bisect
import itertools
import json
import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import zstandard

from outtake.core.excerpts import folded
from outtake_probe.bodies import parse, references
from outtake_probe.records import Json

BLOCK = 1 << 19
"""Characters of a block."""
LONGEST = 1000
"""Characters of the longest text that can be searched for: no piece of a long text is shorter, but the last one."""
PLACES = 8
"""Places in a node that are looked at to distinguish what is new from what was said before."""
_BETWEEN = "\0"
"""Between the nodes of a block; in JSON it is always escaped."""
_BETWEENS = re.compile(_BETWEEN)
_SPECIAL = '"\\u0000'
_REFERENCE = re.compile(r'\{"\\u0000":"([0-9a-f]{32})"\}')
_PART = re.compile(r'\{"\\u0000(?:list|text)":')
_CUT_TEXT = '{"\\u0000text":'
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[^,:\[\]{}"]+')
_STRUCTURE = re.compile(r"(?=.*[,:\[\]{}])[0-9a-z.+\-,:\[\]{}]*")
_HEXADECIMAL = frozenset("0123456789abcdef")
_encode_string = json.encoder.encode_basestring

Fetch = Callable[[Iterable[bytes]], Iterator[tuple[bytes, bytes]]]
"""Gives the names and the texts of the nodes that are there."""
Source = tuple[bytes, ...]
"""The node, or the two neighbouring pieces of a long text, in which something is said."""


class _Block:
    """The texts of some nodes, folded, one after the other."""

    def __init__(self) -> None:
        self.nodes: list[int] | array[int] = []
        self._texts: list[str] = []
        self._room = BLOCK
        self._packed = b""

    def add(self, node: int, text: str) -> bool:
        """Add the text of a node; whether there is room for another one."""
        self.nodes.append(node)
        self._texts.append(text)
        self._room -= len(text)
        if self._room > 0:
            return True
        self._packed = zstandard.compress(self.read().encode("utf-8", "surrogatepass"), 1)
        self.nodes = array("l", self.nodes)
        self._texts.clear()
        return False

    def read(self) -> str:
        """All texts, with what stands between them."""
        if self._packed:
            return zstandard.decompress(self._packed).decode("utf-8", "surrogatepass")
        return _BETWEEN.join(self._texts)

    def having(self, text: str) -> Iterator[tuple[int, str]]:
        """The nodes in which a text stands, with theirs."""
        whole = self.read()
        at = whole.find(text)
        if at < 0:
            return
        ends = [*(found.start() for found in _BETWEENS.finditer(whole)), len(whole)]
        while at >= 0:
            place = bisect.bisect_right(ends, at)
            yield self.nodes[place], whole[ends[place - 1] + 1 if place else 0 : ends[place]]
            at = whole.find(text, ends[place])


@dataclass(frozen=True, slots=True)
class _Sought:
    """A text as it stands in the texts of nodes, where it stands in one of their scalars."""

    text: str
    plain: str
    spread: bool
    """It may stand between the scalars, too."""

    @classmethod
    def of(cls, text: str) -> _Sought:
        plain = folded(text)
        encoded = _encode_string(plain)[1:-1]
        return cls(encoded, plain, _STRUCTURE.fullmatch(encoded) is not None)

    def is_said(self, node: str) -> bool:
        """Whether one of the scalars of a node says the text; somewhere in the node it stands."""
        split = "\\" + self.text in node or ("\\u" in node and self.text[:1] in _HEXADECIMAL)
        if not (self.spread or split):  # it cannot begin with half of what escapes a letter
            return True
        return any(self.plain in _decoded(token) for token in _TOKEN.findall(node))


def _decoded(token: str) -> str:
    """What a scalar says."""
    if "\\" not in token:
        return token.strip('"')
    found: str = json.loads(token)
    return found


class Contents:
    """The nodes of the bodies that were asked for so far; they are numbered as they are met."""

    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch
        self._numbers: dict[bytes, int] = {}
        self._sources: list[Source] = []
        self._holders: defaultdict[int, list[int]] = defaultdict(list)
        """The nodes that refer to a node."""
        self._blocks = [_Block()]
        self._missing: set[bytes] = set()
        """Nodes that were not there when they were asked for."""
        self._ends: dict[bytes, tuple[bytes, bytes]] = {}
        """The first and the last piece of what long texts are made of."""
        self.size = 0
        """Characters of all nodes."""

    @property
    def numbers(self) -> Mapping[bytes, int]:
        """The numbers of the bodies that were read, and of all that they refer to."""
        return self._numbers

    def source(self, node: int) -> Source:
        """Where the value of a node can be found."""
        return self._sources[node]

    def read(self, bodies: Iterable[bytes]) -> None:
        """Read bodies, with all that they refer to and that was not read before."""
        texts: list[bytes] = []
        level = {name for name in bodies if name not in self._numbers}
        for name in level:
            self._number(name)
        level |= self._missing
        self._missing = set()
        while level:
            below: set[bytes] = set()
            for name, data in self._fetch(level):
                level.remove(name)
                number, text = self._numbers[name], data.decode("utf-8", "surrogatepass")
                if _SPECIAL in text:
                    if text.startswith(_CUT_TEXT):
                        texts.append(name)
                    below.update(self._hold(number, _REFERENCE.findall(text)))
                    text = _PART.sub("{", _REFERENCE.sub("", text))
                self._keep(number, folded(text))
            self._missing |= level
            level = below
        self._read_seams(texts)

    def _number(self, *source: bytes) -> int:
        """A number for a node, or for what stands across the seam of two."""
        number = len(self._sources)
        self._sources.append(source)
        if len(source) == 1:
            self._numbers[source[0]] = number
        return number

    def _hold(self, holder: int, names: Iterable[str]) -> Iterator[bytes]:
        """A node refers to others: gives those that are new."""
        for name in map(bytes.fromhex, names):
            number = self._numbers.get(name)
            if number is None:
                number = self._number(name)
                yield name
            self._holders[number].append(holder)

    def _keep(self, node: int, text: str) -> None:
        if not self._blocks[-1].add(node, text):
            self._blocks.append(_Block())
        self.size += len(text)

    # -- long texts --------------------------------------------------------------------------------------------------

    def _read_seams(self, texts: Sequence[bytes]) -> None:
        """What long texts say across the seams of their pieces becomes nodes of their own, in what holds both."""
        values: dict[bytes, Json] = {}
        level = set(texts)
        while level:
            found = {name: parse(data) for name, data in self._fetch(level)}
            values |= found
            level = {ref for value in found.values() for ref in _references(value)} - values.keys() - self._ends.keys()
        seams: list[tuple[bytes, bytes, bytes]] = []
        for name in texts:
            self._find_seams(name, values, seams)
        pieces = {name for _, *pair in seams for name in pair}
        values.update((name, parse(data)) for name, data in self._fetch(pieces - values.keys()))
        for holder, left, right in seams:
            number = self._number(left, right)
            self._holders[number].append(self._numbers[holder])
            before, after = values.get(left), values.get(right)
            seam = before[-LONGEST:] + after[:LONGEST] if isinstance(before, str) and isinstance(after, str) else ""
            self._keep(number, folded(_encode_string(seam)))

    def _find_seams(
        self, name: bytes, values: Mapping[bytes, Json], seams: list[tuple[bytes, bytes, bytes]]
    ) -> tuple[bytes, bytes]:
        """The first and the last piece of a part of a long text; adds each seam in it, with what holds it."""
        ends = self._ends.get(name)
        if ends is None:
            parts = [self._find_seams(ref, values, seams) for ref in _references(values.get(name))]
            seams += [(name, left[1], right[0]) for left, right in itertools.pairwise(parts)]
            ends = self._ends[name] = (parts[0][0], parts[-1][1]) if parts else (name, name)
        return ends

    # -- searching ---------------------------------------------------------------------------------------------------

    def saying(self, text: str) -> dict[int, list[str]]:
        """The nodes that say a text, with what stands between quotes around it."""
        sought = _Sought.of(text)
        having = itertools.chain.from_iterable(block.having(sought.text) for block in self._blocks)
        return {node: _around(said, sought.text) for node, said in having if sought.is_said(said)}

    def holding(self, nodes: Iterable[int]) -> dict[int, list[int]]:
        """All that hold some of `nodes`, directly or not, each with what it holds of these and of its own kind."""
        held: dict[int, list[int]] = {}
        todo = list(nodes)
        known = set(todo)
        while todo:
            node = todo.pop()
            for holder in self._holders.get(node, ()):
                held.setdefault(holder, []).append(node)
                if holder not in known:
                    known.add(holder)
                    todo.append(holder)
        return held


def _references(value: Json) -> list[bytes]:
    return [bytes.fromhex(name) for name in references(value)]


def _around(node: str, text: str) -> list[str]:
    """What stands between quotes around the first places of a text in a node, and what is left of the node then."""
    found: list[str] = []
    at = node.find(text)
    while at >= 0 and len(found) < PLACES:
        end = node.find('"', at + len(text))
        found.append(node[node.rfind('"', 0, at) + 1 : end if end >= 0 else None].rstrip("\\"))
        at = node.find(text, end) if end >= 0 else -1
    return found if at < 0 else [*found, node[at:]]
