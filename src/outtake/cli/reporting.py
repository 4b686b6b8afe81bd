"""What a fork did, as a person reads it: a line for each component, with the numbers of its invocations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from outtake.cli.commands import RunArgument, command
from outtake.cli.context import Document, Front
from outtake.cli.outcome import print_restored, print_unused
from outtake.core import words

STYLES = {"executed": "bold yellow", "mocked": "magenta", "served": "dim", "not reached": "dim"}
SHOWN = 12
"""Numbers of invocations that are printed for one component."""


@command("report")
def report(
    front: Front,
    *,
    run: RunArgument,
    every: Annotated[bool, typer.Option("--all", help="A line for each invocation.")] = False,
) -> None:
    """Show what a fork executed, served from the record, was given by you and did not reach, and what that saved."""
    with front.service() as service:
        found = service.report(run)
        if front.json:
            front.document(found)
            return
        print_report(front.out, found, every=every)


def print_report(console: Console, found: Document, *, every: bool = False) -> None:
    """The table of invocations, what was saved, and the mocks that met nothing."""
    title = f"{found['run']}  fork of {found['parent']} at {found['cut']}" if found["parent"] else found["run"]
    console.print(Text(f"{title}  {found['status']}", style="bold"))
    (_print_lines if every else _print_components)(console, found["lines"])
    _print_saved(console, found)
    _print_restored(console, found["restored"])
    if found["parent"]:
        _print_processes(console, found["processes"])
    print_unused(console, found["unused"])


def _print_processes(console: Console, processes: Sequence[Document]) -> None:
    """The processes that a fork really started: what these do is nowhere in the record."""
    for number, started in enumerate(processes):
        command = started["command"]
        told = " ".join(map(str, command)) if isinstance(command, list) else str(command)
        where = f"{started['component']}, record {started['seq']}, {started['how']}"
        again = "again" if started["again"] else "new"
        title = "started   " if number == 0 else "          "
        console.print(Text(f"{title}{again}: {words.one_line(told, 200)} ({where})", style="yellow"))


def _print_restored(console: Console, steps: Sequence[Document]) -> None:
    """What was done for states outside the process; each step that did not give what is recorded has a line."""
    states = dict.fromkeys(step["state"] for step in steps)
    kinds = ("loaded", "repeated", "skipped")
    counted = [
        {
            "state": state,
            "different": sum(not step["same"] for step in steps if step["state"] == state),
            **{how: sum(step["how"] == how for step in steps if step["state"] == state) for how in kinds},
        }
        for state in states
    ]
    print_restored(console, counted)
    for step in steps:
        if not step["same"]:
            told = f" ({words.one_line(step['reason'], 200)})" if step["reason"] else ""
            place = f"{step['component']} of record {step['invocation']}, {step['how']} in record {step['seq']}{told}"
            console.print(Text(f"          {place}", style="yellow"))


def _table(*names: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", show_edge=False)
    for name in names:
        table.add_column(name, justify="right" if name in ("seconds", "tokens") else "left", overflow="fold")
    return table


def _print_components(console: Console, lines: Sequence[Document]) -> None:
    """A line for each component and fate, in the order of the run."""
    groups: dict[tuple[str, str, str], list[Document]] = {}
    for line in lines:
        groups.setdefault((line["fate"], line["kind"], line["component"]), []).append(line)
    table = _table("", "kind", "component", "calls", "seconds", "tokens", "records")
    for (fate, kind, component), group in groups.items():
        numbers = [line["seq"] if line["seq"] is not None else line["parent_seq"] for line in group]
        more = f" … {len(numbers) - SHOWN} more" if len(numbers) > SHOWN else ""
        told = " ".join(map(str, numbers[:SHOWN])) + more
        table.add_row(_fate(fate), kind, component, str(len(group)), *_spent(group), Text(told, style="dim"))
    console.print(table)


def _print_lines(console: Console, lines: Sequence[Document]) -> None:
    table = _table("", "kind", "component", "nth", "seconds", "tokens", "record", "in parent")
    for line in lines:
        numbers = (line["occurrence"], *_spent([line]), line["seq"], line["parent_seq"])
        told = ("" if number is None else str(number) for number in numbers)
        table.add_row(_fate(line["fate"]), line["kind"], line["component"], *told)
    console.print(table)


def _fate(fate: str) -> Text:
    return Text(words.GIVEN if fate == "mocked" else fate, style=STYLES.get(fate, ""))


def _spent(lines: Sequence[Document]) -> tuple[str, str]:
    tokens = sum(line["tokens_in"] + line["tokens_out"] for line in lines)
    return f"{sum(line['seconds'] for line in lines):.3f}", f"{tokens:,}" if tokens else ""


def _print_saved(console: Console, found: Document) -> None:
    if not found["parent"]:
        return
    saved = found["saved"]
    calls = words.counted(saved["calls"])
    tokens = saved["tokens_in"] + saved["tokens_out"]
    spared = [*([calls] if saved["calls"] else []), *([f"{tokens:,} tokens"] if tokens else [])]
    console.print(f"saved     {', '.join([*spared, words.duration(saved['seconds'])])}")
