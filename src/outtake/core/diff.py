"""The difference of two runs: what they share, what only one of them has, and where they first differ.

Invocations and messages are aligned by identity (component, kind, occurrence), never by position; bodies are compared
by hash, so what is equal costs nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from outtake.core.wrapping import is_same_call
from outtake_probe.records import Json

Change = Literal["same", "changed", "only_a", "only_b"]
Key = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Item:
    """One message or invocation of one run: its body, and its result."""

    seq: int
    kind: str
    component: str
    type: str
    body: str | None
    digest: str | None
    output: str | None = None
    failed: bool = False
    how: str = ""
    ended: int = 0
    """Number of the record with its result."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The same message or invocation in two runs."""

    change: Change
    a: Item | None
    b: Item | None


@dataclass(slots=True)
class Diff:
    """All pairs in the order of run a, then of b; `shared` records are the same ones in both runs."""

    shared: int = 0
    pairs: list[Pair] = field(default_factory=list)


def items(records: Iterable[Mapping[str, Json]]) -> dict[Key, Item]:
    """The messages and invocations of a run by identity, in order; a function that is the run itself is one of them."""
    found: dict[Key, Item] = {}
    keys: dict[int, Key] = {}
    seen: Counter[tuple[str, str]] = Counter()
    for r in records:
        if r["kind"] in ("message_queued", "invocation_started"):
            kind = "message" if r["kind"] == "message_queued" else r["call"]
            path = r.get("component", "") + (f" -> {r['recipient']}" if "recipient" in r else "")
            around = keys.get(r.get("parent", -1))
            if around is not None and is_same_call(around[:2], (kind, path)):
                found.pop(around, None)
                del keys[r["parent"]]
            seen[kind, path] += 1
            key = (kind, path, seen[kind, path])
            keys[r["seq"]] = key
            found[key] = Item(r["seq"], kind, path, r.get("type", ""), r.get("body"), r.get("digest"))
        elif r["kind"] == "invocation_ended" and r.get("invocation") in keys:
            key = keys[r["invocation"]]
            found[key] = replace(found[key], output=r.get("body"), failed=r["failed"], how=r["how"], ended=r["seq"])
    return found


def diff(a: Iterable[Mapping[str, Json]], b: Iterable[Mapping[str, Json]], shared: int = 0) -> Diff:
    """Compare two runs that share their first `shared` records."""
    left, right = items(a), items(b)
    pairs = [Pair(_change(item, right.get(key)), item, right.get(key)) for key, item in left.items()]
    pairs += [Pair("only_b", None, item) for key, item in right.items() if key not in left]
    pairs.sort(key=_moment)
    return Diff(shared, pairs)


def _moment(pair: Pair) -> int:
    """When the two came to differ: at the start, or, where they were asked for the same, at the result."""
    at = pair.b or pair.a
    if at is None:
        return 0
    asked_the_same = pair.a is not None and pair.b is not None and pair.a.digest == pair.b.digest
    return at.ended if asked_the_same and pair.change == "changed" and at.ended else at.seq


def _change(a: Item, b: Item | None) -> Change:
    if b is None:
        return "only_a"
    same = a.digest == b.digest and a.output == b.output and (a.kind != "message" or _same_body(a, b))
    return "same" if same else "changed"


def _same_body(a: Item, b: Item) -> bool:
    """A message with the same digest says the same, unless an edit changed one of the two."""
    return a.body == b.body or (a.digest == b.digest and (a.digest == a.body) == (b.digest == b.body))
