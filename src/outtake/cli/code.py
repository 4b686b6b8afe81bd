"""What changed of the program's own code: since a run, and between a fork and its parent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from outtake.cli.commands import RunArgument, command
from outtake.cli.context import Document, Front
from outtake.core import words

_STYLES = {"changed": "yellow", "new": "green", "gone": "red"}
FEW = 4
"""Names that are reported on one line."""


@command("code")
def code(front: Front, run: RunArgument) -> None:
    """Show the program's own files that a run imported, and which have changed since."""
    with front.service() as service:
        found = service.code(run)
        if front.json:
            front.document(found)
            return
        if not found["files"]:
            front.out.print(f"{run} has told of no file of its own", style="dim")
        table = Table(box=None, pad_edge=False, header_style="dim", show_edge=False)
        columns = ["file", f"since {found['run']}", *([f"since {found['parent']}"] if found["parent"] else [])]
        for name in columns:
            table.add_column(name, overflow="fold")
        for file in found["files"]:
            told = [file["since_run"], *([file["since_parent"]] if found["parent"] else [])]
            table.add_row(
                words.clean(file["path"]), *(Text(each or "unknown", style=_STYLES.get(each, "dim")) for each in told)
            )
        front.out.print(table)
        _print_concerned(front.out, found)
        _print_stale(front.out, found)


def print_changes(console: Console, found: Document, lines: Sequence[Document]) -> None:
    """For a fork: files that are not its parent's, what was executed for that, and what was served all the same.

    `lines` are those of its report.
    """
    changed = [file for file in found["files"] if file["since_parent"] not in (None, "same")]
    executed = _components(line for line in lines if line.get("reason") == "code")
    if changed or executed:
        told = f"{_changed(changed) if changed else 'code changed'} since {found['parent']}"
        if executed:
            told += f": {_counted(executed)} executed with the new code"
        elif not found["stale"]:
            told += ": nothing that the record answers for is known to use it"
        console.print(Text(f"code      {told}", style="yellow"))
    _print_stale(console, found)
    again = sum(1 for line in lines if line.get("reason") == "failure")
    if again:
        console.print(f"retried   {words.count(again, 'call')} that had failed in {found['parent']}")


def print_now(console: Console, found: Document) -> None:
    """For a run: files that have changed since it imported them."""
    changed = [
        {**file, "since_parent": file["since_run"]}
        for file in found["files"]
        if file["since_run"] in ("changed", "gone")
    ]
    if changed:
        console.print(
            Text(f"code      {_changed(changed)} since {found['run']}: a fork executes what uses it", style="yellow")
        )


def _print_concerned(console: Console, found: Document) -> None:
    """Components and prompts that are others now, and the record from which on a fork executes them all."""
    renewed, prompts = found["renewed"], found["prompts"]
    if renewed:
        console.print(Text(f"changed   {_counted([(each['call'], each['component']) for each in renewed])}"))
    for each in prompts:
        console.print(
            Text(f"prompt    of {words.clean(each['component'])} (#{each['seq']}), in {words.clean(each['file'])}")
        )
        console.print(Text(f"  was     {words.clean(each['was'])}", style="red"), overflow="ellipsis", no_wrap=True)
        console.print(Text(f"  now     {words.clean(each['now'])}", style="green"), overflow="ellipsis", no_wrap=True)
    if renewed or prompts:
        first = min(each["seq"] for each in (*renewed, *prompts))
        console.print(f"outtake fork {found['run']} --at {first} executes all of it", style="dim")


def _print_stale(console: Console, found: Document) -> None:
    if found["stale"]:
        pairs = [(each["call"], each["component"]) for each in found["stale"]]
        be, it = ("is", "it") if len(pairs) == 1 else ("are", "them")
        told = f"{_counted(pairs)} before the cut {be} served as recorded from the old code"
        way = f"--live {words.clean(pairs[0][1])} instead of --at, or an earlier cut, executes {it}"
        console.print(Text(f"code      {told}; {way}", style="yellow"))


def _components(lines: Iterable[Document]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((line["kind"], line["component"]) for line in lines))


def _counted(pairs: Sequence[tuple[str, str]]) -> str:
    """So many of each kind, and what they are called where they are few."""
    kinds = list(dict.fromkeys(kind for kind, _ in pairs))
    told = ", ".join(words.count(sum(1 for kind, _ in pairs if kind == one), one) for one in kinds)
    names = ", ".join(words.clean(name) for _, name in pairs)
    return f"{told} ({names})" if len(pairs) <= FEW else told


def _changed(files: Sequence[Document]) -> str:
    """The files, and what became of them."""
    paths = [words.clean(file["path"]) for file in files]
    told = ", ".join(paths[:FEW]) + (f" and {len(paths) - FEW} more" if len(paths) > FEW else "")
    states = {file["since_parent"] for file in files}
    if states == {"gone"}:
        return f"{told} {'is' if len(paths) == 1 else 'are'} gone"
    return f"{told} {'is' if len(paths) == 1 else 'are'} new" if states == {"new"} else f"{told} changed"
