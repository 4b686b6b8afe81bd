"""Samples as importers read them, and what their runs look like."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from outtake.importers import Source
from outtake.importers.recording import Recorded, record
from outtake.importers.registry import ImportedLogs, read
from outtake_probe.bodies import resolve
from outtake_probe.records import Json, from_json

SAMPLES = Path(__file__).parent / "samples"
NOW = 2_000_000_000.0
Document = dict[str, Json]


def sample(name: str) -> bytes:
    return (SAMPLES / name).read_bytes()


def found(data: bytes) -> ImportedLogs:
    """What a file is; its name says nothing."""
    return read(Source(data, "a-file"))


def recorded(what: ImportedLogs) -> list[Recorded]:
    """The records of all runs; each is checked to be one that can be kept."""
    made = [record(log, NOW, {}) for log in what.logs]
    for one in made:
        check(one)
    return made


def check(made: Recorded) -> None:
    """Records are numbered without holes, in order of time, and refer to what is before them."""
    open_calls: set[int] = set()
    for number, one in enumerate(made.records):
        from_json(dict(one))
        assert one["seq"] == number
        assert number == 0 or made.records[number - 1]["at"] <= one["at"]
        assert all(cause < number for cause in one.get("caused_by", ()))
        if one["kind"] == "invocation_started":
            open_calls.add(number)
        if one["kind"] == "invocation_ended":
            open_calls.remove(one["invocation"])
        if one.get("parent") is not None:
            assert made.records[one["parent"]]["kind"] == "invocation_started"
    assert (made.records[0]["kind"], made.records[-1]["kind"]) == ("run_started", "run_ended")


def bodies(made: Recorded) -> list[Document]:
    """The records with what their bodies say."""
    nodes = dict(made.nodes)
    return [{**one, "value": resolve(one["body"], nodes.__getitem__)} for one in made.records]


def outline(made: Recorded) -> list[str]:
    """Each record in a line: what it is, of whom, inside whom."""
    lines = []
    for one in made.records:
        holder = made.records[one["parent"]]["component"] if one.get("parent") is not None else ""
        kind = {
            "invocation_started": f"{one.get('call')} of",
            "invocation_ended": "failed" if one.get("failed") else "end of",
            "message_queued": "says",
            "noted": one.get("type"),
        }.get(one["kind"])
        if kind is not None and one.get("type") != "imported":
            to = f" to {one['recipient']}" if one.get("recipient") else ""
            lines.append(f"{kind} {one['component']}{to}{f' in {holder}' if holder else ''}")
    return lines


def calls(made: Recorded, kind: str) -> list[Document]:
    """Calls of one kind: component, type, input, output, seconds, tokens."""
    all_records = bodies(made)
    ends = {one["invocation"]: one for one in all_records if one["kind"] == "invocation_ended"}
    return [
        {
            "component": one["component"],
            "type": one.get("type", ""),
            "input": one["value"],
            "output": ends[one["seq"]]["value"] if one["seq"] in ends else None,
            "seconds": ends[one["seq"]].get("seconds", 0.0) if one["seq"] in ends else None,
            "tokens": (ends[one["seq"]].get("tokens_in", 0), ends[one["seq"]].get("tokens_out", 0))
            if one["seq"] in ends
            else None,
        }
        for one in all_records
        if one["kind"] == "invocation_started" and one["call"] == kind
    ]


def guesses(what: ImportedLogs) -> Sequence[str]:
    return [guess for log in what.logs for guess in log.guessed]
