"""Forks: checking what the user asks for, and making the plan that the probe follows."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from outtake.core.runs import Fork, Run
from outtake.store import Store
from outtake_probe.conditions import names
from outtake_probe.edits import BadEdit, Edit, edit_from, edit_json
from outtake_probe.records import Json, Record, from_json
from outtake_probe.wire import Node

PAGE = 5000
"""Records of a plan that are sent at once."""
_OF_THE_USER = ("edited", "config_set", "message_dropped", "message_moved", "message_queued")
REUSES = ("matching", "prefix", "none")
REPEATS = ("ask", "serve", "run")
_OF_MESSAGES = ("replace_message",)
_OF_CALLS = ("replace_input", "mock_output", "raise", "execute")
_AT_THE_CUT = ("inject", "set_config")


class BadFork(ValueError):
    """A fork that cannot be made; the message names what is wrong and what is possible."""


def make_fork(
    store: Store,
    parent: Run,
    *,
    at: int | None,
    edits: Sequence[Mapping[str, Json]],
    reuse: str,
    live: Sequence[str],
    repeat: str,
    serve_failures: bool = False,
) -> Fork:
    """The fork of `parent` at record `at`; without `at`, at the first record that an edit changes, or at the end."""
    for name, value, known in (("reuse", reuse, REUSES), ("repeat", repeat, REPEATS)):
        if value not in known:
            raise BadFork(f"unknown {name} {value!r}; known: {', '.join(known)}")
    try:
        parsed = [edit_from(edit) for edit in edits]
    except BadEdit as error:
        raise BadFork(str(error)) from error
    cut = at if at is not None else _first_named(store, parent, parsed, live)
    if not 0 <= cut <= parent.records:
        raise BadFork(
            f"{parent.id} has records 0 to {parent.records - 1}: a cut is at 0 to {parent.records}, the end, not {cut}"
        )
    checked = [_checked(store, parent, edit, cut) for edit in parsed]
    named_only = [edit.component for edit in parsed if edit.seq is None and edit.op not in _AT_THE_CUT]
    _check_components(store, parent, [*live, *(name for name in named_only if name is not None)])
    return Fork(
        parent=parent.id,
        cut=0 if reuse == "none" else cut,
        reuse=reuse,
        repeat=repeat,
        live=tuple(live),
        edits=tuple(edit_json(edit) for edit in checked),
        serve_failures=serve_failures,
    )


def _first_named(store: Store, parent: Run, edits: Sequence[Edit], live: Sequence[str]) -> int:
    """The first record that an edit, or a component that is to be executed, may concern; the end if there is none."""
    numbers = [edit.seq for edit in edits if edit.seq is not None]
    patterns = [(edit.component, edit.call) for edit in edits if edit.seq is None and edit.op not in _AT_THE_CUT]
    patterns += [(pattern, None) for pattern in live]
    for kind in ("invocation_started", "message_queued") if patterns else ():
        for r in store.records(parent.id, kind=kind):
            call = r.get("call", "message")
            if any(c and wanted in (None, call) and names(c, r.get("component", "")) for c, wanted in patterns):
                numbers.append(r["seq"])
                break
    return min(numbers, default=parent.records)


def check_mocks(edits: Sequence[Mapping[str, Json]]) -> tuple[dict[str, Json], ...]:
    """Edits of a run from its start: there are no records yet that they could name.  Raises `BadFork`."""
    try:
        parsed = [edit_from(edit) for edit in edits]
    except BadEdit as error:
        raise BadFork(str(error)) from error
    for edit in parsed:
        if edit.seq is not None:
            raise BadFork(f"a run that starts has no record {edit.seq}; name a component, or fork the run that has it")
    return tuple(edit_json(edit) for edit in parsed)


def _check_components(store: Store, parent: Run, patterns: Sequence[str]) -> None:
    """A component that the parent never named would make an edit that never applies."""
    known = store.components(parent.id) if patterns else set()
    for pattern in patterns:
        if not any(names(pattern, path) for path in known):
            raise BadFork(f"{parent.id} has no component {pattern!r}; it has {', '.join(sorted(known))}")


def _checked(store: Store, parent: Run, edit: Edit, cut: int) -> Edit:
    """The edit with what its record tells about it: component, kind, occurrence."""
    if edit.seq is None:
        if edit.op in _OF_MESSAGES and edit.call is None:
            return dataclasses.replace(edit, call="message")
        return edit
    record = _record(store, parent, edit.seq)
    if edit.seq < cut:
        raise BadFork(f"record {edit.seq} lies before the cut at {cut}; cut at {edit.seq} or earlier to change it")
    start = record
    if record["kind"] == "invocation_ended" and edit.op in ("mock_output", "raise", "execute"):
        start = _record(store, parent, record["invocation"])
    return _placed(store, parent, edit, start)


def _placed(store: Store, parent: Run, edit: Edit, record: Mapping[str, Json]) -> Edit:
    kind = record["kind"]
    if kind == "message_queued":
        if edit.op in _OF_CALLS:
            raise BadFork(
                f"record {edit.seq} is a message; {edit.op} is for an invocation, replace_message for a message"
            )
        call = "message"
    elif kind == "invocation_started":
        if edit.op in _OF_MESSAGES:
            raise BadFork(
                f"record {edit.seq} is an invocation; {edit.op} is for a message, replace_input for an invocation"
            )
        call = record["call"]
    else:
        raise BadFork(f"record {edit.seq} is a {kind}; {edit.op} changes a message_queued or an invocation_started")
    path = record.get("component", "")
    return dataclasses.replace(
        edit, seq=record["seq"], call=call, component=path, occurrence=_occurrence(store, parent, record)
    )


def _occurrence(store: Store, parent: Run, record: Mapping[str, Json]) -> int:
    """Which of its component this message or invocation is, from 1."""
    seen: Counter[str] = Counter()
    for other in store.records(
        parent.id, before=record["seq"] + 1, kind=record["kind"], component=record.get("component", "")
    ):
        if other.get("call") == record.get("call") and not other.get("injected"):
            seen["n"] += 1
    return seen["n"]


def _record(store: Store, parent: Run, seq: int) -> dict[str, Json]:
    found = next(iter(store.records(parent.id, after=seq - 1, before=seq + 1)), None)
    if found is None:
        raise BadFork(f"{parent.id} has no record {seq}; it has records 0 to {parent.records - 1}")
    return found


def plan_json(store: Store, run: Run) -> Json:
    """What the probe needs to follow: the cut, the edits, and how many records of the parent come after that, see
    `plan_pages`; None where there is nothing.
    """
    fork, mocks = run.fork, list(run.launch.edits)
    if fork is None:
        nothing = {"records": 0, "cut": 0, "reuse": "matching", "repeat": "run", "live": []}
        return {**nothing, "edits": mocks} if mocks else None
    return {
        "records": store.run(fork.parent).records,
        "cut": fork.cut,
        "reuse": fork.reuse,
        "repeat": fork.repeat,
        "live": list(fork.live),
        "edits": [*fork.edits, *mocks],
        "serve_failures": fork.serve_failures,
        "first": _first(store, run, fork),
    }


def plan_pages(
    store: Store, run: Run, plan: Json, commands: Callable[[Record], bool]
) -> Iterator[tuple[list[Json], list[Node]]]:
    """The records of a fork's parent, some at a time: a long run is neither one frame nor all of it in memory.

    With them the bodies of what the user did in the parent (`commands`): the fork does it again at once, without asking
    for more.
    """
    if run.fork is None or not plan["records"]:
        return
    records = store.compact_records(run.fork.parent, before=plan["records"])
    while page := list(itertools.islice(records, PAGE)):
        done = [r for r in page if r["kind"] in _OF_THE_USER and commands(from_json(r))]
        yield page, list(store.tree({r["body"] for r in done if r.get("body") is not None}).items())


def _first(store: Store, run: Run, fork: Fork) -> bool:
    """Whether nothing but this fork can have done what comes after the end of its parent's record.

    Another fork may have gone on from there; a script that did not wait for a server went on by itself.
    """
    parent = store.run(fork.parent)
    if isinstance(parent.error, dict) and parent.error.get("alone"):
        return False
    others = (r.fork for r in store.runs() if r.fork is not None and r.id != run.id)
    return not any(other.parent == parent.id and other.cut >= parent.records for other in others)
