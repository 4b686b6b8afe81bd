"""What the tests in a browser stand on: a real server with a store of its own, and what a page must not do.

Chromium is the machine's own.  It resolves no other machine's name, so a request to another host fails, and is found.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request, WebError, WebSocket

from outtake.cli.problems import DONE, FAILED, STOPPED

BOUND = 30.0
"""Seconds after which something that should have happened is a failure."""
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless=new",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    *(["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),
)
SOURCES = Path(__file__).parents[2] / "src"
SCREENSHOTS = Path(os.environ.get("OUTTAKE_SCREENSHOTS") or Path(__file__).parents[2] / "build" / "screenshots")
Document = dict[str, Any]
SERIOUS = {"serious", "critical"}


def chromium() -> str:
    """Where the machine's Chromium is; Playwright's own is never downloaded."""
    found = os.environ.get("OUTTAKE_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    assert found, "there is no Chromium here: apt-get install chromium, or OUTTAKE_CHROMIUM=/path/to/chromium"
    return found


@dataclass
class Served:
    """`outtake serve` on a store in `folder`, and somebody who has its token."""

    folder: Path
    port: int = 0
    url: str = ""
    _process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it; again, at the port that it had before."""
        env = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
        env["PYTHONPATH"] = os.pathsep.join(filter(None, (str(SOURCES), env.get("PYTHONPATH"))))
        command = [sys.executable, "-m", "outtake", "serve", "--no-browser", "--json", "--port", str(self.port)]
        self._process = subprocess.Popen(command, cwd=self.folder, env=env, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = json.loads(self._process.stdout.readline())["url"]
        self.port = int(urlsplit(self.url).port or 0)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        """End it; with SIGKILL, the programs that it debugs live on, and wait for the next server."""
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(number)
            process.wait(BOUND)
            assert process.stdout is not None
            process.stdout.close()

    @property
    def pid(self) -> int:
        """The number of its process."""
        assert self._process is not None
        return self._process.pid

    @property
    def place(self) -> str:
        """The address without path and token."""
        return self.url.partition("/?")[0]

    @property
    def token(self) -> str:
        return self.url.partition("token=")[2]

    def address(self, path: str = "/") -> str:
        """The address of a page, with the token."""
        return f"{self.place}{path}{'&' if '?' in path else '?'}token={self.token}"

    def write(self, name: str, text: str) -> str:
        """A program in the folder."""
        (self.folder / name).write_text(text, "utf-8")
        return name

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """What the API answers to somebody else than the page."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.place + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=BOUND) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read().decode()}") from error

    def run(self, spec: str, **how: Any) -> str:
        """Start a run; returns its name."""
        return str(self.ask("POST", "/api/runs", {"spec": spec, **how})["run"])

    def ended(self, run: str) -> Document:
        """A run once it has ended."""
        self.outtake("wait", run, "--timeout", str(BOUND))
        told: Document = self.ask("GET", f"/api/runs/{run}")
        assert not told["live"], told["status"]
        return told

    def outtake(self, *args: str) -> list[Document]:
        """A command in another terminal: the documents that it prints."""
        command = [sys.executable, "-m", "outtake", *args, "--json"]
        env = {**os.environ, "PYTHONPATH": str(SOURCES)}
        done = subprocess.run(
            command, cwd=self.folder, env=env, capture_output=True, text=True, timeout=2 * BOUND, check=False
        )
        assert done.returncode in (DONE, FAILED, STOPPED), done.stderr + done.stdout
        return [json.loads(line) for line in done.stdout.splitlines()]


@dataclass
class Troubles:
    """What no page may do: ask another host, complain in the console, go against the policy of its server."""

    place: str
    found: list[str] = field(default_factory=list)
    _in_vain: list[str] = field(default_factory=list)
    _allowed: list[re.Pattern[str]] = field(default_factory=list)

    def allow(self, pattern: str) -> None:
        """This is what the test is about."""
        self._allowed.append(re.compile(pattern))

    def left(self) -> list[str]:
        """What was found; with it what was asked in vain, which is no trouble, but may tell the reason of one."""
        left = [told for told in self.found if not any(allowed.search(told) for allowed in self._allowed)]
        return [*left, *(self._in_vain if left else [])]

    def watch(self, context: BrowserContext) -> None:
        """Look at all pages of a context.  What goes against the policy is an error in the console."""
        context.on("request", self._request)
        context.on("requestfailed", lambda request: self._in_vain.append(f"{request.url}: {request.failure}"))
        context.on("console", self._console)
        context.on("weberror", self._error)
        context.on("page", lambda page: page.on("websocket", self._socket))

    def _request(self, request: Request) -> None:
        if not request.url.startswith((f"{self.place}/", "data:", "blob:")):
            self.found.append(f"request: {request.method} {request.url}")

    def _socket(self, socket: WebSocket) -> None:
        if not socket.url.startswith(self.place.replace("http", "ws", 1) + "/"):
            self.found.append(f"socket: {socket.url}")

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.found.append(f"console: {message.text} ({message.location.get('url', '')})")

    def _error(self, error: WebError) -> None:
        self.found.append(f"error: {error.error}")


@dataclass
class Camera:
    """Pictures of pages, in a folder that is kept."""

    folder: Path

    def shoot(self, page: Page, name: str) -> Path:
        """A picture of what the window shows."""
        path = self.folder / f"{re.sub(r'[^a-zA-Z0-9._-]+', '-', name)}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=path, animations="disabled", caret="hide")
        return path


def findings(page: Page) -> list[str]:
    """What stands in somebody's way."""
    found = Axe().run(page).response["violations"]
    return [
        f"{rule['id']}: {rule['help']}: {[node['html'][:160] for node in rule['nodes']][:4]}"
        for rule in found
        if rule["impact"] in SERIOUS
    ]
