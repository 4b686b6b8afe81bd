"""Whether what an export says could have been written by Outtake: all of it is checked before any of it is kept.

Types are those of our own dataclasses; numbers of records have no holes, and what a record refers to is there.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from outtake.core.annotations import Note, check
from outtake.core.checking import check_fields, check_record
from outtake.core.runs import Fork, Launch
from outtake.engine.plans import REPEATS, REUSES
from outtake.service.unpacking import Archive, BadArchive
from outtake_probe.bodies import allowance, digest, parse, reference, references
from outtake_probe.edits import edit_from
from outtake_probe.records import FORMAT, KINDS, Json

RUNS = 300
"""Runs of one file: forks of forks of forks."""
DEEPEST = 500
"""Levels of lists and objects in a body."""
LAST_DAY = 253_402_214_400
"""Seconds from the epoch to the end of the year 9999."""
HASHES = ("body", "was", "changes", "saved", "kept")
"""Fields of records that name bodies."""
_RUN = re.compile(r"r[0-9]{1,18}")
_NUMBERS = {kind: number for number, kind in enumerate(KINDS)}
_REFERS: Mapping[str, tuple[str, ...]] = {
    "parent": ("invocation_started",),
    "invocation": ("invocation_started",),
    "message": ("message_queued",),
    "before": ("message_queued",),
    "span": ("span_started",),
    "within": ("span_started",),
}
"""What kind of record a field of a record names."""
_OWN = {"invocation_started": "invocation", "span_started": "span", "message_queued": "message"}
"""The field in which a record may name itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """What the manifest of an export says of one run."""

    id: str
    name: str
    launch: Json
    fork: Json
    status: str
    created: float
    ended: float | None
    seed: int
    output: Json
    error: Json
    description: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    annotations: Sequence[Json] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    kind: str
    text: str
    author: str
    created: float
    seq: int | None = None
    data: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Vetted:
    """One run that may be kept."""

    told: Described
    launch: Launch
    fork: Fork | None
    notes: Sequence[tuple[Note, float]]
    """What was said about it, and when."""


def vet(archive: Archive, manifest: Json) -> list[Vetted]:
    """The runs of an export, each after the one that it was forked from.  Raises `ValueError`."""
    runs = manifest.get("runs")
    if not isinstance(runs, list) or not runs:
        raise BadArchive("it holds no run")
    if len(runs) > RUNS:
        raise BadArchive(f"it holds {len(runs)} runs; at most {RUNS} are read")
    nodes = _nodes(archive)
    kinds: dict[str, bytearray] = {}
    return [_vetted(archive, run, nodes, kinds) for run in runs]


def _vetted(archive: Archive, data: Json, nodes: frozenset[str], kinds: dict[str, bytearray]) -> Vetted:
    check_fields(Described, data, "a run of the manifest")
    told = Described(**data)
    what = f"run {told.id[:40]!r}"
    if not _RUN.fullmatch(told.id) or told.id in kinds:
        raise BadArchive(f"{what} has no name of its own, such as r1")
    if told.description is not None and told.description not in nodes:
        raise BadArchive(f"it does not hold the description of {told.id}")
    if not (told.error is None or isinstance(told.error, dict)):
        raise BadArchive(f"the error of {what} is no object")
    for at in (told.created, told.ended):
        _check_time(at, what)
    for text in (told.name, *told.files, *told.files.values()):
        _check_text(text, what)
    launch = _launch(told, what)
    fork = _fork(told, what, kinds)
    kinds[told.id] = kinds[fork.parent][: fork.cut] if fork is not None else bytearray()
    for record in archive.lines(f"runs/{told.id}.jsonl"):
        _check_record(record, f"record {len(kinds[told.id])} of {told.id}", kinds[told.id], nodes)
    return Vetted(told, launch, fork, [_note(said, what, len(kinds[told.id])) for said in told.annotations])


def _launch(told: Described, what: str) -> Launch:
    check_fields(Launch, told.launch, f"launch of {what}")
    launch = Launch(**told.launch)
    for edit in launch.edits:
        edit_from(edit)
    return replace(launch, from_file=not launch.imported, trusted=False)


def _fork(told: Described, what: str, kinds: Mapping[str, bytearray]) -> Fork | None:
    if told.fork is None:
        return None
    check_fields(Fork, told.fork, f"fork of {what}")
    fork = Fork(**told.fork)
    if fork.parent not in kinds:
        raise BadArchive(f"{what} is a fork of {fork.parent[:40]!r}, which is not before it")
    if not 0 <= fork.cut <= len(kinds[fork.parent]):
        raise BadArchive(f"{what} is cut at {fork.cut}, and {fork.parent} has {len(kinds[fork.parent])} records")
    if fork.reuse not in REUSES or fork.repeat not in REPEATS:
        raise BadArchive(f"{what} is a fork with reuse {fork.reuse[:40]!r} and repeat {fork.repeat[:40]!r}")
    for edit in fork.edits:
        edit_from(edit)
    return fork


def _note(data: Json, what: str, records: int) -> tuple[Note, float]:
    """What was said about a run, and when."""
    check_fields(_Said, data, f"an annotation of {what}")
    said = _Said(**data)
    _check_time(said.created, f"an annotation of {what}")
    if said.seq is not None and not 0 <= said.seq < records:
        raise BadArchive(f"an annotation of {what} is about record {said.seq}, which it has not")
    note = Note(kind=data["kind"], text=said.text, seq=said.seq, author=said.author, data=said.data)
    check(note)
    return note, said.created


def _check_time(at: float | None, what: str) -> None:
    if at is not None and not 0 <= at <= LAST_DAY:
        raise BadArchive(f"{what}: {at!r} is no time, in seconds since 1970")


def _check_text(text: str, what: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadArchive(f"{what} has a name that is no valid Unicode: {text[:40]!r}") from None


# -- records ---------------------------------------------------------------------------------------------------------


def _check_record(record: Json, what: str, kinds: bytearray, nodes: frozenset[str]) -> None:
    """Check a record, and add its kind to those before it."""
    kind = check_record(record, what).kind
    seq = len(kinds)
    if record["seq"] != seq:
        raise BadArchive(f"{what} is numbered {record['seq']}: numbers have no holes and come in order")
    if record.get("format", 0) > FORMAT:
        raise BadArchive(f"{what} was written by a newer Outtake: install that one")
    _check_time(record["at"], what)
    _check_text(record.get("component", ""), what)
    for name in HASHES:
        if record.get(name) is not None and record[name] not in nodes:
            raise BadArchive(f"{what}: its {name} {record[name][:40]!r} is not in the file")
    for cause in record.get("caused_by", ()):
        if not 0 <= cause < seq:
            raise BadArchive(f"{what} names record {cause} as its cause, which is not before it")
    for name, wanted in _REFERS.items():
        number = record.get(name)
        if number is None or (number == seq and _OWN.get(kind) == name):
            continue
        if not 0 <= number < seq or kinds[number] not in [_NUMBERS[one] for one in wanted]:
            raise BadArchive(f"{what}: its {name} is {number}, which is no {' or '.join(wanted)} before it")
    kinds.append(_NUMBERS[kind])


# -- bodies ----------------------------------------------------------------------------------------------------------


def each_node(archive: Archive) -> Iterator[tuple[str, bytes]]:
    """The nodes of bodies, each checked against its hash.  Raises `BadArchive`."""
    for line in archive.lines("nodes.jsonl"):
        if not (isinstance(line, list) and len(line) == 2 and all(isinstance(part, str) for part in line)):
            raise BadArchive("a line of nodes.jsonl is not a hash and a text")
        name, text = line
        try:
            data = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError) as error:
            raise BadArchive(f"node {name[:40]!r} is not in base64: {error}") from error
        if digest(data) != name:
            raise BadArchive(f"node {name[:40]!r} does not have that content")
        yield name, data


@dataclass(frozen=True, slots=True)
class _Node:
    size: int
    depth: int
    below: Sequence[str]


def _nodes(archive: Archive) -> frozenset[str]:
    """The names of the nodes, once it is known that each can be put together, and to something of a bounded size."""
    found: dict[str, _Node] = {}
    for name, data in each_node(archive):
        try:
            value = parse(data)
            found[name] = _Node(len(data), _depth(value), tuple(references(value)))
        except (ValueError, RecursionError) as error:
            raise BadArchive(f"node {name} is no JSON: {type(error).__name__}: {error}") from error
    for name, node in found.items():
        for below in node.below:
            if below not in found:
                raise BadArchive(f"node {name} refers to {below[:40]!r}, which is not in the file")
    most = allowance(sum(node.size for node in found.values()))
    sizes = _totals(found, lambda node, below: node.size + sum(below))
    depths = _totals(found, lambda node, below: node.depth + max(below, default=0))
    for name in found:
        if sizes[name] > most:
            raise BadArchive(f"body {name} refers to its parts so often that it expands to {sizes[name]:,} bytes")
        if depths[name] > DEEPEST:
            raise BadArchive(f"body {name} is nested more than {DEEPEST} levels deep")
    return frozenset(found)


def _depth(value: Json) -> int:
    """Levels of lists and objects in a node."""
    level, depth = [value], 0
    while level := [
        inner
        for outer in level
        if isinstance(outer, dict | list) and reference(outer) is None
        for inner in (outer.values() if isinstance(outer, dict) else outer)
        if isinstance(inner, dict | list)
    ]:
        depth += 1
    return depth + 1


def _totals(nodes: Mapping[str, _Node], combined: Callable[[_Node, list[int]], int]) -> dict[str, int]:
    """What is worked out for each node from itself and those below it; a node cannot be below itself."""
    found: dict[str, int] = {}
    for first in nodes:
        todo = [first]
        while todo:
            name = todo[-1]
            missing = [below for below in nodes[name].below if below not in found] if name not in found else ()
            if missing:
                todo += missing
                continue
            todo.pop()
            if name not in found:
                found[name] = combined(nodes[name], [found[below] for below in nodes[name].below])
    return found
