"""Secrets of every form, planted wherever a program can put one; then all that was stored, sent and shown is searched.

The secrets are made up here.  One counts as found where a third of it stands, as it is or encoded.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import random
import string
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

import zstandard
from sqlalchemy import select

from attacks._served import Served, served
from attacks.result import Result, Size
from outtake.store import tables

LETTERS = string.ascii_letters + string.digits
STARTS = {
    "sk-": 40, "sk-ant-api03-": 60, "sk-proj-": 60, "ghp_": 36, "github_pat_": 60, "glpat-": 20, "AKIA": 16, "AIza": 35,
    "xoxb-1234567890-": 24, "hf_": 34, "gsk_": 52, "sk_live_": 24, "rk_live_": 24, "whsec_": 32, "npm_": 36, "r8_": 37,
    "pplx-": 40, "xai-": 60, "tvly-": 32, "lsv2_pt_": 40, "nvapi-": 60, "GOCSPX-": 28, "ya29.": 60, "hvs.": 40,
    "glsa_": 32, "lin_api_": 40, "pcsk_": 50, "Bearer ": 32,
}  # fmt: skip
"""What keys of well-known services begin with, and how many characters follow."""
ENDS = ("return", "exit", "error", "abandon")
WAIT = 240.0


class Told(TypedDict):
    """What the program is told to plant, and how it ends."""

    early: str
    late: str
    forms: list[str]
    named: list[str]
    end: str


def attack(size: Size) -> Result:
    result, chance = Result("secrets"), random.Random(8)
    for end in ENDS if size == "full" else ENDS[:2]:
        with tempfile.TemporaryDirectory(prefix="outtake-secrets-") as folder, served() as server:
            _one_program(server, Path(folder), _made_up(chance, end, 1 if size == "short" else len(STARTS)), result)
    return result


def _one_program(server: Served, elsewhere: Path, told: Told, result: Result) -> None:
    service, folder, end = server.service, server.folder, told["end"]
    planted = [told["early"], told["late"], *told["forms"], *told["named"]]
    file = elsewhere / "secrets.json"
    file.write_text(json.dumps(told), "utf-8")
    (folder / "leaky.py").write_text(Path(__file__).with_name("_leaky_program.py").read_text("utf-8"), "utf-8")
    env = {**os.environ, "EARLY_SERVICE_KEY": told["early"]}
    run = service.run("leaky.py:main", input=str(file), has_input=True, headless=True, folder=str(folder), env=env)[
        "run"
    ]
    done = service.wait(run, timeout=WAIT)
    wanted = "completed" if end == "return" else "failed"
    if done["status"] != wanted:
        result.fail(f"{end}: the run is {done['status']}, not {wanted}: {str(done.get('error'))[:300]}")
    if end == "return":
        fork = service.fork(run, at=done["records"] // 2, headless=True, env=env)
        forked = service.wait(fork["run"], timeout=WAIT)
        if forked["status"] != "completed":
            result.fail(f"the fork is {forked['status']}: {str(forked)[:300]}")
    result.count("programs")
    result.count("secrets", len(planted))
    result.count("records", done["records"])
    for place, data in _everything(server, run, elsewhere):
        result.count("places searched")
        result.count("bytes searched", len(data))
        for secret in planted:
            if part := _found(data, secret):
                result.fail(f"{end}: {place} has {part!r} of {secret[:12]}...")


def _made_up(chance: random.Random, end: str, count: int) -> Told:
    def text(length: int, letters: str = LETTERS) -> str:
        return "".join(chance.choices(letters, k=length - 1)) + chance.choice(string.digits)

    starts = chance.sample(sorted(STARTS), count)
    forms = [s + text(STARTS[s], LETTERS.upper() if s == "AKIA" else LETTERS) for s in starts]
    forms.append(".".join("eyJ" + text(40) for _ in range(2)) + "." + text(40))
    forms.append(f"-----BEGIN PRIVATE KEY-----\n{text(64)}\n{text(64)}\n-----END PRIVATE KEY-----")
    return {
        "early": text(20) + "+/" + text(10),
        "late": text(24) + "-x",
        "forms": forms,
        "named": [text(12), text(16) + "!" + text(8)],
        "end": end,
    }


def _found(data: bytes, secret: str) -> str:
    """The part of a secret that stands in there."""
    body = secret.splitlines()[1] if "\n" in secret else secret
    size = max(8, len(body) // 3)
    middle = body[-size - 1 : -1].encode()
    forms = [middle, body.encode().hex()[-2 * size : -2].encode()]
    for offset in range(3):
        encoded = base64.b64encode(b"\0" * offset + body.encode()).rstrip(b"=")
        forms.append(encoded[-size - 4 : -4])
    return next((form.decode() for form in forms if form in data), "")


def _everything(server: Served, run: str, elsewhere: Path) -> Iterator[tuple[str, bytes]]:
    """All that Outtake has written and answers, with where it is from."""
    service, store = server.service, server.folder / ".outtake"
    for file in sorted(store.rglob("*")):
        if file.is_file():
            yield f"the file {file.name}", file.read_bytes()
    with service.store.reading() as connection:
        rows = connection.execute(select(tables.bodies)).all()
    yield "the bodies", b"\n".join(zstandard.decompress(row.data) if row.packed else row.data for row in rows)
    for each in service.runs():
        name = each["run"]
        streams: dict[int, list[str]] = {}
        for record in service.store.records(name):
            yield f"record {record['seq']} of {name}", json.dumps(record).encode()
            if record["kind"] == "stream_chunk":
                streams.setdefault(record["invocation"], []).extend(_texts(service.store.body(record["body"])))
        for number, pieces in streams.items():
            yield f"the pieces of {number} in {name}", "".join(pieces).encode()
        printed: dict[int, str] = {}
        for _, stream, text in service.store.console(name):
            printed[stream] = printed.get(stream, "") + text
        yield f"the console of {name}", json.dumps(printed).encode()
        for what in ("info", "show", "report", "console", "describe", "trace", "code", "annotations"):
            with contextlib.suppress(Exception):  # not every run has everything
                yield f"{what} of {name}", json.dumps(getattr(service, what)(name), default=str).encode()
        target = elsewhere / f"{name}.exported"
        service.export(name, str(target))
        with zipfile.ZipFile(target) as export:
            for entry in export.namelist():
                yield f"{entry} of the export of {name}", _decoded(export.read(entry))
    for path in ("/api/runs", f"/api/runs/{run}", f"/api/runs/{run}/records", f"/api/runs/{run}/console"):
        yield f"GET {path}", server.ask("GET", path).body
    for command in (["show", run], ["info", run, "--json"], ["console", run], ["report", run], ["trace", run]):
        line = [sys.executable, "-m", "outtake", *command, "--store", str(store)]
        told = subprocess.run(line, capture_output=True, check=False, timeout=WAIT)
        yield f"outtake {command[0]}", told.stdout + told.stderr


def _decoded(lines: bytes) -> bytes:
    """The lines of an export, with the texts of nodes as they are."""
    out = [lines]
    for line in lines.splitlines():
        with contextlib.suppress(ValueError, TypeError):
            name, text = json.loads(line)
            out.append(base64.b64decode(text) if isinstance(name, str) else b"")
    return b"\n".join(out)


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in items for text in _texts(item)]
