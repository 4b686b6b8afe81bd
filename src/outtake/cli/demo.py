"""The demo: a team of agents gets a question wrong, and one changed message in a fork sets it right."""

from __future__ import annotations

import json
import os
import shlex
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from outtake.cli import outcome, real_log
from outtake.cli.browser import Beside, UiOption, beside, hint
from outtake.cli.commands import command
from outtake.cli.context import Document, Front
from outtake.cli.problems import FAILED, Problem, exit_code
from outtake.cli.running import InputOption, PythonOption, attend, interpreter, reported
from outtake.core import words
from outtake.demo.programs import FRAMEWORKS
from outtake.demo.question import EXPECTED, TASK

if TYPE_CHECKING:
    from outtake.service import Service

MISTAKE = "Identify the player with the most walks"
REMEDY = "Sort the table by walks and give at bats of the first row."


@command("demo")
def demo(
    front: Front,
    *,
    headless: Annotated[bool, typer.Option("--headless", help="The wrong run, the edit, the right run.")] = False,
    python: PythonOption = None,
    model: Annotated[
        str | None, typer.Option(metavar="openai:NAME", help="Use a real model (OPENAI_BASE_URL, OPENAI_API_KEY).")
    ] = None,
    input: InputOption = None,
    log: Annotated[
        bool, typer.Option("--log", help="Instead: import the log of a real team, and say what to look at.")
    ] = False,
    ui: UiOption = None,
) -> int:
    """Watch a team of agents get a question wrong, and set it right by changing one message."""
    if log:
        if headless or model is not None or input is not None or ui:
            raise Problem("--log imports a log and runs nothing; it goes with --json and --store only")
        real_log.bring(front)
        return 0
    question = input or TASK
    with front.service() as service, beside(front, service, ui, headless=headless) as pages:
        started = service.demo(
            python=interpreter(python) if python else None,
            model=model or "",
            question=input,
            headless=headless,
            env=dict(os.environ),
        )
        wrong = attend(front, service, started["run"], headless=headless, pages=pages, quiet=True)
        edit = find_edit(service, wrong["run"]) if wrong["status"] == "completed" else None
        if edit is None:
            code = _without_edit(front, service, question, wrong)
        else:
            if not front.json:
                _explain(front, service, question, wrong, edit, pages=pages, scripted=model is None)
            code = 0
            if headless or front.json or (pages is None and _wanted(front)):
                code = _set_right(front, service, question, wrong, edit, headless=headless)
        if pages is not None:
            pages.stay(wrong["run"])
        return code


def _set_right(
    front: Front, service: Service, question: str, wrong: Document, edit: Document, *, headless: bool
) -> int:
    """Make the fork in which the one message says what it should have said."""
    forked = service.fork(
        wrong["run"], at=edit["seq"], edits=[edit], headless=headless, name="demo, edited", env=dict(os.environ)
    )
    right = attend(front, service, forked["run"], headless=headless)
    _conclude(front, service, question=question, wrong=wrong, edit=edit, right=right)
    return exit_code(right)


def _wanted(front: Front) -> bool:
    """Whether the person wants the fork; where nobody answers, as without a standard input, nobody does."""
    try:
        return front.interactive and typer.confirm("\nfork it now?", default=True)
    except typer.Abort as error:
        if not isinstance(error.__context__, EOFError):
            raise
        front.out.print()
        return False


def find_edit(service: Service, run: str) -> Document | None:
    """The orchestrator's instruction that led the team astray, as an edit that says it better.

    With AutoGen it is a message; in plain Python it is what the web surfer is called with.
    """
    for record in service.show(run, bodies=True, kind="message_queued"):
        text = words.said(record.get("body"))
        if text is not None and text.startswith(MISTAKE):
            return {"op": "replace_message", "seq": record["seq"], "value": REMEDY}
    for record in service.show(run, bodies=True, kind="agent"):
        body = record.get("input")
        if isinstance(body, dict) and str(body.get("instruction")).startswith(MISTAKE):
            return {"op": "replace_input", "seq": record["seq"], "value": {"instruction": REMEDY}}
    return None


# -- words -----------------------------------------------------------------------------------------------------------


def _explain(
    front: Front,
    service: Service,
    question: str,
    wrong: Document,
    edit: Document,
    *,
    pages: Beside | None,
    scripted: bool,
) -> None:
    """What happened and what to do, in five lines."""
    models = "scripted models, offline" if scripted else "a real model"
    answer = words.result(wrong["output"]).split("\n")[-1]
    told = f"the right answer is {EXPECTED}" if wrong["expected"] else "the right answer is not known here"
    lines = [
        f"Five agents ({FRAMEWORKS[wrong['spec']]}, {models}) are asked: {question}",
        f"{wrong['run']} ends with {answer}; {told}.",
        f'Record {edit["seq"]} led them there: "{MISTAKE} …"; the web surfer took the first name that it knew.',
        f"try: {fork_command(front, wrong['run'], edit)}",
    ]
    if pages is None:
        where = hint(front, service, wrong["run"])
        lines.append(f"In the browser: {where}; a real team's log: {real_log.COMMAND}")
    else:
        lines.append(f"In the browser, edit {edit['seq']} in words of your own. A real team's log: {real_log.COMMAND}")
    for line in lines:
        front.out.print(Text(line), soft_wrap=True)


def fork_command(front: Front, run: str, edit: Document) -> str:
    """The command that makes the fork, for a shell."""
    store = f" --store {shlex.quote(front.store)}" if front.store else ""
    return f"outtake fork {run} --at {edit['seq']} --edit {shlex.quote(json.dumps(edit))}{store}"


def _without_edit(front: Front, service: Service, question: str, wrong: Document) -> int:
    """The team failed, or (a real model) never said what is to be changed."""
    if front.json:
        front.document(_document(question, wrong, None, None))
    else:
        outcome.print_outcome(front.out, wrong, reported(service, wrong))
        if wrong["status"] == "completed":
            front.out.print(f'no message of this run begins with "{MISTAKE}": look at it, and fork where you see fit')
    return exit_code(wrong) or FAILED


def _document(question: str, wrong: Document, edit: Document | None, right: Document | None) -> Document:
    """Both runs, and the edit that lies between them."""
    return {
        "question": question,
        "expected": EXPECTED,
        "wrong": outcome.run_document(wrong),
        "edit": edit,
        "right": outcome.run_document(right) if right is not None else None,
    }


def _conclude(
    front: Front, service: Service, *, question: str, wrong: Document, edit: Document, right: Document
) -> None:
    if front.json:
        front.document(_document(question, wrong, edit, right))
    else:
        outcome.print_outcome(front.out, right, reported(service, right))
