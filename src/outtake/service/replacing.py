"""What an edit of a fork replaced, as its parent has it."""

from __future__ import annotations

from outtake.core.runs import Fork
from outtake.store import Store, StoreError
from outtake_probe.records import Json

_OF_A_RECORD = ("replace_message", "replace_input")


def replaced(store: Store, fork: Fork) -> Json:
    """What the first edit of a fork puts something else in the place of; None where that is nothing, or not known."""
    first = fork.edits[0]
    seq, op = first.get("seq"), first.get("op")
    if not isinstance(seq, int):
        return None
    try:
        body = _body(store, fork.parent, seq) if op in _OF_A_RECORD else _output(store, fork.parent, seq)
        return store.body(body) if body is not None and op in (*_OF_A_RECORD, "mock_output") else None
    except StoreError:  # damage is told where the record is read, not where the fork is listed
        return None


def _body(store: Store, run: str, seq: int) -> str | None:
    return next((record.get("body") for record in store.picked(run, [seq])), None)


def _output(store: Store, run: str, seq: int) -> str | None:
    """The output of the invocation that began with a record; None where it failed or has not ended."""
    start = next(store.picked(run, [seq]), None)
    if start is None:
        return None
    for end in store.records(run, after=seq, kind="invocation_ended", component=start.get("component")):
        if end.get("invocation") == seq:
            return None if end.get("failed") else end.get("body")
    return None
