"""A real server on a free port of this machine, with a real service, and clients for it."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import uvicorn
from websockets.sync.client import ClientConnection, connect

from outtake.server import Endpoint, Keys
from outtake.server.serving import configure, listen
from outtake.server.ui import Ui
from outtake.service import Service
from outtake.service.receiving import Receiver
from outtake.service.rpc_client import open_service
from tests.server.programs import HALF, HOSTILE, MAIL, WRITER

BOUND = 20.0
"""Seconds after which something that should have happened is a failure."""
Document = dict[str, Any]


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


@dataclass
class Reply:
    """An answer of the server."""

    status: int
    headers: Message
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def error(self) -> Document:
        found: Document = self.json["error"]
        return found


@dataclass
class Client:
    """Somebody who asks the server at `url`."""

    url: str
    headers: dict[str, str] = field(default_factory=dict)

    def ask(self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Reply:
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        told = {"Content-Type": "application/json", **self.headers, **(headers or {})}
        request = urllib.request.Request(self.url + path, data, told, method=method)
        try:
            with urllib.request.build_opener(_NoRedirect).open(request, timeout=BOUND) as answer:
                return Reply(answer.status, answer.headers, answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return Reply(error.code, error.headers, error.read())

    def get(self, path: str, **headers: str) -> Any:
        """The document at `path`."""
        reply = self.ask("GET", path, headers=headers)
        assert reply.status == 200, reply.text
        return reply.json

    def post(self, path: str, body: Any = None, status: int = 200) -> Any:
        """What a command answers."""
        reply = self.ask("POST", path, {} if body is None else body)
        assert reply.status == status, reply.text
        return reply.json

    @contextlib.contextmanager
    def listen(self, path: str, **headers: str) -> Iterator[Reader]:
        """A WebSocket at `path`; with `Host`, under that name."""
        here = urlsplit(self.url)
        address = f"ws://{headers.pop('Host', here.netloc)}{path}"
        told = {**self.headers, **headers}
        line = socket.create_connection((here.hostname, here.port), BOUND)
        with connect(address, sock=line, additional_headers=told, open_timeout=BOUND) as opened:
            yield Reader(opened)


@dataclass
class Reader:
    """Reads events."""

    socket: ClientConnection
    seen: list[Document] = field(default_factory=list)
    frames: int = 0

    def frame(self, timeout: float = BOUND) -> list[Document]:
        events: list[Document] = json.loads(self.socket.recv(timeout=timeout))
        self.seen += events
        self.frames += 1
        return events

    def until(self, **state: Any) -> Document:
        """Read until the run is in this state; returns the state."""
        while True:
            for event in self.frame():
                if event["type"] == "state" and event["state"].items() >= state.items():
                    found: Document = event["state"]
                    return found

    def rest(self) -> list[Document]:
        """Read until the server has no more to say."""
        for text in self.socket:
            self.seen += json.loads(text)
            self.frames += 1
        return self.seen

    def records(self) -> list[Document]:
        return [event["record"] for event in self.seen if event["type"] == "record"]

    def state(self) -> Document:
        """The last state that was told."""
        found: Document = [event["state"] for event in self.seen if event["type"] == "state"][-1]
        return found


@dataclass
class Server:
    """A server that runs, and what it serves."""

    service: Service
    keys: Keys
    place: Endpoint

    @property
    def stranger(self) -> Client:
        """Somebody without the token."""
        return Client(self.place.url)

    @property
    def client(self) -> Client:
        return Client(self.place.url, {"Authorization": f"Bearer {self.keys.token}"})

    def ended(self, run: str) -> Document:
        """The run when it has ended."""
        self.service.wait(run, timeout=BOUND)
        found: Document = self.client.get(f"/api/runs/{run}")
        return found

    def held(self, run: str) -> Document:
        """The run when something is held."""
        self.service.wait(run, ["held"], BOUND)
        found: Document = self.client.get(f"/api/runs/{run}")
        assert found["status"] == "held", found
        return found


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.chdir(tmp_path)
    for name, text in (("writer", WRITER), ("mail", MAIL), ("hostile", HOSTILE), ("half", HALF)):
        (tmp_path / f"{name}.py").write_text(text, "utf-8")
    made = open_service(tmp_path / ".outtake")
    yield made
    made.close()


@pytest.fixture
def server(service: Service) -> Iterator[Server]:
    with serving(service) as found:
        yield found


@contextlib.contextmanager
def serving(service: Service, ui: Ui | None = None, receiver: Receiver | None = None) -> Iterator[Server]:
    """A server in a thread."""
    listening = listen("127.0.0.1", 0)
    found = Server(service, Keys(), Endpoint("127.0.0.1", listening.getsockname()[1]))
    running = uvicorn.Server(configure(service, found.keys, found.place, ui, receiver))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
    thread.start()
    yield found
    running.should_exit = True
    thread.join(BOUND)
    assert not thread.is_alive()


@pytest.fixture
def client(server: Server) -> Client:
    return server.client


@pytest.fixture
def recorded(server: Server) -> Document:
    """A run of the writer that has ended."""
    run = server.client.post("/api/runs", {"spec": "writer.py:main"}, status=201)["run"]
    return server.ended(run)
