"""Drives a kernel, or a shell of IPython, for the tests: commands come as lines of JSON, and so do the answers.

It runs in an environment that has IPython, and none of Outtake's test modules.
"""

import contextlib
import importlib
import io
import json
import sys
from typing import Any

BOUND = 60
"""Seconds in which a cell has to come back."""


class Kernel:
    """A kernel in a process of its own, as a notebook has it."""

    def __init__(self) -> None:
        start = importlib.import_module("jupyter_client.manager").start_new_kernel
        self._manager, self._client = start(kernel_name="python3", startup_timeout=BOUND)
        self._said = ""
        self._interrupt = ""

    def execute(self, source: str, *, interrupt: str = "", **options: bool) -> dict[str, Any]:
        """Execute a cell, and interrupt it when it has printed this."""
        self._said, self._interrupt = "", interrupt
        hooks = {"output_hook": self._hear, "stdin_hook": lambda _: self._client.input("typed")}
        reply = self._client.execute_interactive(source, allow_stdin=True, timeout=BOUND, **hooks, **options)
        content = reply["content"]
        names = ("status", "ename", "evalue", "execution_count")
        return {**{name: content.get(name) for name in names}, "said": self._said}

    def _hear(self, message: dict[str, Any]) -> None:
        content = message["content"]
        self._said += content.get("text", "") + content.get("data", {}).get("text/plain", "")
        self._said += "".join(content.get("traceback", ()))
        if self._interrupt and self._interrupt in self._said:
            self._interrupt = ""
            self._manager.interrupt_kernel()

    def close(self) -> dict[str, Any]:
        self._client.stop_channels()
        self._manager.shutdown_kernel()
        return {}

    def kill(self) -> dict[str, Any]:
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)
        return {}


class Shell:
    """The shell of this process, as `ipython` in a terminal has it."""

    def __init__(self) -> None:
        self._shell = importlib.import_module("IPython.core.interactiveshell").InteractiveShell.instance()

    def execute(self, source: str, *, store_history: bool = True, silent: bool = False) -> dict[str, Any]:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            result = self._shell.run_cell(source, store_history=store_history, silent=silent)
        error = result.error_before_exec or result.error_in_exec
        count = self._shell.execution_count - 1
        told = {"ename": type(error).__name__, "evalue": str(error)} if error is not None else {}
        return {"status": "error" if told else "ok", "execution_count": count, "said": said.getvalue(), **told}

    def close(self) -> dict[str, Any]:
        return {}


def main() -> None:
    answers = sys.stdout
    sys.stdout = sys.stderr
    driven = {"kernel": Kernel, "shell": Shell}[sys.argv[1]]()
    for line in sys.stdin:
        command = json.loads(line)
        done = getattr(driven, command.pop("do"))(**command)
        answers.write(json.dumps(done) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
