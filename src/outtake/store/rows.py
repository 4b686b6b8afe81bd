"""Records as rows and back."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from typing import Any

from outtake_probe.records import CALL_KINDS, KINDS, Json

KIND_NUMBERS: dict[str, int] = {
    "run_started": 0,
    "message_queued": 1,
    "message_dropped": 2,
    "message_moved": 3,
    "invocation_started": 4,
    "stream_chunk": 5,
    "invocation_ended": 6,
    "value_read": 7,
    "edited": 8,
    "config_set": 9,
    "noted": 10,
    "run_ended": 11,
    "span_started": 12,
    "span_ended": 13,
    "state_restored": 14,
}
"""Numbers of the kinds of record in the file; never reused."""
KIND_NAMES = {number: name for name, number in KIND_NUMBERS.items()}
CALL_NUMBERS: dict[str, int] = {name: number for number, name in enumerate(CALL_KINDS)}
_COLUMNS = frozenset({"kind", "seq", "at", "component", "call", "invocation", "parent", "message", "caused_by", "body"})

_DEFAULTS: dict[str, dict[str, Json]] = {
    name: {
        f.name: list(f.default) if isinstance(f.default, tuple) else f.default
        for f in dataclasses.fields(cls)
        if f.name not in _COLUMNS
    }
    for name, cls in KINDS.items()
}
"""What a record says where its row says nothing."""

if set(KIND_NUMBERS) != set(KINDS):
    raise RuntimeError("a kind of record has no number")


Row = tuple[
    int,
    int,
    int,
    float,
    int | None,
    int | None,
    int | None,
    int | None,
    int | None,
    str | None,
    bytes | None,
    str | None,
]


def to_row(run: int, record: Mapping[str, Json], component: Callable[[str], int]) -> Row:
    """The row of a record in JSON form, in the order of the table's columns; `component` gives the number of a path."""
    get = record.get
    body, path, causes, call = get("body"), get("component"), get("caused_by"), get("call")
    extra = {k: v for k, v in record.items() if k not in _COLUMNS}
    if body is not None and extra.get("digest") == body:
        del extra["digest"]
    return (
        run,
        record["seq"],
        KIND_NUMBERS[record["kind"]],
        record["at"],
        component(path) if path else None,
        CALL_NUMBERS[call] if call else None,
        get("invocation"),
        get("parent"),
        get("message"),
        _compact(list(causes)) if causes else None,
        bytes.fromhex(body) if body else None,
        _compact(extra) if extra else None,
    )


_compact = json.JSONEncoder(separators=(",", ":")).encode


def from_row(row: Any, paths: Mapping[int, str]) -> dict[str, Json]:
    """The record of a row, in JSON form."""
    record = compact_row(row, paths)
    return {**_DEFAULTS[record["kind"]], **record}


def compact_row(row: Any, paths: Mapping[int, str]) -> dict[str, Json]:
    """The same without what has its default.  Fields are taken by their place: there may be a million rows."""
    _, seq, number, at, component, call, invocation, parent, message, caused_by, body, extra = row
    kind = KIND_NAMES[number]
    record: dict[str, Json] = {"kind": kind, "seq": seq, "at": at}
    if component is not None:
        record["component"] = paths[component]
    if call is not None:
        record["call"] = CALL_KINDS[call]
    if invocation is not None:
        record["invocation"] = invocation
    if parent is not None:
        record["parent"] = parent
    if message is not None:
        record["message"] = message
    if caused_by is not None:
        record["caused_by"] = json.loads(caused_by)
    if body is not None:
        record["body"] = body.hex()
    if extra is not None:
        record.update(json.loads(extra))
    if kind in ("message_queued", "invocation_started") and not record.get("digest"):
        record["digest"] = record.get("body", "")
    return record
