"""Calls of tools that are executed again, with the calls inside served, because they keep something in the process.

An agent that is a tool has a memory; served as a whole, it would not remember.  What a tool keeps is told by
`outtake_probe.keeping` while it runs; here is what a fork makes of that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from outtake_probe.conditions import names
from outtake_probe.records import Effects, Json
from outtake_probe.replay.index import Past

if TYPE_CHECKING:
    from outtake_probe.calls import Call
    from outtake_probe.gate.pass_state import Asked
    from outtake_probe.session import Session

REBUILT = "rebuilt"
"""Type of the note of a fork that a function of the program's own was executed again for what it keeps."""
NOT_REBUILT = "not_rebuilt"
"""Type of the note of a fork that what a tool keeps is missing: it writes to the world, and was not executed again."""
NOT_KEPT = "not_kept"
"""Type of the note of a fork that what a served tool changed in the program was not changed again."""
_WORDS = {
    REBUILT: "executed again for what it keeps or streams, the calls inside it served; declare its effects to serve it",
    NOT_REBUILT: "served as recorded, for it writes to the world: what it keeps of the calls inside it is not rebuilt",
    NOT_KEPT: "served as recorded; what it changed in the program is not changed again, for something else is there",
}


def mark(calls: Mapping[int, Past], declared: Mapping[str, Effects]) -> None:
    """Mark what has to be executed again for what it, or something inside it, keeps; `declared` is by pattern."""
    for past in reversed(list(calls.values())):  # what is inside comes first
        effects = next((e for pattern, e in declared.items() if names(pattern, past.start.component)), None)
        keeps = past.end is not None and past.end.keeps
        past.rebuilt = (past.rebuilt or keeps) and not _is_served(past, effects)
        around = calls.get(past.start.parent) if past.start.parent is not None else None
        is_kept = past.end is not None and past.end.kept is not None  # served, it changes that again
        if (past.rebuilt or is_kept) and around is not None:
            around.rebuilt = True


def _is_served(past: Past, declared: Effects | None) -> bool:
    """Whether it is declared what it does: then the record answers for all of it."""
    if past.start.call == "tool":
        return declared is not None or past.start.effects in ("pure", "read", "irreversible") or past.mocked
    return (declared or past.start.effects) in ("pure", "read")


def is_rebuilt(session: Session, asked: Asked) -> bool:
    """Whether to execute a recorded invocation again, though the record could answer for it."""
    past, call = asked.past, asked.call
    return past is not None and past.rebuilt and (call.kind != "tool" or not session.declares(call))


def notes(session: Session, asked: Asked, *, served: bool) -> None:
    """Keep for the fork's log that a tool keeps something, and whether that is there again."""
    past, call = asked.past, asked.call
    if session.replay is None or past is None or past.end is None or not past.end.keeps:
        return
    if served and session.effects(call) not in ("pure", "read"):
        session.replay.told.setdefault((NOT_REBUILT, call.component))
    elif not served and asked.code.fingerprint:
        session.replay.told.setdefault((REBUILT, call.component))


def not_kept(session: Session, call: Call) -> None:
    """Keep for the fork's log that what a tool changed in the program could not be changed again."""
    if session.replay is not None:
        session.replay.told.setdefault((NOT_KEPT, call.component))


def words(type: str) -> Json:
    """The body of a note."""
    return {"content": _WORDS[type]}
