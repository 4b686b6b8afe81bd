"""Runs leave nothing behind in their server, and a server that runs short goes on when there is enough again."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from outtake.service.errors import WrongUse
from outtake.service.service import Service
from outtake.store.private import DATABASE
from tests.service.targets import write

WAIT = 30.0
ENV = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
DIES = "import os\n\ndef main():\n    os.kill(os.getpid(), 9)\n"
pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")


def held() -> tuple[int, int]:
    """Descriptors and threads of this process, without the files that the database keeps open for readers."""
    files = []
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # that of the listing itself
            files.append(os.readlink(f"/proc/self/fd/{number}"))
    return sum(DATABASE not in path for path in files), threading.active_count()


def test_runs_leave_no_descriptor_no_thread_and_no_file(service: Service, tmp_path: Path) -> None:
    write(tmp_path)
    write(tmp_path, DIES, "dies.py")

    def some(number: int) -> None:
        for _ in range(number):
            good = service.run("program.py:main", headless=True)["run"]
            bad = service.run("dies.py:main", headless=True)["run"]
            assert service.wait(good, timeout=WAIT)["status"] == "completed"
            assert service.wait(bad, timeout=WAIT)["status"] == "failed"
            with pytest.raises(WrongUse):
                service.describe_spec("dies.py:main.nothing")
        for run in service.runs():
            live = service._live.get(run["run"])
            assert live is None or live.wait(lambda r: r.over, WAIT)

    some(2)
    before = held()
    some(6)
    for thread in threading.enumerate():
        if thread.name.startswith(("outtake-r", "outtake-connection", "outtake-intake")):
            thread.join(WAIT)
    after = held()
    assert after[0] <= before[0], f"{before} became {after}"
    assert after[1] <= before[1], [thread.name for thread in threading.enumerate()]
    assert service._live == {}
    for folder in ("processes", "journal"):
        assert list((service.folder / folder).iterdir()) == []


SHORT_OF_DESCRIPTORS = """
import contextlib, os, resource, socket, sys, threading
from pathlib import Path
from outtake.service.rpc_client import open_service
service = open_service(Path(".outtake"))
address = service.listener.address.partition(":")[2]
open_now = len(os.listdir("/proc/self/fd"))
resource.setrlimit(resource.RLIMIT_NOFILE, (open_now + 20, open_now + 20))
held = []
with contextlib.suppress(OSError):  # until there is none left, here or where it is accepted
    while True:
        held.append(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
        held[-1].connect(address)
for one in held:
    one.close()
client = open_service(Path(".outtake"))  # it comes after all of those
client.runs()
client.close()
for thread in threading.enumerate():
    if thread.name == "outtake-connection":
        thread.join(30)
run = service.run("program.py:main", headless=True)["run"]
print(service.wait(run, timeout=30)["status"], len(held) > 5, flush=True)
service.close()
"""


def test_a_server_that_ran_out_of_descriptors_accepts_connections_again(tmp_path: Path) -> None:
    write(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", SHORT_OF_DESCRIPTORS],
        cwd=tmp_path,
        env=ENV,
        capture_output=True,
        text=True,
        timeout=2 * WAIT,
        check=False,
    )
    assert done.stdout.split() == ["completed", "True"], done.stderr


def test_a_run_whose_settings_cannot_be_read_has_failed_and_can_be_deleted(service: Service, tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "outtake.toml").write_text("no [toml")
    with pytest.raises(WrongUse, match="cannot be read"):
        service.run("program.py:main")
    assert [run["status"] for run in service.runs()] == ["failed"]
    assert service.delete("r1")["deleted"]


def test_a_run_whose_interpreter_cannot_be_started_has_failed_and_can_be_deleted(
    service: Service, tmp_path: Path
) -> None:
    write(tmp_path)
    broken = tmp_path / "python"
    broken.write_bytes(b"\x7fELF but not really")
    broken.chmod(0o700)
    with pytest.raises(WrongUse, match="cannot be started"):
        service.run("program.py:main", python=str(broken))
    (run,) = service.runs()
    assert (run["status"], run["live"]) == ("failed", False)
    assert "cannot be started" in run["error"]["message"]
    assert service._live == {}
    assert service.delete(run["run"])["deleted"]
    assert service.runs() == []
