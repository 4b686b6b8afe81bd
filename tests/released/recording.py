"""Recording a sample for a new number of a format: ``python -m tests.released.recording VERSION``.

Writes ``VERSION.zip``, named after the version that is about to be released: a store (a run of `PROGRAM`, a fork of it,
a log of another program), an export of the fork, the program, and what the runs show.  ``VERSION-api.json.gz`` is the
description of the HTTP API.  A sample is never recorded again once its version is released: it stands for what users
have.
"""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import sys
import tempfile
import zipfile
from pathlib import Path

from outtake.server import openapi
from outtake.service import archive
from outtake.service.rpc_client import open_service
from outtake.service.service import Service
from outtake.store import Store, tables
from outtake.store.private import DATABASE
from outtake_probe import records
from outtake_probe.records import Json

HERE = Path(__file__).parent
LOG = HERE.parent / "importers" / "samples" / "messages.json"
PROGRAM = """
import hashlib
import pathlib
import random
import time

import outtake


def called(what):
    with pathlib.Path("calls.txt").open("a") as file:
        file.write(what + "\\n")
    return hashlib.sha256(what.encode()).hexdigest()[:8]


@outtake.model
def ask(prompt):
    return {"text": called(f"ask {prompt}"), "history": ["as ever", prompt * 40]}


@outtake.model
def tell(prompt):
    yield from called(f"tell {prompt}")


@outtake.tool(effects="read")
def look(what):
    return {"found": called(f"look {what}")}


@outtake.tool
def save(what):
    called(f"save {what}")
    raise OSError(f"no room for {what}")


@outtake.step(effects="read")
def gather(what):
    return look(ask(what)["text"])["found"]


@outtake.agent
def writer(topic):
    found = gather(f"write about {topic}")
    try:
        save(found)
    except OSError as error:
        print("the writer says:", error)
    return "".join(tell(f"{found} at {time.time() > 0} {random.randrange(1000)}"))


def main(topic):
    return [writer(f"{topic} {number}") for number in (1, 2)]
"""
EXPECTED = "expected.json"
EXPORT = "run.outtake"
WAIT = 60
PLACE = "/recorded"
"""Stands in a sample for the folder of the program."""
PYTHON = "/recorded/python"
"""Stands in a sample for the interpreter."""
FORMATS = {"log": records.FORMAT, "store": tables.FORMAT, "export": archive.FORMAT}
SHOWN = ("seq", "kind", "component", "call", "invocation", "type", "digest", "how", "failed", "source", "value")
SHOWN_BODIES = ("input", "output", "error", "body")


def shown(service: Service, run: str) -> Json:
    """What a run shows that has to be shown for ever."""
    info = service.info(run)
    lines = [
        {name: record[name] for name in (*SHOWN, *SHOWN_BODIES) if record.get(name) not in (None, "")}
        for record in service.show(run, bodies=True)
    ]
    return {
        "name": info["name"],
        "status": info["status"],
        "output": info["output"],
        "printed": [part["text"] for part in service.console(run)["parts"]],
        "annotations": [[note["kind"], note["text"]] for note in service.annotations(run)["annotations"]],
        "components": sorted(part["path"] for part in service.describe(run)["components"]),
        "records": lines,
    }


def record(version: str) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        os.chdir(place)
        (place / "program.py").write_text(PROGRAM, "utf-8")
        expected = {"formats": FORMATS, "runs": _recorded(place)}
        (place / EXPECTED).write_text(json.dumps(expected, ensure_ascii=False), "utf-8")
        _moved(place / DATABASE, place)
        store = Store(place)
        archive.export(store, store.run(list(expected["runs"])[1]), place / EXPORT)
        store.close()
        with zipfile.ZipFile(HERE / f"{version}.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
            for name in (DATABASE, EXPORT, EXPECTED, "program.py"):
                file.write(place / name, name)
    (HERE / f"{version}-api.json.gz").write_bytes(gzip.compress(openapi.document().encode(), 9, mtime=0))


def _recorded(place: Path) -> dict[str, Json]:
    service = open_service(place)
    try:
        run = service.run("program.py:main", input="birds", has_input=True, headless=True, name="as it was")["run"]
        service.wait(run, timeout=WAIT)
        first = next(r for r in service.show(run) if r["kind"] == "invocation_started" and r["call"] == "tool")
        edit = {"op": "mock_output", "seq": first["seq"], "value": {"found": "something else"}}
        fork = service.fork(run, edits=[edit], headless=True, repeat="run", name="otherwise")["run"]
        service.wait(fork, timeout=WAIT)
        service.annotate(run, "feedback", "Not about birds at all.", seq=first["seq"])
        imported = service.import_(str(LOG))["run"]
        return {name: shown(service, name) for name in (run, fork, imported)}
    finally:
        service.close()


def _moved(database: Path, place: Path) -> None:
    """Take the places of this machine out of a store."""
    with sqlite3.connect(database) as connection:
        for old, new in ((sys.executable, PYTHON), (str(place), PLACE)):
            connection.execute("UPDATE runs SET launch = replace(launch, ?, ?)", (old, new))
        connection.execute("DELETE FROM meta WHERE key != 'format'")
        connection.commit()
        connection.execute("VACUUM")
    connection.close()


if __name__ == "__main__":
    record(sys.argv[1])
