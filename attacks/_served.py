"""A server of its own for an attack: a store with runs in a folder that is removed, and somebody who asks."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import uvicorn

from outtake.server.auth import Endpoint, Keys
from outtake.server.serving import configure, listen
from outtake.service.rpc_client import open_service
from outtake.service.service import Service

BOUND = 60.0
"""Seconds for one request, and for a run to end."""
PROGRAM = """
import outtake

@outtake.tool(effects="pure")
def look(what):
    return {"found": what}

@outtake.agent
def writer(topic):
    return look(topic)

def main(topic="birds"):
    return [writer(f"{topic} {number}") for number in range(3)]
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back; status 0 where the connection broke."""

    status: int
    body: bytes

    @property
    def is_fault(self) -> bool:
        return self.status == 0 or self.status >= 500


@dataclass(frozen=True, slots=True)
class Served:
    """A server that runs in this process."""

    service: Service
    url: str
    token: str
    folder: Path

    def ask(self, method: str, path: str, body: Any = None) -> Answer:
        """One request; `body` is bytes, or becomes JSON."""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + quote(path, safe="/?&=%"), data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=BOUND) as answer:
                return Answer(answer.status, answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, error.read())
        except OSError as error:
            return Answer(0, str(error).encode())

    def record(self) -> str:
        """A run that has ended; returns its name."""
        run = str(self.service.run("program.py:main", headless=True, folder=str(self.folder))["run"])
        self.service.wait(run, timeout=BOUND)
        return run


@contextlib.contextmanager
def served() -> Iterator[Served]:
    """A server on a store with one run and its fork."""
    with tempfile.TemporaryDirectory(prefix="outtake-attack-") as name, contextlib.chdir(name):
        folder = Path(os.getcwd())
        (folder / "program.py").write_text(PROGRAM, "utf-8")
        service = open_service(folder / ".outtake")
        listening = listen("127.0.0.1", 0)
        place, keys = Endpoint("127.0.0.1", listening.getsockname()[1]), Keys()
        server = uvicorn.Server(configure(service, keys, place))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        found = Served(service, place.url, keys.token, folder)
        run = found.record()
        service.wait(service.fork(run, at=0, headless=True)["run"], timeout=BOUND)
        try:
            yield found
        finally:
            server.should_exit = True
            thread.join(BOUND)
            listening.close()
            service.close()
