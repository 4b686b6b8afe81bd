"""How a run ended: the document that scripts depend on, and what a person reads."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from outtake.cli import text as words
from outtake.cli.front import Document
from outtake.cli.problems import is_wrong_use

STATUS = {
    "completed": "bold green",
    "failed": "bold red",
    "lost": "bold red",
    "diverged": "bold red",
    "stopped": "bold yellow",
    "held": "bold yellow",
}
_FIELDS = (
    *("run", "status", "output", "error", "parent", "cut", "records"),
    *("executed", "reused", "mocked", "tokens", "cost"),
)


def run_document(info: Document) -> Document:
    """What ``run`` and ``fork`` print with ``--json``."""
    document = {name: info[name] for name in _FIELDS}
    if info.get("held"):
        document["held"] = info["held"]
    if info.get("difference"):
        document["difference"] = info["difference"]
    return document


def print_outcome(console: Console, info: Document, saved: Document | None = None, *, leaves: bool = False) -> None:
    """Status, result, what was executed and what was saved; `saved`: tokens of calls not made again.

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
    if not is_wrong_use(info["error"]):
        _print_counts(console, info, saved)
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
    console.print(Text("error     ") + Text(words.error_line(error), style="red"))
    frames = error.get("frames", []) if isinstance(error, dict) else []
    for frame in frames[-4:]:
        place = f"{frame.get('file')}:{frame.get('line')} in {frame.get('function')}"
        console.print(Text(f"          {words.clean(place)}: {words.clean(frame.get('source') or '')}", style="dim"))


def _print_counts(console: Console, info: Document, saved: Document | None) -> None:
    tokens = info["tokens"]
    told = words.counted(info["executed"])
    if tokens["input"] or tokens["output"]:
        told += f"  ({tokens['input']:,} + {tokens['output']:,} tokens, {words.duration(info['seconds'])})"
    if info["cost"]:
        told += f"  ${info['cost']:.4f}"
    console.print(f"executed  {told}")
    if info["parent"]:
        spared = words.counted(info["reused"])
        if saved and (saved["input"] or saved["output"]):
            spared += f"  (saved {saved['input']:,} + {saved['output']:,} tokens)"
        console.print(f"served    {spared} from the record of {info['parent']}")
    if any(info["mocked"].values()):
        console.print(f"mocked    {words.counted(info['mocked'])}")


def next_command(info: Document, leaves: bool = False) -> str:
    """What a person may want to do next."""
    run, status = info["run"], info["status"]
    if is_wrong_use(info["error"]):
        return ""
    if info["live"] and not leaves:
        return f"outtake pending {run}"
    if status in ("lost", "stopped", "held"):
        return f"outtake fork {run} --at {info['records']}  (goes on from there)"
    if info["parent"]:
        return f"outtake diff {info['parent']} {run}"
    return f'outtake show {run}; outtake fork {run} --at SEQ --edit \'{{"op": ..., "seq": SEQ, "value": ...}}\''
