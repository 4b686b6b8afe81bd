"""The outline of a run: what every record is about, in columns of small numbers, so that a long run can be seen whole.

A reader that draws a hundred thousand records needs to know of each who, what, when and in what, and nothing of what
was said.  Columns of numbers that repeat are a few bytes a record when they are sent.  They are made of the rows as
they are in the file (`KIND_NAMES` and `CALL_KINDS` have the numbers): no record is built on the way.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from outtake_probe.bodies import digest
from outtake_probe.records import Json

FLAGS = ("failed", "edited", "injected", "by_user", "reused", "mocked", "dropped", "opaque", "empty", "again")
"""What the bits of the column `flags` say, from the lowest.  `empty`: it has no body, or one that says nothing;
`again`: its body is that of the record before."""
COLUMNS = ("kind", "at", "component", "call", "invocation", "parent", "message", "recipient", "type", "span", "flags")
FIELDS = ("seq", "kind", "at", "component", "call", "invocation", "parent", "message", "body", "extra")
"""What is needed of a row, in this order."""
EMPTY = frozenset(bytes.fromhex(digest(text)) for text in (b"null", b"{}", b"[]", b'""'))
_BIT = {name: 1 << number for number, name in enumerate(FLAGS)}
_TYPES = ("type", "op", "key", "name", "source", "status")
"""Where a record says what it is called beside its kind: the type of a message, the operation of an edit, and so on."""


@dataclass(slots=True)
class Outline:
    """The columns of consecutive records from number `first` on.

    `kind` and `call` are the numbers that the file has for them; `component`, `recipient` and `type` count in `names`,
    -1 is none.  `at` is milliseconds since the record before it, `origin` (seconds since the epoch) for the first.
    `invocation`, `message` and `span` say how many records back the one that they name is; 0 is none.  Records after
    each other often have one parent: `parent` is by how much its number is higher than that of the record before, -1
    being none, and before the first.
    """

    first: int
    origin: float = 0.0
    names: list[str] = field(default_factory=list)
    columns: dict[str, list[int]] = field(default_factory=lambda: {name: [] for name in COLUMNS})

    def __len__(self) -> int:
        return len(self.columns["kind"])


def outline(rows: Iterable[Sequence[Any]], first: int, path: Callable[[int], str]) -> Outline:
    """The outline of rows (see `FIELDS`) that follow each other from number `first` on; `path` names a component."""
    made = Outline(first)
    names = _Names(made.names)
    paths: dict[int | None, int] = {None: -1}
    origin: float | None = None
    last, above = 0, -1
    before: bytes | None = None
    empty, again = _BIT["empty"], _BIT["again"]
    kinds, ats, components, calls, invocations, parents, messages, recipients, types, spans, flags = (
        made.columns[name].append for name in COLUMNS
    )
    for seq, kind, at, component, call, invocation, parent, message, body, extra in rows:
        if origin is None:
            origin = made.origin = at
        passed = round((at - origin) * 1000)
        number = paths.get(component)
        if number is None:
            number = paths[component] = names.number(path(component))
        recipient, named, span, bits = _told(extra) if extra is not None else _NOTHING
        if body is None or body in EMPTY:
            bits |= empty
        elif body == before:
            bits |= again
        kinds(kind)
        ats(passed - last)
        components(number)
        calls(-1 if call is None else call)
        invocations(0 if invocation is None else seq - invocation)
        if parent is None:
            parent = -1
        parents(parent - above)
        messages(0 if message is None else seq - message)
        recipients(names.number(recipient))
        types(names.number(named))
        spans(0 if span is None else seq - span)
        flags(bits)
        last, above, before = passed, parent, body
    return made


class _Names:
    """Texts by the number that stands for them."""

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._numbers = {"": -1}

    def number(self, text: str) -> int:
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = len(self._names)
            self._names.append(text)
        return number


_Told = tuple[str, str, int | None, int]
_NOTHING: _Told = ("", "", None, 0)
"""Recipient, type, span and flags of a record that says nothing of them."""


def _told(extra: str) -> _Told:
    """What the rest of a row says; that of most messages is the same again and again."""
    return _often(extra) if len(extra) < 160 else _read(extra)


def _read(extra: str) -> _Told:
    fields: Mapping[str, Json] = json.loads(extra)
    get = fields.get
    bits = _BIT.get(get("how", ""), 0)
    for name in ("failed", "edited", "injected", "opaque"):
        if get(name):
            bits |= _BIT[name]
    if get("by") == "user":
        bits |= _BIT["by_user"]
    if get("status") in ("failed", "diverged"):
        bits |= _BIT["failed"]
    named = next((value for name in _TYPES if (value := get(name))), "")
    return get("recipient") or "", str(named), get("span"), bits


_often = lru_cache(maxsize=4096)(_read)
