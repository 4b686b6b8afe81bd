"""Looking at runs: which there are, what happened in one, how two differ, what a target is made of."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from outtake.cli import outcome, tables
from outtake.cli.annotating import said
from outtake.cli.code import print_now
from outtake.cli.commands import RunArgument, command
from outtake.cli.context import Document, Front
from outtake.cli.differences import SHOWN, print_diff
from outtake.cli.render_description import print_description
from outtake.cli.running import PythonOption, explained, interpreter, is_run, reported
from outtake.cli.transcript import Transcript, bodies
from outtake.cli.trusting import TrustOption, trusting

if TYPE_CHECKING:
    from outtake.service import Service


@command("runs")
def runs(front: Front) -> None:
    """List all runs."""
    with front.service() as service:
        found = service.runs()
        if front.json:
            front.documents(found)
        else:
            tables.print_runs(front.out, found)


@command("tree")
def tree(
    front: Front, run: Annotated[str | None, typer.Argument(metavar="[RUN]", help="Only the tree of this run.")] = None
) -> None:
    """Show runs with their forks, and what each fork changed."""
    with front.service() as service:
        roots = service.tree(run)
        if front.json:
            front.documents(roots)
        else:
            tables.print_tree(front.out, roots)


@command("info")
def info(front: Front, run: RunArgument) -> None:
    """Show how a run stands: status, result, what was executed, what is held."""
    with front.service() as service:
        found = service.info(run)
        if front.json:
            front.document(found)
        else:
            outcome.print_outcome(front.out, found, reported(service, found), explained(service, found))
            print_now(front.out, service.code(run))
            for annotation in service.annotations(run)["annotations"]:
                if annotation["kind"] != "expectation":
                    place = f"record {annotation['seq']}  " if annotation["seq"] is not None else ""
                    front.out.print(Text(f"said      {place}") + said(annotation))


@command("show")
def show(
    front: Front,
    *,
    run: RunArgument,
    after: Annotated[int, typer.Option(metavar="SEQ", help="Only records after this number.")] = -1,
    show_bodies: Annotated[bool, typer.Option("--bodies", help="With everything that was said, in full.")] = False,
    kind: Annotated[
        str | None, typer.Option(metavar="K", help="Only this kind of record or invocation, e.g. model.")
    ] = None,
    component: Annotated[str | None, typer.Option(metavar="PATH", help="Only this component.")] = None,
    limit: Annotated[int | None, typer.Option(metavar="N", min=1, help="At most so many records.")] = None,
) -> None:
    """Show what happened in a run, record by record."""
    with front.service() as service:
        if front.json:
            front.documents(
                service.show(run, after=after, bodies=show_bodies, kind=kind, component=component, limit=limit)
            )
            return
        transcript = Transcript(front.out, run, bodies(service), full=show_bodies)
        for annotation in service.annotations(run)["annotations"]:
            transcript.said.setdefault(annotation["seq"], []).append(said(annotation))
        if after >= 0 or kind or component:
            transcript.remember(service.show(run, kind="invocation_started"))
        shown = service.show(run, after=after, kind=kind, component=component, limit=limit)
        transcript.records(shown)
        transcript.settle()
        if limit is None and kind is None and component is None:
            found = service.info(run)
            outcome.print_outcome(front.out, found, reported(service, found), explained(service, found))


@command("console")
def console(front: Front, run: RunArgument) -> None:
    """Show what the program of a run printed."""
    with front.service() as service:
        told = service.console(run)
        if front.json:
            front.document(told)
            return
        for part in told["parts"]:
            (front.out if part["stream"] == 1 else front.err).out(part["text"], end="", highlight=False)


@command("diff")
def diff(
    front: Front,
    *,
    a: RunArgument,
    b: Annotated[str, typer.Argument(metavar="RUN", help="The run to compare it with.")],
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Print at most so many differences.")] = SHOWN,
) -> None:
    """Show how two runs differ, the first difference first."""
    with front.service() as service:
        found = service.diff(a, b)
        if front.json:
            front.document(found)
        else:
            print_diff(front.out, found, bodies(service), limit)


@command("describe")
def describe(
    front: Front,
    *,
    target: Annotated[str, typer.Argument(metavar="SPEC|RUN", help="A target, or a run.")],
    python: PythonOption = None,
    build: Annotated[bool, typer.Option("--build", help="Build the target of a run as it is now, and ask it.")] = False,
    trust: TrustOption = False,
) -> None:
    """Show what a target is made of: components, settings, the messages that each accepts."""
    with front.service() as service:
        if is_run(target):
            found = trusting(front, trust, lambda trusted: _of_run(service, target, build, trusted))
        else:
            found = service.describe_spec(target, python=interpreter(python), folder=os.getcwd(), env=dict(os.environ))
        if front.json:
            front.document(found)
        else:
            print_description(front.out, found)


def _of_run(service: Service, run: str, build: bool, trust: bool) -> Document:
    state = service.info(run, counted=False)
    told = {name: state[name] for name in ("spec", "folder", "python", "input", "status")}
    if build:
        return {**told, **service.describe_built(run, env=dict(os.environ), trust=trust)}
    return {**told, **service.describe(run)}
