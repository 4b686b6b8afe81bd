"""Logs of other programs, read as runs: they can be read, searched, compared and annotated, and never run.

`FORMATS` has one entry for each kind of log; a new kind is a module beside `who_and_when`, and a line there.
"""

from __future__ import annotations

import json
from pathlib import Path

from outtake.core.runs import Launch, count
from outtake.service.errors import NotFound, WrongUse
from outtake.service.logs import who_and_when
from outtake.service.logs.log import BadLog, Format, Log
from outtake.store import Store
from outtake.store.annotations import Annotations, storable
from outtake_probe.records import Json, from_json

__all__ = ["FORMATS", "keep", "read"]

FORMATS: tuple[Format, ...] = (who_and_when.FORMAT,)
LARGEST = 256 << 20
"""Bytes of the largest log that is read; all of it is in memory."""
_BATCH = 500


def read(path: Path, ended: float) -> Log:
    """The log in a file; `ended` is when its run is said to have ended.  Raises `WrongUse`."""
    data = _parsed(path)
    for known in FORMATS:
        if known.sniff(data):
            try:
                return known.read(data, ended)
            except (BadLog, RecursionError) as error:
                raise WrongUse(f"{path} looks like a log of {known.name}, but {error}: nothing was imported") from error
    raise WrongUse(f"{path} is JSON, but none that is known: nothing was imported. {_expected()}")


def _parsed(path: Path) -> Json:
    try:
        if path.stat().st_size > LARGEST:
            raise WrongUse(f"{path} is larger than {LARGEST >> 20} MiB, the largest log that is read")
        return json.loads(path.read_bytes(), parse_constant=_refuse)
    except FileNotFoundError as error:
        raise NotFound(f"there is no file {path}") from error
    except OSError as error:
        raise WrongUse(f"{path} cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        found, where = _found(error)
        raise WrongUse(
            f"{path} is no export of Outtake, and {found}: nothing was imported. {_expected()}{where}"
        ) from error


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is none of its values")


def _found(error: ValueError | RecursionError) -> tuple[str, str]:
    """What a file is that is no JSON, and where that shows."""
    match error:
        case UnicodeDecodeError():
            return "no text", ""
        case json.JSONDecodeError():
            return "no JSON", f" (line {error.lineno}, column {error.colno})"
        case RecursionError():
            return "nested too deeply", ""
    return "no JSON", f" ({error})"


def _expected() -> str:
    logs = ", or ".join(f"a log of {known.name} ({known.looks})" for known in FORMATS)
    return f"Expected is a run exported by Outtake, or {logs}"


def keep(store: Store, log: Log, name: str) -> str:
    """Store a log as a run; returns its id."""
    launch = Launch(
        spec=log.kind,
        folder="",
        python="",
        input=log.input,
        has_input=True,
        config=dict(log.config),
        imported=log.kind,
    )
    with store.writing():
        run = store.create(launch, None, seed=0, name=storable(name), status="lost")
        nodes = log.nodes
        for at in range(0, len(log.records), _BATCH):
            store.append(run.id, log.records[at : at + _BATCH], nodes)
            nodes = ()
        for note in log.notes:
            Annotations(store).add(run.id, note)
        counts = count((from_json(dict(record)) for record in log.records), 0)
        times = {"created": log.records[0]["at"], "ended": log.records[-1]["at"]}
        store.change(run.id, status="completed", output=log.output, counts=counts.json(), **times)
    return run.id
