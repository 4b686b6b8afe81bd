"""The demo: a team of agents gets a question wrong, and one changed message in a fork sets it right."""

from __future__ import annotations

import ast
import os
import shlex
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

import outtake.demo
from outtake.cli import outcome, real_log
from outtake.cli.beside import Beside, UiOption, beside, hint
from outtake.cli.commands import command
from outtake.cli.front import Document, Front
from outtake.cli.problems import FAILED, Problem, exit_code
from outtake.cli.running import InputOption, PythonOption, attend, interpreter, reported
from outtake.core import words

if TYPE_CHECKING:
    from outtake.service import Service

FOLDER = Path(outtake.demo.__file__).parent
SPEC = "team.py:get_team"
NEEDED = ("autogen_agentchat", "autogen_core", "autogen_ext")
MISTAKE = "Identify the player with the most walks"
REMEDY = "Sort the table by walks and give at bats of the first row."
MODEL_VARIABLE = "OUTTAKE_DEMO_MODEL"


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
    interpreted = _checked(interpreter(python))
    question = input or constant("TASK")
    with front.service() as service, beside(front, service, ui, headless=headless) as pages:
        started = service.run(
            SPEC,
            input=question,
            has_input=True,
            headless=headless,
            python=interpreted,
            folder=str(FOLDER),
            name="demo",
            env=_environment(model),
            expected=constant("EXPECTED") if input is None else None,
        )
        _introduce(front, question, scripted=model is None)
        wrong = attend(front, service, started["run"], headless=headless, pages=pages)
        edit = find_edit(service, wrong["run"]) if wrong["status"] == "completed" else None
        if edit is None:
            code = _without_edit(front, service, question, wrong)
        else:
            if not front.json:
                _explain(front, service, wrong, edit, pages)
            code = 0
            if headless or front.json or (pages is None and _wanted(front)):
                code = _set_right(front, service, question, wrong, edit, headless=headless, env=_environment(model))
        if not front.json:
            front.out.print(Text(f"\na real team's log, its mistake labelled: {real_log.COMMAND}", style="dim"))
        if pages is not None:
            pages.stay(wrong["run"])
        return code


def _set_right(
    front: Front,
    service: Service,
    question: str,
    wrong: Document,
    edit: Document,
    *,
    headless: bool,
    env: dict[str, str],
) -> int:
    """Make the fork in which the one message says what it should have said."""
    forked = service.fork(wrong["run"], at=edit["seq"], edits=[edit], headless=headless, name="demo, edited", env=env)
    right = attend(front, service, forked["run"], headless=headless)
    _conclude(front, service, question=question, wrong=wrong, edit=edit, right=right)
    return exit_code(right)


def _environment(model: str | None) -> dict[str, str]:
    return {**os.environ, **({MODEL_VARIABLE: model} if model is not None else {})}


def _wanted(front: Front) -> bool:
    return front.interactive and typer.confirm("\nfork it now?", default=True)


def constant(name: str) -> Any:
    """A constant of the demo's program, read and not imported: that would need AutoGen here."""
    for node in ast.parse((FOLDER / "team.py").read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == [name]:
            return ast.literal_eval(node.value)
    raise Problem(f"the demo's team.py has no {name}", "error")


def _checked(python: str) -> str:
    """An interpreter that has AutoGen."""
    code = f"import importlib.util as u, sys; sys.exit(any(u.find_spec(n) is None for n in {NEEDED!r}))"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, check=False)
    except OSError as error:
        raise Problem(f"{python} cannot be started: {error.strerror}") from error
    if done.returncode != 0:
        raise Problem(
            f"the demo's team is written with AutoGen, which {python} does not have: pip install 'outtake[demo]', "
            "or name an interpreter that has it with --python; in a checkout, scripts/demo sets everything up"
        )
    return python


def find_edit(service: Service, run: str) -> Document | None:
    """The orchestrator's instruction that led the team astray, as an edit that says it better."""
    for record in service.show(run, bodies=True, kind="message_queued"):
        text = words.said(record.get("body"))
        if text is not None and text.startswith(MISTAKE):
            return {"op": "replace_message", "seq": record["seq"], "value": REMEDY}
    return None


# -- words -----------------------------------------------------------------------------------------------------------


def _introduce(front: Front, question: str, *, scripted: bool) -> None:
    if front.json:
        return
    front.out.print("A team of five agents is asked:", style="bold")
    front.out.print(Text(f"  {question}", style="italic"))
    if scripted:
        told = "Its models are scripted policies: rules that read the text they get. Nothing leaves this machine."
        front.out.print(told, style="dim")
    front.out.print()


def _explain(front: Front, service: Service, wrong: Document, edit: Document, pages: Beside | None) -> None:
    outcome.print_outcome(front.out, wrong, reported(service, wrong))
    expected = constant("EXPECTED")
    front.out.print()
    front.out.print(f"The right answer is {expected}. What went wrong:", style="bold")
    front.out.print(
        f'  Record {edit["seq"]} is the orchestrator telling the web surfer: "{MISTAKE} …".\n'
        "  The web surfer went for the most famous name instead of looking it up, and everybody built on that.\n"
        "  So change this one message, and go on from there; what came before is served from the record:"
    )
    if pages is not None:
        front.out.print(
            Text(f'\n  in the browser: edit message {edit["seq"]} to say "{edit["value"]}", and fork there')
        )
        front.out.print(Text(f"  or in another terminal: {fork_command(front, wrong['run'], edit)}"))
        return
    front.out.print(Text(f"\n  try: {fork_command(front, wrong['run'], edit)}"))
    if where := hint(front, service, wrong["run"]):
        front.out.print(Text(f"  or, in the browser: {where}", style="dim"))


def fork_command(front: Front, run: str, edit: Document) -> str:
    """The command that makes the fork, for a shell."""
    quoted = f'{{"op": "{edit["op"]}", "seq": {edit["seq"]}, "value": "{edit["value"]}"}}'
    store = f" --store {shlex.quote(front.store)}" if front.store else ""
    return f"outtake fork {run} --at {edit['seq']} --edit {shlex.quote(quoted)}{store}"


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
        "expected": constant("EXPECTED"),
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
