"""What a kernel executed, read from the record of its run: its forks execute that as a notebook."""

from __future__ import annotations

from outtake.core.runs import Run
from outtake.store import Store, UnknownRun
from outtake_probe.records import InvocationStarted, Json, Record, from_json
from outtake_probe.specs import KERNEL


def recorded_cells(store: Store, run: Run) -> Json:
    """The cells of the kernel that a fork goes back to, in the order in which it executed them; None of another run.

    They are those of the kernel's own run, also for a fork of a fork that was stopped before it came to all of them.
    """
    if run.fork is None or not run.launch.spec.startswith(KERNEL):
        return None
    first = _first(store, run)
    root: Record | None = None
    cells: list[Json] = []
    for record in map(from_json, store.records(first.id, kind="invocation_started")):
        if not isinstance(record, InvocationStarted):
            continue
        if root is None and record.call == "flow":
            root = record
        elif root is not None and record.call == "step" and record.parent == root.seq:
            cells.append(_input(store, record))
    told = _input(store, root)
    return {"earlier": told.get("earlier", []), "loop": told.get("loop", True), "cells": [c for c in cells if c]}


def _input(store: Store, record: Record | None) -> dict[str, Json]:
    """The input of an invocation; nothing where it is no object, as a log from elsewhere may have it."""
    body = store.body(record.body) if isinstance(record, InvocationStarted) and record.body is not None else None
    return body if isinstance(body, dict) else {}


def _first(store: Store, run: Run) -> Run:
    """The run that this one is a fork of, a fork of a fork of, and so on, as far as they are in the store."""
    while run.fork is not None:
        try:
            run = store.run(run.fork.parent)
        except UnknownRun:
            break
    return run
