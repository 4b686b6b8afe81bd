"""`%load_ext outtake`: kernels and shells of IPython, whose cells are steps, and whose runs are forked."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import BOUND, Cli

ENVS = os.environ.get("OUTTAKE_ENVS")
pytestmark = pytest.mark.skipif(ENVS is None, reason="needs an environment with IPython")

DEFINE = """
import outtake

def called(what):
    with open("calls", "a") as file:
        file.write(what + " ")

@outtake.model
def ask(prompt):
    called("ask")
    return prompt.upper()

@outtake.model
async def think(prompt):
    called("think")
    return prompt + "!"
"""
LOAD = "%load_ext outtake"


class Driven:
    """A kernel, or a shell, in an environment with IPython."""

    def __init__(self, cli: Cli, kind: str, notebook: str = "") -> None:
        python = Path(ENVS or "", "state", "bin", "python")
        state = {
            name: str(cli.folder / ".state") for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR")
        }
        self._process = subprocess.Popen(
            [str(python), str(Path(__file__).with_name("kernel_driver.py")), kind],
            cwd=cli.folder,
            env={**cli.env, **state, "JPY_SESSION_NAME": notebook},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def tell(self, do: str, **fields: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": do, **fields}) + "\n")
        self._process.stdin.flush()

    def told(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the driver has ended"
        return json.loads(line)

    def __call__(self, source: str, **options: object) -> Any:
        """Execute a cell, as a user does."""
        self.tell("execute", source=source, **options)
        return self.told()

    def ok(self, *sources: str) -> Any:
        """Execute cells that do not fail; what came of the last one."""
        came = [self(source) for source in sources]
        assert all(done["status"] == "ok" for done in came), came
        return came[-1]

    def ends(self, how: str = "close") -> None:
        """The kernel is shut down, or killed, and the driver ends."""
        self.tell(how)
        self.told()
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(BOUND)

    def kill(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()


@contextmanager
def driven(cli: Cli, kind: str = "kernel", notebook: str = "", *, serves: bool = True) -> Iterator[Driven]:
    if serves:
        cli.start("serve", "--no-browser", "--port", "0").expect("http://")
    made = Driven(cli, kind, notebook)
    try:
        yield made
    finally:
        made.kill()


def calls(cli: Cli) -> list[str]:
    """What was really called, from the last time that this was asked on."""
    file = cli.folder / "calls"
    found = file.read_text().split() if file.exists() else []
    file.write_text("")
    return found


def steps(cli: Cli, run: str = "r1") -> list[tuple[str, str]]:
    records = cli("show", run, "--json", "--bodies").ok().documents
    found = [r for r in records if r["kind"] == "invocation_started" and r["call"] == "step"]
    return [(r["component"], r["input"]["source"]) for r in found]


def start_of(cli: Cli, component: str) -> int:
    records = cli("show", "r1", "--json").ok().documents
    return next(int(r["seq"]) for r in records if r["kind"] == "invocation_started" and r["component"] == component)


def fork(cli: Cli, *options: str) -> Any:
    return cli("fork", "r1", *options, "--headless", "--json").ok().document


def edited(cli: Cli, cell: int, source: str, notebook: str = "notes") -> Any:
    value = {"cell": cell, "source": source}
    edit = {"op": "replace_input", "seq": start_of(cli, f"{notebook}/cell {cell}"), "value": value}
    return fork(cli, "--edit", json.dumps(edit))


def over(cli: Cli, run: str = "r1") -> Any:
    """A run, as soon as it has ended."""
    return cli("wait", run, "--json").document


def held(cli: Cli) -> str:
    """What is held, as soon as something is."""
    (hold,) = cli("wait", "r1", "--held", "--json").document["held"]
    return f"hold:{hold['hold']}"


CELLS = [
    DEFINE,
    "a = ask('b')\na",
    "a + await think('c')",
    "def twice(prompt):\n    return ask(prompt) + ask(prompt + prompt)",
    "twice(a)",
    "a = ask('b')\na",
]


def test_a_fork_of_a_kernel_executes_the_recorded_cells(cli: Cli) -> None:
    with driven(cli, notebook=str(cli.folder / "notes.ipynb")) as kernel:
        assert "recorded as r1" in kernel.ok(LOAD)["said"]
        assert kernel.ok(*CELLS)["said"] == "'B'"
        kernel.ends()
    assert steps(cli) == [(f"notes/cell {number}", source) for number, source in enumerate(CELLS, 2)]
    done = over(cli)
    assert (done["status"], done["output"]) == ("completed", {"cells": 6, "failed": []})
    assert calls(cli) == ["ask", "think", "ask", "ask", "ask"]

    at_end = fork(cli, "--at", str(done["records"]))
    from_start = fork(cli, "--at", str(start_of(cli, "notes/cell 2")))
    for again in (at_end, from_start):
        assert (again["status"], again["output"], again["executed"]["model"]) == ("completed", done["output"], 0)
    assert steps(cli, from_start["run"]) == steps(cli)
    assert calls(cli) == []

    assert edited(cli, 3, "a = ask('z')\na")["executed"]["model"] == 3
    assert calls(cli) == ["ask", "ask", "ask"]  # cell 7 asks as before
    assert edited(cli, 2, DEFINE.replace('"!"', '"?"'))["executed"]["model"] == 1
    assert calls(cli) == ["think"]
    assert edited(cli, 5, CELLS[3].replace("prompt + prompt", "prompt"))["executed"]["model"] == 1
    assert calls(cli) == ["ask"]


def test_a_cell_that_fails_or_is_interrupted_is_no_end(cli: Cli) -> None:
    waits = "import threading\n@outtake.model\ndef wait(p):\n    print('now')\n    threading.Event().wait(60)"
    with driven(cli) as kernel:
        kernel.ok(LOAD, DEFINE, waits)
        assert kernel("ask('a') + 1")["ename"] == "TypeError"
        assert kernel("b = ask('b')\nwait(b)", interrupt="now")["ename"] == "KeyboardInterrupt"
        assert kernel("await asyncio.sleep(0)")["ename"] == "NameError"
        assert kernel("a +")["ename"] == "SyntaxError"
        assert kernel.ok("b + ask('c')")["said"] == "'BC'"
        kernel.ends()
    done = over(cli)
    assert (done["status"], done["output"]) == ("completed", {"cells": 7, "failed": [4, 5, 6, 7]})
    records = cli("show", "r1", "--json", "--bodies").ok().documents
    errors = [
        r["error"]["class"] for r in records if r["kind"] == "invocation_ended" and r["call"] == "step" and r["failed"]
    ]
    assert [error.rpartition(":")[2] for error in errors] == [
        "TypeError",
        "KeyboardInterrupt",
        "NameError",
        "SyntaxError",
    ]
    calls(cli)
    again = fork(cli, "--at", str(start_of(cli, "kernel/cell 8")))
    assert (again["output"], again["executed"]["model"], calls(cli)) == (done["output"], 0, [])
    mended = edited(cli, 5, "b = ask('b')", notebook="kernel")
    assert (mended["output"], mended["executed"]["model"]) == ({"cells": 7, "failed": [4, 6, 7]}, 0)


WAIT = """
import asyncio

@outtake.model
async def wait(prompt):
    print("now", flush=True)
    while True:  # a kernel whose loop has nothing to do does not see that it is interrupted
        await asyncio.sleep(0.01)
"""


def test_what_is_typed_is_recorded_and_an_async_cell_is_interrupted(cli: Cli) -> None:
    with driven(cli) as kernel:
        kernel.ok(LOAD, DEFINE, WAIT)
        assert kernel.ok("typed = input('> ')\nask(typed)")["said"] == "'TYPED'"
        assert kernel("await wait('a')", interrupt="now")["status"] == "error"
        assert kernel.ok("await think(input())")["said"] == "'typed!'"
        kernel.ok("exit")
        kernel.ends()
    done = over(cli)
    assert (done["status"], done["output"]) == ("completed", {"cells": 6, "failed": [5]})
    assert done["executed"]["tool"] == 2
    calls(cli)
    again = fork(cli, "--at", str(start_of(cli, "kernel/cell 6")))
    assert (again["output"], again["executed"], calls(cli)) == (
        done["output"],
        again["executed"] | {"model": 0, "tool": 0},
        [],
    )


def test_unloading_ends_the_run_and_reloading_does_not(cli: Cli) -> None:
    with driven(cli) as kernel:
        kernel.ok(LOAD, DEFINE)
        assert "already loaded" in kernel.ok(LOAD)["said"]
        kernel.ok("%reload_ext outtake", "ask('a')")
        kernel.ok("ask('b')\n%unload_ext outtake\nask('c')", "ask('not recorded')")
        done = over(cli)
        assert (done["status"], done["output"]) == ("completed", {"cells": 5, "failed": []})
        assert [source for _, source in steps(cli)][3:] == ["ask('a')", "ask('b')\n%unload_ext outtake\nask('c')"]
        again = fork(cli, "--at", str(start_of(cli, "kernel/cell 5")))
        assert (again["output"], again["executed"]["model"]) == (done["output"], 0)
        assert "recorded as r3" in kernel.ok(LOAD)["said"]
        assert kernel.ok("ask('d')")["said"] == "'D'"
        kernel.ends()
    assert steps(cli, "r3") == [("kernel/cell 9", "ask('d')")]
    assert over(cli, "r3")["status"] == "completed"


def test_what_a_front_end_runs_for_itself_is_no_step(cli: Cli) -> None:
    with driven(cli) as kernel:
        kernel.ok(LOAD)
        kernel("1", silent=True)
        kernel("2", store_history=False)
        kernel.ok(" ", "get_ipython().run_cell('3', store_history=True)", "%rerun 2")
        kernel.ends()
    assert len(steps(cli)) == 2


def test_a_cell_is_held_edited_and_stopped(cli: Cli) -> None:
    with driven(cli) as kernel:
        kernel.ok(LOAD, DEFINE)
        cli("pause", "r1").ok()
        kernel.tell("execute", source="await think('a')")
        cli("edit", "r1", held(cli), json.dumps({"cell": 3, "source": "await think('b')"})).ok()
        cli("continue", "r1").ok()
        assert kernel.told()["said"] == "'b!'"
        cli("pause", "r1").ok()
        kernel.tell("execute", source="ask('c')")
        cli.start("edit", "r1", held(cli), "--output", '"mocked"')  # it ends when something is held again
        assert kernel.told()["execution_count"] == 4
        cli("continue", "r1").ok()
        pid = int(kernel.ok("import os\nask('d')\nos.getpid()")["said"])  # the server has seen all that came before
        cli("pause", "r1").ok()
        kernel.tell("execute", source="ask('c')")
        held(cli)
        os.kill(pid, signal.SIGINT)
        assert kernel.told()["ename"] == "KeyboardInterrupt"
        cli("continue", "r1").ok()
        kernel.ok("ask('e')")
        cli("pause", "r1").ok()
        kernel.tell("execute", source="ask('c')")
        held(cli)
        cli("stop", "r1").ok()
        stopped = kernel.told()
        assert (stopped["status"], stopped["ename"]) == ("error", "Stopped")
        assert over(cli)["status"] == "stopped"
        assert kernel.ok("ask('f')")["said"] == "'F'"
        kernel.ends()
    assert calls(cli) == ["think", "ask", "ask", "ask"]


def test_a_kernel_is_stopped_between_its_cells(cli: Cli) -> None:
    with driven(cli) as kernel:
        kernel.ok(LOAD, DEFINE, "ask('a')")
        cli("stop", "r1").ok()
        assert over(cli)["status"] == "stopped"
        assert kernel.ok("ask('b')")["said"] == "'B'"
        kernel.ends()
    assert [source for _, source in steps(cli)] == [DEFINE, "ask('a')"]


def test_a_kernel_outlives_its_server(cli: Cli) -> None:
    with driven(cli, "shell", serves=False) as shell:
        first = cli.start("serve", "--no-browser", "--port", "0")
        first.expect("http://")
        shell.ok(LOAD, DEFINE, "ask('a')")
        first.interrupt()
        first.ends()
        second = cli.start("serve", "--no-browser", "--port", "0")
        second.expect("http://")
        shell.ok("ask('b')")  # it is recorded before it goes out: the kernel has found the next server
        assert [source for _, source in steps(cli)][1:] == ["ask('a')", "ask('b')"]
        shell.ok("from outtake_probe import connection\nconnection.PATIENCE = 0.1")
        second.interrupt()
        second.ends()
        assert shell.ok("ask('c')")["said"] == "Out[6]: 'C'\n"
        cli.start("serve", "--no-browser", "--port", "0").expect("http://")
        assert "recorded as r2" in shell.ok("%reload_ext outtake")["said"]
        shell.ok("ask('d')")
        shell.ends()
    assert [source for _, source in steps(cli, "r2")] == ["ask('d')"]
    assert over(cli, "r2")["status"] == "completed"


def test_a_kernel_that_dies_leaves_a_run_to_fork(cli: Cli) -> None:
    with driven(cli) as kernel:
        kernel.ok(LOAD, DEFINE, "ask('a')", "await think('b')")
        kernel.ends("kill")
        assert over(cli)["status"] == "lost"
        calls(cli)
        records = over(cli)["records"]
        again = fork(cli, "--at", str(records))
    assert (again["status"], again["output"]) == ("completed", {"cells": 3, "failed": []})
    assert (again["executed"]["model"], calls(cli)) == (0, [])


def test_cells_before_the_extension_are_executed_by_a_fork_without_their_calls(cli: Cli) -> None:
    with driven(cli) as kernel:
        kernel.ok(DEFINE + "\nfirst = 'a'", "second = ask('b')")
        said = kernel.ok("third = 'c'\n" + LOAD)["said"]
        assert "the 2 cells before it can be executed again by a fork, but not what they called" in said
        kernel.ok("ask(first + third)")
        assert kernel.ok("ask(second)")["said"] == "'B'"
        kernel.ends()
    assert calls(cli) == ["ask", "ask", "ask"]
    at_end = over(cli)["records"]
    done = fork(cli, "--at", str(start_of(cli, "kernel/cell 5")))
    assert (done["output"], done["executed"]["model"], calls(cli)) == ({"cells": 2, "failed": [5]}, 0, [])
    assert "ask is called by a cell that was executed before %load_ext outtake" in cli("console", done["run"]).err
    diverged = cli("fork", "r1", "--at", str(at_end), "--headless", "--json")
    assert (diverged.code, diverged.document["status"]) == (3, "diverged")
    assert "name 'second' is not defined" in diverged.out
    assert calls(cli) == []


SHELL = [
    LOAD,
    DEFINE,
    "import asyncio, datetime\nasyncio.run(think('a'))",
    "await think('b')",
    "words = !echo from the shell\nask(words[0])",
    "%%time\nc = ask(str(datetime.datetime.now()))",
    "_5 + Out[3]",
]


def test_a_shell_in_a_terminal_has_no_loop_around_its_cells(cli: Cli) -> None:
    with driven(cli, "shell") as shell:
        shell.ok(*SHELL)
        shell.ends()
    done = over(cli)
    assert (done["status"], done["output"]) == ("completed", {"cells": 6, "failed": []})
    calls(cli)
    again = fork(cli, "--at", str(start_of(cli, "kernel/cell 2")))
    assert (again["output"], again["executed"]["model"], calls(cli)) == (done["output"], 0, [])
    assert "Out[7]: 'FROM THE SHELLa!'" in cli("console", again["run"]).out


def test_without_a_server_or_after_attach_the_reason_is_told(cli: Cli) -> None:
    with driven(cli, "shell", serves=False) as shell:
        missing = shell(LOAD)
        assert missing["ename"] == "NoServer"
        assert "outtake serve" in missing["evalue"]
        cli.start("serve", "--no-browser", "--port", "0").expect("http://")
        shell.ok("import outtake\nouttake.attach()")
        assert cli("info", "r1", "--json").ok().document["python"].endswith("state/bin/python")
        assert shell(LOAD)["ename"] == "AlreadyAttached"
        shell.ends()


def test_a_notebook_that_loads_the_extension_is_run_as_any_other(cli: Cli) -> None:
    cells = [{"cell_type": "code", "source": source} for source in (LOAD, DEFINE, "ask('a')", "%reload_ext outtake")]
    cli.write("notes.ipynb", json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}))
    python = str(Path(ENVS or "", "state", "bin", "python"))
    done = cli("run", "notes.ipynb", "--python", python, "--json").ok().document
    assert (done["executed"]["step"], done["executed"]["model"]) == (4, 1)


def test_what_a_kernel_recorded_is_only_forked(cli: Cli) -> None:
    done = cli("run", "kernel notes")
    assert done.code == 2
    assert "its run begins with %load_ext outtake, and can be forked" in done.out + done.err


def test_a_fork_of_an_imported_kernel_is_told_to_execute_what_the_file_holds(cli: Cli) -> None:
    with driven(cli, "shell") as shell:
        shell.ok(LOAD, DEFINE, "ask('a')")
        shell.ends()
        cli("export", "r1", "-o", "r1.outtake").ok()
        cli("import", "r1.outtake").ok()
        calls(cli)
        refused = cli("fork", "r2", "--at", "2", "--headless")
        assert refused.code == 2
        assert "executes the cells that the file holds: 'kernel kernel'" in refused.err
        again = cli("fork", "r2", "--at", "2", "--trust", "--headless", "--json").ok().document
        assert (again["output"], again["executed"]["model"]) == ({"cells": 2, "failed": []}, 0)
        second = cli("fork", "r3", "--at", "2", "--headless", "--json").ok().document
        assert (second["output"], second["executed"]["model"], calls(cli)) == (again["output"], 0, [])


def test_a_fork_of_a_fork_that_was_stopped_has_all_cells(cli: Cli) -> None:
    with driven(cli, "shell") as shell:
        shell.ok(LOAD, DEFINE, "a = ask('a')", "ask(a + 'b')", "ask('c')")
        shell.ends()
        at = start_of(cli, "kernel/cell 3")
        edit = json.dumps({"op": "replace_input", "seq": at, "value": {"cell": 3, "source": "a = ask('z')"}})
        assert fork(cli, "--edit", edit, "--break", "step:kernel/cell?4")["status"] == "held"
        cli("stop", "r2").ok()
        assert len(steps(cli, "r2")) == 2
        calls(cli)
        end = next(r["seq"] for r in cli("show", "r2", "--json").ok().documents if r["kind"] == "run_ended")
        done = cli("fork", "r2", "--at", str(end), "--headless", "--json").ok().document
    assert (done["output"], done["executed"]["model"]) == ({"cells": 4, "failed": []}, 2)
    assert steps(cli, done["run"])[1:3] == [("kernel/cell 3", "a = ask('z')"), ("kernel/cell 4", "ask(a + 'b')")]
