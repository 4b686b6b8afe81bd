"""What another user of the machine could get at: the secret of a run, the store's files, its socket."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from outtake.engine.keys import Keys
from outtake.service.rpc_client import Remote, open_service
from outtake.service.service import Service
from outtake_probe import wire
from outtake_probe.connection import Address
from outtake_probe.wire import sockets
from outtake_probe.wire.owners import announced
from tests.service.targets import WRITER, write

WAIT = 30.0
LOOKING = """
import json, os, pathlib, subprocess, sys
LOOK = '''
import json, os
seen = [open(f"/proc/{pid}/{what}", "rb").read().decode("latin-1")
        for pid in (os.getpid(), os.getppid()) for what in ("cmdline", "environ")]
print(json.dumps([seen, sorted(map(int, os.listdir("/proc/self/fd")))]))
'''
def main():
    child = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True, check=True, close_fds=False)
    seen, descriptors = json.loads(child.stdout)
    return {"seen": seen, "argv": sys.argv, "descriptors": descriptors}
"""
CHILD = """
import outtake
@outtake.tool(effects="pure")
def twice(number):
    return 2 * number
outtake.attach()
twice(21)
"""
PARENT = """
import pathlib, subprocess, sys
def main():
    child = subprocess.run([sys.executable, "child.py"], capture_output=True, text=True)
    return child.stderr or "went well"
"""
SCRIPT = """
import subprocess, sys
import outtake
outtake.attach()
@outtake.tool(effects="pure")
def once(number):
    return number
once(1)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_no_secret_is_in_an_argument_or_the_environment(service: Service, tmp_path: Path) -> None:
    write(tmp_path, LOOKING)
    run = service.wait(service.run("program.py:main", headless=True)["run"], timeout=WAIT)
    assert run["status"] == "completed", run["error"]
    told = json.dumps(run["output"])
    assert "boot.py" in told  # it has looked at the process
    assert service.token not in told
    assert service._keys.of_run(service.store.run(run["run"])) not in told
    assert (tmp_path / ".outtake" / "key").read_bytes().hex() not in told
    assert run["output"]["descriptors"] == [0, 1, 2, 3]  # the last one is of the folder that it reads


def test_a_child_that_attaches_gets_a_run_of_its_own(service: Service, tmp_path: Path, env_of_sources: None) -> None:
    write(tmp_path, PARENT)
    write(tmp_path, CHILD, "child.py")
    parent = service.wait(service.run("program.py:main", headless=True)["run"], timeout=WAIT)
    assert parent["output"] == "went well"
    runs = [run for run in service.runs() if run["run"] != parent["run"]]
    assert [(run["status"], Path(run["spec"]).name) for run in runs] == [("completed", "child.py")]
    assert [r["component"] for r in service.show(parent["run"]) if r["component"].endswith("twice")] == []


def test_a_script_that_attaches_can_be_forked(service: Service, tmp_path: Path, env_of_sources: None) -> None:
    write(tmp_path, SCRIPT, "script.py")
    subprocess.run([sys.executable, "script.py"], cwd=tmp_path, check=True, timeout=WAIT)
    first = service.wait("r1", timeout=WAIT)
    assert first["status"] == "completed"
    fork = service.wait(service.fork("r1", headless=True)["run"], timeout=WAIT)
    assert (fork["run"], fork["status"], fork["error"]) == ("r2", "completed", None)
    assert len(service.runs()) == 2


@pytest.fixture
def env_of_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(p for p in sys.path if p))


def test_the_secret_of_a_run_opens_nothing_else(service: Service, tmp_path: Path) -> None:
    write(tmp_path, WRITER)
    for _ in range(2):
        service.wait(service.run("program.py:main", headless=True)["run"], timeout=WAIT)
    secret = service._keys.of_run(service.store.run("r1"))
    assert secret != service._keys.of_run(service.store.run("r2"))
    for hello in ({"role": "client"}, {"role": "probe", "run": "r2"}, {"role": "probe"}):
        assert "token is wrong" in _refusal(service, {**hello, "token": secret})


def test_the_token_is_new_with_each_owner_and_the_secret_of_a_run_is_not(tmp_path: Path) -> None:
    folder = tmp_path / ".outtake"
    (folder).mkdir(mode=0o755)
    (folder / "token").write_text("kept by an earlier Outtake")
    first, second = Keys(folder), Keys(folder)
    assert first.token != second.token
    assert not (folder / "token").exists()
    service = open_service(folder)
    assert service.token not in "".join(p.read_text("latin-1") for p in folder.iterdir() if p.name == "key")
    service.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
@pytest.mark.parametrize("name", [".outtake", "a-store"])
def test_every_file_is_private_whatever_the_umask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, WRITER)
    (tmp_path / name).mkdir(mode=0o777)
    (tmp_path / name).chmod(0o755)
    before = os.umask(0)
    try:
        service = open_service(tmp_path / name)
        service.wait(service.run("program.py:main", headless=True)["run"], timeout=WAIT)
        found = {path: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / name, *(tmp_path / name).rglob("*"))}
        service.close()
    finally:
        os.umask(before)
    names = {path.name for path in found}
    assert {"outtake.db", "outtake.db-wal", "outtake.db-shm", "key", "lock", "owner.json", "probe.sock"} <= names
    assert {str(path): oct(mode) for path, mode in found.items() if mode & 0o077} == {}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_a_store_that_was_open_to_others_is_closed(tmp_path: Path) -> None:
    folder = tmp_path / ".outtake"
    open_service(folder).close()
    folder.chmod(0o755)
    (folder / "outtake.db").chmod(0o644)
    open_service(folder).close()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "outtake.db").stat().st_mode) == 0o600
    other = tmp_path / "project"
    other.mkdir(mode=0o755)
    (other / "main.py").write_text("")
    open_service(other).close()
    assert stat.S_IMODE(other.stat().st_mode) == 0o755  # it holds more than a store


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no Unix sockets")
@pytest.mark.parametrize("runtime", [True, False])
def test_a_store_with_a_long_path_has_its_socket_in_a_private_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runtime: bool
) -> None:
    short = tmp_path / "rt"
    short.mkdir(mode=0o700)
    if runtime and len(str(short)) < 60:
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(short))
    else:
        monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    folder = tmp_path / ("long" * 25) / ".outtake"
    service = open_service(folder)
    try:
        kind, _, path = service.listener.address.partition(":")
        assert kind == "unix"
        place = Path(path).parent
        assert stat.S_IMODE(place.stat().st_mode) == 0o700
        assert stat.S_IMODE(Path(path).stat().st_mode) == 0o600
        other = open_service(folder)
        assert isinstance(other, Remote)
        assert other.runs() == []
        other.close()
    finally:
        service.close()
    assert not Path(path).exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no Unix sockets")
def test_a_short_folder_that_somebody_else_made_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    taken = tmp_path / f"outtake-{os.geteuid()}"
    taken.mkdir()
    taken.chmod(0o777)
    assert str(taken) not in list(sockets._short_folders())[:2]


def test_an_address_that_is_no_unix_socket_is_refused_where_there_are_some() -> None:
    if sys.platform != "win32":
        with pytest.raises(OSError, match="no address of an Outtake server"):
            wire.connect("tcp:1")


def test_a_process_finds_the_next_owner_where_it_is_then(tmp_path: Path) -> None:
    folder = tmp_path / ".outtake"
    service = open_service(folder)
    moved = Address("unix:/nowhere", "secret", "r1", store=str(folder)).now()
    assert (moved.place, moved.token) == (service.listener.address, "secret")
    service.close()
    assert announced(str(folder)) is None
    assert Address("unix:/nowhere", "secret", "r1", store=str(folder)).now().place == "unix:/nowhere"


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="needs another user")
def test_what_another_user_announces_is_not_believed(tmp_path: Path) -> None:
    folder = tmp_path / ".outtake"
    service = open_service(folder)
    os.chown(folder / "owner.json", 65534, 65534)
    assert announced(str(folder)) is None
    service.close()


def _refusal(service: Service, hello: dict[str, object]) -> str:
    connection = wire.connect(service.listener.address)
    connection.send("hello", {"protocol": wire.PROTOCOL, **hello})
    answer = connection.receive()
    connection.close()
    assert answer is not None
    assert answer.kind == "refuse"
    return str(answer.fields["reason"])
