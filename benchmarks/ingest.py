"""How many records a second one process can hand to a store, through the protocol: prints a JSON object."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from outtake.core.runs import Launch
from outtake.store import Store
from outtake_probe.bodies import Bodies
from outtake_probe.records import Json

RECORDS = 100_000
BATCH = 500


def records(bodies: Bodies) -> Iterator[dict[str, Json]]:
    """Records as a busy program writes them: half of them bring a body that is new."""
    for seq in range(RECORDS):
        body = bodies.put({"role": "user", "content": f"message {seq // 2} " + "word " * 60})
        started = seq % 2 == 0
        yield {
            "kind": "invocation_started" if started else "invocation_ended",
            "seq": seq,
            "at": 1.0e9 + seq,
            "component": f"team/agent{seq % 7}/model",
            "call": "model",
            "invocation": seq if started else seq - 1,
            "body": body,
            **({"digest": body} if started else {"tokens_in": 12, "tokens_out": 30}),
        }


def main() -> dict[str, float]:
    store = Store(Path(tempfile.mkdtemp(prefix="outtake-bench-")))
    run = store.create(Launch(spec="x.py", folder=".", python="python"), None, seed=1)
    bodies = Bodies()
    batches: list[tuple[list[dict[str, Json]], list[tuple[str, bytes]]]] = []
    part: list[dict[str, Json]] = []
    for record in records(bodies):
        part.append(record)
        if len(part) == BATCH:
            batches.append((part, bodies.take()))
            part = []
    began = time.perf_counter()
    for rows, nodes in batches:
        store.append(run.id, rows, nodes)
    seconds = time.perf_counter() - began
    store.close()
    return {"records": RECORDS, "seconds": seconds, "records_per_second": RECORDS / seconds}


if __name__ == "__main__":
    print(json.dumps(main()))
