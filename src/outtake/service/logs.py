"""Logs of other programs: read as runs by `outtake.importers`, checked whole, and kept all or nothing."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from outtake.core.runs import Launch, count
from outtake.importers import BadLog, Log, Source
from outtake.importers.recording import Recorded, record
from outtake.importers.registry import ImportedLogs, Unknown
from outtake.importers.registry import read as found_in
from outtake.service.errors import NotFound, WrongUse
from outtake.service.unpacking import BadArchive, is_archive, opened
from outtake.store import Store
from outtake.store.annotations import Annotations, storable
from outtake_probe.records import Json, from_json

LARGEST = 256 << 20
"""Bytes of the largest log that is read; all of it is in memory."""
RECORDS = 3_000_000
"""Records of all runs of one file."""
_BATCH = 500
_WAY_OUT = "`outtake import` reads what `outtake export` wrote and the logs that docs/importing.md lists"


@dataclass(frozen=True, slots=True)
class Ready:
    """A run that was read, and may be kept."""

    log: Log
    recorded: Recorded
    kind: str
    recognised: str


def read(path: Path, name: str, now: float) -> list[Ready]:
    """The runs of a file that is called `name`; `now` is the time of those whose log has none.  Raises `WrongUse`."""
    try:
        with _source(path, name) as source:
            return ready(found_in(source), now)
    except (Unknown, BadLog, BadArchive, RecursionError) as error:
        told = str(error) or "it is nested too deeply"
        said = told if isinstance(error, Unknown) else f"{name} {told}"
        raise WrongUse(f"{said}: nothing was imported. {_WAY_OUT}") from error


def ready(found: ImportedLogs, now: float) -> list[Ready]:
    """The records of what was found: after that, nothing of it can be wrong.  Raises `BadLog`."""
    runs = []
    left = RECORDS
    for log in found.logs:
        about = {"log": found.importer.name, "recognised": found.recognised, "guessed": list(log.guessed)}
        made = Ready(log, record(log, now, about), found.importer.name, found.recognised)
        left -= len(made.recorded.records)
        if left < 0:
            raise BadLog(f"has more than {RECORDS:,} records in all; split it")
        runs.append(made)
    return runs


@contextlib.contextmanager
def _source(path: Path, name: str) -> Iterator[Source]:
    try:
        if path.stat().st_size > LARGEST:
            raise BadLog(f"is larger than {LARGEST >> 20} MiB, the largest log that is read")
        if is_archive(path):
            with opened(path) as archive:
                yield Source(b"", name, archive)
            return
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise NotFound(f"there is no file {path}") from error
    except OSError as error:
        raise WrongUse(f"{path} cannot be read: {error.strerror or error}") from error
    yield Source(data, name)


def kept(store: Store, runs: list[Ready], name: str) -> dict[str, Json]:
    """Store runs, all or nothing; the document says what became of them."""
    names = _keep_all(store, runs, name)
    return {
        "run": list(names.values())[-1],
        "runs": names,
        "log": runs[0].kind,
        "recognised": runs[0].recognised,
        "guessed": list(dict.fromkeys(guess for run in runs for guess in run.log.guessed)),
    }


def _keep_all(store: Store, runs: list[Ready], name: str) -> dict[str, str]:
    """What each run is called in its file, and its id here."""
    names: dict[str, str] = {}
    with store.writing():
        for number, run in enumerate(runs, 1):
            called = _called(run.log, name, number, len(runs))
            while called in names:
                called = f"{called} ({number})"
            names[called] = _keep(store, run, called)
    return names


def _called(log: Log, name: str, number: int, runs: int) -> str:
    if runs == 1:
        return name
    return f"{name}: {' '.join(storable(log.name).split())[:100] or number}"


def _keep(store: Store, made: Ready, name: str) -> str:
    log, recorded = made.log, made.recorded
    launch = Launch(
        spec=made.kind,
        folder="",
        python="",
        input=log.input,
        has_input=True,
        config=dict(log.config),
        imported=made.kind,
        recognised=made.recognised,
        guessed=list(log.guessed),
        untimed=not recorded.timed,
    )
    run = store.create(launch, None, seed=0, name=storable(name), status="lost")
    nodes = recorded.nodes
    for at in range(0, len(recorded.records), _BATCH):
        store.append(run.id, recorded.records[at : at + _BATCH], nodes)
        nodes = ()
    for note in recorded.notes:
        Annotations(store).add(run.id, note)
    counts = count((from_json(dict(one)) for one in recorded.records), 0)
    first, last = recorded.records[0], recorded.records[-1]
    error: Json = {"$type": "exception", "class": "log:Error", "message": log.error} if log.error is not None else None
    store.change(
        run.id,
        status="failed" if log.error is not None else "completed",
        output=log.output,
        error=error,
        counts=counts.json(),
        created=first["at"],
        ended=last["at"],
    )
    return run.id
