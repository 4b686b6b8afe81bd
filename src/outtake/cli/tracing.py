"""The trace of a run as a person reads it: what encloses what, when it went on, and how long it took."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from outtake.cli.commands import RunArgument, command
from outtake.cli.context import Document, Front
from outtake.cli.transcript import STYLES
from outtake.core import words

BAR = 32
"""Characters of the time line."""
DEEP = 24
"""Levels that are still moved to the right."""


@command("trace")
def trace(
    front: Front,
    *,
    run: RunArgument,
    line: Annotated[bool, typer.Option("--line", help="In time order, not by what encloses what.")] = False,
    since: Annotated[float | None, typer.Option("--from", metavar="SECONDS", help="From here on.")] = None,
    until: Annotated[float | None, typer.Option("--to", metavar="SECONDS", help="Up to here.")] = None,
    events: Annotated[bool, typer.Option("--events", help="With the events of the framework.")] = False,
    limit: Annotated[int | None, typer.Option(metavar="N", min=1, help="At most so many lines.")] = None,
) -> None:
    """Show the invocations, spans and events of a run in time: when each began, and how long it took."""
    with front.service() as service:
        form = "line" if line else "tree"
        found = service.trace(run, form=form, since=since, until=until, limit=limit)
        if front.json:
            front.document(found)
        else:
            print_trace(front.out, found, events=events, timed=service.info(run, counted=False)["timed"])


def print_trace(console: Console, found: Document, *, events: bool, timed: bool = True) -> None:
    """A line for each item, with a bar in the time of all that is shown; of a log without times, in order only."""
    shown = [item for item in found["items"] if events or item["kind"] != "event"]
    if not shown:
        console.print("nothing goes on there")
        return
    first = min(item["start"] for item in shown)
    last = max(item["end"] or item["start"] for item in shown)
    table = Table(box=None, pad_edge=False, header_style="dim", show_edge=False)
    table.add_column("at", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("took", justify="right", no_wrap=True)
    table.add_column("what", no_wrap=True, overflow="ellipsis")
    table.add_column("record", justify="right", style="dim", no_wrap=True)
    for item in shown:
        bar = Text(_bar(item, first, last) if timed else "", style=_style(item))
        at = f"{item['start'] - found['origin']:.3f}" if timed else ""
        table.add_row(at, bar, _took(item) if timed else "", _what(item), str(item["seq"]))
    console.print(table)
    if found["total"] > len(found["items"]):
        console.print(f"… {words.count(found['total'] - len(found['items']), 'more line')}", style="dim")


def _bar(item: Document, first: float, last: float) -> str:
    span = max(last - first, 1e-9)
    begin = min(BAR - 1, int((item["start"] - first) / span * BAR))
    if item["kind"] == "event":
        return " " * begin + "·"
    end = item["end"] if item["end"] is not None else last
    return " " * begin + "━" * max(1, round((end - first) / span * BAR) - begin)


def _style(item: Document) -> str:
    if item["failed"]:
        return "red"
    if item["how"] == "reused":
        return "dim"
    return STYLES.get(item["call"], "dim" if item["kind"] == "span" else "")


def _took(item: Document) -> str:
    if item["kind"] == "event":
        return ""
    return words.duration(item["seconds"]) if item["end"] is not None else "…"


def _what(item: Document) -> Text:
    line = Text("  " * min(item["depth"], DEEP))
    if item["kind"] == "invocation":
        line.append(item["call"], style=STYLES.get(item["call"], "")).append(f" {item['name']}", style="bold")
    else:
        line.append(f"{item['kind']} {item['name']}", style="dim")
    tokens = item["tokens_in"] + item["tokens_out"]
    told = [
        *([f"{tokens:,} tokens"] if tokens else []),
        *([item["how"]] if item["how"] not in ("", "executed") else []),
    ]
    if told:
        line.append(f"  {', '.join(told)}", style="dim")
    return line.append("  failed", style="red") if item["failed"] else line
