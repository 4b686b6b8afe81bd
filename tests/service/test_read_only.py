"""A store that cannot be written is read all the same; and what is told of a run is of one moment."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from outtake.core.runs import Run
from outtake.service.errors import Conflict
from outtake.service.methods import asks
from outtake.service.read_only import ReadOnlyService
from outtake.service.rpc_client import open_service
from outtake.service.service import METHODS, Service
from tests.service.targets import WRITER, write

WAIT = 30.0
WAITING = """
import pathlib, time
def main():
    while not pathlib.Path("go").exists():
        time.sleep(0.01)
    return "done"
"""
READER = """
import json, os, sys
from pathlib import Path
from outtake.service.rpc_client import open_service
from outtake.service import ServiceError
if os.geteuid() == 0:  # root may write everywhere; what is imported late could not be read by another user
    open_service(Path("warm")).close()
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
service = open_service(Path(sys.argv[1]))
told = {"runs": [run["run"] for run in service.runs()], "status": service.info("r1")["status"]}
told["shown"] = len(list(service.show("r1", bodies=True)))
told["why"] = len(service.why("r1", 3)["chain"])
told["diff"] = service.diff("r1", "r2")["same"]
told["found"] = service.search("r1", "write about")["total"]
told["exported"] = service.export("r1", sys.argv[2])["bytes"]
told["components"] = len(service.describe("r1")["components"])
try:
    service.fork("r1", at=0)
except ServiceError as error:
    told["refused"] = str(error)
service.close()
print(json.dumps(told))
"""


@pytest.fixture
def recorded(service: Service, tmp_path: Path) -> Service:
    write(tmp_path, WRITER)
    service.wait(service.run("program.py:main", headless=True)["run"], timeout=WAIT)
    service.wait(service.fork("r1", at=3, headless=True)["run"], timeout=WAIT)
    return service


@pytest.fixture
def readable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder into which another user can look, and in which that user may write."""
    folder = Path(
        "/tmp" if os.path.isdir("/tmp") else str(tmp_path_factory.getbasetemp()), f"outtake-test-{os.getpid()}"
    )
    folder.mkdir(mode=0o755)
    (folder / "out").mkdir()
    (folder / "out").chmod(0o777)
    yield folder
    for path in (folder, *folder.rglob("*")):
        path.chmod(stat.S_IRWXU)
    shutil.rmtree(folder)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
@pytest.mark.parametrize("killed", [False, True], ids=["as it was closed", "with a part in its WAL"])
def test_a_store_that_is_read_only_answers_questions(recorded: Service, readable: Path, killed: bool) -> None:
    kept = readable / "kept"
    if killed:
        shutil.copytree(recorded.folder, kept, ignore=shutil.ignore_patterns("probe.sock", "*-shm"))
        assert (kept / "outtake.db-wal").stat().st_size > 0
    recorded.close()
    if not killed:
        shutil.copytree(recorded.folder, kept)
    before = {path.name: path.read_bytes() for path in kept.iterdir() if path.is_file()}
    for path in kept.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    kept.chmod(0o555)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(
        [sys.executable, "-c", READER, str(kept), str(readable / "out" / "r1.outtake")],
        env=env,
        capture_output=True,
        text=True,
        timeout=WAIT,
        check=False,
        cwd=readable,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["runs"], told["status"]) == (["r1", "r2"], "completed")
    assert all(told[name] > 0 for name in ("shown", "why", "diff", "found", "exported", "components"))
    assert "can only be read" in told["refused"]
    assert {path.name: path.read_bytes() for path in kept.iterdir() if path.is_file()} == before


def test_every_command_is_refused_and_no_question(recorded: Service) -> None:
    recorded.close()
    service = ReadOnlyService(recorded.folder, "for a test")
    for name, method in METHODS.items():
        if not asks(method):
            with pytest.raises(Conflict, match="for a test"):
                getattr(service, name)()
    assert [run["run"] for run in service.runs()] == ["r1", "r2"]
    service.close()


def test_a_store_of_an_earlier_outtake_is_read_without_what_it_had_not(recorded: Service) -> None:
    recorded.close()
    with contextlib.closing(sqlite3.connect(recorded.folder / "outtake.db")) as connection:
        for name in ("files", "descriptions"):
            connection.execute(f"DROP TABLE {name}")
        connection.commit()
    service = ReadOnlyService(recorded.folder, "for a test")
    assert service.report("r2")["parent"] == "r1"
    assert service.describe("r1")["source"] == "records"
    service.close()


def test_a_relative_store_is_the_same_from_every_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    write(tmp_path / "elsewhere", WRITER)
    service = open_service(Path("kept"))
    try:
        run = service.run("program.py:main", headless=True, folder=str(tmp_path / "elsewhere"))["run"]
        assert service.wait(run, timeout=WAIT)["status"] == "completed"
        monkeypatch.chdir(tmp_path / "elsewhere")
        assert service.folder == tmp_path / "kept"
        fork = service.fork(run, at=0, headless=True)["run"]
        assert service.wait(fork, timeout=WAIT)["status"] == "completed"
    finally:
        service.close()


@pytest.mark.parametrize("listed", [False, True])
def test_a_run_is_never_told_as_completed_without_its_output(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listed: bool
) -> None:
    """The run ends between the two moments at which its row and its live state are read."""
    write(tmp_path, WAITING)
    run = service.run("program.py:main", headless=True)["run"]
    live = service._live[run]
    assert live.wait(lambda r: r.state == "running", WAIT)
    read_one, read_all = service.store.run, service.store.runs

    def ending() -> None:
        (tmp_path / "go").touch()
        assert live.wait(lambda r: r.state == "completed", WAIT)

    def one(name: str) -> Run:
        found = read_one(name)
        ending()
        return found

    def every(*, listed: bool = True) -> list[Run]:
        found = read_all(listed=listed)
        ending()
        return found

    monkeypatch.setattr(service.store, "run", one)
    monkeypatch.setattr(service.store, "runs", every)
    told = service.runs()[0] if listed else service.info(run)
    assert (told["status"] == "completed") == (told["output"] == "done") == (not told["live"])
