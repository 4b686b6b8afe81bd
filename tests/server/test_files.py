"""Runs as files: downloaded and uploaded, never a path on the server."""

from __future__ import annotations

import io
import tempfile
import zipfile
from pathlib import Path

import pytest

from outtake.server.models.runs import Imported
from tests.server.conftest import Document, Server
from tests.server.fitting import fits

BINARY = {"Content-Type": "application/octet-stream"}


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
    assert (imported.status, imported.json) == (201, {"run": "r4", "runs": {"r1": "r3", "r2": "r4"}})
    there = server.client.get("/api/runs/r4")
    assert (there["output"], there["parent"], there["records"]) == (recorded["output"], "r3", recorded["records"])
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


def test_what_is_not_there_is_not_exported(server: Server, temporary: Path) -> None:
    assert server.client.ask("GET", "/api/runs/r7/export").status == 404
    assert list(temporary.iterdir()) == []
