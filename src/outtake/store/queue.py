"""What the records before a point left behind, computed without making a record of each row: there may be a million."""

from __future__ import annotations

from collections import Counter
from typing import cast

from sqlalchemy import ColumnElement, func, select

from outtake.core.runs import Segment
from outtake.store import tables
from outtake.store.rows import CALL_NUMBERS, KIND_NUMBERS
from outtake.store.store import Store, number
from outtake_probe.records import CallKind

_R = tables.records.c
_CALLS = {n: cast(CallKind, name) for name, n in CALL_NUMBERS.items()}
_TAKEN = [KIND_NUMBERS["invocation_started"], KIND_NUMBERS["message_dropped"]]


def ended(store: Store, run: str, before: int) -> Counter[CallKind]:
    """How many invocations of each kind came back before a record."""
    found: Counter[CallKind] = Counter()
    for part in store.segments(run):
        query = select(_R.call, func.count()).where(*_within(part, before), _R.kind == KIND_NUMBERS["invocation_ended"])
        with store.reading() as connection:
            for call, count in connection.execute(query.group_by(_R.call)).all():
                found[_CALLS[call]] += count
    return found


def still_queued(store: Store, run: str, before: int) -> list[int] | None:
    """Numbers of the messages that nobody had taken before a record, in order; None where some were moved about."""
    queued: set[int] = set()
    for part in store.segments(run):
        inside = _within(part, before)
        sent = select(_R.seq).where(*inside, _R.kind == KIND_NUMBERS["message_queued"])
        taken = select(_R.message).where(*inside, _R.kind.in_(_TAKEN), _R.message.is_not(None))
        moved = select(_R.seq).where(*inside, _R.kind == KIND_NUMBERS["message_moved"]).limit(1)
        with store.reading() as connection:
            if connection.scalar(moved) is not None:
                return None
            queued.update(connection.scalars(sent))
            queued.difference_update(connection.scalars(taken))
    return sorted(queued)


def _within(part: Segment, before: int) -> list[ColumnElement[bool]]:
    last = before if part.last is None else min(part.last, before)
    return [_R.run == number(part.run), _R.seq >= part.first, _R.seq < last]
