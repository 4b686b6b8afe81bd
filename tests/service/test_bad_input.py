"""What goes wrong around a run gets a clear word, and nothing is lost."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import event

from outtake.engine.ownership import Owned
from outtake.service import WrongUse
from outtake.service.errors import Untrusted
from outtake.service.rpc_client import Remote, open_service
from outtake.service.service import Service
from outtake_probe import wire
from tests.service.targets import WRITER, calls, write

WAIT = 30.0
ENV = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}


def test_a_store_of_a_newer_format_is_left_alone(tmp_path: Path) -> None:
    open_service(tmp_path).close()
    with sqlite3.connect(tmp_path / "outtake.db") as file:
        file.execute("update meta set value = '99'")
    with pytest.raises(WrongUse, match="format 99; this Outtake reads up to 1"):
        open_service(tmp_path)


def test_a_file_that_is_no_store_is_named(tmp_path: Path) -> None:
    (tmp_path / "outtake.db").write_bytes(b"not a database, but long enough to be taken for one" * 50)
    with pytest.raises(WrongUse, match=r"outtake\.db"):
        open_service(tmp_path)


def test_a_store_has_one_owner_and_others_talk_to_it(service: Service, tmp_path: Path) -> None:
    with pytest.raises(Owned):
        Service(service.folder)
    other = open_service(service.folder)
    assert isinstance(other, Remote)
    write(tmp_path)
    run = other.run("program.py:main", headless=True, folder=str(tmp_path))["run"]
    assert other.wait(run, timeout=WAIT)["status"] == "completed"
    assert [r["seq"] for r in other.show(run)] == [r["seq"] for r in service.show(run)]
    with pytest.raises(WrongUse, match="no run r77"):
        other.info("r77")
    other.close()


@pytest.mark.parametrize(
    ("hello", "words"),
    [
        ({"protocol": 99, "role": "probe", "token": "TOKEN", "run": "r1"}, "version 99"),
        ({"protocol": 1, "role": "probe", "token": "guess", "run": "r1"}, "token is wrong"),
        ({"protocol": 1, "role": "stranger", "token": "TOKEN"}, "hello of a probe or client"),
        ({"protocol": 1, "role": "probe", "token": "TOKEN", "run": "r55"}, "token is wrong"),
    ],
)
def test_who_speaks_otherwise_is_refused_with_a_reason(service: Service, hello: dict[str, object], words: str) -> None:
    connection = wire.connect(service.listener.address)
    connection.send("hello", {k: service.token if v == "TOKEN" else v for k, v in hello.items()})
    answer = connection.receive()
    assert answer is not None
    assert answer.kind == "refuse"
    assert words in answer.fields["reason"]
    connection.close()


@pytest.fixture
def make_room(service: Service) -> Callable[[], None]:
    """The disk has room for six more pages, until this is called."""
    store = service.store
    with store.reading() as reader:
        pages = reader.exec_driver_sql("pragma page_count").scalar_one() + 6

    def limited(connection: sqlite3.Connection, _: object) -> None:
        connection.execute(f"pragma max_page_count = {pages}")

    def anew() -> None:
        """The limit is one of a connection, and any of them may write next."""
        with store._lock:
            store._abandon()
            store._engine.dispose()

    def more() -> None:
        event.remove(store._engine, "connect", limited)
        anew()

    event.listen(store._engine, "connect", limited)
    anew()
    return more


def test_a_full_disk_holds_the_program_and_loses_nothing(
    service: Service, tmp_path: Path, make_room: Callable[[], None]
) -> None:
    write(tmp_path, WRITER.replace('"write about " + topic', "topic + str([i * i for i in range(20_000)])"))
    run = service.run("program.py:main", headless=True)["run"]
    live = service._live[run]
    assert live.wait(lambda r: bool(r.trouble), WAIT)
    assert "make room" in service.info(run)["trouble"]
    make_room()
    done = service.wait(run, timeout=WAIT)
    assert done["status"] == "completed"
    assert [r["seq"] for r in service.show(run)] == list(range(done["records"]))
    assert len(calls(tmp_path)) == 13


LOUD = """
def main():
    print("x" * 200_000)
    return [str(i * i) for i in range(20_000)]
"""


def test_what_is_printed_and_returned_waits_for_room_too(
    service: Service, tmp_path: Path, make_room: Callable[[], None]
) -> None:
    write(tmp_path, LOUD)
    run = service.run("program.py:main", headless=True)["run"]
    assert service._live[run].wait(lambda r: bool(r.trouble), WAIT)
    assert service.info(run)["status"] == "running"
    make_room()
    done = service.wait(run, timeout=WAIT)
    assert (done["status"], done["trouble"]) == ("completed", "")
    assert len(done["output"]) == 20_000
    assert sum(len(part["text"]) for part in service.console(run)["parts"]) == 200_001


NOISY = """
import os, subprocess, sys, multiprocessing
def child():
    print("a forked child says hello")
def main():
    sys.stdout.buffer.write(bytes(range(256)) * 4)
    sys.stdout.flush()
    subprocess.run([sys.executable, "-c", "print('a child process says hello')"])
    process = multiprocessing.get_context("fork").Process(target=child)
    process.start(); process.join()
    for _ in range(600):
        print("x" * 19_999)
    return "done"
"""


def test_binary_output_megabytes_and_children_do_no_harm(service: Service, tmp_path: Path) -> None:
    write(tmp_path, NOISY)
    run = service.run("program.py:main", headless=True)["run"]
    done = service.wait(run, timeout=WAIT)
    assert (done["status"], done["output"]) == ("completed", "done"), done["error"]
    printed = "".join(part["text"] for part in service.console(run)["parts"])
    assert "a child process says hello" in printed
    assert "a forked child says hello" in printed
    assert "more output than is kept" in printed
    assert len(printed) < 6_000_000


@pytest.mark.parametrize(
    "body",
    [
        "    while True: pass",
        "    import time\n    time.sleep(1000)",
        "    import asyncio\n    asyncio.run(asyncio.sleep(1000))",
        "    import signal\n    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n    while True: pass",
    ],
)
def test_a_program_that_never_ends_can_be_stopped(service: Service, tmp_path: Path, body: str) -> None:
    write(tmp_path, "def main():\n" + body)
    run = service.run("program.py:main", headless=True)["run"]
    live = service._live[run]
    assert live.wait(lambda r: r.state == "running" and r.records > 1, WAIT)
    assert service.control(run, "stop")["status"] == "stopped"
    assert live.process is not None
    assert not live.process.alive


def test_a_program_that_crashes_says_how(service: Service, tmp_path: Path) -> None:
    write(tmp_path, "def main():\n    import os, signal\n    os.kill(os.getpid(), signal.SIGSEGV)")
    done = service.wait(service.run("program.py:main", headless=True)["run"], timeout=WAIT)
    assert done["status"] == "failed"
    assert "signal 11" in done["error"]["message"]


def test_an_export_is_read_on_another_machine_and_forked_there(service: Service, tmp_path: Path) -> None:
    write(tmp_path)
    run = service.wait(service.run("program.py:main", headless=True)["run"], timeout=WAIT)
    fork = service.wait(service.fork(run["run"], at=9, reuse="prefix", headless=True)["run"], timeout=WAIT)
    file = tmp_path / "run.outtake"
    service.export(fork["run"], str(file))
    before = calls(tmp_path)
    other = open_service(tmp_path / "elsewhere")
    try:
        name = other.import_(str(file))["run"]
        theirs = [{**r, "at": 0} for r in other.show(name, bodies=True)]
        assert theirs == [{**r, "at": 0} for r in service.show(fork["run"], bodies=True)]
        for start in (other.fork, other.describe_built):
            with pytest.raises(Untrusted, match=r"program\.py:main.*--trust"):
                start(name)
        again = other.wait(other.fork(name, headless=True, trust=True)["run"], timeout=WAIT)
        assert (again["status"], again["output"]) == ("completed", fork["output"])
        assert (other.info(name)["untrusted"], again["untrusted"]) == (True, False)
        assert calls(tmp_path) == before
        other.export(again["run"], str(file))
        assert service.info(service.import_(str(file))["run"])["untrusted"]
    finally:
        other.close()


@pytest.mark.parametrize("damage", ["cut", "noise", "flip", "missing"])
def test_a_damaged_export_is_refused_as_a_whole(service: Service, tmp_path: Path, damage: str) -> None:
    write(tmp_path)
    run = service.wait(service.run("program.py:main", headless=True)["run"], timeout=WAIT)["run"]
    file = tmp_path / "run.outtake"
    service.export(run, str(file))
    data = file.read_bytes()
    middle = len(data) // 2
    damaged = {
        "cut": data[:middle],
        "noise": b"something else altogether",
        "flip": data[:middle] + bytes([data[middle] ^ 255]) + data[middle + 1 :],
    }
    file.unlink() if damage == "missing" else file.write_bytes(damaged[damage])
    before = len(service.runs())
    with pytest.raises(WrongUse, match=r"run\.outtake"):
        service.import_(str(file))
    assert len(service.runs()) == before


def test_a_script_that_the_user_starts_attaches_and_can_be_forked(service: Service, tmp_path: Path) -> None:
    write(tmp_path, WRITER + "\nimport sys\noutput = main() if outtake.attach() is None else None\nprint(output)\n")
    done = subprocess.run(
        [sys.executable, "program.py"], cwd=tmp_path, env=ENV, capture_output=True, text=True, timeout=WAIT, check=False
    )
    assert done.returncode == 0, done.stderr
    run = service.wait("r1", timeout=WAIT)
    assert run["status"] == "completed"
    assert run["executed"]["model"] == 6
    before = calls(tmp_path)
    fork = service.wait(service.fork("r1", at=5, headless=True)["run"], timeout=WAIT)
    assert fork["status"] == "completed", fork["error"]
    assert calls(tmp_path) == before
