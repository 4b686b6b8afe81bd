"""`ground` runs programs in the environment `state`, which has the frameworks and what they drive."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from outtake.service.rpc_client import open_service
from outtake.service.service import Service
from tests.states.programs import PAGES

BOUND = 120.0
"""Seconds after which a run that should have ended is a failure."""
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
ENVS = os.environ.get("OUTTAKE_ENVS")
Document = dict[str, Any]


@dataclass
class Ground:
    """A service on a fresh store, and a folder for programs."""

    service: Service
    folder: Path
    env: Mapping[str, str]

    def run(self, program: str, given: Any = None, **files: str) -> Document:
        """Run ``main`` or ``make`` of a program to its end; a file's name has _ for the dot."""
        (self.folder / "program.py").write_text(program)
        for name, text in files.items():
            (self.folder / name.replace("_", ".")).write_text(text)
        name = "main" if "def main" in program else "make"
        options: Document = {"headless": True, "python": self.python, "env": dict(self.env)}
        made = self.service.run(f"program.py:{name}", input=given, has_input=given is not None, **options)
        return self._ended(made["run"])

    @property
    def python(self) -> str:
        return str(Path(ENVS or "", "state", "bin", "python"))

    def fork(self, run: str, at: int, edits: Sequence[Mapping[str, Any]], **options: Any) -> Document:
        given = self.service.fork(
            run, at=at, edits=edits, headless=True, env=dict(self.env), **{"repeat": "run", **options}
        )
        return self._ended(given["run"])

    def _ended(self, run: str) -> Document:
        found = self.service.wait(run, timeout=BOUND)
        console = "".join(part["text"] for part in self.service.console(run)["parts"])
        assert found["status"] == "completed", (found["error"], console[-2000:])
        return found

    def starts(self, run: str, component: str) -> list[int]:
        """Numbers of the invocations of a component, by the last part of its path."""
        shown = self.service.show(run, kind="invocation_started")
        return [r["seq"] for r in shown if r["component"].endswith(component)]

    def executed(self, run: str, cut: int) -> list[str]:
        """The tools that a fork really called after its cut, by the last part of their paths."""
        ends = self.service.show(run, kind="invocation_ended", after=cut - 1)
        tools = [r for r in ends if r["call"] == "tool" and r["how"] == "executed"]
        return [r["component"].rpartition("/")[2] for r in tools]


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ground]:
    if ENVS is None:
        pytest.skip("OUTTAKE_ENVS names no folder of target environments; scripts/test makes them")
    monkeypatch.chdir(tmp_path)
    made = open_service(tmp_path / ".outtake")
    yield Ground(made, tmp_path, dict(os.environ))
    made.close()


@pytest.fixture
def site(tmp_path: Path, ground: Ground) -> Iterator[Ground]:
    """A site of three pages on loopback, and a browser to read it with."""
    chromium = os.environ.get("OUTTAKE_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM)), None)
    assert chromium, "there is no Chromium here: apt-get install chromium, or OUTTAKE_CHROMIUM=/path/to/chromium"
    folder = tmp_path / "site"
    folder.mkdir()
    for name, text in PAGES.items():
        (folder / name).write_text(text)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    place = {"SITE": f"http://127.0.0.1:{server.server_port}", "CHROMIUM": chromium}
    yield Ground(ground.service, ground.folder, {**ground.env, **place})
    server.shutdown()
    server.server_close()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""
