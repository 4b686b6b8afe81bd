"""Provenance as documents: the chain that led to a record, where a text passed through, the reach of a change."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence

from outtake.core.outcome import Criteria, answer, judged
from outtake.core.provenance import LINKS, Chain, Hand, Match, Provenance, Reached, Sought, line, seek, split
from outtake.core.provenance.run_index import Entry
from outtake.core.reaching import used
from outtake.core.runs import Run
from outtake.service.errors import NotFound, WrongUse
from outtake.service.replacing import replaced
from outtake.store import Store
from outtake.store.giving_up import check
from outtake_probe.records import Json

Document = dict[str, Json]
LEAVES = ("model", "tool")
MOST = 200
"""Records of a chain that are reported."""


def why(store: Store, run: str, seq: int | None, text: str | None, limit: int) -> Document:
    """Where a record, or a text in it, came from."""
    if seq is None and text is None:
        raise WrongUse("say what to explain: the number of a record, a text (--text TEXT), or both")
    sought = _sought(text) if text is not None else None
    found = Provenance(store.records(run), store.nodes, check)
    if seq is not None:
        _check(found, run, seq)
    if sought is not None:
        return {"run": run, "seq": seq, **_passed(found, run, sought, seq, limit)}
    chain = found.why(seq, limit) if seq is not None else Chain()
    return {"run": run, "seq": seq, "chain": [_link(found, hand) for hand in chain.hands], "more": chain.more}


def explain(store: Store, run: Run, judged_by: Criteria) -> Document:
    """Why a run came out wrong."""
    result = judged(run, judged_by)
    document = {"run": run.id, "outcome": result, "expected": judged_by.expected, "answer": None}
    if run.output is not None:
        document["answer"] = answer(run.output).strip()
    wrong = run.status == "failed" or result == "failed"
    if not wrong:
        return {**document, "said": None, "first": None, "origin": None, "path": [], "change": None}
    found = Provenance(store.records(run.id), store.nodes, check)
    explaining = found.explain()
    why = explaining.failure(run.error) if run.status == "failed" else explaining.answer(run.output, judged_by.expected)
    path = [
        {
            **_about(found.story.entries[step.seq]),
            "says": step.says,
            "relation": step.relation,
            "match": _match(step.match),
        }
        for step in why.path
    ]
    change = _change(store, run, [step.seq for step in why.path if step.says])
    return {**document, "said": why.said, "first": why.first, "origin": why.origin, "path": path, "change": change}


def _change(store: Store, run: Run, saying: Sequence[int]) -> Document | None:
    """How far the change of a fork went that is wrong all the same; None for a run without one."""
    if run.fork is None or not run.fork.edits:
        return None
    cut = run.fork.cut
    found = used(store.records(run.id), store.records(run.fork.parent), cut)
    return {
        "at": replaced(store, run.fork).at,
        "calls": found.calls,
        "first": found.first,
        "again": next((seq for seq in saying if seq >= (cut if found.first is None else found.first)), None),
    }


def affects(store: Store, run: str, seq: int) -> Document:
    """What a change of a record could reach."""
    found = Provenance(store.records(run), store.nodes, check)
    _check(found, run, seq)
    reached = found.affects(seq)
    could, cannot = split(found.story, reached, seq)
    starts = found.story.starts
    leaves = [number for number in starts if starts[number].get("call") in LEAVES]
    return {
        "run": run,
        "seq": seq,
        "could": [_reached(found, reached[number]) for number in could],
        "messages": [_reached(found, reached[number]) for number in reached if number in found.story.messages],
        "cannot": [_about(starts[number]) for number in cannot],
        "components": _components(starts, could, cannot),
        "calls": {
            "all": len(leaves),
            "could": sum(1 for number in leaves if number in reached),
            "cannot": sum(1 for number in leaves if number not in reached and number > seq),
            **_spent([found.story.ends[n] for n in leaves if n in reached and n in found.story.ends]),
        },
        "share": round(sum(1 for n in leaves if n in reached) / len(leaves), 4) if leaves else 0.0,
    }


def _spent(ends: Sequence[Entry]) -> Document:
    """What these calls took when they were executed: about what a fork takes that executes them again."""
    return {
        "tokens": {name: sum(end.get(f"tokens_{name}") or 0 for end in ends) for name in ("in", "out")},
        "cost": round(sum(end.get("cost") or 0.0 for end in ends), 6),
        "seconds": round(sum(end.get("seconds") or 0.0 for end in ends), 3),
    }


def _sought(text: str) -> Sought:
    try:
        return seek(text)
    except ValueError as error:
        raise WrongUse(f"--text: {error}") from error


def _check(found: Provenance, run: str, seq: int) -> None:
    if seq not in found.story.entries:
        last = found.story.last
        told = f"it has 0 to {last}" if last >= 0 else "it has none yet"
        raise NotFound(f"{run} has no record {seq}; {told}")


def _about(entry: Entry) -> Document:
    """What a record is about."""
    return {
        "seq": entry["seq"],
        "kind": entry["kind"],
        "component": entry.get("component", ""),
        "call": entry.get("call"),
        "recipient": entry.get("recipient"),
        "invocation": entry.get("invocation"),
        "hash": entry.get("body"),
        "failed": bool(entry.get("failed")),
    }


def _match(match: Match | None) -> Document | None:
    return dataclasses.asdict(match) if match is not None else None


# -- the chain of a record -------------------------------------------------------------------------------------------


def _link(found: Provenance, hand: Json) -> Document:
    sources = [{"seq": s.seq, "relation": s.relation, "name": s.name, "match": _match(s.match)} for s in hand.sources]
    return {**_about(found.story.entries[hand.seq]), "depth": hand.depth, "sources": sources, "more": hand.more}


# -- the hands of a text ---------------------------------------------------------------------------------------------


def _passed(found: Provenance, run: str, sought: Sought, seq: int | None, limit: int) -> Document:
    hands = found.hands(sought, seq)
    if not hands:
        where = f"up to record {seq} of {run}" if seq is not None else f"in {run}"
        near = found.nearest(sought)
        told = f"; the nearest number is {near.match.said}, in record {near.seq}" if near is not None else ""
        raise NotFound(f"{sought.text!r} appears nowhere {where}; tried: {'; '.join(sought.tried)}{told}")
    shown = line(hands, seq) if seq is not None else hands
    if not shown:
        others = ", ".join(str(hand.seq) for hand in hands[:5]) + (", …" if len(hands) > 5 else "")
        raise NotFound(f"record {seq} of {run} does not say {sought.text!r}; these before it do: {others}")
    return {
        "text": sought.text,
        "first": hands[0].seq,
        "hands": [_hand(found, hand) for hand in shown[:limit]],
        "more": max(0, len(shown) - limit),
        "elsewhere": len(hands) - len(shown),
    }


def _hand(found: Provenance, hand: Hand) -> Document:
    return {
        **_about(found.story.entries[hand.seq]),
        "role": hand.role,
        "match": _match(hand.match),
        "path": list(hand.path),
        "source": hand.source,
        "again": hand.again,
    }


# -- the reach of a change -------------------------------------------------------------------------------------------


def _reached(found: Provenance, reached: Reached) -> Document:
    because = {"link": reached.link, "of": reached.of, "name": reached.name, "told": LINKS[reached.link]}
    told = {"changes": "input" if reached.input else "result", "race": reached.race, "because": because}
    return {**_about(found.story.entries[reached.seq]), **told}


def _components(starts: dict[int, Entry], could: Sequence[int], cannot: Sequence[int]) -> list[Document]:
    """Each component with how many of its invocations could change, cannot, and were over before."""

    def counted(numbers: Iterable[int]) -> Counter[tuple[str, str]]:
        return Counter((starts[number].get("component", ""), starts[number].get("call", "")) for number in numbers)

    yes, no, every = counted(could), counted(cannot), counted(starts)
    return [
        {"component": path, "call": call, "could": yes[path, call], "cannot": no[path, call], "all": every[path, call]}
        for path, call in every
    ]
