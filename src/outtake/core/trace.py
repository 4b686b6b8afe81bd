"""The trace of a run: invocations, the spans of its framework's own instrumentation, and events, nested and in time.

A span lies in the span that it was opened in, as far as both are part of one invocation, else in the invocation; and so
does an event.  Times are seconds since the epoch, as the records have them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from outtake_probe.records import Json

ItemKind = Literal["invocation", "span", "event"]


@dataclass(frozen=True, slots=True)
class Item:
    """One invocation, span or event."""

    seq: int
    """Its number; of an invocation or a span, that of the record that starts it."""
    kind: ItemKind
    name: str
    """The component of an invocation, the name of a span, the type of an event."""
    call: str
    """The kind of an invocation, else empty."""
    component: str
    parent: int | None
    """Number of the item that encloses it."""
    start: float
    end: float | None
    """None while it goes on, and where its end was never recorded; an event's is its start."""
    seconds: float = 0.0
    """What it took; of one that was served from the record, what it took when it was executed."""
    tokens_in: int = 0
    tokens_out: int = 0
    failed: bool = False
    how: str = ""
    body: str | None = None
    """Hash of the input, the tags, or what the event says."""
    result: str | None = None
    """Hash of the output, or of the error."""


def items(records: Iterable[Mapping[str, Json]]) -> list[Item]:
    """Everything that a run's records tell, in time order."""
    found: dict[int, Item] = {}
    around: dict[int, int | None] = {}
    for r in records:
        kind = r["kind"]
        if kind == "invocation_started":
            found[r["seq"]] = _item(r, "invocation", r.get("component", ""), r.get("parent"), call=r["call"])
        elif kind == "span_started":
            around[r["seq"]] = r.get("parent")
            found[r["seq"]] = _item(r, "span", r["name"], _holder(r, r.get("within"), around))
        elif kind == "noted":
            found[r["seq"]] = replace(_item(r, "event", r["type"], _holder(r, r.get("span"), around)), end=r["at"])
        elif kind in ("invocation_ended", "span_ended"):
            number = r.get("invocation" if kind == "invocation_ended" else "span")
            if number in found:
                found[number] = _ended(found[number], r)
    return sorted(found.values(), key=lambda item: (item.start, item.seq))


_NOWHERE = -1


def _holder(r: Mapping[str, Json], span: int | None, around: Mapping[int, int | None]) -> int | None:
    """What encloses a span or an event: the span that it names, if that lies in the same invocation, else this one."""
    own = r.get("parent")
    return span if span is not None and around.get(span, _NOWHERE) == own else own


def _item(r: Mapping[str, Json], kind: ItemKind, name: str, parent: int | None, call: str = "") -> Item:
    body = r.get("body")
    return Item(r["seq"], kind, name, call, r.get("component", ""), parent, r["at"], None, body=body)


def _ended(item: Item, r: Mapping[str, Json]) -> Item:
    return replace(
        item,
        end=r["at"],
        seconds=r["seconds"],
        tokens_in=r["tokens_in"],
        tokens_out=r["tokens_out"],
        failed=r["failed"],
        how=r.get("how", ""),
        result=r.get("body"),
    )


def window(found: Sequence[Item], since: float | None, until: float | None) -> list[Item]:
    """What goes on at some time between `since` and `until`; what has no end goes on."""
    return [
        item
        for item in found
        if (until is None or item.start <= until) and (since is None or item.end is None or item.end >= since)
    ]


def tree(found: Sequence[Item]) -> list[tuple[int, Item]]:
    """The items as trees, each followed by what it encloses, with its depth; who encloses it may not be among them."""
    known = {item.seq for item in found}
    inside: dict[int | None, list[Item]] = {}
    for item in found:
        inside.setdefault(item.parent if item.parent in known else None, []).append(item)
    out: list[tuple[int, Item]] = []
    todo = [(0, item) for item in reversed(inside.get(None, []))]
    while todo:  # not by recursion: there is no end to how deep invocations nest
        depth, item = todo.pop()
        out.append((depth, item))
        todo += [(depth + 1, other) for other in reversed(inside.get(item.seq, []))]
    return out
