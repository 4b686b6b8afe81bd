"""Runs as files: downloaded and uploaded, never a path on the server."""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from outtake.server.models.records import Gists
from outtake.server.models.runs import Imported
from tests.server.conftest import Document, Server
from tests.server.fitting import fits

BINARY = {"Content-Type": "application/octet-stream"}
AN_EXPORT: Document = {"log": "", "recognised": "", "guessed": []}


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files go."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_a_run_travels_as_a_file(server: Server, recorded: Document, temporary: Path) -> None:
    fork = server.client.post("/api/runs/r1/fork", {"at": 5}, status=201)["run"]
    server.ended(fork)
    reply = server.client.ask("GET", f"/api/runs/{fork}/export", headers={"Accept-Encoding": "gzip"})
    assert (reply.status, reply.headers["Content-Disposition"]) == (200, 'attachment; filename="r2.outtake"')
    assert len(reply.body) == int(reply.headers["Content-Length"])
    assert "manifest.json" in zipfile.ZipFile(io.BytesIO(reply.body)).namelist()
    imported = server.client.ask("POST", "/api/import", reply.body, BINARY)
    fits(Imported, imported.json)
    assert (imported.status, imported.json) == (201, {"run": "r4", "runs": {"r1": "r3", "r2": "r4"}, **AN_EXPORT})
    there = server.client.get("/api/runs/r4")
    assert (there["output"], there["parent"], there["records"]) == (recorded["output"], "r3", recorded["records"])
    assert (there["untrusted"], server.client.get("/api/runs/r2")["untrusted"]) == (True, False)
    for path in ("fork", "describe"):
        refused = server.client.ask("POST", f"/api/runs/r4/{path}", {} if path == "fork" else None)
        assert (refused.status, refused.error["code"]) == (409, "untrusted"), refused.text
    same = server.client.get("/api/runs/r4/records?bodies=1")["records"]
    assert same == server.client.get(f"/api/runs/{fork}/records?bodies=1")["records"]
    assert list(temporary.iterdir()) == []


@pytest.mark.usefixtures("recorded")
def test_a_damaged_file_changes_nothing(server: Server, temporary: Path) -> None:
    whole = server.client.ask("GET", "/api/runs/r1/export").body
    for damaged in (b"", b"nothing", whole[:-40], whole[:100] + bytes(50) + whole[150:]):
        reply = server.client.ask("POST", "/api/import", damaged, BINARY)
        assert (reply.status, reply.error["code"]) == (400, "wrong_use"), reply.text
        assert "nothing was imported" in reply.error["message"]
        assert str(temporary) not in reply.error["message"]
    assert [run["run"] for run in server.client.get("/api/runs")] == ["r1"]
    assert list(temporary.iterdir()) == []


def rewritten(file: bytes, name: str, change: Callable[[Any], Any]) -> bytes:
    """An export in which one of its JSON files is another."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(file)) as old, zipfile.ZipFile(out, "w") as new:
        for entry in old.namelist():
            told = old.read(entry)
            if entry == name:
                lines = [json.loads(line) for line in told.splitlines()]
                told = "\n".join(json.dumps(change(line)) for line in lines).encode()
            new.writestr(entry, told)
    return out.getvalue()


def changed(fields: Document) -> Callable[[Any], Any]:
    return lambda record: {**record, **fields}


def told(*said: Any) -> Callable[[Any], Any]:
    return lambda manifest: {**manifest, "runs": [{**manifest["runs"][0], "annotations": list(said)}]}


@pytest.mark.usefixtures("recorded")
def test_a_file_of_the_first_release_is_read(server: Server) -> None:
    whole = server.client.ask("GET", "/api/runs/r1/export").body
    first = rewritten(whole, "manifest.json", lambda m: {**m, "runs": [_without(m["runs"][0], "annotations")]})
    assert server.client.ask("POST", "/api/import", first, BINARY).json == {
        "run": "r2",
        "runs": {"r1": "r2"},
        **AN_EXPORT,
    }
    assert server.client.get("/api/runs/r2/annotations")["annotations"] == []
    assert server.client.get("/api/runs")[1]["calls"] == server.client.get("/api/runs")[0]["calls"]


def _without(document: Document, name: str) -> Document:
    return {key: value for key, value in document.items() if key != name}


@pytest.mark.usefixtures("recorded")
def test_what_a_file_says_is_checked_before_anything_is_kept(server: Server) -> None:
    whole = server.client.ask("GET", "/api/runs/r1/export").body
    good = {"kind": "feedback", "text": "x", "author": "me", "seq": 1, "data": {}, "created": 1.0}
    for bad in ({}, {**good, "kind": "poem"}, {**good, "data": 5}, {**good, "seq": "x"}, {**good, "text": " "}, 7):
        reply = server.client.ask("POST", "/api/import", rewritten(whole, "manifest.json", told(bad)), BINARY)
        assert (reply.status, "nothing was imported" in reply.error["message"]) == (400, True), (bad, reply.text)
    for change in ({"kind": "poem"}, {"poem": 1}):
        bad_records = rewritten(whole, "runs/r1.jsonl", changed(change))
        reply = server.client.ask("POST", "/api/import", bad_records, BINARY)
        assert (reply.status, "nothing was imported" in reply.error["message"]) == (400, True), (change, reply.text)
    assert [run["run"] for run in server.client.get("/api/runs")] == ["r1"]
    reply = server.client.ask("POST", "/api/import", rewritten(whole, "manifest.json", told(good)), BINARY)
    assert reply.status == 201


LOG = {
    "question": "How tall is the tower?",
    "ground_truth": "324",
    "mistake_agent": "Guide",
    "mistake_step": "1",
    "mistake_reason": "It took the wrong tower.",
    "history": [{"role": "human", "content": "How tall is it?"}, {"role": "Guide", "content": "FINAL ANSWER: 333"}],
}


def test_a_log_of_another_program_is_read_and_cannot_be_run(server: Server, temporary: Path) -> None:
    client = server.client
    told = client.ask("POST", "/api/import?name=tower.json", json.dumps(LOG).encode(), BINARY)
    fits(Imported, told.json)
    assert (told.status, told.json) == (
        201,
        {
            "run": "r1",
            "runs": {"tower.json": "r1"},
            "log": "Who&When",
            "recognised": "a question, its history and a label",
            "guessed": client.get("/api/runs/r1")["guessed"],
        },
    )
    assert client.get("/api/runs/r1")["log"] == "Who&When"
    (listed,) = client.get("/api/runs")
    assert (listed["imported"], listed["outcome"], listed["name"]) == (True, "failed", "tower.json")
    assert listed["timed"] is False
    kinds = [said["kind"] for said in client.get("/api/runs/r1/annotations")["annotations"]]
    assert kinds == ["expectation", "verdict", "finding"]
    for path in ("fork", "step", "send"):
        body = {"component": "team/Guide", "value": "x"} if path == "send" else {}
        refused = client.ask("POST", f"/api/runs/r1/{path}", body)
        assert (refused.status, "no program behind it" in refused.error["message"]) == (400, True), refused.text
    refused = client.ask("POST", "/api/import", b'{"question": 1}', BINARY)
    assert (refused.status, "mistake_step" in refused.error["message"]) == (400, True)
    assert str(temporary) not in refused.error["message"]
    assert list(temporary.iterdir()) == []


def test_what_is_not_there_is_not_exported(server: Server, temporary: Path) -> None:
    assert server.client.ask("GET", "/api/runs/r7/export").status == 404
    assert list(temporary.iterdir()) == []


def test_of_what_is_long_one_can_ask_what_is_new(server: Server) -> None:
    formula = "Here is the page that I have opened for you, with its menu. Home, offers, contact and imprint are on it."
    pages = [f"I clicked '{n}'. {formula}\n{formula.upper()}\nThe tower number {n} is {n} metres high." for n in "123"]
    said = [{"role": "Surfer", "content": page} for page in pages]
    log = {**LOG, "history": [said[0], {"role": "Guide", "content": "Go on"}, said[1], said[2]]}
    run = server.client.ask("POST", "/api/import?name=pages.json", json.dumps(log).encode(), BINARY).json["run"]
    records = server.client.get(f"/api/runs/{run}/records?limit=1000")["records"]
    sent = [r["seq"] for r in records if r["kind"] == "message_queued" and r["component"] == "team/Surfer"]
    heard = [r["seq"] for r in records if r["kind"] == "invocation_started"]
    told = server.client.get(f"/api/runs/{run}/gists?seqs={','.join(map(str, (*sent, *heard, 99999)))}")
    fits(Gists, told)
    gists = {int(seq): gist for seq, gist in told["gists"].items()}
    assert gists.keys() == set(sent)  # what was heard is told by who said it
    assert formula in gists[sent[0]]
    first, *rest = pages[1].splitlines()
    assert gists[sent[1]].splitlines() == [first, rest[-1]]
