"""The difference of two runs as a person reads it: in order, the first one first, each with its text."""

from __future__ import annotations

import difflib
from typing import Any

from rich.console import Console
from rich.text import Text

from outtake.cli.context import Document
from outtake.cli.transcript import STYLES, Body
from outtake.core import words
from outtake.core.differing import differing

SHOWN = 20
"""Differences that are printed unless more are asked for."""
_MARKS = {"changed": ("~", "yellow"), "only_a": ("-", "red"), "only_b": ("+", "green")}
_CONTEXT, _LINES = 1, 24
Lines = tuple[str, ...]


def print_diff(console: Console, diff: Document, body: Body, limit: int = SHOWN) -> None:
    a, b = diff["a"], diff["b"]
    _print_sides(console, a, b)
    shared, changes = words.count(diff["shared"], "record"), words.count(len(diff["changes"]), "difference")
    console.print(f"{shared} shared, {diff['same']:,} calls or messages alike, {changes}")
    if diff["files"]:
        told = ", ".join(f"{words.clean(file['path'])} ({file['change']})" for file in diff["files"])
        console.print(Text(f"code differs: {told}", style="yellow"))
    if not diff["changes"]:
        console.print("nothing differs")
        return
    console.print()
    console.print("first difference", style="bold")
    seen: set[Lines] = set()
    for pair in diff["changes"][:limit]:
        _print_pair(console, pair, (a["run"], b["run"]), body, seen)
    if len(diff["changes"]) > limit:
        left = words.count(len(diff["changes"]) - limit, "more difference")
        console.print(f"… {left}: outtake diff {a['run']} {b['run']} --limit {len(diff['changes'])}", style="dim")


def _print_sides(console: Console, a: Document, b: Document) -> None:
    for mark, style, run in (("-", "red", a), ("+", "green", b)):
        line = Text(f"{mark} {run['run']}", style=style) + Text(f"  {run['status']}", style="bold")
        line.append(f"  {words.ends(_result(run), 100)}")
        console.print(line)
        told = f"executed {words.counted(run['executed'])}"
        if run["parent"]:
            told += f"; served {words.counted(run['reused'])}; fork of {run['parent']} at {run['cut']}"
        console.print(Text("    " + told, style="dim"))
        for edit in run["edits"]:
            console.print(Text(f"    edit {edit_words(edit)}", style="dim"))


def _result(run: Document) -> str:
    return words.error_line(run["error"]) if run["error"] is not None else words.result(run["output"])


def edit_words(edit: Document) -> str:
    """An edit on one line."""
    where = edit.get("component", "") + (f".{edit['key']}" if edit.get("key") else "")
    place = f" at {edit['seq']}" if edit.get("seq") is not None else ""
    value = f": {words.one_line(words.readable(edit['value']))}" if edit.get("value") is not None else ""
    return f"{edit['op']} {where}{place}{value}"


def _print_pair(console: Console, pair: Document, runs: tuple[str, str], body: Body, seen: set[Lines]) -> None:
    """One difference.  What was printed already, because it was passed on, is not repeated."""
    mark, style = _MARKS[pair["change"]]
    item = pair["a"] or pair["b"]
    sides = zip(runs, (pair["a"], pair["b"]), strict=True)
    places = [f"{run} {side['seq']}" for run, side in sides if side is not None]
    line = Text(f"{mark} ", style=style) + Text(item["kind"], style=STYLES.get(item["kind"], "magenta"))
    line.append(f" {item['component']}", style="bold").append(f"  {', '.join(places)}", style="dim")
    changes = _changes(pair, item["kind"], body)
    new = {label: lines for label, lines in changes.items() if lines not in seen}
    if changes and not new:
        line.append("  (as above)", style="dim")
    console.print(line)
    seen.update(new.values())
    for label, lines in new.items():
        _print_lines(console, label, lines)


def _changes(pair: Document, kind: str, body: Body) -> dict[str, Lines]:
    """What differs: the lines of what was said or asked, and of what came back."""
    found = {}
    for name, label in (("body", "said" if kind == "message" else "input"), ("output", "result")):
        told = label
        a, b = (_text(side, name, body) for side in (pair["a"], pair["b"]))
        if a == b and pair["a"] and pair["b"] and pair["a"][name] != pair["b"][name]:
            unsaid = differing(*(body(side[name]) if side[name] else None for side in (pair["a"], pair["b"])))
            told = "thought" if unsaid.aspect == "thought" else label
            a, b = unsaid.before, unsaid.after
        if a != b:
            lines = difflib.unified_diff(a.splitlines(), b.splitlines(), n=_CONTEXT, lineterm="")
            found[told] = tuple(lines)[2:]
    return found


def _text(side: Document | None, name: str, body: Body) -> str:
    if side is None or not side[name]:
        return ""
    value: Any = body(side[name])
    if name == "output" and side["failed"]:
        return words.error_line(value)
    spoken = words.said(value) if side["kind"] in ("message", "agent") or name == "output" else None
    return spoken if spoken is not None else words.said_or_outline(value)


def _print_lines(console: Console, label: str, lines: Lines) -> None:
    """The lines that differ; a long body is not repeated for one changed word."""
    console.print(Text(f"    {label}", style="dim"))
    for line in lines[:_LINES]:
        style = {"+": "green", "-": "red", "@": "dim"}.get(line[:1], "")
        console.print(Text("    " + words.one_line_kept(line, 240), style=style))
    if len(lines) > _LINES:
        console.print(Text(f"    … {words.count(len(lines) - _LINES, 'more line')}", style="dim"))
