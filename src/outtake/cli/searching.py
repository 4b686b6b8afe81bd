"""Search in what a run says, as a person reads it: each place in a line, the text among the words around it."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from outtake.cli.commands import RunArgument, command
from outtake.cli.context import Document, Front
from outtake.core import words

SHOWN = 20
AROUND = 40
"""Characters before what was found, and after it."""


@command("search")
def search(
    front: Front,
    *,
    run: RunArgument,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to search for, whatever the case of its letters.")],
    first: Annotated[bool, typer.Option("--first", help="Only where it is said in new words, not repeated.")] = False,
    after: Annotated[int, typer.Option(metavar="SEQ", help="Only records after this number.")] = -1,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="At most so many records.")] = SHOWN,
) -> None:
    """Find the records that say a text: in what they hold, in full, or by a name."""
    with front.service() as service:
        found = service.search(run, text, after=after, limit=limit, first=first)
        if front.json:
            front.document(found)
        else:
            print_found(front.out, found)


def print_found(console: Console, found: Document) -> None:
    """A line for each record; those that only repeat what was said are dim."""
    if not found["total"]:
        console.print(Text(f"nothing in {found['run']} says {found['text']!r}"))
        return
    for passage in found["found"]:
        line = Text(f"{passage['seq']:>6} ", style="" if passage["first"] else "dim")
        line.append(f"{passage['component']} {passage['where']}  ", style="bold" if passage["first"] else "")
        line.append(_flat(passage["before"])[-AROUND:]).append(_flat(passage["said"]), style="reverse")
        line.append(_flat(passage["after"])[:AROUND])
        console.print(line, no_wrap=True, overflow="ellipsis", crop=True)
    told = f"{words.count(found['total'], 'record')}, {found['firsts']:,} of them in new words"
    if found["more"]:
        told += f"; more: --after {found['found'][-1]['seq']}"
    console.print(Text(told, style="dim"))


def _flat(text: str) -> str:
    """A text on one line, without what a terminal would obey."""
    return " ".join(words.clean(text).split("\n"))
