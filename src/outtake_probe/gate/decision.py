"""The gate's decision: a pure function of the stance and what is about to happen.

Every invocation passes the gate before it goes out and after it came back; every queued message passes it when it is
delivered.  The stance says whether the program runs, is paused, or steps; it is pushed to the probe, so that deciding
needs no round trip.  Nothing here waits, prints, or knows who watches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from outtake_probe.conditions import Breakpoint, Subject
from outtake_probe.records import Json


@dataclass(slots=True)
class Stance:
    """What the user wants of the program right now.

    `paused` holds at every gate, but lets pass what happens inside an invocation named in `through` (step over, step
    out).  `until` names an invocation whose result is held when it comes back (step out).  `run_to` names a message at
    whose delivery the program is held, once.
    """

    paused: bool = False
    through: frozenset[int] = frozenset()
    until: int | None = None
    run_to: int | None = None
    breakpoints: list[Breakpoint] = field(default_factory=list)

    @property
    def watching(self) -> bool:
        """Whether anything can be held at all; a program that nobody watches asks no further."""
        return self.paused or self.until is not None or self.run_to is not None or bool(self.breakpoints)


def stance_from(data: Json, old: Stance) -> Stance:
    """The stance that the server pushed; breakpoints keep their hits, and which error they held."""
    before = {b.id: b for b in old.breakpoints}
    breakpoints = []
    for told in data.get("breakpoints", []):
        made = Breakpoint(told["text"], told["id"], told.get("enabled", True))
        if (known := before.get(made.id)) is not None:
            made.hits, made.held_error = known.hits, known.held_error
        breakpoints.append(made)
    through = frozenset(data.get("through", ()))
    return Stance(data.get("paused", False), through, data.get("until"), data.get("run_to"), breakpoints)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the gate says: go on, use this output or error instead, leave it out, or end the program.

    `value` holds a new input (proceed), an output or an error (serve).
    """

    verb: str
    value: Json = None
    failed: bool = False
    edited: bool = False


PROCEED = Answer("proceed")
DROP = Answer("drop")
STOP = Answer("stop")


def why_hold(stance: Stance, subject: Subject, lineage: Sequence[int], message: int | None) -> str | None:
    """Why to hold here, or None.

    `lineage` names the invocations that enclose this one, outermost first; after a call its own name comes last.
    """
    if subject.when == "before" and message is not None and message == stance.run_to:
        return "run to here"
    if subject.when == "after" and stance.until is not None and lineage and lineage[-1] == stance.until:
        return "step out"
    if stance.paused and subject.when == "before" and stance.through.isdisjoint(lineage):
        return "paused"
    hit = [b for b in stance.breakpoints if b.holds(subject, lineage)]
    return f"breakpoint {hit[0].id}: {hit[0].text}" if hit else None
