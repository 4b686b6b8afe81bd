"""What changed of a program's own files between a run and its parent, or since; what a fork served of the old code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from outtake_probe.records import Json

Change = Literal["same", "changed", "new", "gone"]
SERVED = ("model", "tool", "step", "task")
"""Kinds of invocations that a fork serves; the code of others is executed in any case."""


@dataclass(frozen=True, slots=True)
class File:
    """One file of the program.

    `since_parent`: against what the parent run imported; None where the run is no fork, or the parent did not tell.
    `since_run`: as it is now, against what this run imported; None where nobody can look.
    """

    path: str
    since_parent: Change | None
    since_run: Change | None


@dataclass(frozen=True, slots=True)
class Stale:
    """A component that a fork served from the record before its cut though its code has changed since."""

    component: str
    call: str
    files: Sequence[str]
    """Files of its functions; the change may be in another one that they use."""


@dataclass(frozen=True, slots=True)
class Renewed:
    """A component that a fork serves, and whose code is another one now than in record `seq`, its first call."""

    component: str
    call: str
    files: Sequence[str]
    seq: int


def files(own: Mapping[str, str], parent: Mapping[str, str], now: Mapping[str, str | None]) -> list[File]:
    """The files of a run by path, each compared with its parent's and with what is there `now` (None: it is gone).

    A file that only the parent imported is gone where it is not there any more; else the run did not come to it.
    """
    gone = {path for path in parent if path not in own and path in now and now[path] is None}
    found = []
    for path in sorted({*own, *gone}):
        before = parent.get(path)
        since_parent = None if not parent else _change(before, own.get(path))
        since_run = _change(own[path], now[path]) if path in own and path in now else None
        found.append(File(path, since_parent, since_run))
    return found


def _change(before: str | None, after: str | None) -> Change:
    if before is None:
        return "new"
    if after is None:
        return "gone"
    return "same" if before == after else "changed"


def renewed(started: Iterable[Mapping[str, Json]], now: Callable[[Sequence[str]], str]) -> list[Renewed]:
    """The components among the starts of invocations whose code is another one `now`, by their first such call."""
    found: dict[tuple[str, str], Renewed] = {}
    for start in started:
        functions, code = start.get("functions") or (), start.get("code")
        key = (start["component"], start["call"])
        if key[1] in SERVED and key not in found and functions and code and now(functions) != code:
            paths = tuple(dict.fromkeys(each.rpartition(":")[0] for each in functions))
            found[key] = Renewed(*key, paths, start["seq"])
    return list(found.values())


def stale(note: Iterable[Mapping[str, Json]]) -> list[Stale]:
    """What the note of a fork says that was served though its code has changed."""
    return [
        Stale(told["component"], told["call"], tuple(dict.fromkeys(f.rpartition(":")[0] for f in told["functions"])))
        for told in note
    ]
