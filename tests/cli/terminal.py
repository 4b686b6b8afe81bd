"""A person at a terminal, as a script of what they see and what they type."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import sys
import time

import pytest

from tests.cli.conftest import BOUND, Cli

terminal = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
CTRL_C = "\x03"


def _plain(text: str) -> str:
    """What is on the screen, without what colours it and moves about in it."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


class Typist:
    """Runs a command of `outtake` on a pseudo terminal of its own."""

    def __init__(self, cli: Cli, *args: str) -> None:
        env = {**cli.env, "TERM": "xterm-256color", "PROMPT_TOOLKIT_NO_CPR": "1"}
        self._pid, self._end = pty.fork()
        if self._pid == 0:
            os.chdir(cli.folder)
            os.execve(sys.executable, [sys.executable, "-m", "outtake", *args], env)
        self._code: int | None = None
        self.seen = self._new = ""

    def __enter__(self) -> Typist:
        return self

    def __exit__(self, *_: object) -> None:
        if self._code is None:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        os.close(self._end)

    def types(self, keys: str) -> None:
        os.write(self._end, keys.encode())

    def expect(self, pattern: str) -> None:
        """Wait until this is on the screen, after what was expected before."""
        until = time.monotonic() + BOUND
        while (found := re.search(pattern, plain := _plain(self._new))) is None:
            assert self._read(until), f"it ended without {pattern!r}: {self.seen!r}"
        self._new = plain[found.end() :]

    def _read(self, until: float) -> bool:
        """Take what is on the screen; whether there will be more."""
        ready, _, _ = select.select([self._end], [], [], max(0.0, until - time.monotonic()))
        assert ready, f"nothing new within {BOUND} s after {self._new!r}"
        try:
            text = os.read(self._end, 1 << 16).decode("utf-8", "replace")
        except OSError:  # the other end is closed
            text = ""
        self.seen += text
        self._new += text
        return bool(text)

    def ends(self) -> int:
        until = time.monotonic() + BOUND
        while self._read(until):
            pass
        _, status = os.waitpid(self._pid, 0)
        self._code = os.waitstatus_to_exitcode(status)
        return self._code
