"""One life per run: nobody goes on with a run whose process lives, and what was out when one died is not made again."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from outtake.core.runs import Launch
from outtake.engine.processes import Traces
from outtake.service.errors import Conflict
from outtake.service.rpc_client import open_service
from outtake.service.service import Service
from outtake_probe import life
from outtake_probe.records import Json
from outtake_probe.wire import Connection, Node
from tests.service.targets import calls, write

WAIT = 30.0
ENV = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
SERVER = """
import json, sys
from pathlib import Path
from outtake.service.rpc_client import open_service
service = open_service(Path(".outtake"))
options = json.loads(sys.argv[1])
run = service.run("program.py:main", headless=True, **options)["run"]
service._live[run].wait(lambda r: r.records >= 5 or r.holds, 30)
print(json.dumps(service.info(run)), flush=True)
sys.stdin.read()
"""
HELD_UP = """
import os, time, outtake

def happened(what):
    with open("calls.txt", "a") as file:
        file.write(what + "\\n")

@outtake.tool(effects="read")
def look(n):
    happened(f"look {n}")
    while n == 1 and not os.path.exists("go on"):
        time.sleep(0.01)

@outtake.tool(effects="irreversible")
def pay(n):
    happened(f"pay {n}")
    return n

def main():
    for n in range(4):
        look(n)
        pay(n)
    return "done"
"""
DIES = """
import os, pathlib, signal, outtake

def happened(what):
    with open("calls.txt", "a") as file:
        file.write(what + "\\n")
    mark = pathlib.Path("kill.txt")
    if mark.exists() and mark.read_text() == what:
        mark.unlink()
        os.kill(os.getpid(), signal.SIGKILL)

@outtake.tool(effects="pure")
def reckon(n):
    happened(f"reckon {n}")

@outtake.tool(effects="read")
def look(n):
    happened(f"look {n}")

@outtake.tool(effects="write")
def save(n):
    happened(f"save {n}")

@outtake.tool(effects="irreversible")
def pay(n):
    happened(f"pay {n}")

def main():
    for n in range(3):
        reckon(n), look(n), save(n), pay(n)
    return "done"
"""


@contextlib.contextmanager
def killed_server(folder: Path, **options: object) -> Iterator[dict[str, object]]:
    """What a server said of a run, before it was killed in the middle of it."""
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, json.dumps(options)],
        cwd=folder,
        env=ENV,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    told = json.loads(server.stdout.readline())
    server.kill()
    server.communicate()
    try:
        yield told
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(told["pid"], signal.SIGKILL)


def test_a_run_whose_process_outlived_its_server_is_adopted_and_never_run_beside(tmp_path: Path) -> None:
    write(tmp_path, HELD_UP)
    with killed_server(tmp_path, breakpoints=["tool:pay"]) as told:
        os.chdir(tmp_path)
        service = open_service(tmp_path / ".outtake")
        try:
            info = service.info("r1")
            assert (info["live"], info["adopted"], info["pid"]) == (True, True, told["pid"])
            assert info["status"] in ("reconnecting", "running", "held")
            for at in (None, info["records"], 1):
                with pytest.raises(Conflict, match=f"process {told['pid']} lives.*outtake stop r1"):
                    service.fork("r1", at=at, headless=True)
            assert [r["run"] for r in service.runs()] == ["r1"], "nothing was begun"
            (tmp_path / "go on").touch()
            held = service.wait("r1", until=("held",), timeout=WAIT)
            assert held["breakpoints"], "what the user asked for is still wanted"
            assert held["held"]
            service.change_breakpoint("r1", 1, remove=True)
            service.control("r1", "continue")
            assert service.wait("r1", timeout=WAIT)["status"] == "completed"
        finally:
            service.close()
    made = calls(tmp_path)
    assert len(made) == len(set(made)) == 8


def test_an_adopted_run_can_be_ended_and_gone_on_with(tmp_path: Path) -> None:
    write(tmp_path, HELD_UP)
    with killed_server(tmp_path) as told:
        os.chdir(tmp_path)
        service = open_service(tmp_path / ".outtake")
        try:
            assert service.control("r1", "stop")["status"] == "stopped"
            assert life.started(int(str(told["pid"]))) is None, "its process has ended"
            (tmp_path / "go on").touch()
            fork = service.fork("r1", headless=True)["run"]
            assert service.wait(fork, timeout=WAIT)["status"] == "completed"
        finally:
            service.close()
    assert [call for call in calls(tmp_path) if call.startswith("pay")] == [f"pay {n}" for n in range(4)]


@pytest.mark.parametrize("out", ["reckon 1", "look 1", "save 1", "pay 1"])
def test_what_was_out_when_a_process_died_is_made_again_only_where_that_does_no_harm(
    service: Service, tmp_path: Path, out: str
) -> None:
    write(tmp_path, DIES)
    (tmp_path / "kill.txt").write_text(out)
    run = service.run("program.py:main", headless=True)["run"]
    assert service.wait(run, timeout=WAIT)["status"] == "failed"
    refused = service.wait(service.fork(run, headless=True)["run"], timeout=WAIT)
    if out.split(maxsplit=1)[0] in ("reckon", "look"):
        assert refused["status"] == "completed", refused["error"]
        assert calls(tmp_path).count(out) == 2
        return
    assert refused["status"] == "failed"
    assert "may have happened" in refused["error"]["message"]
    assert "--repeat run" in refused["error"]["message"]
    assert calls(tmp_path).count(out) == 1
    again = service.wait(service.fork(refused["run"], at=refused["records"] - 4, headless=True)["run"], timeout=WAIT)
    assert calls(tmp_path).count(out) == 1, "it is as uncertain in a fork of the fork"
    assert again["status"] == "failed"
    allowed = service.wait(service.fork(run, headless=True, repeat="run")["run"], timeout=WAIT)
    assert allowed["status"] == "completed"
    assert calls(tmp_path).count(out) == 2


@pytest.mark.parametrize("out", ["save 1", "pay 1"])
def test_a_person_is_asked_about_what_was_out(service: Service, tmp_path: Path, out: str) -> None:
    write(tmp_path, DIES)
    (tmp_path / "kill.txt").write_text(out)
    run = service.run("program.py:main", headless=True)["run"]
    service.wait(run, timeout=WAIT)
    held = service.wait(service.fork(run)["run"], until=("held",), timeout=WAIT)
    (hold,) = held["held"]
    assert "may have happened" in hold["reason"]
    assert hold["offers"] == ["proceed", "mock_output"]
    service.release(held["run"], hold["hold"], {"verb": "serve", "value": {"saved": True}})
    done = service.wait(held["run"], timeout=WAIT)
    assert (done["status"], calls(tmp_path).count(out)) == ("completed", 1)


def test_going_on_a_second_time_asks_before_what_cannot_be_undone(service: Service, tmp_path: Path) -> None:
    write(tmp_path, DIES)
    (tmp_path / "kill.txt").write_text("look 1")
    run = service.run("program.py:main", headless=True)["run"]
    service.wait(run, timeout=WAIT)
    assert service.wait(service.fork(run, headless=True)["run"], timeout=WAIT)["status"] == "completed"
    second = service.wait(service.fork(run, headless=True)["run"], timeout=WAIT)
    assert (second["status"], calls(tmp_path).count("pay 1")) == ("failed", 1)
    assert "pay is irreversible" in second["error"]["message"]


SCRIPT = HELD_UP.replace("import os, time, outtake", "import os, time, outtake\nouttake.attach()") + "\nmain()\n"


def test_a_script_that_went_on_without_a_server_is_not_simply_gone_on_with(tmp_path: Path) -> None:
    write(tmp_path, SCRIPT, "script.py")
    os.chdir(tmp_path)
    first = open_service(tmp_path / ".outtake")
    script = [sys.executable, "script.py"]
    with subprocess.Popen(script, cwd=tmp_path, env=ENV, stderr=subprocess.PIPE, text=True) as it:
        watch = first.watch()
        while not (first.runs() and first.info("r1")["records"] > 5):
            assert watch.wait(WAIT) or first.runs()
            live = first._live.get("r1")
            if live is not None:
                live.wait(lambda r: r.records > 5, WAIT)
        first.close()
        (tmp_path / ".outtake" / "key").unlink()  # the next server refuses it: it does not wait for another one
        service = open_service(tmp_path / ".outtake")
        try:
            assert it.stderr is not None
            assert "goes on without it" in it.stderr.readline()
            assert service.info("r1")["status"] == "reconnecting"
            with pytest.raises(Conflict, match=f"process {it.pid} lives"):
                service.fork("r1", headless=True)
            (tmp_path / "go on").touch()
            it.wait(WAIT)
            lost = service.wait("r1", timeout=WAIT)
            assert (lost["status"], lost["error"]["alone"]) == ("lost", True)
            fork = service.wait(service.fork("r1", headless=True)["run"], timeout=WAIT)
            ends = service.show(fork["run"], kind="invocation_ended", component="pay", bodies=True)
            assert "pay is irreversible" in next(end["error"]["message"] for end in ends if end["failed"])
        finally:
            service.close()
    assert [call for call in calls(tmp_path) if call.startswith("pay")] == [f"pay {n}" for n in range(4)]


def test_a_process_that_dies_while_it_is_adopted_leaves_a_lost_run(service: Service, tmp_path: Path) -> None:
    launch = Launch(spec=write(tmp_path) + ":main", folder=str(tmp_path), python=sys.executable)
    run = service.store.create(launch, None, seed=1, status="running")
    traces = Traces(service.folder, run.id)
    os.close(life.begin(traces.life))
    service._adopt(run, traces)
    assert service.wait(run.id, timeout=WAIT)["status"] == "lost"
    assert service.fork(run.id, headless=True)["parent"] == run.id


class Cut(Connection):
    """A connection whose other end has died since it said hello."""

    def send(self, kind: str, fields: Mapping[str, Json], nodes: Sequence[Node] = ()) -> None:
        raise BrokenPipeError


def test_a_process_that_dies_before_it_is_welcomed_is_not_connected(service: Service, tmp_path: Path) -> None:
    launch = Launch(spec=write(tmp_path) + ":main", folder=str(tmp_path), python=sys.executable)
    run = service.store.create(launch, None, seed=1, status="running")
    traces = Traces(service.folder, run.id)
    lock = life.begin(traces.life)
    live = service._adopt(run, traces)
    ours, _ = socket.socketpair()
    with pytest.raises(BrokenPipeError):
        service._probe(Cut(ours), {"run": run.id, "next": 1})
    assert not live.here, "its end is not waited for: it cannot say anything any more"
    os.close(lock)
    assert service.wait(run.id, timeout=WAIT)["status"] == "lost"


HOLDER = """
import os, sys, time
from outtake_probe import life
from outtake_probe.records import Json
from outtake_probe.wire import Connection, Node
life.keep_inherited()
child = os.fork()
if child == 0:
    time.sleep(60)
    os._exit(0)
print(child, flush=True)
sys.stdin.read()
"""


def test_a_life_ends_with_its_process_whatever_children_it_leaves(tmp_path: Path) -> None:
    path = str(tmp_path / "r1")
    lock = life.begin(path, headless=True)
    env = {**ENV, life.VARIABLE: f"{lock}:{path}"}
    held, pipe = [sys.executable, "-c", HOLDER], subprocess.PIPE
    with subprocess.Popen(held, env=env, pass_fds=[lock], text=True, stdin=pipe, stdout=pipe) as process:
        os.close(lock)
        assert process.stdout is not None
        child = int(process.stdout.readline())
        try:
            assert life.alive(path)
            assert life.told(path) == {"headless": True, "pid": process.pid, "started": life.started(process.pid)}
            process.kill()
            process.wait(WAIT)
            life.await_end(path)
            assert not life.alive(path)
        finally:
            os.kill(child, signal.SIGKILL)


def test_another_process_with_the_same_number_is_not_the_run_s(tmp_path: Path) -> None:
    path = tmp_path / "r1"
    path.write_text(json.dumps({"pid": os.getpid(), "started": "an earlier start"}) + "\n")
    assert not life.alive(str(path))
    path.write_text(json.dumps({"pid": os.getpid(), "started": life.started(os.getpid())}) + "\n")
    assert life.alive(str(path)), "it holds no lock, where none can be had, and is there"
