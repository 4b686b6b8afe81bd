"""Mocks as people write them: in `mocks.json`, which can be kept beside the program and run in CI, or in one line.

    {
      "mocks": [
        {"step": "assess", "where": {"student": "Kim"}, "output": {"marks": [3.5, 4.0]}},
        {"tool": "fetch", "nth": 2, "raise": "the site is down"},
        {"seq": 57, "output": {"marks": [3.5]}}
      ],
      "live": ["summarise", 64]
    }

A mock says what it is for: a component by its path or its last parts (`step`, `task`, `agent`, `tool`, `model`, or
`component` for any kind), or one recorded invocation (`seq`).  `where` is a pattern over the input
(`outtake_probe.patterns`), `nth` the occurrence among what it matches.  It answers with `output`, or fails with
`raise`.  `live` names what is executed in any case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from outtake.service.errors import WrongUse
from outtake_probe.edits import BadEdit, edit_from, edit_json
from outtake_probe.records import Json

KINDS = ("step", "task", "agent", "tool", "model")
_PLACES = ("component", *KINDS, "seq")
_FIELDS = (*_PLACES, "where", "nth", "output", "raise")


@dataclass(frozen=True, slots=True)
class Mocks:
    """What a document of mocks asks for, as edits and as patterns of components that are live."""

    edits: tuple[Mapping[str, Json], ...] = ()
    live: tuple[str, ...] = ()


def read_mocks(document: Json, named: str = "mocks") -> Mocks:
    """The mocks of a document; a list is a list of mocks.  Raises `WrongUse`, which names the entry and the reason."""
    if isinstance(document, list):
        document = {"mocks": document}
    if not isinstance(document, dict) or document.keys() - {"mocks", "live"}:
        raise WrongUse(f'{named} is an object with "mocks" (a list) and "live" (a list), or a list of mocks')
    mocks, live = document.get("mocks", []), document.get("live", [])
    if not isinstance(mocks, list) or not isinstance(live, list):
        raise WrongUse(f'{named}: "mocks" and "live" are lists')
    edits = [mock(entry, f"{named}, mock {number}") for number, entry in enumerate(mocks, 1)]
    more, patterns = lively(live, named)
    return Mocks((*edits, *more), patterns)


def lively(names: Sequence[Json], named: str) -> tuple[list[Mapping[str, Json]], tuple[str, ...]]:
    """What is to be executed in any case: numbers of records as edits, and patterns of components."""
    edits: list[Mapping[str, Json]] = []
    patterns: list[str] = []
    for name in names:
        number = int(name) if isinstance(name, str) and name.isdecimal() else name
        if isinstance(number, int) and not isinstance(number, bool):
            edits.append({"op": "execute", "seq": number})
        elif isinstance(number, str) and number:
            patterns.append(number)
        else:
            raise WrongUse(f"{named}: live names components or numbers of records, not {name!r}")
    return edits, tuple(patterns)


def mock(entry: Json, named: str = "the mock") -> dict[str, Json]:
    """The edit of one mock.  Raises `WrongUse`."""
    if not isinstance(entry, dict):
        raise WrongUse(f"{named} is an object, not {entry!r}")
    unknown = sorted(entry.keys() - set(_FIELDS))
    if unknown:
        raise WrongUse(f"{named} has an unknown field {unknown[0]!r}; known: {', '.join(_FIELDS)}")
    places = [name for name in _PLACES if name in entry]
    if len(places) != 1:
        raise WrongUse(f"{named} says what it is for in one of: {', '.join(_PLACES)}")
    if ("output" in entry) == ("raise" in entry):
        raise WrongUse(f"{named} says what it answers: output, or raise (a text)")
    op = "mock_output" if "output" in entry else "raise"
    edit = {"op": op, "value": entry["output" if "output" in entry else "raise"], **_place(entry, places[0])}
    for field, name in (("where", "where"), ("nth", "occurrence")):
        if field in entry:
            edit[name] = entry[field]
    try:
        return edit_json(edit_from(edit))
    except BadEdit as error:
        raise WrongUse(f"{named}: {error}") from error


def _place(entry: Mapping[str, Json], place: str) -> dict[str, Json]:
    if place == "seq":
        return {"seq": entry["seq"]}
    if place == "component":
        return {"component": entry["component"]}
    return {"component": entry[place], "call": place}
