"""Promises about the process that is debugged: the debugger comes in its middle, and goes without a trace."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import outtake_probe
from outtake.service.service import Document, Service
from outtake.testing import traces
from outtake.testing.kit import TOPIC
from outtake.testing.rig import HANDLER, Rig
from outtake.testing.watched import environment, real_calls
from outtake.testing.words import WAIT, Broken, expect, expect_equal, shown

SCRIPT = "traces.py"
TIMES = 4
"""How often the script calls its program: twice plainly, once attached, once when the debugger is gone."""


def leaves(how: Literal["leave", "give up"]) -> Callable[[Rig], None]:
    """The check of a script that attaches in its middle, and that the debugger leaves in this way."""

    def check(rig: Rig) -> None:
        folder = rig.folder("requests")
        (folder / SCRIPT).write_text(Path(traces.__file__).read_text("utf-8"), "utf-8")
        place = folder / ".outtake"
        service = Service(place)
        probe = str(Path(outtake_probe.__file__).parent.parent)
        command = [rig.kit.python, SCRIPT, probe, str(place), TOPIC, how]
        pipe = subprocess.PIPE
        with subprocess.Popen(
            command, cwd=folder, env=environment(), stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True
        ) as script:
            try:
                told, runs = _told(script, service, place, how)
            finally:
                script.kill()
        _as_plainly(folder, told)
        expect(told["during"] > 0, "nothing was hooked while the debugger was there")
        expect(not told["active"], "the debugger is gone, and the process passes it all the same")
        expect(not told["left"], f"the debugger is gone, and these are not as they were: {shown(told['left'])}")
        expect_equal([run["spec"] for run in runs if run["spec"] == HANDLER], [HANDLER], "the calls that are recorded")

    return check


def _told(script: subprocess.Popen[str], service: Service, place: Path, how: str) -> tuple[Document, list[Document]]:
    """What the script found out, and the runs that were recorded of it."""
    try:
        _until_attached(script)
        if how == "give up":
            service.close()
            (place / "key").unlink()  # the next server refuses the script: it does not wait for another one
            service = Service(place)
        out, errors = script.communicate(timeout=4 * WAIT)
        runs = service.runs()
    finally:
        service.close()
    lines = out.splitlines()
    if script.returncode or not lines:
        raise Broken(f"the script that attaches ended with status {script.returncode}: {shown(errors[-300:])}")
    told: Document = json.loads(lines[-1])
    return told, runs


def _until_attached(script: subprocess.Popen[str]) -> None:
    """Read what the program prints up to the line that says that it has attached."""
    assert script.stdout is not None
    for line in script.stdout:
        if line == "attached\n":
            return
    assert script.stderr is not None
    raise Broken(f"the script did not attach: {shown(script.stderr.read()[-300:])}")


def _as_plainly(folder: Path, told: Document) -> None:
    """The program gave the same and called the same, whether it was debugged or not."""
    answers, calls = told["answers"], real_calls(folder)
    expect(len(answers) == TIMES and all(a == answers[0] for a in answers), f"the program gave {shown(answers)}")
    each = len(calls) // TIMES
    expect(each > 0 and calls == calls[:each] * TIMES, f"{TIMES} times the same really called {shown(calls)}")
