"""The trace of a run: invocations, spans and events, nested and in time."""

from __future__ import annotations

from typing import Literal

from outtake.server.models.base import Answer


class TraceItem(Answer):
    """One invocation, span or event; `parent` encloses it, `depth` levels below a root."""

    depth: int
    seq: int
    kind: Literal["invocation", "span", "event"]
    name: str
    """The component of an invocation, the name of a span, the type of an event."""
    call: str
    """The kind of an invocation, else empty."""
    component: str
    parent: int | None
    start: float
    """Seconds since the epoch, as all times."""
    end: float | None
    """None while it goes on, and where its end was never recorded."""
    seconds: float
    """What it took; of one that was served from the record, what it took when it was executed."""
    tokens_in: int
    tokens_out: int
    failed: bool
    how: str
    body: str | None
    """Hash of the input, the tags, or what the event says."""
    result: str | None
    """Hash of the output, or of the error."""


class Trace(Answer):
    """Items as a tree, each followed by what it encloses, or in time order; `total` of them before any limit."""

    run: str
    origin: float
    """When the first of the run began."""
    total: int
    items: list[TraceItem]
