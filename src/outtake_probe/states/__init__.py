"""State outside the process: what a fork knows of the browsers, shells and connections that its tools share.

A call that is served from the record leaves the outside where it was.  So before the first call of a state really goes
out, the state is brought to where the record left it (`outtake_probe.states.restoring`): what was saved last is loaded,
or the earlier calls are executed again.  Here is what decides that: which state a call uses, which calls were served
since the state was last touched, and whether a call finds the state as its recorded counterpart did.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from outtake_probe.calls import Call, Frame
from outtake_probe.conditions import names
from outtake_probe.records import Effects, Json, StateRestored
from outtake_probe.states.declared import holders
from outtake_probe.states.history import advanced, mark
from outtake_probe.waits import Wait

if TYPE_CHECKING:
    from outtake_probe.gate.pass_state import Asked, Passage
    from outtake_probe.replay.index import Past, ReplayIndex
    from outtake_probe.session import Session


@dataclass(slots=True)
class Served:
    """A call that the record answered: the states it uses do not know of it yet."""

    call: Call
    past: Past
    frame: Frame
    invocation: int


class States:
    """The states of one session.  Whoever calls what changes something holds the session's lock."""

    def __init__(self, declared: Mapping[str, str], effects: Mapping[str, Effects]) -> None:
        self.busy: dict[str, Wait] = {}
        """What waits for a state that is being restored, by its name."""
        self._declared = declared
        self._effects = effects
        self._by_component: dict[str, str] = {}
        """What the record says of a component, where that is always the same."""
        self._served: list[Served] = []
        self._histories: dict[str, str] = {}
        self._things: dict[int, tuple[Any, str]] = {}
        self._late: list[dict[str, Json]] = []
        self._told: set[tuple[str, str]] = set()

    # -- which state a call uses -------------------------------------------------------------------------------------

    def of(self, call: Call) -> str:
        """Name of the state that a call uses: as the user declares, else the program, else as its adapter knows."""
        declared = self._declared_for(call.component)
        if call.kind == "model":
            return ""
        if declared is not None or call.kind != "tool":
            return declared or ""
        found = self._find(call)
        return found or self._by_component.get(call.component, "")

    def _declared_for(self, component: str) -> str | None:
        return next((name for pattern, name in self._declared.items() if names(pattern, component)), None)

    def _find(self, call: Call) -> str:
        try:
            known = call.known() if call.known is not None else None
        except Exception:  # noqa: BLE001  what a tool reaches is the program's, and looking at it must not end it
            known = None
        if known is not None and call.holder is None:
            call.holder = known.holder
        return call.state or (known.name if known is not None else "")

    def made(self, session: Session, passage: Passage) -> str:
        """Name of the state that a call made which has come back: what it reaches was not there before."""
        call = passage.call
        name = self._find(call) if self._declared_for(call.component) is None else ""
        if name and session.replay is not None:
            self._advance(name, call.component, passage.digest, session.effects(call) or "write")
        return name

    def name(self, proposed: str, *things: object) -> str:
        """The name of the state that objects hold together: of the first that is known, else as proposed.

        A proposed name that is taken by others gets a number.
        """
        made = next((name for name in map(self._name_of, things) if name), "")
        if not made:
            taken = {name for _, name in self._things.values()}
            numbered = (f"{proposed}-{number}" for number in itertools.count(2))
            made = next(name for name in itertools.chain([proposed], numbered) if name not in taken)
        for thing in things:
            if not self._name_of(thing):
                self._things[id(thing)] = (_reference(thing), made)
        return made

    def _name_of(self, thing: object) -> str:
        reference, name = self._things.get(id(thing), (None, ""))
        return name if reference is not None and reference() is thing else ""

    def holder(self, name: str, call: Call) -> object:
        """The object that saves and loads a state, where one does."""
        return holders.get(name, call.holder)

    # -- what a fork's record says -----------------------------------------------------------------------------------

    def read(self, index: ReplayIndex) -> None:
        """Take from the record which call used which state."""
        self._by_component = mark(index.calls, self._declared_for, self._effects)

    def compare(self, asked: Asked, cut: int) -> None:
        """Whether a call finds its state as the recorded call that it matches did."""
        past = asked.past
        if past is None or asked.call.kind == "model":
            return
        if not past.state:
            if asked.state and asked.call.kind == "tool":  # it was recorded before anybody knew of the state
                past.state, past.states = asked.state, past.states | {asked.state}
                past.reaches_out = False
            return
        asked.state = asked.state or past.state
        known = self._histories.get(past.state, "")
        asked.moved = past.start.seq >= cut and (asked.state != past.state or known != past.history)

    def passed(self, session: Session, asked: Asked, passage: Passage) -> None:
        """A call of a state goes out, or is answered by the record."""
        name, call = asked.state, asked.call
        passage.state, passage.digest = name, asked.digest
        if session.replay is None or call.kind != "tool":
            return
        self.flush(session)
        around = asked.frame.states if asked.frame is not None else frozenset()
        past = asked.past
        reused = passage.how == "reused" and past is not None and not past.mocked
        if reused and past is not None and past.states and call.repeat is not None:
            self._served.append(Served(call, past, passage.frame, passage.invocation))
        if name and name not in around and (passage.verb == "proceed" or reused):
            effects = past.effects if reused and past is not None else session.effects(call) or "write"
            digest = asked.digest if not passage.edited else session.bodies.put(passage.input)
            self._advance(name, call.component, digest, effects)

    def _advance(self, name: str, component: str, digest: str, effects: Effects) -> None:
        self._histories[name] = advanced(self._histories.get(name, ""), component, digest, effects)

    # -- restoring ---------------------------------------------------------------------------------------------------

    def due(self, name: str) -> list[Served]:
        """The calls that were served since the state was last touched, in order."""
        return [served for served in self._served if name in served.past.states]

    def settle(self, done: list[Served]) -> None:
        """The states know of these calls now, or never will."""
        gone = {id(served) for served in done}
        self._served = [served for served in self._served if id(served) not in gone]

    def loaded(self, name: str, done: list[Served]) -> None:
        """A state was loaded that knows of these calls; other states that they use do not."""
        for served in done:
            served.past = replace(served.past, states=served.past.states - {name})
        self.settle([served for served in done if not served.past.states])

    # -- telling -----------------------------------------------------------------------------------------------------

    def write(self, session: Session, fields: dict[str, Json]) -> None:
        """Write a step down; before the cut nothing can be written, so it waits until then."""
        self._late.append(fields)
        self.flush(session)

    def flush(self, session: Session) -> None:
        """Write what waited for the cut."""
        if session.replay is None or session.replay.index.in_prefix:
            return
        late, self._late = self._late, []
        for fields in late:
            session.emit(StateRestored, **fields)

    def tell(self, session: Session, name: str, problem: str) -> None:
        """Say once, in the run, why a state cannot be kept."""
        with session.lock:
            if (name, problem) not in self._told:
                self._told.add((name, problem))
                session.write_note("state", name, {"problem": problem})


def _reference(thing: object) -> Any:
    try:
        return weakref.ref(thing)
    except TypeError:
        return lambda: thing


def effects_told(served: list[Served]) -> Iterator[Served]:
    """Those of the calls that change the world, so that nobody executes them again unasked."""
    return (each for each in served if each.past.effects not in ("pure", "read"))
