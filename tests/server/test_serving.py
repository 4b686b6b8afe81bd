"""`serve` as a process of its own: it says where it is, finds a port, and ends when it is told to."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosedError

import outtake
from outtake.server import PortInUse, serving
from outtake.server.serving import listen
from outtake.service import WrongUse
from tests.server.conftest import BOUND, Client

SOURCE = str(Path(outtake.__file__).parents[1])
PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from outtake.server import serve
from outtake.service.rpc_client import open_service
service = open_service(Path("store"))
try:
    serve(service, port=int(sys.argv[2]), host=sys.argv[3], open_browser=False)
finally:
    service.close()
print("closed")
"""


@contextmanager
def served(folder: Path, port: int = 0, host: str = "127.0.0.1") -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process that serves, and the address that it printed."""
    command = [sys.executable, "-c", PROGRAM, SOURCE, str(port), host]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            yield process, line.removeprefix("Outtake is at ").strip()
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_told_to_end(tmp_path: Path, number: signal.Signals) -> None:
    with served(tmp_path) as (process, url):
        place, _, token = url.partition("/?token=")
        client = Client(place, {"Authorization": f"Bearer {token}"})
        assert client.get("/api/runs") == []
        owner = json.loads((tmp_path / "store" / "owner.json").read_text())
        assert owner["url"] == url
        with client.listen("/api/events") as reader:
            process.send_signal(number)
            with pytest.raises(ConnectionClosedError):
                reader.rest()
        assert reader.socket.close_code == 1012  # come again, when there is another server
        out, err = process.communicate(timeout=BOUND)
    assert (process.returncode, out.splitlines()[-1], err) == (0, "closed", "")
    assert not (tmp_path / "store" / "owner.json").exists()


def test_beyond_this_machine_it_warns(tmp_path: Path) -> None:
    with served(tmp_path, host="0.0.0.0") as (process, url):
        assert url.startswith("http://127.0.0.1:")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=BOUND)
    assert "warning: listening on 0.0.0.0" in err


def test_a_port_in_use_is_named_with_the_way_out() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortInUse, match=rf"port {port} of 127\.0\.0\.1 is in use; choose another with --port N"):
            listen("127.0.0.1", port)


def test_the_usual_port_is_left_to_who_has_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with listen("127.0.0.1", 0) as taken:
        monkeypatch.setattr(serving, "PORT", taken.getsockname()[1])
        with listen("127.0.0.1", None) as other:
            assert other.getsockname()[1] != taken.getsockname()[1]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        monkeypatch.setattr(serving, "PORT", free.getsockname()[1])
    with listen("127.0.0.1", None) as usual:
        assert usual.getsockname()[1] == serving.PORT
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("host", ["no.such.host.invalid", "203.0.113.9", "not a host"])
def test_a_host_that_is_not_here_is_named(host: str) -> None:
    with pytest.raises(WrongUse, match=host):
        listen(host, 0)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="who may do everything may listen anywhere")
def test_a_port_that_is_not_allowed_is_named() -> None:
    with pytest.raises(WrongUse, match="port 1 of"):
        listen("127.0.0.1", 1)
