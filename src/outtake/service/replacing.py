"""What the first edit of a fork replaced, as its parent has it."""

from __future__ import annotations

from dataclasses import dataclass

from outtake.core.runs import Fork
from outtake.store import Store, StoreError
from outtake_probe.records import Json

_OF_A_RECORD = ("replace_message", "replace_input")


@dataclass(frozen=True, slots=True)
class Replaced:
    """A record of the parent run, and what it said."""

    at: int | None = None
    """Of a changed output, the record that holds it: the end of the call, where that is known."""
    value: Json = None
    """None where nothing was replaced, or it is not known."""


def replaced(store: Store, fork: Fork) -> Replaced:
    """What the first edit of a fork puts something else in the place of."""
    first = fork.edits[0] if fork.edits else {}
    seq, op = first.get("seq"), first.get("op")
    if not isinstance(seq, int):
        return Replaced()
    try:
        at, body = _body(store, fork.parent, seq) if op in _OF_A_RECORD else _output(store, fork.parent, seq, op)
        return Replaced(at, store.body(body) if body is not None else None)
    except StoreError:  # damage is told where the record is read, not where the fork is listed
        return Replaced(seq)


def _body(store: Store, run: str, seq: int) -> tuple[int, str | None]:
    return seq, next((record.get("body") for record in store.picked(run, [seq])), None)


def _output(store: Store, run: str, seq: int, op: Json) -> tuple[int, str | None]:
    """The end of the invocation that began with a record, and its output where that did not fail."""
    start = next(store.picked(run, [seq]), None) if op == "mock_output" else None
    if start is not None:
        for end in store.records(run, after=seq, kind="invocation_ended", component=start.get("component")):
            if end.get("invocation") == seq:
                return end["seq"], None if end.get("failed") else end.get("body")
    return seq, None
