"""Bodies: JSON values stored by content, as a Merkle DAG.

A body is cut into nodes: any string, list or object of `NODE` bytes or more is a node of its own, named by the hash of
its text, and its holder keeps only that name.  Long lists and texts are cut at places that depend on their content, so
a conversation that grows by one message, or a text that grows by one line, shares all but its last nodes with what it
was.  Equal hash means equal content.  What has been seen once is neither serialised nor sent again.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from outtake_probe.records import Json
from outtake_probe.redaction.pieces import Stream, cleaned_list
from outtake_probe.redaction.structure import Structure
from outtake_probe.redaction.text import Cleaner

NODE = 200
"""Bytes of JSON from which a value becomes a node of its own."""
LIST = 64
"""Children from which a list is cut into lists."""
TEXT = 8192
"""Characters from which a text is cut into texts."""
_MASK = 15
_REF = "\0"
_LIST = "\0list"
_TEXT = "\0text"
_MEMO = 50_000
EXPANDED = 16 << 20
"""Bytes that any body may expand to."""
SHARED = 16
"""How many times its own size a larger one may expand to."""
_BITS = 14_000
"""Bits of an integer that surely has fewer digits than Python reads and writes."""

_encode_string = json.encoder.encode_basestring
_encode_float = json.JSONEncoder().encode


@dataclass(frozen=True, slots=True)
class Part:
    """A value with a key that tells whether it was seen before: equal key, equal value.

    `make` is called only for a key that is new, so a prompt of n messages costs the serialisation of the new one.
    """

    key: Hashable
    make: Callable[[], Json]


class Growing(list[Json]):
    """A list that is said again after it has grown: a prompt of n messages costs the new ones, not n.

    It is a snapshot.  `after` is the one that it grew from; its first items are those of `after`, unchanged.
    """

    __slots__ = ("made", "turn")

    def __init__(self, items: Iterable[Json], after: Growing | None = None) -> None:
        super().__init__(items)
        self.made: _Made = after.made if after is not None and after.is_newest else _Made()
        self.turn = self.made.turn = self.made.turn + 1

    @property
    def is_newest(self) -> bool:
        """Whether nothing has grown from it yet."""
        return self.turn == self.made.turn


class _Made:
    """What was made of the longest snapshot so far: complete runs, and the fragments of the open one."""

    __slots__ = ("bodies", "count", "first", "open", "runs", "turn")

    def __init__(self) -> None:
        self.bodies: Bodies | None = None
        """Whose nodes they refer to: another run keeps nodes of its own."""
        self.turn = 0
        self.count = 0
        self.first: list[str] = []
        self.runs: list[str] = []
        self.open: list[str] = []


def digest(text: bytes) -> str:
    """Name of the node with this text: 32 hexadecimal digits (blake2b, 128 bits)."""
    return blake2b(text, digest_size=16).hexdigest()


class Bodies:
    """Turns values into nodes, remembers what it has seen, and gives out the nodes that are new.

    `clean` is applied to every string, every name and what stands under it before it becomes part of a node: secrets
    stop here.  Without it, values are taken as they are.
    """

    def __init__(self, clean: Cleaner | None = None) -> None:
        self.clean = clean
        self._structure = Structure(clean) if clean is not None else None
        self._generation = 0
        self._known: set[str] = set()
        self._fresh: list[tuple[str, bytes]] = []
        self._texts: dict[str, str] = {}
        self._parts: dict[Hashable, str] = {}

    def put(self, value: Json) -> str:
        """The hash of `value`; nodes not seen before are kept as `fresh`."""
        self._keep_up()
        fragment = self._fragment(value)
        if fragment.startswith('{"\\u0000":'):
            return fragment[11:43]
        return self._node(fragment)

    def put_pieces(self, pieces: Sequence[Json]) -> str:
        """The hash of all pieces of a stream: what only all of them say is clean, too."""
        return self.put(cleaned_list(self.clean, pieces) if self.clean is not None else list(pieces))

    def stream(self) -> Stream | None:
        """What cleans the pieces of a stream as they go out."""
        return Stream(self.clean) if self.clean is not None else None

    def cleaned(self, value: Json) -> Json:
        """`value` without secrets, for what is sent and is no body."""
        return value if self._structure is None else self._structure.cleaned(value)

    def told(self, value: Json) -> Json:
        """What a record says beside its body, without secrets: names, which are said again and again, as a rule."""
        if not isinstance(value, str):
            return self.cleaned(value)
        return value if self._structure is None else self._structure.name(value)

    def _keep_up(self) -> None:
        """Forget what was made of texts before another secret became known."""
        if self.clean is not None and self.clean.generation != self._generation:
            self._generation = self.clean.generation
            self._texts.clear()
            self._parts.clear()

    def know(self, names: Iterable[str]) -> None:
        """These nodes, and all that they refer to, are kept elsewhere already."""
        self._known.update(names)

    def fresh(self) -> list[tuple[str, bytes]]:
        """The nodes that are new, until they are `taken`."""
        return list(self._fresh)

    def take(self) -> list[tuple[str, bytes]]:
        """The nodes that are new since the last call."""
        fresh = self.fresh()
        self.taken(len(fresh))
        return fresh

    def taken(self, count: int) -> None:
        """The first nodes of `fresh`, so many, are kept elsewhere now."""
        del self._fresh[:count]

    def _node(self, fragment: str) -> str:
        data = fragment.encode("utf-8", "surrogatepass")
        name = digest(data)
        if name not in self._known:
            self._known.add(name)
            self._fresh.append((name, data))
        return name

    def _ref(self, fragment: str) -> str:
        return '{"\\u0000":"' + self._node(fragment) + '"}'

    def _whole(self, fragment: str) -> str:
        return self._ref(fragment) if len(fragment) >= NODE else fragment

    def _fragment(self, value: Json) -> str:
        if isinstance(value, str):
            return self._string(value)
        if isinstance(value, dict):
            return self._object(value)
        if value is None or isinstance(value, (bool, int, float)):
            return _scalar(value)
        if type(value) is Growing:
            return self._growing(value)
        if isinstance(value, (list, tuple)):
            held = value if self._structure is None else self._structure.items(value)
            return self._list([self._fragment(item) for item in held])
        if isinstance(value, Part):
            return self._part(value)
        raise TypeError(f"{type(value).__name__} is not a JSON value")

    def _part(self, part: Part) -> str:
        found = self._parts.get(part.key)
        if found is None:
            found = self._fragment(part.make())
            if len(self._parts) >= _MEMO:
                self._parts.clear()
            self._parts[part.key] = found
        return found

    def _string(self, text: str) -> str:
        found = self._texts.get(text)
        if found is None:
            clean = self.clean(text) if self.clean is not None else text
            found = _encode_string(clean)
            if len(found) >= NODE:
                found = self._long(clean)
            if len(self._texts) >= _MEMO:
                self._texts.clear()
            self._texts[text] = found
        return found

    def _long(self, text: str) -> str:
        if len(text) <= TEXT:
            return self._ref(_encode_string(text))
        pieces = [self._ref(_encode_string(piece)) for piece in _cut_text(text)]
        return self._ref('{"\\u0000text":' + self._list(pieces) + "}")

    def _object(self, value: Mapping[str, Json]) -> str:
        parts = []
        for key, item in value.items() if self._structure is None else self._structure.fields(value):
            name = "\0" + key if key.startswith("\0") else key
            parts.append(_encode_string(name) + ":" + self._fragment(item))
        return self._whole("{" + ",".join(parts) + "}")

    def _growing(self, value: Growing) -> str:
        """The same fragment as `_list` of all items."""
        made = value.made
        if not value.is_newest or (made.bodies or self) is not self:
            return self._list([self._fragment(item) for item in value])
        made.bodies = self
        for item in value[made.count :]:
            fragment = self._fragment(item)
            if len(made.first) <= LIST:
                made.first.append(fragment)
            made.open.append(fragment)
            if _ends(made.open):
                made.runs.append(self._run(made.open))
                made.open = []
        made.count = len(value)
        if made.count <= LIST:
            return self._list(made.first)
        return self._list([*made.runs, *([self._run(made.open)] if made.open else [])])

    def _run(self, run: list[str]) -> str:
        return self._ref('{"\\u0000list":[' + ",".join(run) + "]}")

    def _list(self, fragments: list[str]) -> str:
        while len(fragments) > LIST:
            fragments = [self._ref('{"\\u0000list":[' + ",".join(run) + "]}") for run in _cut_list(fragments)]
        return self._whole("[" + ",".join(fragments) + "]")


def _scalar(value: float | None) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return int.__repr__(value) if value.bit_length() < _BITS else f'{{"$type":"int","hex":"{value:#x}"}}'
    return _encode_float(value)


def _cut_list(fragments: list[str]) -> list[list[str]]:
    """The fragments in runs of 8 to 64 that end where the content says so."""
    runs: list[list[str]] = []
    run: list[str] = []
    for fragment in fragments:
        run.append(fragment)
        if _ends(run):
            runs.append(run)
            run = []
    if run:
        runs.append(run)
    return runs


def _ends(run: list[str]) -> bool:
    """Whether a run of a cut list ends here, as its content says."""
    return len(run) >= LIST or (len(run) >= 8 and not zlib.crc32(run[-1][-40:].encode("utf-8", "replace")) & _MASK)


def _cut_text(text: str) -> list[str]:
    """The text in pieces of 2,000 to 8,192 characters that end with a line where there are lines."""
    pieces: list[str] = []
    run: list[str] = []
    size = 0
    for line in text.splitlines(keepends=True):
        for part in (line[i : i + TEXT] for i in range(0, len(line), TEXT)):
            run.append(part)
            size += len(part)
            ends = size >= 2000 and not zlib.crc32(part.encode("utf-8", "replace")) & _MASK
            if ends or size >= TEXT:
                pieces.append("".join(run))
                run, size = [], 0
    if run:
        pieces.append("".join(run))
    return pieces


def parse(node: bytes) -> Json:
    """The value of a node's text, references still in place."""
    return json.loads(node.decode("utf-8", "surrogatepass"))


def references(value: Json) -> list[str]:
    """Names of the nodes that a parsed node refers to, in order.  One that is no text names no node and is left out."""
    if isinstance(value, dict):
        if _REF in value and len(value) == 1:
            return [value[_REF]] if isinstance(value[_REF], str) else []
        return [name for item in value.values() for name in references(item)]
    if isinstance(value, list):
        return [name for item in value for name in references(item)]
    return []


def reference(value: Json) -> str | None:
    """The node that a parsed value stands for, where it is a reference."""
    name = value.get(_REF) if isinstance(value, dict) and len(value) == 1 else None
    return name if isinstance(name, str) else None


def cut_list(value: Json) -> list[Json] | None:
    """The items of a part of a list that was cut; its holder has them in place of the part."""
    items = value.get(_LIST) if isinstance(value, dict) and len(value) == 1 else None
    return items if isinstance(items, list) else None


def cut_text(value: Json) -> list[Json] | None:
    """The pieces of a text that was cut."""
    return value[_TEXT] if isinstance(value, dict) and len(value) == 1 and _TEXT in value else None


class Unresolvable(ValueError):
    """A body that cannot be put together: a node is malformed, or it refers to others so often that all of it is too
    large."""


def resolve(name: str, fetch: Callable[[str], bytes]) -> Json:
    """The value of a body.  `fetch` gives a node's text and raises `KeyError` for one that is not there.

    A few kilobytes of nodes that refer to each other again and again stand for gigabytes: what a body may expand to is
    bounded.  Raises `Unresolvable`.
    """
    try:
        return _Expansion(name, fetch).node(name)
    except RecursionError:
        raise Unresolvable(f"body {name} is nested too deeply") from None


def allowance(stored: int) -> int:
    """Bytes that a body of so many stored bytes may expand to; each node counts as often as it is referred to."""
    return max(EXPANDED, SHARED * stored)


class _Expansion:
    """Puts one body together, and counts what that takes."""

    def __init__(self, name: str, fetch: Callable[[str], bytes]) -> None:
        self._name = name
        self._fetch = fetch
        self._seen: set[str] = set()
        self._stored = 0
        self._expanded = 0

    def node(self, name: str) -> Json:
        data = self._fetch(name)
        if name not in self._seen:
            self._seen.add(name)
            self._stored += len(data)
        self._expanded += len(data)
        if self._expanded > EXPANDED and self._expanded > allowance(self._stored):
            told = f"refers to the same parts so often that it is larger than {allowance(self._stored) >> 20} MiB"
            raise Unresolvable(f"body {self._name} {told}")
        try:
            value = parse(data)
        except ValueError as error:
            raise Unresolvable(f"node {name} of body {self._name} is no JSON: {error}") from error
        return self._build(value)

    def _build(self, value: Json) -> Json:
        if isinstance(value, list):
            return _spread([self._build(item) for item in value])
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            (key, item), *_ = value.items()
            if key == _REF:
                if not isinstance(item, str):
                    raise Unresolvable(f"body {self._name} refers to {item!r}, which is no node")
                return self.node(item)
            if key == _LIST:
                return _Run(_spread([self._build(part) for part in self._parts(item)]))
            if key == _TEXT:
                return self._text(self._build(item))
        return {(key[1:] if key.startswith("\0") else key): self._build(item) for key, item in value.items()}

    def _parts(self, value: Json) -> list[Json]:
        if not isinstance(value, list):
            raise Unresolvable(f"body {self._name} has a part of a list that is no list")
        return value

    def _text(self, pieces: Json) -> str:
        if not isinstance(pieces, list) or not all(isinstance(piece, str) for piece in pieces):
            raise Unresolvable(f"body {self._name} has a text whose pieces are no texts")
        return "".join(pieces)


class _Run(list[Json]):
    """Part of a list that was cut; its holder takes it apart again."""


def _spread(items: list[Json]) -> list[Json]:
    if not any(isinstance(item, _Run) for item in items):
        return items
    return [part for item in items for part in (item if isinstance(item, _Run) else [item])]
