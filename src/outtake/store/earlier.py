"""What a component said before: the bodies of its last records of one kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import select

from outtake.core.runs import Segment
from outtake.store import tables
from outtake.store.rows import KIND_NUMBERS
from outtake.store.store import Store, number
from outtake_probe.records import Json

REACH = 1000
"""Records of a run that are looked through for those of one component."""
_R = tables.records.c


def earlier(store: Store, run: str, records: Iterable[Mapping[str, Json]], most: int) -> dict[int, Sequence[str]]:
    """Of each of these records, the bodies that its component gave in the same kind of record shortly before it.

    At most `most` of them, the last one first; those with the very same body are left out.
    """
    parts = store.segments(run)
    return {record["seq"]: _before(store, parts, record, most) for record in records}


def _before(store: Store, parts: Sequence[Segment], record: Mapping[str, Json], most: int) -> Sequence[str]:
    seq, found = record["seq"], list[str]()
    component = select(tables.components.c.id).where(tables.components.c.path == record["component"])
    for part in reversed(parts):
        first, last = max(part.first, seq - REACH), seq if part.last is None else min(part.last, seq)
        if first >= last or len(found) >= most:
            continue
        query = (
            select(_R.body)
            .where(_R.run == number(part.run), _R.seq >= first, _R.seq < last)
            .where(_R.component == component.scalar_subquery(), _R.kind == KIND_NUMBERS[record["kind"]])
            .where(_R.body.is_not(None), _R.body != bytes.fromhex(record["hash"]))
            .order_by(_R.seq.desc())
            .limit(most - len(found))
        )
        with store.reading() as connection:
            found += [row.body.hex() for row in connection.execute(query)]
    return found
