"""Bodies: JSON values stored by content, as a Merkle DAG.

A body is cut into nodes: any string, list or object of `NODE` bytes or more is a node of its own, named by the hash of
its text, and its holder keeps only that name.  Long lists and texts are cut at places that depend on their content, so
a conversation that grows by one message, or a text that grows by one line, shares all but its last nodes with what it
was.  Equal hash means equal content.  What has been seen once is neither serialised nor sent again.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b

from outtake_probe.records import Json

NODE = 200
"""Bytes of JSON from which a value becomes a node of its own."""
LIST = 64
"""Children from which a list is cut into lists."""
TEXT = 8192
"""Characters from which a text is cut into texts."""
_MASK = 15
MARK = "[redacted]"
_REF = "\0"
_LIST = "\0list"
_TEXT = "\0text"
_MEMO = 50_000

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

    __slots__ = ("count", "first", "open", "runs", "turn")

    def __init__(self) -> None:
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

    `clean` is applied to every string and every named value before it becomes part of a node: secrets stop here.
    """

    def __init__(self, clean: Callable[[str], str] = str, secret_keys: frozenset[str] = frozenset()) -> None:
        self._clean = clean
        self._secret_keys = secret_keys
        self._known: set[str] = set()
        self._fresh: list[tuple[str, bytes]] = []
        self._texts: dict[str, str] = {}
        self._parts: dict[Hashable, str] = {}

    def put(self, value: Json) -> str:
        """The hash of `value`; nodes not seen before are kept until `take`."""
        fragment = self._fragment(value)
        if fragment.startswith('{"\\u0000":'):
            return fragment[11:43]
        return self._node(fragment)

    def cleaned(self, value: Json) -> Json:
        """`value` without secrets, for what is told and is no body."""
        if isinstance(value, str):
            return self._clean(value)
        if isinstance(value, dict):
            return {k: self._named(k, self.cleaned(item)) for k, item in value.items()}
        return [self.cleaned(item) for item in value] if isinstance(value, list) else value

    def _named(self, key: str, item: Json) -> Json:
        return MARK if key in self._secret_keys and isinstance(item, str) and item else item

    def take(self) -> list[tuple[str, bytes]]:
        """The nodes that are new since the last call."""
        fresh, self._fresh = self._fresh, []
        return fresh

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
            return self._list([self._fragment(item) for item in value])
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
        if len(text) < NODE:
            return self._whole(_encode_string(self._clean(text)))
        found = self._texts.get(text)
        if found is None:
            found = self._long(self._clean(text))
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
        for key, item in value.items():
            name = "\0" + key if key.startswith("\0") else key
            held = self._named(key, item) if key in self._secret_keys else item
            parts.append(_encode_string(name) + ":" + self._fragment(held))
        return self._whole("{" + ",".join(parts) + "}")

    def _growing(self, value: Growing) -> str:
        """The same fragment as `_list` of all items."""
        made = value.made
        if not value.is_newest:
            return self._list([self._fragment(item) for item in value])
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
    return int.__repr__(value) if isinstance(value, int) else _encode_float(value)


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
    """Names of the nodes that a parsed node refers to, in order."""
    if isinstance(value, dict):
        if _REF in value and len(value) == 1:
            return [value[_REF]]
        return [name for item in value.values() for name in references(item)]
    if isinstance(value, list):
        return [name for item in value for name in references(item)]
    return []


def reference(value: Json) -> str | None:
    """The node that a parsed value stands for, where it is a reference."""
    return value[_REF] if isinstance(value, dict) and len(value) == 1 and _REF in value else None


def cut_list(value: Json) -> list[Json] | None:
    """The items of a part of a list that was cut; its holder has them in place of the part."""
    return value[_LIST] if isinstance(value, dict) and len(value) == 1 and _LIST in value else None


def cut_text(value: Json) -> list[Json] | None:
    """The pieces of a text that was cut."""
    return value[_TEXT] if isinstance(value, dict) and len(value) == 1 and _TEXT in value else None


def resolve(name: str, fetch: Callable[[str], bytes]) -> Json:
    """The value of a body.  `fetch` gives a node's text and raises `KeyError` for one that is not there."""
    return _build(parse(fetch(name)), fetch)


def _build(value: Json, fetch: Callable[[str], bytes]) -> Json:
    if isinstance(value, list):
        return _spread([_build(item, fetch) for item in value])
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        (key, item), *_ = value.items()
        if key == _REF:
            return resolve(item, fetch)
        if key == _LIST:
            return _Run(_spread([_build(part, fetch) for part in item]))
        if key == _TEXT:
            return "".join(_build(item, fetch))
    return {(key[1:] if key.startswith("\0") else key): _build(item, fetch) for key, item in value.items()}


class _Run(list[Json]):
    """Part of a list that was cut; its holder takes it apart again."""


def _spread(items: list[Json]) -> list[Json]:
    if not any(isinstance(item, _Run) for item in items):
        return items
    return [part for item in items for part in (item if isinstance(item, _Run) else [item])]
