"""Lists of runs as a person reads them."""

from __future__ import annotations

import time
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from outtake.cli.context import Document
from outtake.cli.outcome import JUDGED, STATUS
from outtake.core import words


def print_runs(console: Console, runs: Sequence[Document]) -> None:
    if not runs:
        console.print("no runs yet; outtake run SPEC makes one, outtake demo shows how")
        return
    table = Table(box=None, pad_edge=False, header_style="dim", show_edge=False)
    judged = ["outcome"] if any(run["outcome"] for run in runs) else []
    for name in ("run", "status", *judged, "from", "records", "started", "target", "result"):
        table.add_column(name, justify="right" if name == "records" else "left", no_wrap=name not in _SHRINKING)
    for run in runs:
        table.add_row(
            Text(run["run"], style="bold"),
            Text(run["status"], style=STATUS.get(run["status"], "")),
            *(_judged(run) for _ in judged),
            f"{run['parent']}@{run['cut']}" if run["parent"] else "",
            f"{run['records']:,}",
            _moment(run["created"]) if run["timed"] else "",
            _fitting(words.one_line(_called(run), 40)),
            _fitting(result(run, 50 if judged else 60)),
        )
    console.print(table)


def _called(run: Document) -> str:
    """Its name; of a fork without one, what was changed."""
    return str(run["name"] or run["changed"] or run["spec"])


_SHRINKING = ("target", "result")
"""Columns that give way where the terminal is narrow."""


def _fitting(text: str) -> Text:
    return Text(text, no_wrap=True, overflow="ellipsis")


def _judged(run: Document) -> Text:
    return Text(run["outcome"] or "", style=JUDGED.get(run["outcome"], ""))


def print_tree(console: Console, roots: Sequence[Document]) -> None:
    if not roots:
        console.print("no runs yet; outtake run SPEC makes one")
    for root in roots:
        tree = Tree(_label(root), guide_style="dim")
        _grow(tree, root)
        console.print(tree)


def _grow(tree: Tree, run: Document) -> None:
    for fork in run["forks"]:
        _grow(tree.add(_label(fork)), fork)


def _label(run: Document) -> Text:
    line = Text(run["run"], style="bold") + Text(f" {run['status']}", style=STATUS.get(run["status"], ""))
    if run["outcome"]:
        line.append(" ").append_text(_judged(run))
    if run["parent"]:
        line.append(f"  at {run['cut']}", style="dim")
        line.append(f"  {run['changed']}", style="yellow")
        places = [f"{edit['op']} {edit.get('component', '')}".strip() for edit in run["edits"]]
        line.append(f"  ({', '.join(places)})" if places else "", style="dim")
    else:
        line.append(f"  {run['name'] or run['spec']}", style="dim")
    return line.append(f"  {result(run, 60)}")


def result(run: Document, limit: int) -> str:
    if run["error"] is not None:
        return words.one_line(words.error_line(run["error"]), limit)
    return words.ends(words.result(run["output"]), limit) if run["output"] is not None else ""


def _moment(seconds: float) -> str:
    then, now = time.localtime(seconds), time.localtime()
    return time.strftime("%H:%M:%S" if then[:3] == now[:3] else "%Y-%m-%d %H:%M", then)
