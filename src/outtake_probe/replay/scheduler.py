"""Re-execution: waits as `outtake_probe.replay.index` decides, and acts when a replay reaches its cut.

The fork's program is executed from its start; whatever its parent recorded before the cut is answered from the record,
in the recorded order.  Then the fork's settings and messages are applied, and the program is live.  A program that
departs from its record before the cut is stopped at the first difference, and the user is asked.
"""

from __future__ import annotations

import dataclasses
import sys
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from outtake_probe import clock, threads
from outtake_probe.bodies import resolve
from outtake_probe.calls import Frame
from outtake_probe.code_hash import Code
from outtake_probe.codec import describe_error
from outtake_probe.commands import Configure, SendMessage, perform, recorded_command
from outtake_probe.edits import Edit
from outtake_probe.records import (
    ConfigSet,
    InvocationEnded,
    InvocationStarted,
    Json,
    MessageQueued,
    Record,
    RunEnded,
)
from outtake_probe.replay.index import LEAVES, Difference, Past, Plan, ReplayIndex, describe, is_print
from outtake_probe.waits import Steps, Wait, on_loop

if TYPE_CHECKING:
    from outtake_probe.session import Session

STALL = 3.0
"""Seconds without any step of a replay, beyond twice what the record took there, after which it does not go on."""
SOFT_STALL = 1.0
"""The same for what a replay goes on without."""
TICK = 0.1
AHEAD, TOGETHER = 2000, 100
"""Records that are looked through for results that will be asked for, and how many of these are fetched together."""


class Replay:
    """The replay of one fork inside a session.  Whoever calls holds the session's lock, but for the generators."""

    def __init__(self, session: Session, plan: Plan) -> None:
        self.session = session
        self.index = ReplayIndex(plan)
        self.diverged: Difference | None = None
        self.cause: Json = None
        """The program's own exception that made it depart from its record, where there is one."""
        self.next_inputs: list[Json] = []
        self.stale: dict[tuple[str, str], Json] = {}
        """What was served before the cut though its code has changed, by kind and component."""
        self.told: dict[tuple[str, str], None] = {}
        """Types and components of notes that wait for the fork's own log, see `outtake_probe.rebuilding`."""
        self.out = 0
        """Model and tool calls that are out right now: nothing stalls while one is."""
        self._live: set[int] = set()
        """The model and tool calls that are out."""
        self._was_told: set[tuple[str, str]] = set()
        self._announced = self._applied = False
        self._returning: dict[int, Wait] = {}
        """What is served right now, by the number of its recorded end."""
        self._progress = clock.monotonic()
        self._needs: dict[str, list[Wait]] = {}
        self._nodes: dict[str, bytes] = {}
        self._asked: set[str] = set()
        """Bodies that were asked for."""
        self._ahead = 0
        """The record up to which they were."""
        session.bodies.know(record.body for record in plan.records if record.body is not None)
        if self.index.ordered:
            threads.start("outtake-replay", self._watch)

    # -- order -------------------------------------------------------------------------------------------------------

    def arrive(self, matched: int | None, component: str, asked: str, sure: bool = True) -> Steps[None]:
        """Wait until it is the turn of what was matched; what nobody recorded waits for the cut.

        Not `sure`: it may be withdrawn while it waits, so that the record lacks it is no difference yet.
        """
        index = self.index
        self._progress = clock.monotonic()
        if sure and matched is None and index.in_prefix and index.plan.complete:
            with self.session.lock:
                missing = index.missing()
                recorded = self._instead(component) or missing
                if recorded is not None:
                    self._blame_handled()
                    self._diverge(Difference(recorded.seq, recorded.component, describe(recorded), asked))
        yield from self.turn(index.cut if matched is None else matched)

    def turn(self, seq: int) -> Steps[None]:
        """Wait until everything that was recorded before `seq` has happened again."""
        with self.session.lock:
            wait = self.index.turn(seq) if self.diverged is None else None
            self.announce()
        if wait is not None:
            yield wait
        self.session.check()
        if self.diverged is not None and self.index.in_prefix:
            yield from self._ask()

    def among_served(self, seq: int) -> Steps[None]:
        """Order binds no more, but what is served or mocked at the same time comes back in its recorded order.

        It takes no time now, so all of a fan-out would come at once, and who collects it would see another order.
        """
        with self.session.lock:
            wait = self._returning[seq] = Wait(order=True)
        try:
            yield Wait(yields=True)  # the others come here, too
            with self.session.lock:
                first = min(self._returning) == seq
            if not first:
                yield wait
        finally:
            with self.session.lock:
                del self._returning[seq]
                following = self._returning[min(self._returning)] if self._returning else None
            if following is not None:
                following.set()

    def goes_out(self, invocation: int) -> None:
        """A model or tool is really called."""
        self._live.add(invocation)
        self.out += 1

    def came_back(self, invocation: int) -> None:
        """It is there again."""
        self._live.discard(invocation)
        self.out -= 1

    def is_outside(self, frame: Frame) -> bool:
        """Whether code belongs to a model or tool that is really called: no record says what it does."""
        return bool(self._live) and not self._live.isdisjoint(frame.lineage)

    def ends(self, past: Past) -> None:
        """An invocation comes to its end: what it has not printed, and the timers that it has not set, come no more."""
        self.session.printing.passed(past.start.seq)
        if timers := self.index.timers_until(past):
            self.settle(timers)

    def left_behind(self, past: Past) -> Steps[None]:
        """Where the parent's program ended while this was out, it comes back here only once things differ.

        A program ends after its main thread has come back: what that called and nobody saw end, a signal handler left.
        """
        if threading.current_thread() is threading.main_thread() and not on_loop():
            return
        with self.session.lock:
            wait = self.index.departure() if self.index.never_ended(past) else None
        if wait is not None:
            yield wait
            self.session.check()

    def wait_for_others(self) -> None:
        """The program has returned.  Threads of its own may still have to do what is recorded before the cut."""
        with self.session.lock:
            wait = self.index.turn(self.index.cut) if self.diverged is None and _others() else None
        if wait is not None:
            wait.block()

    def settle(self, seqs: Sequence[int]) -> None:
        """These records have happened again."""
        self._progress = clock.monotonic()
        self.index.settle(seqs)
        self.announce()

    def announce(self) -> None:
        """Do again what the user did, once its turn has come and the target is there; at the cut, apply the plan."""
        live = not self.index.in_prefix
        if live and not self._announced:
            self._announced = True
            self.session.recorder.send("replay", {"state": "live", "cut": self.index.cut})
        if not self.session.built:
            return
        for record in self.index.take_due():
            self._redo(record)
        if live and not self._applied:
            self._applied = True
            self._apply_plan()

    def _apply_plan(self) -> None:
        for edit in self.index.plan.edits:
            try:
                if edit.op == "set_config":
                    self.index.depart()
                    self.session.perform(Configure(edit.component or "", edit.key or "", edit.value), "plan")
                elif edit.op == "inject":
                    self.index.depart()
                    self._inject(edit)
            except ValueError as error:  # BadValue: the plan asks for what the target cannot take
                self.session.fail(f"the edit {edit.op} of {edit.component} cannot be applied: {error}")

    def _inject(self, edit: Edit) -> None:
        if self.session.target is None:
            raise ValueError("this target takes no messages")
        if self.index.plan.complete and self.index.cut >= len(self.index.records) - 1:
            self.next_inputs.append(edit.value)
        else:
            self.session.perform(SendMessage(edit.component or "", edit.type or "", edit.value))

    def _instead(self, component: str) -> Record | None:
        """What the record holds where the program asked for something else: the next of the same component."""
        for r in self.index.records[self.index.pointer : self.index.cut]:
            if r.component == component and isinstance(r, (InvocationStarted, MessageQueued)):
                return r
        return None

    # -- changed code ------------------------------------------------------------------------------------------------

    def is_current(self, past: Past, now: Code) -> bool:
        """Whether the code that gave a recorded result, and all of it inside, is what the program has now.

        Before the cut the record holds: what has changed is kept, to be reported.
        """
        if past.mocked or past.output_edit is not None:
            return True
        changed = _differs(past.start, now.fingerprint)
        if past.end is not None and past.end.seq < self.index.cut:
            if changed:
                start = past.start
                about = {"component": start.component, "call": start.call, "functions": list(start.functions)}
                self.stale.setdefault((start.call, start.component), about)
            return True
        return not changed and not any(self._changed_inside(seq) for seq in self.index.inside(past))

    def _changed_inside(self, seq: int) -> bool:
        """Whether a recorded invocation was of code that is another one now, as far as the files say."""
        start = self.index.records[seq]
        if not isinstance(start, InvocationStarted) or not start.code or self.index.calls[seq].mocked:
            return False
        return _differs(start, self.session.code.now(start.functions))

    def take_told(self) -> Sequence[tuple[str, str]]:
        """The notes that wait, each given once."""
        new = [key for key in self.told if key not in self._was_told]
        self._was_told.update(new)
        self.told.clear()
        return new

    def take_stale(self) -> Sequence[Json]:
        """What was served though its code has changed, once."""
        stale, self.stale = list(self.stale.values()), {}
        return stale

    # -- the user's commands, again ----------------------------------------------------------------------------------

    def _redo(self, record: Record) -> None:
        """The user did this while the parent ran: do it again, at the same point."""
        target, index = self.session.target, self.index
        if target is None:
            return
        value = resolve(record.body, self._node) if record.body is not None else None
        command = recorded_command(record, value, self._number)
        if isinstance(record, MessageQueued):
            index.child[record.seq] = self.session.next if record.seq >= index.cut else record.seq
        for outgoing in perform(command, target) if command is not None else ():
            outgoing.put(index.child[record.seq])
        if record.seq >= index.cut:
            self.copy(record)

    def _number(self, message: int | None) -> int | None:
        """The number that a message of the parent's has in this run."""
        return self.index.child.get(message, message) if message is not None else None

    def copy(self, r: Record) -> None:
        """Write a record of the parent into the fork's log, under the numbers that things have there."""
        fields = {f.name: getattr(r, f.name) for f in dataclasses.fields(r) if f.name not in ("seq", "at")}
        number = self.session.next
        if isinstance(r, (InvocationStarted, MessageQueued)):
            self.index.child[r.seq] = number
        for name in ("invocation", "parent", "message", "before"):
            if fields.get(name) is not None:
                fields[name] = self.index.child.get(fields[name], fields[name])
        fields["caused_by"] = tuple(self.index.child.get(c, c) for c in fields["caused_by"])
        if isinstance(r, InvocationEnded):
            fields["how"] = "reused"
        self.session.emit_next(type(r), **fields)

    # -- divergence --------------------------------------------------------------------------------------------------

    def failed_instead(self, end: InvocationEnded, error: Json) -> None:
        """An invocation failed that came back with a result before the cut."""
        if end.seq < self.index.cut and self.index.in_prefix:
            words = error.get("message") if isinstance(error, dict) else error
            self._blame(error)
            self._diverge(Difference(end.seq, end.component, describe(end), f"nothing, it failed: {words}"))

    def ended_early(self, how: str, error: Json) -> Difference | None:
        """The program has ended, `how` in words: what the record still holds before the cut, if anything."""
        while self.index.in_prefix and self.index.give_up():
            continue
        self._blame(error)
        missing = self.index.missing()
        while isinstance(missing, ConfigSet):  # nothing came after it that it could have changed
            self.index.settle([missing.seq])
            missing = self.index.missing()
        if missing is not None and not isinstance(missing, RunEnded):
            self._diverge(Difference(missing.seq, missing.component, describe(missing), how))
        return self.diverged if self.index.in_prefix else None

    def _blame(self, error: Json) -> None:
        """Remember the exception by which the program departs from its record."""
        if self.diverged is None:
            self.cause = error

    def _blame_handled(self) -> None:
        """What the program asks for inside an ``except`` is asked for because of that exception."""
        handled = sys.exc_info()[1]
        if isinstance(handled, Exception):
            self._blame(describe_error(handled))

    def difference(self) -> Json:
        """The error of a run that diverged: where, and the exception of the program's own that led to it."""
        told = {"difference": str(self.diverged)}
        return told if self.cause is None else {**told, "cause": self.cause}

    def _diverge(self, difference: Difference) -> None:
        if self.diverged is None:
            self.diverged = difference
            told = {name: getattr(difference, name) for name in ("seq", "component", "recorded", "asked")}
            self.session.recorder.send("replay", {"state": "diverged", "difference": told})
            self.index.wake()

    def _ask(self) -> Steps[None]:
        """The replay stopped.  The user lets the program go on live from the first difference, or ends it."""
        why = f" (after {self.cause.get('class')}: {self.cause.get('message')})" if self.cause is not None else ""
        told = {"when": "diverged", "reason": f"diverged: {self.diverged}{why}", "offers": ["live"]}
        yield from self.session.hold(told)
        with self.session.lock:
            if self.index.in_prefix:
                self.session.recorder.start_at(self.index.recut())
                self.session.recorder.send("replay", {"state": "recut", "cut": self.index.cut})
                self.announce()

    def _watch(self) -> None:
        """End a replay that cannot go on because something recorded is never asked for."""
        while self.index.ordered and not self.session.stopping and self.diverged is None:
            clock.sleep(TICK)
            with self.session.lock:
                if not self.index.waiting or self.session.holds or self.out:
                    self._progress = clock.monotonic()
                elif clock.monotonic() - self._progress > self._patience():
                    self._stalled()

    def _stalled(self) -> None:
        if self.index.give_up():
            return
        missing = self.index.missing()
        if missing is None:
            self.index.depart()
        else:
            self._diverge(Difference(missing.seq, missing.component, describe(missing), "nothing"))

    def _patience(self) -> float:
        """How long the program may take to come to what is waited for, in seconds; not as long for a timer."""
        index = self.index
        at, records = index.pointer, index.records
        gap = records[at].at - records[at - 1].at if 0 < at < len(records) else 0.0
        gap -= index.timers.waited.get(at, 0.0)
        soft = at in index.timers.waited or index.has_late
        return (SOFT_STALL if soft else STALL) + 2 * min(600.0, max(0.0, gap))

    # -- bodies of the record ----------------------------------------------------------------------------------------

    def body(self, name: str) -> Steps[Json]:
        """The value of a recorded body; what is not here yet is asked for."""
        while True:
            missing: list[str] = []
            value = self._try(name, missing)
            if not missing:
                return value
            wait = Wait()
            with self.session.lock:
                for node in missing:
                    self._needs.setdefault(node, []).append(wait)
                wanted = [*missing, *self._following()]
            self.session.recorder.send("need", {"names": wanted})
            yield wait

    def ask_again(self) -> None:
        """Another server came: it has not heard of the nodes that are waited for."""
        with self.session.lock:
            names = list(self._needs)
        if names:
            self.session.recorder.send("need", {"names": names})

    def _following(self) -> list[str]:
        """The results that the program will ask for next: to ask for each by itself takes longer than to give it."""
        found: list[str] = []
        at = max(self._ahead, self.index.pointer)
        end = min(at + AHEAD, len(self.index.records))
        while at < end and len(found) < TOGETHER:
            r = self.index.records[at]
            served = isinstance(r, InvocationEnded) and (r.call in LEAVES or r.changes is not None)
            if served or is_print(r):
                names = (r.body, r.kept) if isinstance(r, InvocationEnded) else (r.body,)
                found += [name for name in names if name is not None and name not in self._asked]
                self._asked.update(found)
            at += 1
        self._ahead = at
        return [name for name in found if name not in self._nodes]

    def _try(self, name: str, missing: list[str]) -> Json:
        def fetch(node: str) -> bytes:
            found = self._nodes.get(node)
            if found is None:
                missing.append(node)
            return b"null" if found is None else found

        return resolve(name, fetch)

    def _node(self, name: str) -> bytes:
        return self._nodes[name]

    def nodes(self, nodes: Sequence[tuple[str, bytes]]) -> None:
        """The server sent nodes."""
        with self.session.lock:
            self._nodes.update(nodes)
            waits = [wait for name, _ in nodes for wait in self._needs.pop(name, [])]
        for wait in waits:
            wait.set()


def _others() -> bool:
    """Whether threads of the program's own are alive beside this one."""
    here = threading.current_thread()
    return any(each is not here and not each.name.startswith("outtake-") for each in threading.enumerate())


def _differs(start: InvocationStarted, now: str) -> bool:
    """Whether the code of a recorded invocation has changed; what had no code of the program's own, has not."""
    return bool(start.code and now) and start.code != now
