"""A real log beside the demo: a team on a real model, annotated by the people who looked for its mistake."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

import outtake.demo
from outtake.cli.browser import hint
from outtake.cli.context import Document, Front
from outtake.core import words

if TYPE_CHECKING:
    from outtake.service import Service

LOG = Path(outtake.demo.__file__).parent / "logs" / "box-office.json"
COMMAND = "outtake demo --log"


def bring(front: Front) -> None:
    """Import the log, where it is not there yet, and say what to look at."""
    with front.service() as service:
        run, new = _imported(service)
        info = service.info(run)
        said = service.annotations(run)["annotations"]
        finding = next((annotation for annotation in said if annotation["kind"] == "finding"), None)
        if front.json:
            told = {name: info[name] for name in ("run", "input", "output", "expected", "outcome", "records")}
            front.document({**told, "finding": finding, "new": new})
        else:
            _introduce(front, info, new)
            if finding is not None:
                _lead(front, service, finding)


def _imported(service: Service) -> tuple[str, bool]:
    """The run of the log, and whether it is new."""
    for run in service.runs():
        if run["imported"] and run["name"] == LOG.name:
            return run["run"], False
    return service.import_(str(LOG))["run"], True


def _introduce(front: Front, info: Document, new: bool) -> None:
    front.out.print("A team of agents on a real model (Magentic-One, recorded for Who&When) was asked:", style="bold")
    front.out.print(Text(f"  {words.one_line(info['input'], 400)}", style="italic"))
    here = f"{info['run']} has its log: {info['records']} records, to read, search, compare and annotate"
    front.out.print(f"{here}{'' if new else ' (imported before)'}", style="dim")
    front.out.print()
    answered = words.one_line(words.result(info["output"]))
    front.out.print(f"It answered {answered}; the right answer is {info['expected']}.", style="bold")


def _lead(front: Front, service: Service, finding: Document) -> None:
    run, seq = finding["run"], finding["seq"]
    store = f" --store {shlex.quote(front.store)}" if front.store else ""
    front.out.print(Text(f"  Who looked for the mistake found it in record {seq}, by {finding['data']['component']}:"))
    front.out.print(Text(f"  {finding['text']}\n"))
    for command, about in (
        (f"outtake show {run} --after {seq - 2}{store}", "what was said there, and how it went on"),
        (f"outtake why {run} {seq}{store}", "what that message was made of"),
        (f'outtake annotate {run} "I think ..." --at {seq}{store}', "say what you think"),
    ):
        front.out.print(Text(f"  {command}") + Text(f"   # {about}", style="dim"))
    if where := hint(front, service, run):
        front.out.print(Text(f"  or, in the browser: {where}", style="dim"))
