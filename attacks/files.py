"""Files from strangers, and stores whose disk has failed: exports, logs and databases that are damaged or made to harm.

An import either brings runs that every command can read, or changes nothing; no command ends with a traceback, runs
for ever, or takes more memory than the machine has.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import resource
import shutil
import signal
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from attacks._exports import hostile, write
from attacks._served import BOUND, PROGRAM
from attacks.result import Result, Size
from outtake.cli.app import main
from outtake.service import ServiceError, WrongUse
from outtake.service.rpc_client import open_service
from outtake.service.service import Service
from outtake.store.private import DATABASE

EVERY: dict[Size, int] = {"short": 60, "full": 1}
"""Which of the files are tried that differ in one field, or one byte."""
STORES: dict[Size, int] = {"short": 6, "full": 150}
SECONDS = 30
"""For one file, or one command."""
MEMORY = 2 << 30
"""Bytes that this process may come to."""
LOG = {
    "question": "How tall?",
    "ground_truth": "324",
    "mistake_agent": "Guide",
    "mistake_step": "1",
    "mistake_reason": "It guessed.",
    "history": [{"role": "human", "content": "How tall?"}, {"role": "Guide", "content": "FINAL ANSWER: 333"}],
}
COMMANDS = (
    ("runs",),
    ("show", "r1"),
    ("show", "r1", "--bodies"),
    ("describe", "r1"),
    ("trace", "r1"),
    ("report", "r2"),
    ("diff", "r1", "r2"),
    ("why", "r2", "3"),
    ("affects", "r1", "2"),
    ("search", "r1", "birds"),
    ("code", "r1"),
    ("annotate", "r1", "x"),
    ("rename", "r2", "x"),
    ("export", "r2", "-o", "out.outtake"),
    ("delete", "r2"),
)


class TooLong(Exception):
    """It has not ended in time."""


def attack(size: Size) -> Result:
    """Hostile files, then damaged stores."""
    result = Result("files")
    with tempfile.TemporaryDirectory(prefix="outtake-attack-") as name, contextlib.chdir(name):
        folder = Path(name)
        whole = _recorded(folder)
        _imports(folder, whole, size, result)
        _logs(folder, size, result)
        _stores(folder, size, result)
    result.figures["MB at most"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000
    if result.figures["MB at most"] > MEMORY / 1e6:
        result.fail(f"this process came to {result.figures['MB at most']} MB")
    return result


def _recorded(folder: Path) -> bytes:
    """A store with a run and a fork of it, and these as a file."""
    (folder / "program.py").write_text(PROGRAM, "utf-8")
    service = open_service(folder / "whole")
    try:
        run = service.wait(service.run("program.py:main", headless=True)["run"], timeout=BOUND)["run"]
        fork = service.fork(run, at=4, reuse="prefix", headless=True)["run"]
        service.wait(fork, timeout=BOUND)
        service.annotate(fork, kind="feedback", text="well", seq=1)
        service.export(fork, "whole.outtake")
    finally:
        service.close()
    return (folder / "whole.outtake").read_bytes()


# -- imports ---------------------------------------------------------------------------------------------------------


def _imports(folder: Path, whole: bytes, size: Size, result: Result) -> None:
    service = open_service(folder / "imports")
    try:
        for told, file in hostile(whole, EVERY[size]):
            result.count("hostile exports")
            _import(service, folder, f"export with {told}", write(folder, file), result)
    finally:
        service.close()


def _logs(folder: Path, size: Size, result: Result) -> None:
    """Logs of another program, one thing in each changed."""
    service = open_service(folder / "logs")
    values: Sequence[Any] = (None, 5, [], {}, "x" * 10**6, [None], {"a": 1}, "\ud800", 1e308)
    try:
        for number, (key, value) in enumerate((key, value) for key in (*LOG, "extra") for value in values):
            if number % min(EVERY[size], 10) == 0:
                result.count("hostile logs")
                data = json.dumps({**LOG, key: value}).encode()
                _import(service, folder, f"log where {key} is {value!r:.40}", write(folder, data), result)
        for data in (b"[" * 10**6, b'{"question": ' + b"[" * 10**5, b"\xff", b"", b"1" * 10**5, b"NaN"):
            result.count("hostile logs")
            _import(service, folder, f"log that begins {data[:20]!r}", write(folder, data), result)
    finally:
        service.close()


def _import(service: Service, folder: Path, told: str, path: Path, result: Result) -> None:
    before = [run["run"] for run in service.runs()]
    with _watched(result, told):
        try:
            made = list(service.import_(str(path))["runs"].values())
        except WrongUse:
            if [run["run"] for run in service.runs()] != before:
                result.fail(f"{told}: was refused, and left something behind")
            return
        result.count("imported all the same")
        for run in made:
            _read(service, run)
        for run in reversed(made):
            service.delete(run)


def _read(service: Service, run: str) -> None:
    """Everything that can be asked of a run; what cannot be told has a reason."""
    asked: list[Callable[[], object]] = [
        lambda: service.info(run),
        lambda: service.tree(run),
        lambda: list(service.show(run, bodies=True)),
        lambda: service.outline(run),
        lambda: service.pick(run, range(50)),
        lambda: service.describe(run),
        lambda: service.trace(run),
        lambda: service.report(run),
        lambda: service.diff(run, run),
        lambda: service.why(run, seq=3),
        lambda: service.why(run, text="birds"),
        lambda: service.affects(run, 2),
        lambda: service.search(run, "birds"),
        lambda: service.code(run),
        lambda: service.console(run),
        lambda: service.annotations(run),
        lambda: service.export(run, "again.outtake"),
    ]
    for ask in asked:
        with contextlib.suppress(ServiceError):
            json.dumps(ask())


@contextlib.contextmanager
def _watched(result: Result, told: str) -> Iterator[None]:
    """What is done in here takes a bounded time, and fails with nothing but what is said."""

    def alarm(_number: int, _frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, alarm)
    signal.alarm(SECONDS)
    try:
        yield
    except TooLong:
        result.fail(f"{told}: took more than {SECONDS} s")
    except Exception as error:  # noqa: BLE001  that nothing else is raised is what is tried
        where = traceback.extract_tb(error.__traceback__)[-1]
        result.fail(f"{told}: {type(error).__name__}: {error!s:.200} ({Path(where.filename).name}:{where.lineno})")
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


# -- stores ----------------------------------------------------------------------------------------------------------


def _stores(folder: Path, size: Size, result: Result) -> None:
    """Every command on a copy of the store whose file is damaged in another way each time."""
    chance = random.Random(8)
    whole = (folder / "whole" / DATABASE).read_bytes()
    for number in range(STORES[size]):
        told, data = _damaged(whole, chance, number)
        copy = folder / "copy"
        for command in COMMANDS if size == "full" else chance.sample(COMMANDS, 6):
            shutil.rmtree(copy, ignore_errors=True)
            copy.mkdir()
            if data is None:
                (copy / DATABASE).mkdir()
            else:
                (copy / DATABASE).write_bytes(data)
            if "log" in told:
                (copy / f"{DATABASE}-wal").write_bytes(chance.randbytes(9000))
            result.count("commands on damaged stores")
            _command(["--store", str(copy), *command], f"{' '.join(command)} on a store with {told}", result)
        result.count("damaged stores")


def _damaged(whole: bytes, chance: random.Random, number: int) -> tuple[str, bytes | None]:
    pages = len(whole) // 4096
    page = chance.randrange(pages) * 4096
    at = chance.randrange(len(whole))
    match number % 6:
        case 0:
            return f"page {page // 4096} full of noise", whole[:page] + chance.randbytes(4096) + whole[page + 4096 :]
        case 1:
            return f"page {page // 4096} empty", whole[:page] + bytes(4096) + whole[page + 4096 :]
        case 2:
            return f"only {at} bytes", whole[:at]
        case 3:
            flipped = bytearray(whole)
            for _ in range(100):
                flipped[chance.randrange(100, len(whole))] ^= 1 << chance.randrange(8)
            return "bits flipped", bytes(flipped)
        case 4:
            return "a log that is not its own", whole
        case _:
            return "a folder in its place", None


def _command(arguments: Sequence[str], told: str, result: Result) -> None:
    """One command, as a user gives it: it ends with an exit code, and an error is one line that names the file."""
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with _watched(result, told), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(arguments)
        except SystemExit as error:
            result.fail(f"{told}: ended with {error.code!r}")
    if "Traceback" in err.getvalue():
        result.fail(f"{told}: printed a traceback")
    if code and len(err.getvalue().strip().splitlines()) != 1:
        result.fail(f"{told}: its error has several lines: {err.getvalue()!r:.200}")
    result.count("damage that was told" if code else "commands that found nothing wrong")
