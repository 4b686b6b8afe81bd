"""Spans of traces as calls inside calls: what tracing formats share, whatever they name its parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from outtake.importers.log import Call, Event, Log
from outtake.importers.values import part
from outtake_probe.records import Json

_LONGEST = 400
"""Characters of a component's path, beyond which its beginning is left out."""


@dataclass(slots=True, kw_only=True, eq=False)
class Span:
    """One span: a call, what it is called, and which other span it is inside."""

    id: str
    parent: str
    """The id of the span that encloses it; empty: it is the first of its trace."""
    name: str
    call: Call
    """Its `component` is set by `nest`."""
    trace: str = ""
    session: str = ""
    events: Sequence[tuple[str, Json, float | None]] = ()
    """What happened in it: type, content, time."""
    inside: list[Span] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Nested:
    """The outermost spans, and what had to be guessed to find them."""

    roots: Sequence[Span]
    guessed: Sequence[str]


def nest(spans: Sequence[Span]) -> Nested:
    """Put spans into each other, in order of time, and name their components by where they are.

    One whose parent is not there is an outermost one.  Of several with one id, the last is taken.
    """
    by_id = {span.id: span for span in spans}
    for span in by_id.values():
        if span.parent and span.parent in by_id:
            by_id[span.parent].inside.append(span)
    roots = [span for span in by_id.values() if not span.parent or span.parent not in by_id]
    orphans = sum(bool(span.parent) for span in roots)
    seen: set[str] = set()
    _reach(roots, seen)
    for span in by_id.values():
        if span.id not in seen:  # spans that are said to be inside each other
            by_id[span.parent].inside.remove(span)
            _reach([span], seen)
            roots.append(span)
            orphans += 1
    roots = _in_order(roots)
    waiting = [(root, "") for root in reversed(roots)]
    while waiting:
        span, outer = waiting.pop()
        span.call.component = _path(outer, span)
        below = _in_order(span.inside)
        events = [Event(component=span.call.component, type=type, body=body, at=at) for type, body, at in span.events]
        span.call.inside += [*events, *(one.call for one in below)]
        waiting += [(one, span.call.component) for one in reversed(below)]
    guessed = []
    if orphans:
        guessed.append(f"spans whose parent is not in the file stand beside each other ({orphans})")
    if len(by_id) < len(spans):
        guessed.append(f"of spans with the same id the last one is taken ({len(spans) - len(by_id)} left out)")
    return Nested(roots, guessed)


def logs(spans: Sequence[Span], told: dict[str, Json] | None = None, guessed: Sequence[str] = ()) -> list[Log]:
    """One run for each session, or for each trace where none is told."""
    sessions = {span.trace: span.session for span in spans if span.session}
    groups: dict[tuple[str, str], list[Span]] = {}
    for span in spans:
        session = sessions.get(span.trace, "")
        groups.setdefault(("session", session) if session else ("trace", span.trace), []).append(span)
    found = []
    for (kind, id), group in groups.items():
        nested = nest(group)
        first, last = nested.roots[0].call, nested.roots[-1].call
        found.append(
            Log(
                name=nested.roots[0].name if len(groups) > 1 else "",
                input=first.input,
                output=last.output,
                error=last.error,
                parts=[root.call for root in nested.roots],
                told={**(told or {}), **({kind: id} if id else {})},
                guessed=[*guessed, *nested.guessed],
            )
        )
    return found


def _in_order(spans: Iterable[Span]) -> list[Span]:
    """By time; those that have none stay behind the one before them."""
    last = 0.0
    keyed = []
    for span in spans:
        last = span.call.began if span.call.began is not None else last
        keyed.append((last, span))
    return [span for _, span in sorted(keyed, key=lambda pair: pair[0])]


def _reach(roots: Iterable[Span], seen: set[str]) -> None:
    """Add the ids of spans and of all that are inside them."""
    waiting = list(roots)
    while waiting:
        span = waiting.pop()
        if span.id not in seen:
            seen.add(span.id)
            waiting += span.inside


def _path(outer: str, span: Span) -> str:
    """The path of a component: those around it and its own name; one that is inside itself is the same component."""
    own = [*(["tools"] if span.call.kind == "tool" and outer else []), part(span.name)]
    parts = outer.split("/") if outer else []
    if own[-1] in parts:
        return "/".join(parts[: parts.index(own[-1]) + 1])
    path = "/".join([*parts, *own])
    return path if len(path) <= _LONGEST else own[-1]
