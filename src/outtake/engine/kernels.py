"""What a kernel executed, read from the record of its run: its forks execute that as a notebook."""

from __future__ import annotations

from outtake.core.runs import Run
from outtake.store import Store, UnknownRun
from outtake_probe.records import InvocationEnded, InvocationStarted, Json, from_json
from outtake_probe.specs import KERNEL

INTERRUPTS = ("builtins:KeyboardInterrupt", "asyncio.exceptions:CancelledError")
"""Errors with which a cell ends that its user interrupts."""


def recorded_cells(store: Store, run: Run) -> Json:
    """The cells of the kernel that a fork goes back to, in the order in which it executed them; None of another run.

    They are those of the kernel's own run, also for a fork of a fork that was stopped before it came to all of them.
    """
    if run.fork is None or not run.launch.spec.startswith(KERNEL):
        return None
    first = _first(store, run)
    root: InvocationStarted | None = None
    cells: dict[int, dict[str, Json]] = {}
    for record in map(from_json, store.records(first.id, kind="invocation_started")):
        if not isinstance(record, InvocationStarted):
            continue
        if root is None and record.call == "flow":
            root = record
        elif root is not None and record.call == "step" and record.parent == root.seq:
            cells[record.seq] = _object(store, record.body)
    for record in map(from_json, store.records(first.id, kind="invocation_ended")):
        if isinstance(record, InvocationEnded) and record.failed and record.invocation in cells:
            error = _object(store, record.body)
            cells[record.invocation]["interrupted"] = error.get("class") in INTERRUPTS
    told = _object(store, root.body) if root is not None else {}
    return {
        "earlier": told.get("earlier", []),
        "loop": told.get("loop", True),
        "cells": [cell for cell in cells.values() if "source" in cell],
    }


def _object(store: Store, body: str | None) -> dict[str, Json]:
    """A body that is an object; nothing where it is none, as a log from elsewhere may have it."""
    value = store.body(body) if body is not None else None
    return value if isinstance(value, dict) else {}


def _first(store: Store, run: Run) -> Run:
    """The run that this one is a fork of, a fork of a fork of, and so on, as far as they are in the store."""
    while run.fork is not None:
        try:
            run = store.run(run.fork.parent)
        except UnknownRun:
            break
    return run
