"""What a target is made of, as it says itself or as its record shows."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from outtake.cli.context import Document
from outtake.cli.transcript import STYLES
from outtake.core import words

SOURCES = {
    "live": "by the program",
    "kept": "by the program of {}, when it ended or was asked last",
    "records": "by what the records show; --build asks the target as it is now",
    "built": "by the target as it is now",
}
"""Who told what a target is made of, in words."""


def print_description(console: Console, description: Document) -> None:
    console.print(Text(description["spec"], style="bold"))
    for name in ("folder", "python", "input", "status"):
        if description.get(name) not in (None, ""):
            console.print(Text(f"  {name:8} {words.one_line(words.readable(description[name]))}", style="dim"))
    told = SOURCES.get(description["source"], "")
    console.print(Text(f"  told     {told.format(description.get('told_by'))}", style="dim"))
    for part in description.get("components", ()):
        _print_part(console, part)
    for edge in description.get("edges", ()):
        label = f"  {edge['label']}" if edge.get("label") else ""
        console.print(f"  {edge['source']} → {edge['target']}{label}")
    for missing in description.get("missing", ()):
        console.print(Text(f"  missing: {missing}", style="yellow"))


def _print_part(console: Console, part: Document) -> None:
    kind = part.get("kind", "")
    line = Text(f"{kind} ", style=STYLES.get(kind, "")) + Text(part["path"], style="bold")
    if part.get("calls"):
        line.append(f"  {words.count(part['calls'], 'call')}", style="dim")
    if part.get("effects"):
        line.append(f"  {part['effects']}", style="dim")
    console.print(line)
    if part.get("doc"):
        console.print(Text("    " + words.one_line(part["doc"], 200), style="dim"))
    config: dict[str, Any] = part.get("config") or {}
    properties: dict[str, Any] = (part.get("schema") or {}).get("properties") or {}
    for key, value in config.items():
        about = (properties.get(key) or {}).get("description")
        line = Text(f"    {key} = {words.one_line(words.readable(value))}")
        console.print(line.append(f"  {about}", style="dim") if about else line)
    if part.get("accepts"):
        console.print(f"    accepts {', '.join(part['accepts'])}")
