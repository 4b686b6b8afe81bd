"""What is said about runs: the expected answer, verdicts, comments, suspected causes."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from outtake.cli import outcome
from outtake.cli.commands import RunArgument, command
from outtake.cli.context import Document, Front
from outtake.cli.problems import Problem
from outtake.core import words


@command("annotate")
def annotate(
    front: Front,
    *,
    run: RunArgument,
    text: Annotated[str | None, typer.Argument(metavar="[TEXT]", help="What there is to say; none: list it.")] = None,
    at: Annotated[int | None, typer.Option("--at", metavar="SEQ", help="It is about this record.")] = None,
    expect: Annotated[
        str | None, typer.Option("--expect", metavar="TEXT", help="The answer expected of the run and its forks.")
    ] = None,
    passed: Annotated[
        bool | None, typer.Option("--passed/--failed", help="A verdict; TEXT is the reason.", show_default=False)
    ] = None,
    score: Annotated[float | None, typer.Option(metavar="N", help="The score of a verdict.")] = None,
    finding: Annotated[bool, typer.Option("--finding", help="A suspected cause.")] = False,
    component: Annotated[str | None, typer.Option(metavar="PATH", help="The component of a finding.")] = None,
    author: Annotated[str, typer.Option(metavar="NAME", help="Who says it.")] = "user",
    change: Annotated[int | None, typer.Option(metavar="ID", help="Let this annotation say TEXT.")] = None,
    remove: Annotated[int | None, typer.Option(metavar="ID", help="Take this annotation back.")] = None,
) -> None:
    """Say what is to be said of a run or a record: a comment, a verdict, the expected answer, a cause; or list it."""
    kind = _kind(text, expect, passed, finding)
    if (score is not None and kind != "verdict") or (component is not None and kind != "finding"):
        raise Problem("--score is for a verdict (--passed, --failed), --component for a --finding")
    if (change is not None or remove is not None) and kind not in (None, "feedback"):
        raise Problem("--change and --remove name an annotation that is there; they take no other option")
    data = _data(passed=passed, score=score, component=component)
    with front.service() as service:
        if remove is not None:
            told = service.remove_annotation(run, remove)
        elif change is not None:
            told = service.change_annotation(run, change, text)
        elif kind is not None:
            told = service.annotate(run, kind, expect or text or "", seq=at, author=author, data=data)
        else:
            told = service.annotations(run)
        if front.json:
            front.document(told)
        else:
            print_annotations(front.out, service.annotations(run)["annotations"])
            outcome.print_judged(front.out, service.info(run, counted=False))


def _kind(text: str | None, expect: str | None, passed: bool | None, finding: bool) -> str | None:
    """What is said; None: nothing, so what was said is listed."""
    kinds = {"expectation": expect is not None, "verdict": passed is not None, "finding": finding}
    chosen = [kind for kind, wanted in kinds.items() if wanted]
    if len(chosen) > 1:
        raise Problem("--expect, --passed or --failed, and --finding are different things to say; use one of them")
    if expect is not None and text is not None:
        raise Problem("--expect has the answer with it; a comment is an annotation of its own")
    return chosen[0] if chosen else "feedback" if text is not None else None


def _data(**told: Any) -> dict[str, Any]:
    return {name: value for name, value in told.items() if value is not None}


def print_annotations(console: Console, found: list[Document]) -> None:
    if not found:
        console.print("nothing was said yet; outtake annotate RUN TEXT says something")
    for annotation in found:
        place = annotation["run"] + (f" record {annotation['seq']}" if annotation["seq"] is not None else "")
        head = Text(f"{annotation['id']:>4} ", style="dim") + Text(f"{place}  ", style="bold")
        console.print(head + said(annotation))


def said(annotation: Document) -> Text:
    """An annotation on one line."""
    data = annotation["data"]
    line = Text(annotation["kind"], style="bold yellow")
    if annotation["kind"] == "verdict":
        verdict = "passed" if data["passed"] else "failed"
        line.append(f" {verdict}", style=outcome.JUDGED[verdict])
        line.append(f" {data['score']:g}" if data.get("score") is not None else "")
    if data.get("component"):
        line.append(f" {words.clean(str(data['component']))}", style="magenta")
    line.append(f" by {words.clean(annotation['author'])}", style="dim")
    return line.append(f": {words.one_line(annotation['text'], 400)}" if annotation["text"] else "")
