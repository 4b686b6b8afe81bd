"""One file for a run: itself, its ancestors, and every body that they refer to.

A zip file with ``manifest.json`` (the runs, and what was said about each), ``runs/N.jsonl`` (records, one a line) and
``nodes.jsonl`` (hash and text of each node).  Everything is JSON; reading one evaluates nothing, and all of it is
checked before any of it is kept (`outtake.service.vetting`).
"""

from __future__ import annotations

import base64
import itertools
import json
import os
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO, TypeVar

from outtake.core.annotations import Annotation
from outtake.core.runs import ENDED, Run, State, count
from outtake.engine.launch import default_python
from outtake.service.errors import NotFound, WrongUse
from outtake.service.unpacking import Archive, BadArchive, is_archive, opened
from outtake.service.vetting import HASHES, Vetted, each_node, vet
from outtake.store import Store
from outtake.store.annotations import Annotations
from outtake.store.files import Files
from outtake_probe.records import Json, from_json

MANIFEST = "manifest.json"
FORMAT = 1
"""Number of the format of the file, see docs/formats.md.  1: the first release."""
_BATCH = 500
T = TypeVar("T")


def export(store: Store, run: Run, path: Path) -> dict[str, Json]:
    """Write `run` to `path`; a file that is there is replaced only when all is written.  Raises `WrongUse`."""
    line = list(store.lineage(run))[::-1]
    part = path.with_name(path.name + ".part")
    names: set[str] = set()
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as file:
            manifest = {"format": FORMAT, "runs": [_described(store, r) for r in line]}
            file.writestr(MANIFEST, json.dumps(manifest))
            for r in line:
                first = r.fork.cut if r.fork is not None else 0
                with file.open(f"runs/{r.id}.jsonl", "w") as out:
                    names |= _write_records(out, store.records(r.id, after=first - 1))
                names |= {body for body in [store.description(r.id)] if body is not None}
            with file.open("nodes.jsonl", "w") as out:
                for name, data in store.tree(names).items():
                    text = base64.b64encode(data).decode()
                    out.write(json.dumps([name, text], separators=(",", ":")).encode() + b"\n")
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise WrongUse(f"{path} cannot be written: {error.strerror or error}") from error
    return {"run": run.id, "file": str(path), "runs": [r.id for r in line], "bytes": path.stat().st_size}


def _described(store: Store, run: Run) -> dict[str, Json]:
    return {
        "id": run.id,
        "name": run.name,
        "launch": asdict(run.launch),
        "fork": asdict(run.fork) if run.fork is not None else None,
        "status": run.status if run.over else "lost",
        "created": run.created,
        "ended": run.ended,
        "seed": run.seed,
        "output": run.output,
        "error": run.error,
        "description": store.description(run.id),
        "files": Files(store).of(run.id),
        "annotations": [_said(annotation) for annotation in Annotations(store).of(run.id)],
    }


def _said(annotation: Annotation) -> dict[str, Json]:
    """An annotation as a file has it: what it is called here is nobody's business there."""
    return {name: value for name, value in asdict(annotation).items() if name not in ("id", "run")}


def _write_records(out: IO[bytes], records: Iterable[dict[str, Json]]) -> set[str]:
    names = set()
    for record in records:
        out.write(json.dumps(record, separators=(",", ":")).encode() + b"\n")
        names |= {record[key] for key in HASHES if record.get(key)}
    return names


def is_export(path: Path) -> bool:
    """Whether a file is meant to be what `export` writes, whole or damaged: an archive with its manifest."""
    if not is_archive(path):
        return False
    try:
        with opened(path) as archive:
            return MANIFEST in archive.names()
    except (BadArchive, OSError):
        return True


def load(store: Store, path: Path) -> dict[str, Json]:
    """Read what `export` wrote, all or nothing; the document names the runs as they are called here.

    Everything is checked before anything is written, and all of it is written in one transaction.
    """
    try:
        with opened(path) as archive:
            manifest = archive.document(MANIFEST)
            _check_format(path, manifest)
            runs = vet(archive, manifest)
            with store.writing():
                named = _keep(store, archive, runs)
    except FileNotFoundError as error:
        raise NotFound(f"there is no file {path}") from error
    except ValueError as error:
        raise WrongUse(f"{path} is no export of Outtake, or it is damaged: nothing was imported ({error})") from error
    return {"file": str(path), "run": list(named.values())[-1], "runs": named}


def _check_format(path: Path, manifest: Json) -> None:
    found = manifest.get("format") if isinstance(manifest, dict) else None
    if not isinstance(found, int):
        raise BadArchive("its manifest names no format")
    if found > FORMAT:
        told = f"{path} is an export of a newer Outtake: nothing was imported"
        raise WrongUse(f"{told} (format {found}, this one reads up to {FORMAT})")


def _keep(store: Store, archive: Archive, runs: Sequence[Vetted]) -> dict[str, str]:
    """Write the runs; how each is called here."""
    named: dict[str, str] = {}
    made = [_create(store, run, named) for run in runs]
    for nodes in _batches(each_node(archive)):
        store.append(made[0], (), nodes)
    for run, name in zip(runs, made, strict=True):
        for records in _batches(archive.lines(f"runs/{run.told.id}.jsonl")):
            store.append(name, records)
        _complete(store, run, name)
    return named


def _create(store: Store, run: Vetted, named: dict[str, str]) -> str:
    launch, fork, told = run.launch, run.fork, run.told
    if not launch.imported:
        launch = replace(
            launch,
            folder=launch.folder if Path(launch.folder).is_dir() else os.getcwd(),
            python=launch.python if Path(launch.python).exists() else default_python(),
        )
    if fork is not None:
        fork = replace(fork, parent=named[fork.parent])
    status: State = next((state for state in ENDED if state == told.status), "lost")
    made = named[told.id] = store.create(launch, fork, seed=told.seed, name=told.name, status=status).id
    return made


def _complete(store: Store, run: Vetted, name: str) -> None:
    """What a run has beside its records."""
    told, cut = run.told, run.fork.cut if run.fork is not None else 0
    counts = count(map(from_json, store.records(name, kind="invocation_ended")), cut)
    values = {field: getattr(told, field) for field in ("created", "ended", "output", "error")}
    store.change(name, **values, counts=counts.json())
    if told.description is not None:
        store.describe(name, told.description)
    Files(store).add(name, {path: hash[:16] for path, hash in told.files.items()})
    for note, created in run.notes:
        Annotations(store).add(name, note, created)


def _batches(items: Iterable[T]) -> Iterator[list[T]]:
    rest = iter(items)
    while batch := list(itertools.islice(rest, _BATCH)):
        yield batch
