"""Starting and ending debugged processes, in the user's own environment and in a session of their own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import outtake_probe
from outtake.core.runs import Launch

BOOT = Path(outtake_probe.__file__).parent / "boot.py"
GRACE = 2.0
"""Seconds between asking a process to end and killing it."""
QUIET = {
    "ANONYMIZED_TELEMETRY": "False",
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_DISABLE_VERSION_CHECK": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
}
"""Frameworks' own reports to their makers, switched off where the user has not said otherwise."""


class CannotStart(Exception):
    """The process of a run cannot be started; the message names the interpreter and the reason."""


class Process:
    """One debugged process and whatever it starts."""

    def __init__(
        self,
        launch: Launch,
        *,
        address: str,
        token: str,
        run: str,
        seed: int,
        stdin: bool,
        env: Mapping[str, str] | None,
        gone: Callable[[int], None],
    ) -> None:
        place = {"address": address, "token": token, "run": run}
        env = {
            **QUIET,
            **(os.environ if env is None else env),
            "OUTTAKE_ADDRESS": json.dumps(place),
            "PYTHONHASHSEED": str(seed % 2**32),
        }
        told = ["--script", launch.spec, *launch.args] if launch.attached else [address, token, run]
        try:
            self._process = subprocess.Popen(
                [launch.python, str(BOOT), *told],
                cwd=launch.folder,
                env=env,
                stdin=None if stdin else subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=sys.platform != "win32",
            )
        except OSError as error:
            raise CannotStart(f"{launch.python} cannot be started in {launch.folder}: {error}") from error
        self.last_words = ""
        self._gone = gone
        threading.Thread(target=self._watch, name=f"outtake-{run}", daemon=True).start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def _watch(self) -> None:
        """Wait for the end; what the process says outside of its console is kept for the report of a crash."""
        if self._process.stderr is not None:
            for line in self._process.stderr:
                self.last_words = (self.last_words + line.decode("utf-8", "backslashreplace"))[-4000:]
        self._gone(self._process.wait())

    def end(self) -> None:
        """Ask the process to end, then kill it and what it started."""
        self._signal(signal.SIGTERM)
        until = time.monotonic() + GRACE
        while self.alive and time.monotonic() < until:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(0.05)
        self.kill()

    def kill(self) -> None:
        self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._process.terminate()
            else:
                os.killpg(self._process.pid, number)


def default_python() -> str:
    """The interpreter of the environment that the user is in, or the one that runs this."""
    env = os.environ.get("VIRTUAL_ENV")
    name = Path("Scripts", "python.exe") if sys.platform == "win32" else Path("bin", "python")
    if env and (Path(env) / name).exists():
        return str(Path(env) / name)
    return sys.executable
