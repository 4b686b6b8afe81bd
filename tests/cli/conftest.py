"""The command `outtake` as a user runs it: a process of its own, in a folder of its own, on small programs."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from types import TracebackType
from typing import IO, Any

import pytest

import outtake

SOURCE = Path(outtake.__file__).parent.parent
BOUND = 30.0
"""Seconds after which a process that should have answered is a failure."""

PROGRAM = """
import hashlib
import outtake

@outtake.model
def ask(prompt):
    return "said " + hashlib.sha1(prompt.encode()).hexdigest()[:6]

@outtake.tool(effects="read")
def look(what):
    return {"what": what, "found": ask("more on " + what)}

@outtake.agent
def writer(task):
    answer = ask(task)
    return [answer, look(answer)]

def main(task="a poem"):
    print("hello from the program")
    first = writer(task)
    return writer(first[0])
"""
"""16 records before the end: two turns of an agent, each with two model calls and a tool call."""


class Warm:
    """A process that has imported everything and forks itself for each command; see `tests/cli/warm.py`."""

    def __init__(self, files: Path) -> None:
        self.files = files
        self._channel, other = socket.socketpair()
        self._channel.settimeout(BOUND * 2)
        self._answers = self._channel.makefile("r")
        command = [sys.executable, str(Path(__file__).with_name("warm.py")), str(other.fileno())]
        env = {**os.environ, "PYTHONPATH": str(SOURCE)}
        self._process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, pass_fds=[other.fileno()])
        other.close()

    def run(self, command: dict[str, Any]) -> int:
        self._channel.sendall(json.dumps(command).encode() + b"\n")
        return int(self._answers.readline())

    def close(self) -> None:
        self._channel.close()
        self._process.terminate()
        self._process.wait()


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on standard output."""
        (line,) = self.out.splitlines()
        return json.loads(line)

    @property
    def documents(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]

    def ok(self) -> Done:
        assert self.code == 0, self
        return self


@dataclass
class Cli:
    """Runs commands in one folder, so on one store."""

    folder: Path
    env: dict[str, str]
    warm: Warm
    _started: list[Going] = field(default_factory=list)

    def write(self, name: str, text: str = PROGRAM) -> str:
        (self.folder / name).write_text(text, "utf-8")
        return name

    def __call__(self, *args: str, stdin: str = "") -> Done:
        """A command to its end, in a process that was warm already."""
        files = {name: self.warm.files / name for name in ("stdin", "stdout", "stderr")}
        files["stdin"].write_text(stdin, "utf-8")
        told = {name: str(path) for name, path in files.items()}
        code = self.warm.run({"args": args, "folder": str(self.folder), "env": self.env, **told})
        return Done(code, files["stdout"].read_text("utf-8"), files["stderr"].read_text("utf-8"))

    def cold(self, *args: str, stdin: str = "") -> Done:
        """A command to its end, exactly as a shell runs it."""
        done = subprocess.run(
            self._command(args),
            cwd=self.folder,
            env=self.env,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=BOUND * 2,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def refuses(self, refusals: Sequence[tuple[Sequence[str], str]]) -> None:
        """Each command is wrong use: exit code 2, one sentence that says so, as JSON and (every third) as text."""
        for number, (command, said) in enumerate(refusals):
            document = self(*command, "--json")
            assert (document.code, document.err) == (2, ""), (command, document)
            assert said in document.document["error"]["message"], (command, document)
            if number % 3 == 0:
                text = self(*command)
                assert (text.code, text.out) == (2, ""), (command, text)
                assert said in text.err, (command, text.err)
                assert "Traceback" not in text.err

    def start(self, *args: str) -> Going:
        """A command that goes on beside the test."""
        going = Going(self._command(args), self.folder, self.env)
        self._started.append(going)
        return going

    def _command(self, args: Sequence[str]) -> list[str]:
        return [sys.executable, "-m", "outtake", *args]

    def run(self, spec: str = "program.py:main", *args: str) -> Any:
        """A run to its end, as its document."""
        if spec == "program.py:main" and not (self.folder / "program.py").exists():
            self.write("program.py")
        return self("run", spec, "--headless", "--json", *args).document

    def records(self, run: str, *args: str) -> list[Any]:
        return self("show", run, "--json", *args).ok().documents

    def seq(self, run: str, call: str, nth: int = 1) -> int:
        """The number of the record with which the n-th invocation of a kind began."""
        found = [r["seq"] for r in self.records(run, "--kind", call) if r["kind"] == "invocation_started"]
        return int(found[nth - 1])


class Going:
    """A command that is going on; what it prints is waited for line by line."""

    def __init__(self, command: Sequence[str], folder: Path, env: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env={**env, "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.out = ""
        self.err = ""
        self._orphans: list[int] = []
        self._lines: Queue[str | None] = Queue()
        self._news: Queue[str | None] = Queue()
        self._threads = [
            threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True),
            threading.Thread(target=self._read_errors, args=(self.process.stderr,), daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Going:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read(self, stream: IO[str]) -> None:
        for line in stream:
            self.out += line
            self._lines.put(line)
        self._lines.put(None)

    def _read_errors(self, stream: IO[str]) -> None:
        for line in stream:
            self.err += line
            self._news.put(line)
        self._news.put(None)

    def expect(self, pattern: str, *, news: bool = False) -> re.Match[str]:
        """The next line that matches; `news`: on standard error."""
        while True:
            try:
                line = (self._news if news else self._lines).get(timeout=BOUND)
            except Empty:
                raise AssertionError(f"nothing like {pattern!r} within {BOUND} s in:\n{self.out}{self.err}") from None
            assert line is not None, f"it ended without anything like {pattern!r}:\n{self.out}{self.err}"
            if found := re.search(pattern, line):
                return found

    def kill(self) -> Done:
        """SIGKILL: the program that it debugs lives on, and waits for the next owner until the test is over."""
        told = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True, check=False)
        self._orphans = [int(number) for number in told.stdout.split()]
        self.process.kill()
        return self.ends()

    def interrupt(self) -> None:
        """Ctrl-C."""
        self.process.send_signal(signal.SIGINT)

    def ends(self) -> Done:
        code = self.process.wait(BOUND)
        for thread in self._threads:
            thread.join(BOUND)
        return Done(code, self.out, self.err)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
        for orphan in self._orphans:
            with contextlib.suppress(ProcessLookupError):
                os.kill(orphan, signal.SIGKILL)


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warm]:
    made = Warm(tmp_path_factory.mktemp("warm"))
    yield made
    made.close()


@pytest.fixture
def cli(tmp_path: Path, warm: Warm) -> Iterator[Cli]:
    left_out = ("VIRTUAL_ENV", "PYTHONPATH", "DISPLAY", "WAYLAND_DISPLAY")  # without a screen, no browser is opened
    outside = {name: value for name, value in os.environ.items() if name not in left_out}
    made = Cli(tmp_path, {**outside, "PYTHONPATH": str(SOURCE), "COLUMNS": "120"}, warm)
    yield made
    for going in made._started:
        going.close()
