"""Many runs in one service: its descriptors, threads, live runs and memory stay as they are.

Runs that complete, fail, are killed, are stopped while they are held, are forked and deleted, and targets that are only
described, several at once, with clients that come and go.
"""

from __future__ import annotations

import contextlib
import gc
import os
import random
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from attacks.result import Result, Size
from outtake.service.errors import ServiceError
from outtake.service.rpc_client import Remote, open_service
from outtake.service.service import Service
from outtake.store.private import DATABASE

RUNS = {"short": 45, "full": 2000}
AT_ONCE = 3
WAIT = 60.0
MEMORY = 24.0
"""MB that the service may grow by after the first tenth of the runs: caches of the database fill, and are bounded."""
CONNECTIONS = 5
"""Connections to the database that are kept open when as many were needed at once; each has its file and its log."""
OBJECTS = 2000
"""Python objects that it may have more by then: caches fill, and are bounded."""
PROGRAM = """
import os, outtake

@outtake.model
def ask(prompt):
    return prompt.upper()

@outtake.tool(effects="read")
def look(what):
    return {"found": what * 20}

def works(topic="birds"):
    return [look(ask(f"{topic} {n}")) for n in range(3)]

def fails(topic="birds"):
    works(topic)
    raise ValueError(topic)

def dies(topic="birds"):
    works(topic)
    os.kill(os.getpid(), 9)
"""


def attack(size: Size) -> Result:
    """Run, and look what is left."""
    result = Result("soak")
    with tempfile.TemporaryDirectory(prefix="outtake-soak-") as name:
        folder = Path(name)
        (folder / "program.py").write_text(PROGRAM, "utf-8")
        service = open_service(folder / ".outtake")
        try:
            _soak(service, folder, RUNS[size], result)
        finally:
            service.close()
    return result


def _soak(service: Service, folder: Path, runs: int, result: Result) -> None:
    ways: list[Callable[[Service, Path], int]] = [
        _completes,
        _fails,
        _dies,
        _stopped,
        _forked,
        _described,
        _by_a_client,
    ]
    chance, begun = random.Random(7), 0
    first: dict[str, float] = {}
    most: dict[str, float] = {}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        while begun < runs:
            batch = [chance.choice(ways) for _ in range(30)]
            begun += sum(pool.map(lambda way: way(service, folder), batch))
            now = _measured(service)
            if begun >= runs / 10 and not first:
                first = now
            if first:
                most = {name: max(value, most.get(name, 0.0)) for name, value in now.items()}
    result.count("runs", begun)
    for name, value in first.items():
        result.count(f"{name} after a tenth", value)
        result.count(f"{name} at most after that", most[name])
    if most["database files"] > 2 * CONNECTIONS + 1:
        result.fail(f"database files: {most['database files']} are open")
    for name, room in (
        ("descriptors", 0),
        ("threads", 0),
        ("live runs", 0),
        ("objects", OBJECTS),
        ("memory, MB", MEMORY),
    ):
        if most[name] > first[name] + room:
            result.fail(f"{name}: {first[name]} after a tenth of the runs, up to {most[name]} later")


def _measured(service: Service) -> dict[str, float]:
    """What the service holds while nothing runs."""
    for thread in threading.enumerate():  # of runs that have just ended
        if thread.name.startswith(("outtake-r", "outtake-connection", "outtake-intake")):
            thread.join(WAIT)
    gc.collect()
    files = list(_open_files())
    database = sum(path.startswith(str(service.folder)) and DATABASE in path for path in files)
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return {
        "descriptors": len(files) - database,
        "database files": database,
        "threads": threading.active_count(),
        "objects": len(gc.get_objects()),
        "live runs": sum(run["live"] for run in service.runs()),
        "memory, MB": round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1),
    }


def _open_files() -> Iterator[str]:
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):  # that of the list itself
            yield os.readlink(f"/proc/self/fd/{number}")


# -- kinds of runs: each returns how many it has begun ---------------------------------------------------------------


def _started(service: Service, folder: Path, name: str) -> str:
    return str(service.run(f"program.py:{name}", headless=True, folder=str(folder))["run"])


def _completes(service: Service, folder: Path) -> int:
    service.wait(_started(service, folder, "works"), timeout=WAIT)
    return 1


def _fails(service: Service, folder: Path) -> int:
    service.wait(_started(service, folder, "fails"), timeout=WAIT)
    return 1


def _dies(service: Service, folder: Path) -> int:
    run = _started(service, folder, "dies")
    service.wait(run, timeout=WAIT)
    service.wait(service.fork(run, at=2, headless=True)["run"], timeout=WAIT)
    return 2


def _stopped(service: Service, folder: Path) -> int:
    run = service.run("program.py:works", breakpoints=["tool:look"], folder=str(folder))["run"]
    service.wait(run, until=("held",), timeout=WAIT)
    service.control(run, "stop")
    service.wait(run, timeout=WAIT)
    return 1


def _forked(service: Service, folder: Path) -> int:
    run = _started(service, folder, "works")
    service.wait(run, timeout=WAIT)
    fork = service.fork(run, at=3, headless=True)["run"]
    service.wait(fork, timeout=WAIT)
    service.diff(run, fork)
    service.delete(fork)
    service.delete(run)
    return 2


def _described(service: Service, folder: Path) -> int:
    service.describe_spec("program.py:works", folder=str(folder))
    try:
        service.run("program.py:works", python=str(folder / "program.py"), folder=str(folder))
    except ServiceError:
        return 2
    raise AssertionError("a program was started as an interpreter")


def _by_a_client(service: Service, folder: Path) -> int:
    client = open_service(service.folder)
    assert isinstance(client, Remote)
    try:
        run = _started(client, folder, "works")
        next(iter(client.follow(run)))  # and leaves it there
        client.wait(run, timeout=WAIT)
    finally:
        client.close()
    return 1
