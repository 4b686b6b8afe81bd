"""Where a value came from, and what a change could reach: the commands `why` and `affects`, as a person reads them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from outtake.cli.commands import RunArgument, command
from outtake.cli.context import Document, Front
from outtake.cli.transcript import STYLES, Body, bodies
from outtake.core import words

LINES = 40
"""Records that are printed unless more are asked for."""
MOST, EVERY = 200, 10_000
"""Records of a chain in a JSON document, and hands of a text."""
_SAID = 110
_NEAR = 40
_RELATIONS = {
    "message": "brought by",
    "cause": "caused by",
    "state": "read",
    "value": "has this from",
    "input": "was given",
    "inside": "has inside",
    "called": "called by",
    "edit": "edited",
    "result": "result of",
}
"""How the record above came from this one."""
_ROLES = {
    "input": "got",
    "output": "gave",
    "error": "failed with",
    "message": "said",
    "note": "noted",
    "edit": "was edited",
    "setting": "was set",
    "value": "read",
}
_AROUND = 60
"""Characters on each side of what was found."""
_RUN = {"run_started": "the input of the run", "run_ended": "the result of the run"}
SeqArgument = Annotated[
    int, typer.Argument(metavar="SEQ", min=0, help="The number of a record, as `outtake show` has it.")
]
LimitOption = Annotated[
    int | None, typer.Option("--limit", metavar="N", min=1, help=f"Print at most so many records (default: {LINES}).")
]


@command("why")
def why(
    front: Front,
    *,
    run: RunArgument,
    seq: Annotated[
        int | None, typer.Argument(metavar="[SEQ]", min=0, help="The number of a record, as `outtake show` has it.")
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", metavar="TEXT", help="A number, name, address or other text, in any form.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Also where the same component says the text again.")] = False,
    limit: LimitOption = None,
) -> None:
    """Show why a run came out wrong, or where a record, or a text, came from.

    Without SEQ and --text: what the run said instead of what is expected (`outtake annotate RUN --expect ...`), or its
    error; where that was said first, and the path that led there.
    Of a record: what led to it, the record itself first, then further back, each line under the one that it led to.
    With --text: every hand that the text passed through, the first one first; with SEQ only those that lead to it.
    """
    with front.service() as service:
        if seq is None and text is None:
            explained = service.explain(run)
            if front.json:
                front.document(explained)
            else:
                print_explanation(front.out, explained, bodies(service))
            return
        many = EVERY if text is not None else limit or (MOST if front.json else LINES)
        found = service.why(run, seq, text, many)
        if front.json:
            front.document(_cut(found, limit))
        elif text is None:
            print_chain(front.out, found, bodies(service))
        else:
            print_hands(front.out, found, every, limit or LINES)


@command("affects")
def affects(front: Front, *, run: RunArgument, seq: SeqArgument, limit: LimitOption = None) -> None:
    """Show what a change of a record could reach, and what it cannot.

    SEQ names what is changed: an invocation (its input), its result, a message, a setting.
    """
    with front.service() as service:
        found = service.affects(run, seq)
        if front.json:
            front.document(found)
        else:
            print_reach(front.out, found, limit or LINES)


def _cut(found: Document, limit: int | None) -> Document:
    hands = found.get("hands", ())
    if limit is None or len(hands) <= limit:
        return found
    return {**found, "hands": hands[:limit], "more": found["more"] + len(hands) - limit}


# -- why a run came out wrong ------------------------------------------------------------------------------------------

_ORIGINS = {
    "input": "it came with the input of the run",
    "tool": "a tool gave it",
    "person": "a person gave it",
    "model": "nowhere before: a model said it first",
    "agent": "an agent said it; the log does not tell from what",
    "program": "the program's own code made it",
    "error": "the error came up there",
}


def print_explanation(console: Console, found: Document, body: Body) -> None:
    """What was said and expected, where it came from, and the path to it."""
    run, said = found["run"], found["said"]
    if not found["path"] and said is None:
        console.print(_not_wrong(found))
        return
    headline = Text("failed: " if found["origin"] == "error" else "wrong: ", style="bold red")
    headline.append(words.one_line(said if said is not None else found["answer"] or "", _SAID), style="bold")
    if found["expected"] is not None:
        headline.append(f", expected: {words.one_line(found['expected'], _SAID)}")
    console.print(headline)
    if found["first"] is not None:
        console.print(f"first in record {found['first']}: {_ORIGINS[found['origin']]}")
    for step in found["path"]:
        line = Text(f"{step['seq']:>5} ", style="dim") + _who(step) + Text("  ")
        marked = step["says"] and step["match"] is not None
        console.print(line + (_marked(step["match"]) if marked else _what(step, None, body)))
    if found["path"]:
        first = found["first"] if found["first"] is not None else found["path"][-1]["seq"]
        at = max((step["seq"] for step in found["path"] if step["seq"] < first), default=first)
        console.print(f"change one of these and go on from there: outtake fork {run} --at {at} --edit ...", style="dim")


def _not_wrong(found: Document) -> str:
    run = found["run"]
    if found["outcome"] == "passed":
        return f"{run} gave what is expected: {words.one_line(found['expected'] or found['answer'] or '', _SAID)}"
    if found["outcome"] is None:
        return (
            f"nothing says what {run} should have given: outtake annotate {run} --expect TEXT; "
            f"or name a record or a text: outtake why {run} SEQ, --text TEXT"
        )
    return f"{run} is judged wrong, and has no record that could tell why"


# -- the chain of a record -------------------------------------------------------------------------------------------


def print_chain(console: Console, found: Document, body: Body) -> None:
    """What led to a record: a tree, in which what was shown already is only named."""
    hands = {hand["seq"]: hand for hand in found["chain"]}
    shown: set[int] = set()
    todo: list[tuple[int, int, Document | None]] = [(found["seq"], 0, None)]
    while todo:
        seq, depth, source = todo.pop()
        hand = hands.get(seq)
        if hand is None:
            continue
        line = Text(f"{seq:>5} ", style="dim") + Text("  " * min(depth, 12))
        line += _relation(source)
        line += _who(hand)
        if seq in shown:
            console.print(line.append("  (above)", style="dim"))
            continue
        shown.add(seq)
        console.print(line + Text("  ") + _what(hand, source, body))
        if hand["more"]:
            console.print(Text(f"      {'  ' * min(depth + 1, 12)}… and {hand['more']} more sources", style="dim"))
        todo += [(s["seq"], depth + 1, s) for s in reversed(hand["sources"])]
    if found["more"]:
        told = f"… goes on with {words.count(found['more'], 'more record')}: --limit, or why {found['run']} SEQ"
        console.print(told, style="dim")


def _relation(source: Document | None) -> Text:
    if source is None:
        return Text("")
    name = f" {source['name']}, set by" if source["relation"] == "state" else ""
    return Text(f"{_RELATIONS[source['relation']]}{name} ", style="dim")


def _who(hand: Document) -> Text:
    """Which component, doing what."""
    if hand["kind"] == "message_queued":
        return Text(f"✉ {hand['component'] or '?'} → {hand['recipient'] or '?'}", style="magenta")
    if hand["call"] is None:
        return Text(_RUN.get(hand["kind"], f"{hand['kind'].replace('_', ' ')} {hand['component']}"), style="bold")
    mark = "▸" if hand["kind"] == "invocation_started" else "◂"
    return Text(f"{mark} {hand['call']} ", style=STYLES.get(hand["call"], "")) + Text(hand["component"], style="bold")


def _what(hand: Document, source: Document | None, body: Body) -> Text:
    """What it said, with the value that was handed on marked."""
    value = body(hand["hash"]) if hand["hash"] else None
    match = source["match"] if source is not None else None
    if hand["failed"]:
        return Text(words.one_line(words.error_line(value), _SAID), style="bold red")
    said = words.said(value)
    told = words.arguments(value) if hand["kind"] == "invocation_started" else said or words.readable(value)
    told = " ".join(told.split()) if value not in (None, {}) else ""
    if match is None:
        return Text(words.one_line(told, _SAID))
    place = told.find(match["said"])
    if place < 0:
        return _marked(match)
    end = place + len(match["said"])
    before = told[:place] if place <= _NEAR else "… " + told[place - _NEAR : place].lstrip()
    after = told[end:] if len(told) <= end + _NEAR else told[end : end + _NEAR].rstrip() + " …"
    return Text(before) + _found(match["said"]) + Text(after)


def _marked(match: Document) -> Text:
    """A piece of text with what was found in it marked."""
    texts = match["before"][-_AROUND:], match["said"], match["after"][:_AROUND]
    before, said, after = (_flat(text) for text in texts)
    return Text(f"… {before}" if before else "") + _found(said) + Text(f"{after} …" if after else "")


def _found(said: str) -> Text:
    return Text(f"«{words.one_line(said, _SAID)}»", style="bold yellow")


def _flat(text: str) -> str:
    flat = " ".join(words.clean(text).split())
    left, right = text[:1].isspace(), text[-1:].isspace()
    return (" " if left and flat else "") + flat + (" " if right and flat else "")


# -- the hands of a text ---------------------------------------------------------------------------------------------


def print_hands(console: Console, found: Document, every: bool, limit: int) -> None:
    hands = found["hands"]
    shown = hands if every or found["seq"] is not None else [hand for hand in hands if not hand["again"]]
    records = words.count(len(hands) + found["more"], "record")
    what = f"led to record {found['seq']}" if found["seq"] is not None else "in all"
    console.print(
        Text(f"«{found['text']}»", style="bold yellow") + Text(f"  first in record {found['first']}; {records} {what}")
    )
    for hand in shown[:limit]:
        _print_hand(console, hand)
    again, left = len(hands) - len(shown), max(0, len(shown) - limit) + found["more"]
    if again:
        console.print(f"… {words.count(again, 'record')} in which the same component says it again: --all", style="dim")
    if left:
        console.print(f"… {words.count(left, 'more record')}: --limit N", style="dim")
    if found["elsewhere"]:
        told = f"… {words.count(found['elsewhere'], 'earlier record')} say it and did not lead here: leave SEQ out"
        console.print(told, style="dim")
    console.print(f"what led to the first: outtake why {found['run']} {shown[0]['seq']}", style="dim")


def _print_hand(console: Console, hand: Document) -> None:
    line = Text(f"{hand['seq']:>5} ", style="dim") + _who(hand)
    line.append("  " if hand["kind"] in _RUN else f" {_ROLES[hand['role']]}  ", style="dim")
    line += _marked(hand["match"])
    line.append("  new here" if hand["source"] is None else f"  from {hand['source']}", style="dim")
    if hand["match"]["how"] != "verbatim" or hand["match"]["form"]:
        told = [hand["match"]["how"], hand["match"]["form"]]
        line.append("  " + ": ".join(part for part in told if part and part != "verbatim"), style="cyan")
    console.print(line)


# -- the reach of a change -------------------------------------------------------------------------------------------


def print_reach(console: Console, found: Document, limit: int) -> None:
    could, cannot, calls = found["could"], found["cannot"], found["calls"]
    console.print(
        f"a change of record {found['seq']} could reach {words.count(len(could), 'invocation')}; "
        f"{len(cannot):,} later {'one' if len(cannot) == 1 else 'ones'} it cannot"
    )
    console.print(
        f"{calls['could']:,} of {words.count(calls['all'], 'model and tool call')} could change "
        f"({found['share']:.0%}); {calls['cannot']:,} later {'one' if calls['cannot'] == 1 else 'ones'} cannot"
    )
    console.print(f"a fork executes about {words.count(calls['could'], 'call')}, as far as the record tells")
    racing = sum(1 for reached in could if reached["race"])
    if racing:
        console.print(f"{racing:,} of them only if parts that run at once finish in another order", style="dim")
    if could:
        console.print()
    for reached in could[:limit]:
        _print_reached(console, reached)
    if len(could) > limit:
        console.print(f"… {words.count(len(could) - limit, 'more invocation')}: --limit {len(could)}", style="dim")
    console.print()
    _print_components(console, found["components"])


def _print_reached(console: Console, reached: Document) -> None:
    because = reached["because"]
    line = Text(f"{reached['seq']:>5} ", style="dim")
    line += Text(f"{reached['call']} ", style=STYLES.get(reached["call"], "")) + Text(
        reached["component"], style="bold"
    )
    what = "" if reached["changes"] == "input" else " (its result)"
    name = f" ({because['name']})" if because["name"] else ""
    where = f": {because['of']}" if because["of"] != reached["seq"] else ""
    line.append(f"{what}  {because['told']}{name}{where}", style="dim")
    console.print(line)


def _print_components(console: Console, components: Iterable[Document]) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim", show_edge=False)
    table.add_column("component", no_wrap=True, overflow="ellipsis")
    for name in ("could", "cannot", "before"):
        table.add_column(name, justify="right")
    for part in components:
        before = part["all"] - part["could"] - part["cannot"]
        numbers = [f"{n:,}" if n else "" for n in (part["could"], part["cannot"], before)]
        table.add_row(Text(f"{part['call']} {part['component']}"), *numbers)
    console.print(table)
