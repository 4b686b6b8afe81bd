"""Killing anything at any moment loses no acknowledged record, and nothing recorded is called twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from outtake.service.rpc_client import open_service
from outtake.service.service import Document, Service
from outtake_probe.records import Json
from tests.service.targets import WRITER, calls, write

WAIT = 30.0
ENV = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
KILLED = WRITER.replace(
    '    happened("ask " + prompt)\n',
    '    happened("ask " + prompt)\n'
    "    import os, pathlib, signal\n"
    '    mark = pathlib.Path("kill.txt")\n'
    '    if mark.exists() and len(pathlib.Path("calls.txt").read_text().split("ask")) > int(mark.read_text()):\n'
    "        mark.unlink()\n"
    "        os.kill(os.getpid(), signal.SIGKILL)\n",
)
SLOW = WRITER.replace(
    "def happened(what):\n",
    "def happened(what):\n"
    "    import os, time\n"
    "    time.sleep(0.02)\n"
    "    for _ in range(1500):\n"
    "        if not what.startswith('send') or os.path.exists('killed'): break\n"
    "        time.sleep(0.02)\n",
)
"""Its last call is made when its server was killed: however late that is, the program has not ended by then."""
SERVER = """
import os, signal, sys
from pathlib import Path
from outtake.service.rpc_client import open_service
service = open_service(Path(".outtake"))
run = service.run("program.py:main", headless=True)["run"]
live = service._live[run]
live.wait(lambda r: r.records >= int(sys.argv[1]), 30)
print(live.records, live.process.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def continued(service: Service, run: str, **options: Json) -> Document:
    """The run, gone on with from its last record."""
    fork = service.fork(run, headless=True, **options)
    return service.wait(fork["run"], timeout=WAIT)


@pytest.mark.parametrize("moment", [1, 2, 4, 6])
def test_a_killed_process_is_continued(service: Service, tmp_path: Path, moment: int) -> None:
    write(tmp_path, KILLED)
    (tmp_path / "kill.txt").write_text(str(moment))
    run = service.run("program.py:main", headless=True)["run"]
    killed = service.wait(run, timeout=WAIT)
    assert killed["status"] == "failed"
    assert "signal 9" in killed["error"]["message"]
    done = continued(service, run)
    assert done["status"] == "completed", done["error"]
    made = calls(tmp_path)
    assert sorted(set(made)) == sorted(made[: len(made)]) or made.count(made[moment]) <= 2
    recorded = [r for r in service.show(run, kind="invocation_ended") if r["call"] in ("model", "tool")]
    assert len(made) <= 13 + 1, "only the call that was out when the process was killed is made again"
    assert done["reused"]["model"] + done["reused"]["tool"] == len(recorded)


@pytest.mark.parametrize("records", [1, 8, 20])
def test_a_killed_server_loses_nothing_and_its_process_finds_the_next(tmp_path: Path, records: int) -> None:
    write(tmp_path, SLOW)
    server = subprocess.run(
        [sys.executable, "-c", SERVER, str(records)],
        cwd=tmp_path,
        env=ENV,
        capture_output=True,
        text=True,
        timeout=WAIT,
        check=False,
    )
    assert server.returncode == -signal.SIGKILL, server.stderr
    (tmp_path / "killed").touch()
    seen = int(server.stdout.split()[0])
    os.chdir(tmp_path)
    service = open_service(tmp_path / ".outtake")
    try:
        assert service.info("r1")["records"] >= seen
        found = service.await_process("r1", WAIT)
        assert found, "the process that outlived its server comes back"
        done = service.wait("r1", timeout=WAIT)
        assert done["status"] == "completed", done["error"]
        assert len(calls(tmp_path)) == 13
        assert [r["seq"] for r in service.show("r1")] == list(range(done["records"]))
    finally:
        service.close()


def test_a_run_whose_server_and_process_died_is_lost_and_can_be_continued(tmp_path: Path) -> None:
    write(tmp_path, SLOW)
    server = subprocess.run(
        [sys.executable, "-c", SERVER, "9"],
        cwd=tmp_path,
        env=ENV,
        capture_output=True,
        text=True,
        timeout=WAIT,
        check=False,
    )
    seen, process = map(int, server.stdout.split())
    os.kill(process, signal.SIGKILL)
    (tmp_path / "killed").touch()
    os.chdir(tmp_path)
    service = open_service(tmp_path / ".outtake")
    try:
        assert service.info("r1")["status"] == "lost"
        assert service.info("r1")["records"] >= seen
        before = len(calls(tmp_path))
        done = continued(service, "r1", repeat="run")  # a call that changes the world may have been out
        assert done["status"] == "completed", done["error"]
        assert len(calls(tmp_path)) <= 13 + 1
        assert before <= len(calls(tmp_path))
    finally:
        service.close()
