"""Starting and ending debugged processes, in the user's own environment and in a session of their own."""

from __future__ import annotations

import contextlib
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
from outtake.engine.handing import handing_over
from outtake.engine.processes import Traces
from outtake_probe import life
from outtake_probe.records import Json
from outtake_probe.wire.owners import STORE

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
    """The process of a run, and whatever it starts."""

    ours = True
    """Outtake started it, this server or one before it; not the user."""

    def __init__(self, run: str, traces: Traces) -> None:
        self.traces = traces
        self._run = run
        self._watched = False

    def watch(self, gone: Callable[[int | None], None]) -> None:
        """From now on, tell `gone` of its end, once, with its exit status where that is known."""
        watched, self._watched = self._watched, True
        if not watched:
            watch = threading.Thread(target=lambda: gone(self._status()), name=f"outtake-{self._run}", daemon=True)
            watch.start()

    def _status(self) -> int | None:
        """Wait for the end; the exit status, or None where nobody knows it."""
        raise NotImplementedError

    @property
    def pid(self) -> int | None:
        """Its number, once it is known."""
        raise NotImplementedError

    @property
    def alive(self) -> bool:
        raise NotImplementedError

    def await_end(self, seconds: float) -> None:
        """Wait a moment for its end."""
        raise NotImplementedError

    def kill(self) -> None:
        self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))

    def end(self) -> None:
        """Ask the process to end, then kill it and what it started."""
        self._signal(signal.SIGTERM)
        until = time.monotonic() + GRACE
        while self.alive and time.monotonic() < until:
            self.await_end(0.05)
        self.kill()

    def _signal(self, number: int) -> None:
        raise NotImplementedError


class Started(Process):
    """A process that this one started."""

    def __init__(
        self,
        launch: Launch,
        traces: Traces,
        *,
        handed: Mapping[str, str],
        seed: int,
        stdin: bool,
        env: Mapping[str, str] | None,
        about: Mapping[str, Json],
    ) -> None:
        """`handed`: what the process, and nobody else, is told; see `outtake_probe.handover`.

        `about` is what the next server has to know of the run, should this one end before it.
        """
        super().__init__(handed["run"], traces)
        told = ["--script", launch.spec, *launch.args] if launch.attached else []
        lock = life.begin(traces.life, **about)
        errors = traces.open_errors()
        inherited = () if sys.platform == "win32" else (lock,)
        env = {
            **QUIET,
            **(os.environ if env is None else env),
            STORE: handed["store"],
            "PYTHONHASHSEED": str(seed % 2**32),
            life.VARIABLE: f"{lock if handed else ''}:{traces.life}",
        }
        try:
            with handing_over(handed, inherited) as (where, options):
                self._process = subprocess.Popen(
                    [launch.python, str(BOOT), where, *told],
                    cwd=launch.folder,
                    env=env,
                    stdin=None if stdin else subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=errors,
                    start_new_session=sys.platform != "win32",
                    **options,
                )
        except OSError as error:
            raise CannotStart(f"{launch.python} cannot be started in {launch.folder}: {error}") from error
        finally:
            os.close(lock)
            os.close(errors)

    def _status(self) -> int:
        return self._process.wait()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def await_end(self, seconds: float) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._process.terminate()
            else:
                os.killpg(self._process.pid, number)


class AdoptedProcess(Process):
    """A process that somebody else started: another server, which has ended, or the user."""

    def __init__(self, run: str, traces: Traces) -> None:
        super().__init__(run, traces)
        self.ours = not traces.told().get("attached")
        self._ended = threading.Event()

    def _status(self) -> None:
        life.await_end(self.traces.life)
        self._ended.set()

    @property
    def pid(self) -> int | None:
        pid = self.traces.told().get("pid")
        return pid if isinstance(pid, int) else None

    @property
    def alive(self) -> bool:
        return not self._ended.is_set() and self.traces.alive

    def await_end(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while self.alive and time.monotonic() < until:
            self._ended.wait(0.01)

    def _signal(self, number: int) -> None:
        """Reach the whole session of a process that Outtake started; of one of the user's, only itself."""
        pid = self.pid
        if pid is None or not self.alive:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            own = self.ours and sys.platform != "win32" and os.getpgid(pid) == os.getsid(pid)
            if own and sys.platform != "win32":
                os.killpg(os.getpgid(pid), number)
            else:
                os.kill(pid, number)


def default_python() -> str:
    """The interpreter of the environment that the user is in, or the one that runs this."""
    env = os.environ.get("VIRTUAL_ENV")
    name = Path("Scripts", "python.exe") if sys.platform == "win32" else Path("bin", "python")
    if env and (Path(env) / name).exists():
        return str(Path(env) / name)
    return sys.executable
