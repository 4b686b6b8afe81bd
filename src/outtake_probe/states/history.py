"""What a record says of states outside the process: which call used which, and what had been done to it before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from hashlib import blake2b

from outtake_probe.conditions import names
from outtake_probe.records import EFFECTS, Effects, InvocationStarted
from outtake_probe.replay.index import Past


def mark(
    calls: Mapping[int, Past], declared: Callable[[str], str | None], effects: Mapping[str, Effects]
) -> dict[str, str]:
    """Write into each recorded call which state it used and how it found it; returns the state of each component.

    `declared` is what the user says of a component now, `effects` by pattern: both go before what is recorded.
    """
    histories: dict[str, str] = {}
    by_component: dict[str, set[str]] = defaultdict(set)
    for past in calls.values():
        if past.start.call == "model":
            past.effects = "pure"
            continue
        said = declared(past.start.component)
        past.state = said if said is not None else _recorded(past)
        past.effects = _effects(past.start, effects)
        if past.state:
            by_component[past.start.component].add(past.state)
    _spread(calls)
    for past in calls.values():
        if past.state and past.start.call == "tool":
            past.history = histories.get(past.state, "")
            if not _is_inside(calls, past) and _was_executed(past):
                digest = past.start.digest if not past.start.edited else past.start.body or ""
                histories[past.state] = advanced(past.history, past.start.component, digest, past.effects)
    return {component: found.pop() for component, found in by_component.items() if len(found) == 1}


def advanced(history: str, component: str, digest: str, effects: Effects) -> str:
    """The name of a history after one more call: what only reads adds nothing."""
    if effects in ("pure", "read"):
        return history
    return blake2b(f"{history} {component} {digest}".encode(), digest_size=16).hexdigest()


def _recorded(past: Past) -> str:
    return past.start.state or (past.end.state if past.end is not None else "")


def _effects(start: InvocationStarted, declared: Mapping[str, Effects]) -> Effects:
    said = next((effects for pattern, effects in declared.items() if names(pattern, start.component)), None)
    return said or start.effects or ("write" if start.call == "tool" else "pure")


def _spread(calls: Mapping[int, Past]) -> None:
    """What is around a call of a state uses it, too.

    A tool with a state of its own is executed again as a whole.  Any other invocation is code between the gates.
    """
    for past in reversed(list(calls.values())):
        if past.state:
            past.states |= {past.state}
        owns = bool(past.state) and past.start.call == "tool"
        past.reaches_out = bool(past.states) and not owns
        around = calls.get(past.start.parent) if past.start.parent is not None else None
        if around is not None:
            around.states |= past.states
        if around is not None and _was_executed(past):
            around.effects = max(around.effects, past.effects, key=EFFECTS.index)


def _is_inside(calls: Mapping[int, Past], past: Past) -> bool:
    """Whether it is part of another call of the same state, which is executed again as a whole."""
    at = past.start.parent
    while at is not None and at in calls:
        around = calls[at]
        if around.state == past.state and around.start.call == "tool":
            return True
        at = around.start.parent
    return False


def _was_executed(past: Past) -> bool:
    return past.end is None or past.end.how in ("executed", "reused")
