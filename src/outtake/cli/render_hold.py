"""What is held, as a person reads it, and the answers that can be given."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from outtake.cli.context import Document
from outtake.cli.transcript import STYLES
from outtake.core import words

WHERE = {"before": "about to run", "after": "has come back", "input": "waits for input", "diverged": "left its record"}


def print_hold(console: Console, hold: Document) -> None:
    """One held thing: its number, what it is, why it is held, and its content."""
    line = Text(f"hold {hold['hold']}  ", style="bold yellow")
    if hold.get("call"):
        line.append(f"{hold['call']} ", style=STYLES.get(hold["call"], "")).append(hold["component"], style="bold")
    line.append(f"  {WHERE.get(hold['when'], hold['when'])}", style="yellow")
    if hold.get("message") is not None:
        line.append(f"  ← message {hold['message']}", style="dim")
    if hold["reason"] not in ("paused", "step out"):
        line.append(f"  ({words.one_line(hold['reason'], 300)})", style="dim")
    console.print(line)
    text = _content(hold)
    if text:
        folded = words.fold(text)
        for part in folded.text.splitlines():
            console.print(Text("       " + part))
        if folded.left_out:
            console.print(Text(f"       … {words.count(folded.left_out, 'more character')}", style="dim"))


def _content(hold: Document) -> str:
    if hold["when"] == "input":
        return words.clean(str(hold.get("prompt") or ""))
    value = hold.get("value")
    if value is None:
        return ""
    if hold.get("failed"):
        return words.error_line(value)
    return words.arguments(value) if hold["when"] == "before" and words.said(value) is None else words.readable(value)


def print_pending(console: Console, pending: Document) -> None:
    """All that is about to happen: held first, then the queue."""
    if not pending["held"] and not pending["queued"]:
        console.print(f"{pending['run']} is {pending['status']}; nothing is held, no message is queued")
    for hold in pending["held"]:
        print_hold(console, hold)
    for message in pending["queued"]:
        line = Text(f"message {message['seq']}  ", style="bold")
        line.append(f"{message['component']} → {message.get('recipient')}")
        line.append(f"  {message.get('type', '')}  ", style="dim")
        console.print(line.append(words.one_line(words.said(message.get("body")) or "")))


def print_breakpoints(console: Console, points: list[Document]) -> None:
    if not points:
        console.print("no breakpoints")
    for point in points:
        console.print(f"{point['id']:>3}  {'on ' if point['enabled'] else 'off'}  {point['text']}")


def ways_out(run: str, holds: Iterable[Document]) -> str:
    """How to answer what is held, from another terminal."""
    answers = [f"outtake step {run}", f"outtake continue {run}", f"outtake stop {run}"]
    for hold in holds:
        if hold["when"] == "input" and hold.get("call") == "flow":
            answers.insert(0, f"outtake send {run} {hold['component']} VALUE")
        elif hold["when"] == "input":
            answers.insert(0, f"outtake edit {run} hold:{hold['hold']} --output TEXT")
        elif hold["when"] != "diverged":
            answers.insert(1, f"outtake edit {run} hold:{hold['hold']} VALUE")
        if "skip" in hold.get("offers", ()):
            answers.insert(0, f"outtake edit {run} hold:{hold['hold']} --skip")
        if "record" in hold.get("offers", ()):
            answers.insert(0, f"outtake edit {run} hold:{hold['hold']} --recorded")
    return "answer with: " + "; ".join(dict.fromkeys(answers))
