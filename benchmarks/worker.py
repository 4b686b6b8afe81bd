"""One measurement under Outtake, in a process of its own so that its memory can be told: prints a JSON object."""

from __future__ import annotations

import json
import os
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from outtake.service.rpc_client import open_service
from outtake.service.service import Document, Service
from outtake_probe.records import Json

WAIT = 300.0
STARTS: dict[str, Json] = {"loop_autogen": "start", "loop_langgraph": {"messages": []}}
"""What a program is asked, where it is asked something."""
UNIT = 1 if sys.platform == "darwin" else 1024
"""Bytes in the unit in which the system counts memory."""


def main(python: str, program: str, messages: int) -> dict[str, float]:
    folder = Path(tempfile.mkdtemp(prefix="outtake-bench-"))
    os.chdir(folder)
    service = open_service(folder / ".outtake")
    try:
        found = measure(service, python, program, messages)
    finally:
        service.close()
    return found


def measure(service: Service, python: str, program: str, messages: int) -> dict[str, float]:
    env = {**os.environ, "CHAT_MESSAGES": str(messages)}
    began = time.perf_counter()
    start = STARTS.get(Path(program).stem)
    run = service.run(
        f"{program}:target", input=start, has_input=start is not None, headless=True, python=python, env=env
    )
    done = finished(service, run)
    total = time.perf_counter() - began
    with sqlite3.connect(service.store.path) as file:
        file.execute("pragma wal_checkpoint(truncate)")
    size = service.store.path.stat().st_size
    server, process = (
        resource.getrusage(who).ru_maxrss * UNIT for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    flow = [r for r in service.show(done["run"], kind="flow") if r["kind"] == "invocation_ended"]
    middle = done["records"] // 2
    begin, _ = first_live(service, done, 2, env)
    first, fork = first_live(service, done, middle, env)
    return {
        "records": done["records"],
        "bytes": size,
        "peak_server": server,
        "peak_process": process,
        "seconds": flow[-1]["seconds"],
        "total_seconds": total,
        "fork_at_start_seconds": begin,
        "fork_in_middle_seconds": first,
        "replay_seconds": max(0.0, first - begin),
        "list_seconds": timed(service.runs),
        "show_seconds": timed(lambda: list(service.show(done["run"]))),
        "diff_seconds": timed(lambda: service.diff(done["run"], fork)),
    }


def finished(service: Service, run: Document) -> Document:
    done = service.wait(run["run"], timeout=WAIT)
    if done["status"] != "completed":
        raise RuntimeError(f"{done['run']} {done['status']}: {done['error']}")
    return done


def first_live(service: Service, parent: Document, cut: int, env: dict[str, str]) -> tuple[float, str]:
    """Seconds from asking for a fork until the first record of its own, everything included; and the fork."""
    began = time.time()
    fork = finished(service, service.fork(parent["run"], at=cut, reuse="prefix", headless=True, env=env))
    first = next(service.show(fork["run"], after=cut - 1, limit=1))
    return first["at"] - began, fork["run"]


def timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
