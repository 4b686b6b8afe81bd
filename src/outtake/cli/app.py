"""The command `outtake`: from its arguments to an exit code."""

import importlib.metadata
import io
import json
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Annotated, NoReturn

import typer

from outtake.cli import (
    annotating,
    code,
    demo,
    files,
    looking,
    pages,
    provenance,
    reporting,
    running,
    searching,
    steering,
    tracing,
)
from outtake.cli.commands import JsonOption, StoreOption, app
from outtake.cli.output import clean_logging, write_json, write_plain
from outtake.cli.problems import STOPPED, WRONG_USE, OutputGone, Problem

GROUPS = (running, looking, code, searching, provenance, reporting, tracing, annotating, steering, files, pages, demo)
"""The modules whose commands `app` holds, in the order of the help."""
UsageError: type[Exception] = typer.BadParameter.__bases__[0]
"""What typer raises for wrong arguments; it says so in no name of its own."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    told = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal may know fewer characters
    clean_logging()
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _interrupt)
    try:
        code = app(args=told, prog_name="outtake", standalone_mode=False)
    except UsageError as error:
        return _refused(Problem(error.format_message(), "usage"), told, _way_out(error))  # type: ignore[attr-defined]
    except Problem as problem:
        return _refused(problem, told)
    except (KeyboardInterrupt, typer.Abort):
        return STOPPED
    except OutputGone:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the interpreter would complain about what is left to write
        return 0
    return code if isinstance(code, int) else 0


def _interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    """Asked to end: as by Ctrl-C, so that the debugged process ends with us."""
    raise KeyboardInterrupt


def _refused(problem: Problem, told: Sequence[str], way_out: str = "") -> int:
    if "--json" in told:
        write_json(problem.document())
        return WRONG_USE
    write_plain(sys.stderr, f"error: {problem}")
    if problem.schema is not None:
        write_plain(sys.stderr, f"it takes: {json.dumps(problem.schema, ensure_ascii=False, indent=2)}")
    if way_out:
        write_plain(sys.stderr, way_out)
    return WRONG_USE


def _way_out(error: Exception) -> str:
    context = getattr(error, "ctx", None)
    return f"try: {context.command_path} --help" if context is not None else "try: outtake --help"


def _version(asked: bool) -> None:
    if asked:
        print(f"outtake {version()}")
        raise typer.Exit


def version() -> str:
    """The installed release; a source tree that is only on the path has none."""
    try:
        return importlib.metadata.version("outtake")
    except importlib.metadata.PackageNotFoundError:
        return "(a source tree)"


@app.callback()
def _before_the_command(
    context: typer.Context,
    as_json: JsonOption = False,
    store: StoreOption = None,
    show_version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    context.obj = {"json": as_json, "store": store}
