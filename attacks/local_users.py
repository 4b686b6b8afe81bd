"""Another user of the machine, and a program at another port: what they can read, reach and command.

As root, the other user is a process of `nobody`; else what root would be needed for is left out, and counted.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path

from attacks._served import BOUND, Served, served
from attacks.result import Result, Size
from outtake.service.rpc_client import open_service
from outtake.service.service import Service
from outtake_probe.connection import Address
from outtake_probe.wire import sockets
from outtake_probe.wire.owners import announced

Headers = Sequence[dict[str, str]]
"""Headers of requests, to be tried one after the other."""
NOBODY = 65534
TRIES: dict[Size, int] = {"short": 2, "full": 25}
PROGRAM = """
import pathlib, subprocess, sys, time

def main():
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    pathlib.Path("ready").touch()
    while not pathlib.Path("go").exists():
        time.sleep(0.01)
    child.kill()
    child.wait()
"""


def attack(size: Size) -> Result:
    """Every way to the secrets that another user or another port has."""
    result = Result("local_users")
    for number in range(TRIES[size]):
        _while_a_program_runs(result, long=bool(number % 2))
    _planted(result)
    with served() as server:
        _from_another_port(server, result)
    return result


@contextlib.contextmanager
def _open_to_all() -> Iterator[Path]:
    """A folder that every user can read and enter, with the widest rights for what is made in it."""
    folder = Path(tempfile.mkdtemp(prefix="outtake-attack-", dir="/tmp"))
    folder.chmod(0o755)
    before = os.umask(0)
    try:
        yield folder
    finally:
        os.umask(before)
        shutil.rmtree(folder)


def _while_a_program_runs(result: Result, *, long: bool) -> None:
    with _open_to_all() as top:
        folder = top / ("long" * 25) if long else top
        folder.mkdir(exist_ok=True)
        (folder / "program.py").write_text(PROGRAM, "utf-8")
        service = open_service(folder / ".outtake")
        try:
            run = str(service.run("program.py:main", headless=True, folder=str(folder))["run"])
            live = service._live[run]
            live.wait(lambda r: r.state in ("running", "failed"), BOUND)
            _look(service, run, result)
            (folder / "go").touch()
            service.wait(run, timeout=BOUND)
        finally:
            service.close()


def _look(service: Service, run: str, result: Result) -> None:
    secrets = [service.token, service._keys.of_run(service.store.run(run)), (service.folder / "key").read_bytes().hex()]
    if service.listener.address.startswith("tcp:"):
        result.fail(f"the owner of {service.folder} listens at a port of the machine: {service.listener.address}")
    for path in (service.folder, *service.folder.rglob("*"), Path(service.listener.address.partition(":")[2])):
        result.count("files")
        if stat.S_IMODE(path.lstat().st_mode) & 0o077:
            result.fail(f"{path} is open to others: {oct(path.lstat().st_mode)}")
    for text in _processes():
        result.count("process arguments and environments")
        if any(secret in text for secret in secrets):
            result.fail(f"a secret stands in the list of processes: {text[:200]!r}")
    for what in _as_nobody(service.folder, service.listener.address, result):
        result.fail(f"another user {what}")


def _processes() -> Iterator[str]:
    """What a look at every process shows: arguments to everybody, the environment to its own user (and root)."""
    for process in Path("/proc").glob("[0-9]*"):
        for name in ("cmdline", "environ"):
            with contextlib.suppress(OSError):
                yield (process / name).read_bytes().decode("latin-1")


def _as_nobody(folder: Path, address: str, result: Result) -> list[str]:
    """What another user got: read files, listed folders, made connections."""
    if os.geteuid() != 0:
        result.count("left out: needs root")
        return []
    names = [*(str(path) for path in (folder, *folder.rglob("*"))), str(Path(address.partition(":")[2]).parent)]
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            os.write(writing, json.dumps(_tried(names, address)).encode()[: 1 << 15])
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    result.count("attempts of another user", 2 * len(names) + 1)
    got: list[str] = json.loads(told)
    return got


def _tried(names: list[str], address: str) -> list[str]:
    got = []
    for name in names:
        with contextlib.suppress(OSError):
            got.append(f"listed {name}: {os.listdir(name)}")
        with contextlib.suppress(OSError), open(name, "rb") as file:
            got.append(f"read {name}: {file.read(20)!r}")
    with contextlib.suppress(OSError):
        sockets.connect(address)
        got.append(f"connected to {address}")
    return got


# -- what another user puts in the way -------------------------------------------------------------------------------


def _planted(result: Result) -> None:
    """A server of another user that waits where a program looks for its own."""
    if os.geteuid() != 0:
        result.count("left out: needs root")
        return
    with _open_to_all() as top:
        store = top / ".outtake"
        store.mkdir()
        path = top / "theirs.sock"
        theirs = subprocess.Popen(
            [sys.executable, "-c", LISTENING, str(path), str(NOBODY)], stdout=subprocess.PIPE, stdin=subprocess.PIPE
        )
        top.chmod(0o777)
        try:
            assert theirs.stdout is not None
            theirs.stdout.readline()
            (store / "owner.json").write_text(json.dumps({"address": f"unix:{path}", "token": "theirs"}))
            for of in (NOBODY, 0):  # theirs as they left it; and theirs in a file that is ours
                os.chown(store / "owner.json", of, of)
                result.count("planted owners")
                if of == NOBODY and announced(str(store)) is not None:
                    result.fail("what another user announced is believed")
                with contextlib.suppress(OSError):
                    sockets.connect(Address(f"unix:{path}", "x", store=str(store)).now().place)
                    result.fail("a process connects to the socket of another user")
            with contextlib.suppress(OSError):
                sockets.connect("tcp:22")
                result.fail("a process connects to a port")
        finally:
            theirs.kill()
            theirs.communicate()


LISTENING = """
import os, socket, sys
os.setgroups([]); os.setgid(int(sys.argv[2]))
sock = socket.socket(socket.AF_UNIX)
os.umask(0)
os.chmod(os.path.dirname(sys.argv[1]), 0o777)
os.setuid(int(sys.argv[2]))
sock.bind(sys.argv[1]); sock.listen()
print("up", flush=True)
sys.stdin.read()
"""


# -- another port ----------------------------------------------------------------------------------------------------


def _from_another_port(server: Served, result: Result) -> None:
    """What a browser gives to other ports of this host, and what pages there can ask for."""
    for path in ("/", f"/?token={server.token}", f"/plain?token={server.token}", "/api/runs"):
        _, headers = _asked(server, path, {"Authorization": f"Bearer {server.token}"})
        result.count("answers looked at for cookies")
        if "set-cookie" in headers:
            result.fail(f"{path} sets a cookie, which every port of this host gets")
    port = server.url.rpartition(":")[2]
    pages: Headers = (
        {},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://localhost:1"},
        {"Origin": "null"},
    )
    fetched: Headers = (
        {},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"},
        {"Sec-Fetch-Site": "same-site"},
    )
    cookies: Headers = ({}, {"Cookie": f"outtake_{port}={server.token}; token={server.token}"})
    for headers in ({**a, **b, **c} for a in pages for b in fetched for c in cookies):
        for path in ("/api/runs", "/api/tree", "/api/openapi.json", "/plain", "/api/runs/r1/export"):
            for method, body in (("GET", None), ("POST", b'{"spec": "program.py:main"}')):
                status, _ = _asked(server, path, headers, method, body)
                result.count("requests from another port")
                if status not in (401, 403, 405):
                    result.fail(f"{method} {path} from another port with {headers}: {status}")
    if len(server.service.runs()) != 2:
        result.fail("a page of another port has started a run")


def _asked(
    server: Served, path: str, headers: dict[str, str], method: str = "GET", body: bytes | None = None
) -> tuple[int, dict[str, str]]:
    told = {"Content-Type": "text/plain" if body else "", **headers}
    request = urllib.request.Request(server.url + path, body, told, method=method)
    try:
        with urllib.request.build_opener(_Stay).open(request, timeout=BOUND) as answer:
            return answer.status, {name.lower(): value for name, value in answer.headers.items()}
    except urllib.error.HTTPError as error:
        with error:
            return error.code, {name.lower(): value for name, value in error.headers.items()}


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: what it sets is looked at."""

    def redirect_request(self, *_: object) -> None:
        return None
