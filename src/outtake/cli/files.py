"""A run as one file, to look at and to fork on another machine; logs of other programs, to look at."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from outtake.cli.commands import RunArgument, command
from outtake.cli.context import Document, Front
from outtake.cli.problems import Problem

if TYPE_CHECKING:
    from outtake.service import Service


@command("export")
def export(
    front: Front,
    run: RunArgument,
    output: Annotated[str | None, typer.Option("-o", "--output", metavar="FILE", help="The file to write.")] = None,
    page: Annotated[
        str | None,
        typer.Option("--html", metavar="FILE", help="Write a page to read instead, that opens without Outtake."),
    ] = None,
) -> None:
    """Write a run, what it was forked from and all that was said into one file."""
    if (output is None) == (page is None):
        raise Problem("say which file to write: -o FILE for one that import reads, or --html FILE for a page to read")
    with front.service() as service:
        if page is not None:
            _share(front, service, run, page)
            return
        assert output is not None
        told = service.export(run, os.path.abspath(output))
        if front.json:
            front.document(told)
        else:
            runs = ", ".join(told["runs"])
            front.out.print(f"wrote {runs} to {output} ({told['bytes']:,} bytes); outtake import reads it")


def _share(front: Front, service: Service, run: str, file: str) -> None:
    """Write a run as a page."""
    from outtake.server.sharing import share  # noqa: PLC0415  as in `Front.service`

    text = share(service, run).encode()
    try:
        Path(file).write_bytes(text)
    except OSError as error:
        raise Problem(f"{file} cannot be written: {error.strerror}") from error
    if front.json:
        front.document({"run": run, "file": os.path.abspath(file), "bytes": len(text)})
    else:
        front.out.print(Text(f"wrote {run} to {file} ({len(text):,} bytes); any browser opens it"))


@command("rename")
def rename(
    front: Front, run: RunArgument, name: Annotated[str, typer.Argument(help="What it is called; '' takes it back.")]
) -> None:
    """Call a run something, for lists and titles; its number stays."""
    with front.service() as service:
        told = service.rename(run, name)
        if front.json:
            front.document(told)
        else:
            front.out.print(f"{run} is called {told['name']!r}" if told["name"] else f"{run} has no name any more")


@command("delete")
def delete(front: Front, run: RunArgument) -> None:
    """Remove a run that has ended and has no forks, with the texts that no other run refers to."""
    with front.service() as service:
        told = service.delete(run)
        if front.json:
            front.document(told)
        else:
            front.out.print(f"{run} is gone")
            for stays in told["stays"]:
                front.out.print(f"what stays: {stays}")


@command("vacuum")
def vacuum(front: Front) -> None:
    """Remove texts that no run refers to, and give the space of what was deleted back to the file system."""
    with front.service() as service:
        told = service.vacuum()
        if front.json:
            front.document(told)
        else:
            front.out.print(f"{told['texts']} texts removed; {told['before']:,} bytes are {told['after']:,} now")


@command("import")
def import_(
    front: Front,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="What export has written, or a log, see docs/importing.md.")
    ],
) -> None:
    """Read a run that `export` has written, or a log of another program; it gets a new name here."""
    with front.service() as service:
        told = service.import_(os.path.abspath(file))
        if front.json:
            front.document(told)
        else:
            _tell(front, file, told)
            if service.info(told["run"], counted=False)["imported"]:
                front.out.print("nothing of it can be run: it is a log to read, search, compare and annotate")


def _tell(front: Front, file: str, told: Document) -> None:
    """What became of a file."""
    runs = list(told["runs"].values())
    if told["log"]:
        front.out.print(Text(f"a log of {told['log']}: it has {told['recognised']}"))
    for guess in told["guessed"]:
        front.out.print(Text(f"  guessed: {guess}", style="dim"))
    here = runs[0] if len(runs) == 1 else f"{len(runs)} runs here, {runs[0]} to {runs[-1]}"
    what = f"{here} here" if len(runs) == 1 else here
    front.out.print(Text(f"{file} is {what}; next: outtake show {told['run']}"))
