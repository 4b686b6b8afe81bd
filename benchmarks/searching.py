"""Search in a long run: the first one, which reads its bodies, and later ones; prints a JSON object."""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.long_run import NEEDLE, RECORDS, write_runs
from outtake.service.rpc_client import open_service
from outtake.service.service import Service

TEXTS = {"once": NEEDLE, "nowhere": "no such words", "often": "walks", "everywhere": "the"}
ROUNDS = 5


def main() -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="outtake-bench-") as folder:
        service = open_service(Path(folder, ".outtake"))
        try:
            run = write_runs(service.store)[0].id
            return {
                "records": RECORDS,
                "first_seconds": timed(service, run, NEEDLE),
                **{
                    f"{name}_seconds": statistics.median(timed(service, run, text) for _ in range(ROUNDS))
                    for name, text in TEXTS.items()
                },
            }
        finally:
            service.close()


def timed(service: Service, run: str, text: str) -> float:
    began = time.perf_counter()
    service.search(run, text)
    return time.perf_counter() - began


if __name__ == "__main__":
    print(json.dumps(main()))
