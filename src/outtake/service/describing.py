"""The description of a run's target: by the live program, as it last gave it, or as the records show."""

from __future__ import annotations

from collections.abc import Iterator

from outtake.core.describing import Parts, described, is_description, joined
from outtake.core.runs import Run
from outtake.store import Store
from outtake.store.parts import parts
from outtake_probe.bodies import Bodies
from outtake_probe.records import Json

Document = dict[str, Json]


def keep(store: Store, run: str, description: Document) -> None:
    """Keep what the program of a run said of itself."""
    bodies = Bodies()
    body = bodies.put(description)
    if store.description(run) != body:
        with store.still():  # nothing names it until then
            store.append(run, (), bodies.take())
            store.describe(run, body)


def known(store: Store, run: Run) -> Document:
    """What is known of the target without asking its program: what it said in this run, or in one of its tree."""
    shown = parts(store, run.id)
    for other in _nearest(store, run):
        body = store.description(other.id)
        told = store.body(body) if body is not None else None
        if is_description(told):
            return {**with_records(told, shown, run), "source": "kept", "told_by": other.id}
    return {**described(shown, run.launch.config), "missing": [], "capabilities": [], "source": "records"}


def built(store: Store, run: Run, description: Document) -> Document:
    """What a target that was just built said of itself, beside what the records of a run show."""
    return {**with_records(description, parts(store, run.id), run), "source": "built"}


def with_records(description: Document, shown: Parts, run: Run) -> Document:
    return joined(description, described(shown, run.launch.config))


def _nearest(store: Store, run: Run) -> Iterator[Run]:
    """The run, those that it was forked from, the nearest first, then the others of its tree, the newest first."""
    line = list(store.lineage(run))
    yield from line
    tree = {other.id: other for other in line}
    for other in store.runs():  # a fork comes after its parent
        if other.fork is not None and other.fork.parent in tree:
            tree.setdefault(other.id, other)
    yield from reversed([other for other in tree.values() if other not in line])
