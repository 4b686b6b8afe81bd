"""One file for a run: itself, its ancestors, and every body that they refer to.

A zip file with ``manifest.json`` (the runs, and what was said about each), ``runs/N.jsonl`` (records, one a line) and
``nodes.jsonl`` (hash and text of each node).  Everything is JSON; reading one evaluates nothing, and every node is
checked against its hash.
"""

from __future__ import annotations

import base64
import json
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO

from outtake.core.annotations import Annotation, Note, check
from outtake.core.runs import ENDED, Fork, Launch, Run, State, count
from outtake.engine.launch import default_python
from outtake.service.errors import NotFound, WrongUse
from outtake.store import Store
from outtake.store.annotations import Annotations
from outtake_probe.bodies import digest
from outtake_probe.records import Json, from_json

FORMAT = 1
"""Number of the format of the file.  1: the first release."""
_BATCH = 500
_MAGIC = b"PK\x03\x04"


def export(store: Store, run: Run, path: Path) -> dict[str, Json]:
    """Write `run` to `path`; a file that is there is replaced only when all is written.  Raises `WrongUse`."""
    line = _ancestors(store, run)
    part = path.with_name(path.name + ".part")
    names: set[str] = set()
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as file:
            manifest = {"format": FORMAT, "runs": [_described(store, r) for r in line]}
            file.writestr("manifest.json", json.dumps(manifest))
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


def _ancestors(store: Store, run: Run) -> list[Run]:
    """The run and its ancestors, the oldest first."""
    line = [run]
    while line[0].fork is not None:
        line.insert(0, store.run(line[0].fork.parent))
    return line


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
        "annotations": [_said(annotation) for annotation in Annotations(store).of(run.id)],
    }


def _said(annotation: Annotation) -> dict[str, Json]:
    """An annotation as a file has it: what it is called here is nobody's business there."""
    return {name: value for name, value in asdict(annotation).items() if name not in ("id", "run")}


def _write_records(out: IO[bytes], records: Iterable[dict[str, Json]]) -> set[str]:
    names = set()
    for record in records:
        out.write(json.dumps(record, separators=(",", ":")).encode() + b"\n")
        names |= {record[key] for key in ("body", "was", "changes") if record.get(key)}
    return names


def is_export(path: Path) -> bool:
    """Whether a file is meant to be what `export` writes, whole or damaged."""
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def load(store: Store, path: Path) -> dict[str, Json]:
    """Read what `export` wrote, all or nothing; the document names the runs as they are called here."""
    try:
        with zipfile.ZipFile(path) as file:
            manifest = json.loads(file.read("manifest.json"))
            _check_format(path, manifest)
            nodes = list(_nodes(file))
            _check_descriptions(manifest, nodes)
            runs = [(described, _records(file, described["id"])) for described in manifest["runs"]]
            said = {described["id"]: _notes(described) for described in manifest["runs"]}
    except FileNotFoundError as error:
        raise NotFound(f"there is no file {path}") from error
    except (OSError, zipfile.BadZipFile, zlib.error, KeyError, TypeError, ValueError, EOFError) as error:
        raise WrongUse(f"{path} is no export of Outtake, or it is damaged: nothing was imported ({error})") from error
    named: dict[str, str] = {}
    for described, records in runs:
        made = named[described["id"]] = _keep(store, described, records, nodes, named)
        nodes = []
        for note, created in said[described["id"]]:
            Annotations(store).add(made, note, created)
    return {"file": str(path), "run": list(named.values())[-1], "runs": named}


def _check_format(path: Path, manifest: dict[str, Json]) -> None:
    if manifest["format"] > FORMAT:
        told = f"{path} is an export of a newer Outtake: nothing was imported"
        raise WrongUse(f"{told} (format {manifest['format']}, this one reads up to {FORMAT})")
    if not manifest["runs"]:
        raise ValueError("it holds no run")


def _check_descriptions(manifest: dict[str, Json], nodes: Iterable[tuple[str, bytes]]) -> None:
    known = {None, *(name for name, _ in nodes)}
    for described in manifest["runs"]:
        if described.get("description") not in known:
            raise ValueError(f"it does not hold the description of {described['id']}")


def _nodes(file: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    with file.open("nodes.jsonl") as lines:
        for line in lines:
            name, text = json.loads(line)
            data = base64.b64decode(text)
            if digest(data) != name:
                raise ValueError(f"node {name} does not have that content")
            yield name, data


def _records(file: zipfile.ZipFile, run: str) -> list[dict[str, Json]]:
    with file.open(f"runs/{run}.jsonl") as lines:
        found = [json.loads(line) for line in lines]
    for record in found:
        from_json(record)  # raises what a record that is none deserves
    return found


def _notes(described: dict[str, Json]) -> list[tuple[Note, float]]:
    """What was said about a run, and when; a file of the first release says nothing."""
    found = []
    for told in described.get("annotations", ()):
        seq = told["seq"] if told["seq"] is None else int(told["seq"])
        texts = {name: str(told[name]) for name in ("text", "author")}
        note = Note(kind=told["kind"], seq=seq, data=dict(told["data"]), **texts)
        check(note)
        found.append((note, float(told["created"])))
    return found


def _keep(
    store: Store,
    described: dict[str, Json],
    records: list[dict[str, Json]],
    nodes: list[tuple[str, bytes]],
    named: dict[str, str],
) -> str:
    launch = Launch(**described["launch"])
    here = launch
    if not launch.imported:
        here = replace(
            launch,
            folder=launch.folder if Path(launch.folder).is_dir() else os.getcwd(),
            python=launch.python if Path(launch.python).exists() else default_python(),
        )
    fork = Fork(**described["fork"]) if described["fork"] else None
    if fork is not None:
        fork = replace(fork, parent=named[fork.parent])
    status: State = next((state for state in ENDED if state == described["status"]), "lost")
    run = store.create(here, fork, seed=described["seed"], name=described["name"], status=status)
    for at in range(0, max(len(records), 1), _BATCH):
        store.append(run.id, records[at : at + _BATCH], nodes)
        nodes = []
    values = {name: described[name] for name in ("created", "ended", "output", "error")}
    counts = count(map(from_json, store.records(run.id, kind="invocation_ended")), fork.cut if fork is not None else 0)
    store.change(run.id, **values, counts=counts.json())
    if described.get("description") is not None:
        store.describe(run.id, described["description"])
    return run.id
