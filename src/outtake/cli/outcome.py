"""How a run ended: the document that scripts depend on, and what a person reads."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from outtake.cli.code import print_changes
from outtake.cli.context import Document
from outtake.cli.differences import edit_words
from outtake.cli.problems import is_wrong_use
from outtake.core import words

STATUS = {
    "completed": "bold green",
    "failed": "bold red",
    "lost": "bold red",
    "diverged": "bold red",
    "stopped": "bold yellow",
    "held": "bold yellow",
    "reconnecting": "bold yellow",
}
JUDGED = {"passed": "bold green", "failed": "bold red"}
WORTH = 0.1
"""Seconds that are worth mentioning."""
ENDED = ("completed", "failed")
_FIELDS = (
    *("run", "status", "output", "error", "parent", "cut", "records"),
    *("executed", "reused", "mocked", "restored", "tokens", "cost", "expected", "outcome"),
)

NOTHING_SEEN = (
    "Outtake saw no model or tool call: mark your functions with @outtake.model, @outtake.tool, @outtake.agent or "
    "@outtake.step"
)
"""What is said of a run of which only input and output are known."""


def run_document(info: Document) -> Document:
    """What ``run`` and ``fork`` print with ``--json``."""
    document = {name: info[name] for name in _FIELDS}
    if info.get("held"):
        document["held"] = info["held"]
    if info.get("difference"):
        document["difference"] = info["difference"]
    return document


def print_outcome(
    console: Console,
    info: Document,
    report: Document | None = None,
    explained: Document | None = None,
    *,
    leaves: bool = False,
) -> None:
    """Status, result, what was executed and, with its `report`, what was saved, not reached, and never applied.

    `explained`: why it came out wrong, of which it is told how far the change of a fork went.
    `leaves`: the process of the run ends with this command.
    """
    console.print()
    status = info["status"]
    line = Text(info["run"], style="bold") + Text(f" {status}", style=STATUS.get(status, ""))
    console.print(line.append(f"  {words.count(info['records'], 'record')}", style="dim"))
    if info["error"] is not None:
        _print_error(console, info["error"])
    elif info["output"] is not None:
        _print_output(console, info["output"])
    print_judged(console, info)
    used = tell_use(explained, info["parent"]) if explained is not None else ""
    if used:
        console.print(Text(f"change    {used}"))
    if not is_wrong_use(info["error"]):
        _print_counts(console, info, report)
    hint = next_command(info, leaves)
    if hint:
        console.print(Text(f"next      {hint}", style="dim"))


def _print_output(console: Console, output: object) -> None:
    for number, line in enumerate(words.result(output).splitlines() or [""]):
        console.print(Text(("output    " if number == 0 else " " * 10) + line))
    if isinstance(output, dict) and "answer" in output:
        rest = "  ".join(f"{name}: {words.clean(str(value))}" for name, value in output.items() if name != "answer")
        console.print(Text(" " * 10 + rest, style="dim"))


def _print_error(console: Console, error: object) -> None:
    cause = error.get("cause") if isinstance(error, dict) else None
    own = error if cause is None else cause
    console.print(Text("error     ") + Text(words.error_line(own), style="red"))
    frames = own.get("frames", []) if isinstance(own, dict) else []
    for frame in frames[-4:]:
        place = f"{frame.get('file')}:{frame.get('line')} in {frame.get('function')}"
        console.print(Text(f"          {words.clean(place)}: {words.clean(frame.get('source') or '')}", style="dim"))
    if cause is not None:
        console.print(Text("diverged  ") + Text(words.departure(error), style="red"))


def print_judged(console: Console, info: Document) -> None:
    """Whether the run is right, and what the right answer is."""
    found, expected = info["outcome"], info["expected"]
    if found is None and expected is None:
        return
    line = Text("outcome   ") + Text(found or "unknown", style=JUDGED.get(found, ""))
    if expected is not None:
        line.append(f"  expected: {words.one_line(expected)}", style="dim")
    console.print(line)


def is_wrong(info: Document) -> bool:
    """Whether a run has come out wrong: by its error, or by its answer."""
    return not info["live"] and (info["status"] == "failed" or info["outcome"] == "failed")


def tell_use(explained: Document, parent: str) -> str:
    """Why a fork that was changed is wrong all the same: how far its change went, in the words of the window."""
    change, said = explained["change"], explained["said"]
    if change is None:
        return ""
    where = f" at #{change['at']} of {parent}" if change["at"] is not None else ""
    if change["first"] is None:
        return f"The change{where} made no difference: no later call was asked anything else than in {parent}."
    used = f"The change{where} was used by {words.count(change['calls'], 'call')}, first #{change['first']}"
    if said is not None and change["again"] is not None:
        return f"{used}; #{change['again']} said {words.clean(said)} all the same."
    if said is None or explained["first"] is None or explained["first"] >= change["first"]:
        return f"{used}."
    return f"{used}; {words.clean(said)} was there before it."


def _print_counts(console: Console, info: Document, report: Document | None) -> None:
    tokens = info["tokens"]
    told = words.counted(info["executed"])
    if tokens["input"] or tokens["output"]:
        told += f"  ({tokens['input']:,} + {tokens['output']:,} tokens, {words.duration(info['seconds'])})"
    if info["cost"]:
        told += f"  ${info['cost']:.4f}"
    console.print(f"executed  {told}")
    if info["status"] == "completed" and not any(any(info[how].values()) for how in ("executed", "reused", "mocked")):
        console.print(Text(f"          {NOTHING_SEEN}", style="yellow"))
    if info["parent"]:
        spared = words.counted(info["reused"])
        if report:
            spared += _saved(report["saved"])
        console.print(f"served    {spared} from the record of {info['parent']}")
    if any(info["mocked"].values()):
        console.print(f"given     {words.counted(info['mocked'])} by you, not executed")
    print_restored(console, info.get("restored", ()))
    if report:
        missed = report["counts"]["not reached"]
        if info["status"] == "completed" and words.counted(missed) != "nothing":
            console.print(f"not met   {words.counted(missed)} of {info['parent']}")
        print_changes(console, report["code"], report["lines"])
        if info["status"] in ENDED:
            print_unused(console, report["unused"])


def print_restored(console: Console, states: Sequence[Document]) -> None:
    """How each state outside the process was brought to where the record left it."""
    for found in states:
        steps = [
            *(["loaded what was saved"] if found["loaded"] else []),
            *([f"{words.count(found['repeated'], 'call')} executed again"] if found["repeated"] else []),
            *([f"{words.count(found['skipped'], 'call')} left out"] if found["skipped"] else []),
        ]
        line = Text(f"restored  {words.clean(found['state'])}: {', '.join(steps)}")
        if found["different"]:
            line.append(f"  {words.count(found['different'], 'step')} differed from the record", style="yellow")
        console.print(line)


def _saved(saved: Document) -> str:
    """What the record spared: tokens and time."""
    tokens, seconds = saved["tokens_in"] + saved["tokens_out"], saved["seconds"]
    spared = f"{saved['tokens_in']:,} + {saved['tokens_out']:,} tokens, {words.duration(seconds)}"
    return f"  (saved {spared if tokens else words.duration(seconds)})" if tokens or seconds >= WORTH else ""


def print_unused(console: Console, unused: Sequence[Document]) -> None:
    """Say of each edit that never applied what it was for."""
    for edit in unused:
        where = f" where {words.one_line(words.as_json(edit['where']), 80)}" if edit.get("where") is not None else ""
        nth = f", number {edit['occurrence']}" if edit.get("occurrence") and edit.get("seq") is None else ""
        console.print(Text(f"never met {edit_words(edit)}{where}{nth}", style="yellow"))


def next_command(info: Document, leaves: bool = False) -> str:
    """What a person may want to do next."""
    run, status = info["run"], info["status"]
    if is_wrong_use(info["error"]):
        return ""
    if info["imported"]:
        return f"outtake annotate {run} TEXT  (nothing of it can be run)"
    if info["live"] and not leaves:
        return f"outtake pending {run}"
    if status in ("lost", "stopped", "held"):
        return f"outtake fork {run} --at {info['records']}  (goes on from there)"
    if info["parent"]:
        return f"outtake diff {info['parent']} {run}"
    return f'outtake show {run}; outtake fork {run} --at SEQ --edit \'{{"op": ..., "seq": SEQ, "value": ...}}\''
