"""The outline of a run: what every record is about, in columns of small numbers, so that a long run can be seen whole.

A reader that draws a hundred thousand records needs to know of each who, what, when and in what, and nothing of what
was said.  Columns of numbers that repeat are a few bytes a record when they are sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from outtake_probe.bodies import digest
from outtake_probe.records import CALL_KINDS, KINDS, Json

FLAGS = ("failed", "edited", "injected", "by_user", "reused", "mocked", "dropped", "opaque", "empty", "again")
"""What the bits of the column `flags` say, from the lowest.  `empty`: it has no body, or one that says nothing;
`again`: its body is that of the record before."""
EMPTY = frozenset(map(digest, (b"null", b"{}", b"[]", b'""')))
COLUMNS = ("kind", "at", "component", "call", "invocation", "parent", "message", "recipient", "type", "span", "flags")
_KIND = {name: number for number, name in enumerate(KINDS)}
_CALL = {name: number for number, name in enumerate(CALL_KINDS)}
_BIT = {name: 1 << number for number, name in enumerate(FLAGS)}


@dataclass(slots=True)
class Outline:
    """The columns of consecutive records from number `first` on.

    `kind` and `call` count in `KINDS` and `CALL_KINDS`; `component`, `recipient` and `type` in `names`; -1 is none.
    `at` is milliseconds since the record before it, `origin` (seconds since the epoch) for the first.  `invocation`,
    `parent`, `message` and `span` say how many records back the one that they name is; 0 is none.
    """

    first: int
    origin: float = 0.0
    names: list[str] = field(default_factory=list)
    columns: dict[str, list[int]] = field(default_factory=lambda: {name: [] for name in COLUMNS})

    def __len__(self) -> int:
        return len(self.columns["kind"])


def outline(records: Iterable[Mapping[str, Json]], first: int) -> Outline:
    """The outline of records that follow each other, the first of which has number `first`."""
    made = Outline(first)
    columns = made.columns
    numbers: dict[str, int] = {}
    began: float | None = None
    last = 0
    before: str | None = None

    def name(text: Json) -> int:
        if not text:
            return -1
        number = numbers.get(text)
        if number is None:
            number = numbers[text] = len(made.names)
            made.names.append(text)
        return number

    for record in records:
        get, seq, kind = record.get, record["seq"], record["kind"]
        if began is None:
            began = made.origin = record["at"]
        at = round((record["at"] - began) * 1000)
        columns["kind"].append(_KIND[kind])
        columns["at"].append(at - last)
        last = at
        columns["component"].append(name(get("component")))
        call = get("call")
        columns["call"].append(-1 if call is None else _CALL[call])
        for reference in ("invocation", "parent", "message", "span"):
            value = get(reference)
            columns[reference].append(0 if value is None else seq - value)
        columns["recipient"].append(name(get("recipient")))
        columns["type"].append(name(_type(record)))
        body = get("body")
        columns["flags"].append(_flags(record) | (_BIT["again"] if body and body == before else 0))
        before = body
    return made


def _type(record: Mapping[str, Json]) -> Json:
    """What it is called beside its kind: a message's type, an edit's operation, a setting's key, a span's name."""
    get = record.get
    return get("type") or get("op") or get("key") or get("name") or get("source") or get("status")


def _flags(record: Mapping[str, Json]) -> int:
    get = record.get
    body = get("body")
    bits = _BIT["empty"] if body is None or body in EMPTY else 0
    for name in ("failed", "edited", "injected", "opaque"):
        if get(name):
            bits |= _BIT[name]
    if get("by") == "user":
        bits |= _BIT["by_user"]
    if get("status") in ("failed", "diverged"):
        bits |= _BIT["failed"]
    return bits | _BIT.get(get("how", ""), 0)
