"""The session of a debugged process: what it knows, and what the user may do to it.

It joins the parts that decide (the gate's stance, the record of a fork) with the parts that act (the recorder, the
target).  How one invocation passes is in `outtake_probe.gate.pass_state`; what an adapter calls is in
`outtake_probe.gate.invoke`.
"""

from __future__ import annotations

import fnmatch
import itertools
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

from outtake_probe import clock, faults, rebuilding, threads
from outtake_probe.bodies import Bodies
from outtake_probe.calls import Call, Frame, current
from outtake_probe.code_hash import OwnCode
from outtake_probe.codec import opaque
from outtake_probe.commands import (
    BadValue,
    Command,
    Configure,
    DropMessage,
    EditMessage,
    MoveMessage,
    Outgoing,
    SendMessage,
    Target,
    command_from,
    perform,
)
from outtake_probe.conditions import names
from outtake_probe.faults import is_from_signal_handler
from outtake_probe.gate.decision import PROCEED, STOP, Answer, Stance
from outtake_probe.keeping import ReachableState
from outtake_probe.own_files import OwnFiles
from outtake_probe.printing import Printing
from outtake_probe.recorder import Recorder
from outtake_probe.records import (
    ConfigSet,
    Edited,
    Effects,
    InvocationEnded,
    Json,
    MessageDropped,
    MessageMoved,
    MessageQueued,
    Noted,
    Record,
    RunEnded,
    RunStarted,
    SpanEnded,
    SpanStarted,
    Status,
    ValueRead,
)
from outtake_probe.replay.index import Plan
from outtake_probe.replay.scheduler import Replay
from outtake_probe.states import States
from outtake_probe.waits import Steps, Wait
from outtake_probe.wire import Connection

_DESCRIBED = ("step", "task", "agent")
"""Kinds of invocation whose components a target can describe before it runs."""
_PATTERN = frozenset("*?[/")
FAULTS = 100
"""Different faults of the probe that are reported of one run."""
CODE_CHANGED = "code_changed"
"""Type of the note of a fork that names what was served from the record before the cut though its code has changed."""


class Stopped(BaseException):
    """The user ended the program; raised from the gate, so that no handler of the program takes it for an error."""


class Refused(Exception):
    """The gate refuses a call: it would happen again, or may have happened, and no person is there to ask."""


@dataclass(slots=True)
class Hold:
    """Something that waits for an answer."""

    id: int
    fields: dict[str, Json]
    wait: Wait
    check: Callable[[Answer], Answer]
    """Makes the user's answer complete, or raises `BadValue`."""
    answer: Answer = PROCEED
    kept: Answer | None = None
    """What was set while it is held: given when it is let go without another answer."""

    def keep(self, answer: Answer) -> None:
        """Set what it goes on with, and hold it still; a plain ``proceed`` takes that back."""
        plain = answer.verb == "proceed" and not answer.edited
        self.kept = None if plain else self.check(answer)
        said = None if self.kept is None else {"verb": answer.verb, "value": answer.value, "failed": answer.failed}
        self.fields["given"] = said

    def decided(self, answer: Answer) -> Answer:
        """The answer to give: what was set, where it is let go without another."""
        if self.kept is None or answer.verb not in ("proceed", "over") or answer.edited:
            return self.check(answer)
        over = answer.verb == "over" and self.kept.verb == "proceed"
        return replace(self.kept, verb="over") if over else self.kept


@dataclass(slots=True)
class Standstill:
    """How long something of the program was held: a framework's time-outs do not run meanwhile."""

    _seconds: float = 0.0
    _since: float = 0.0
    _holds: int = 0

    def begin(self) -> None:
        self._since = self._since if self._holds else clock.monotonic()
        self._holds += 1

    def end(self) -> None:
        self._holds -= 1
        if not self._holds:
            self._seconds += clock.monotonic() - self._since

    @property
    def now(self) -> bool:
        """Whether something is held."""
        return self._holds > 0

    @property
    def seconds(self) -> float:
        """In all, up to now."""
        return self._seconds + (clock.monotonic() - self._since if self._holds else 0.0)


@dataclass(slots=True)
class Settings:
    """What the server tells at the start: effects declared for components (patterns) in `outtake.toml`, settings."""

    effects: dict[str, Effects] = field(default_factory=dict)
    config: dict[str, Json] = field(default_factory=dict)
    """By ``component.key``, until there is a target that takes them."""
    states: dict[str, str] = field(default_factory=dict)
    """Names of the states outside the process by component (patterns), declared in `outtake.toml`; empty: none."""


class Session:
    """One debugged process, from the first record to the last.  `lock` guards everything; no wait happens under it."""

    def __init__(
        self,
        bodies: Bodies,
        *,
        plan: Plan | None = None,
        stance: Stance | None = None,
        settings: Settings | None = None,
        first: int = 0,
    ) -> None:
        self.lock = threading.RLock()
        self.bodies = bodies
        self.stance = stance or Stance()
        self.settings = settings or Settings()
        self.code = OwnCode(OwnFiles(".", ()))
        """Fingerprints of the program's own functions; before its files are known, of none."""
        self.target: Target | None = None
        self.built = False
        self.holds: dict[int, Hold] = {}
        self.standstill = Standstill()
        self.tokens = 0
        self.cost = 0.0
        self.stopping = False
        self.closed = False
        """Nothing passes the gate any more: what is called runs as it would without a debugger."""
        self.was_interrupted = False
        """What runs now was interrupted by its user in the parent: nobody cancels again what was cancelled by that."""
        self.failure = ""
        self.streams: list[Callable[[], None]] = []
        self.watches: dict[int, ReachableState] = {}
        """What the tools that are out can reach, by their invocations."""
        self.streaming: set[int] = set()
        """Invocations with pieces that still wait for company."""
        self.on_stance: list[Callable[[], None]] = []
        """Told, in any thread, after the user changed what the program is to do."""
        self.on_stop: list[Callable[[], None]] = []
        """Told, in any thread, after the user ended the program."""
        self.seed = 0
        """What random ids follow from."""
        self.kept: dict[object, object] = {}
        """What adapters keep for this session, in a process that has several, see `outtake_probe.sessions`."""
        self._hold_ids = itertools.count(1)
        self._faults: set[str] = set()
        self.recorder = Recorder(bodies, self.lock, first)
        self.states = States(self.settings.states, self.settings.effects)
        self.replay = Replay(self, plan) if plan is not None else None
        if self.replay is not None:
            self.recorder.start_at(self.replay.index.cut)
            self.states.read(self.replay.index)
            rebuilding.mark(self.replay.index.calls, self.settings.effects)
            self.replay.settle([])
        self.printing = Printing(self)

    # -- the run -----------------------------------------------------------------------------------------------------

    @property
    def is_entered(self) -> bool:
        """Whether this thread is inside the probe already.

        Then what asks for something is a finalizer that the collection of garbage runs here, or a signal handler.  It
        finds a state that is half changed, and what it would wait for may be for this thread to do.
        """
        return _holds(self.lock) or self.recorder.is_sending or threads.is_own()

    def defer(self, act: Callable[[], None]) -> None:
        """Do this before the next record is written, under the lock: now this thread is inside the probe."""
        with self.lock:
            self.streams.append(act)

    @property
    def here(self) -> Session:
        """The session that the running code belongs to, see `outtake_probe.sessions`."""
        return self

    def begin(self, body: Json, *, python: str, seed: int) -> None:
        """The run starts: write its first record, unless the parent's is shared."""
        self.seed = seed
        with self.lock:
            if self.replay is None or self.replay.index.cut == 0:
                self.emit(RunStarted, body=self.bodies.put(body), python=python, seed=seed)

    def ready(self, target: Target | None) -> None:
        """The target is built: its settings may be changed and messages sent."""
        with self.lock:
            if self.built and target is None:
                return
            self.target = target
            self.built = True
            if target is not None:
                self._check_named(target)
                self._configure_first()
            if self.replay is not None:
                self.replay.announce()

    def _check_named(self, target: Target) -> None:
        """A mock of a run from its start names a step that there is; of a fork, the parent's record has told.

        What is not known before it happens, such as a step of a workflow inside a step, is named by its path.
        """
        plan = self.replay.index.plan if self.replay is not None else None
        edits = plan.edits if plan is not None and not plan.records else ()
        bare = [e for e in edits if e.call in _DESCRIBED and e.component and not _PATTERN.intersection(e.component)]
        components = target.describe()["components"] if bare else []
        for edit in bare:
            known = sorted({c["path"] for c in components if c["kind"] == edit.call})
            if not any(names(edit.component or "", path) for path in known):
                told = f"it has {', '.join(known)}" if known else "it describes none"
                self.fail(f"there is no {edit.call} {edit.component!r} to mock; {told}; name a deeper one by its path")

    def _configure_first(self) -> None:
        """Apply what the user wants set from the start; a fork finds that in the record that it shares."""
        first, self.settings.config = self.settings.config, {}
        if self.replay is not None and self.replay.index.cut > 0:
            return
        for name, value in first.items():
            component, _, key = name.rpartition(".")
            try:
                self.perform(Configure(component, key, value), "plan")
            except BadValue as error:
                self.fail(f"{name} cannot be set: {error}")

    def fail(self, reason: str) -> None:
        """The run cannot go on as it was asked for: end the program at its next gate."""
        self.failure = self.failure or reason
        self.stopping = True
        if self.replay is not None:
            self.replay.index.wake()

    def finish(self, status: Status, value: Json) -> tuple[Status, Json]:
        """The target gave `value`, or failed with it: write the last record; returns how the run ended."""
        if self.replay is not None and status in ("completed", "failed"):
            self.replay.wait_for_others()
        with self.lock:
            if self.replay is not None and status in ("completed", "failed"):
                failed = status == "failed" and isinstance(value, dict)
                how = f"nothing, it failed: {value.get('message')}" if failed else "nothing, it ended"
                if self.replay.ended_early(how, value if failed else None) is not None:
                    status, value = "diverged", self.replay.difference()
            self.states.flush(self)
            if not self._ending_is_shared():
                unused = self.replay.index.unused if self.replay is not None else ()
                self.emit(RunEnded, status=status, body=self.bodies.put(value), unused=unused)
        return status, value

    def _ending_is_shared(self) -> bool:
        if self.replay is None or self.replay.index.different:
            return False
        index = self.replay.index
        return bool(index.records) and index.cut == len(index.records) and isinstance(index.records[-1], RunEnded)

    # -- the record that a fork re-executes, as far as an adapter may know it ----------------------------------------

    @property
    def is_fork(self) -> bool:
        """Whether this run has a parent, whose record may answer."""
        return self.replay is not None

    @property
    def is_in_prefix(self) -> bool:
        """Whether this is a fork that has not reached its cut."""
        return self.replay is not None and self.replay.index.in_prefix

    @property
    def is_ordered(self) -> bool:
        """Whether what happens now waits for its turn in the recorded order."""
        return self.replay is not None and self.replay.index.ordered

    def recorded_ends(self, component: str) -> list[InvocationEnded | None]:
        """How the parent's invocations of a component ended, in the order in which they began; None: one did not."""
        calls = self.replay.index.calls.values() if self.replay is not None else ()
        return [past.end for past in calls if past.start.component == component]

    def recorded_body(self, body: str) -> Steps[Json]:
        """A body of the parent's record, by the hash in one of its records.  Only in a fork."""
        if self.replay is None:
            raise RuntimeError("there is no record: this run is no fork")
        return (yield from self.replay.body(body))

    def next_input(self) -> Json:
        """What a fork sends to a target that has finished; None where it sends nothing."""
        with self.lock:
            waiting = self.replay.next_inputs if self.replay is not None else []
            return waiting.pop(0) if waiting else None

    def close(self) -> None:
        """Let everything run as it would without a debugger, from now on."""
        with self.lock:
            self.closed = True
        self.recorder.close()

    def abandon(self) -> None:
        """This is a forked child: nothing passes the gate, and no lock of its parent's threads is waited for."""
        self.closed = True
        threads.forget()
        self.lock = threading.RLock()
        self.recorder.abandon(self.lock)

    def body(self, value: Json) -> str:
        """The hash of a value.  One that is no JSON after all is a fault of who described it: it is shown as opaque."""
        try:
            return self.bodies.put(value)
        except Exception as error:  # noqa: BLE001  what adapters give may hold objects of the user's
            self.fault(error)
            return self.bodies.put(opaque(value))

    def pieces_body(self, pieces: Sequence[Json]) -> str:
        """The hash of all pieces of a stream."""
        try:
            return self.bodies.put_pieces(pieces)
        except Exception as error:  # noqa: BLE001  what adapters give may hold objects of the user's
            self.fault(error)
            return self.bodies.put(opaque(pieces))

    def fault(self, error: Exception) -> None:
        """The probe failed at something: say so, and go on recording.

        During a replay the run ends, as what would be executed instead has happened already.  Raises `Stopped` then,
        and `error` itself where it is none of the probe's but a signal handler's.
        """
        if is_from_signal_handler(error):
            raise error
        words = f"a fault of Outtake's probe, not of the program: {faults.describe(error)}"
        if self.replay is not None and self.replay.index.in_prefix:
            self.fail(words)
            self.check()
        if words not in self._faults and len(self._faults) < FAULTS:
            self._faults.add(words)
            self.recorder.send("console", {"stream": 2, "text": f"outtake: {words}\n"})

    def watch(self, frame: Frame, watch: ReachableState) -> ReachableState:
        """Watch what a call of a tool keeps; where others run beside it, nobody can tell which of them changed it."""
        with self.lock:
            beside = [other for number, other in self.watches.items() if number not in frame.lineage]
            for each in (*beside, *((watch,) if beside else ())):
                each.overlaps = True
            self.watches[frame.invocation] = watch
        return watch

    def check(self) -> None:
        """Raises `Stopped` when the user ended the program."""
        if self.stopping:
            raise Stopped("stopped by the user of the debugger")

    def effects(self, call: Call) -> Effects | None:
        """What a call does to the world: as declared for its component, or by the program; of an unknown tool, a write.

        Of other kinds, None where nothing is said.
        """
        for pattern, declared in self.settings.effects.items():
            if fnmatch.fnmatchcase(call.component, pattern) or fnmatch.fnmatchcase(call.component, "*/" + pattern):
                return declared
        return call.effects or ("write" if call.kind == "tool" else None)

    def declares(self, call: Call) -> bool:
        """Whether the program or its user says what a call does to the world."""
        return call.effects is not None or any(names(pattern, call.component) for pattern in self.settings.effects)

    # -- writing -----------------------------------------------------------------------------------------------------

    def emit(self, cls: type[Record], **fields: Any) -> int:
        """Append a record, after the pieces of streams that came before it; returns its number."""
        self._write_waiting()
        return self.recorder.emit(cls, fields)

    def emit_next(self, cls: type[Record], **fields: Any) -> int:
        """Append the record whose number `next` has given: what has come to wait since then goes after it."""
        return self.recorder.emit(cls, fields)

    @property
    def next(self) -> int:
        """Number of the next record that is emitted: what waits to be written goes before it."""
        self._write_waiting()
        return self.recorder.next

    def _write_waiting(self) -> None:
        """Write the pieces of streams, what was printed, and what a fork has to say before all else in its own log."""
        if self.streams:
            self.flush_streams()
        replay = self.replay
        if replay is None or replay.index.in_prefix:
            return
        if replay.stale:
            self._note_stale(replay.take_stale())
        if replay.told:
            for type, component in replay.take_told():
                body = self.bodies.put(rebuilding.words(type))
                self.recorder.emit(Noted, {"type": type, "component": component, "body": body})

    def _note_stale(self, stale: Sequence[Json]) -> None:
        """Say first of all in the fork's own log whose code has changed and was served from the record all the same."""
        names = ", ".join(each["component"] for each in stale)
        told = {"content": f"served as recorded, though the code has changed since: {names}", "components": list(stale)}
        self.recorder.emit(Noted, {"type": CODE_CHANGED, "body": self.bodies.put(told)})

    def flush_streams(self) -> None:
        """Write the pieces of streams that still wait for company."""
        streams, self.streams = self.streams, []
        for flush in streams:
            flush()

    def read(self, source: str, read: Callable[[], Json]) -> Json:
        """A value that cannot be computed again: read now, or as it was read."""
        frame = current.get()
        if self.is_entered or (frame is not None and frame.caught is not None):
            return read()
        with self.lock:
            recorded, cut = None, 0
            if self.replay is not None:
                cut = self.replay.index.cut
                recorded = self.replay.index.value(frame.matched if frame else None, source)
            if recorded is not None and recorded.seq < cut:
                return recorded.value
        value = read() if recorded is None else recorded.value
        with self.lock:
            self.emit(ValueRead, source=source, value=value, parent=frame.invocation if frame else None)
        return value

    def note(self, type: str, component: str, body: Json, span: int | None = None) -> None:
        """The program or its framework reports an event of its own, inside a span where it has one."""
        if not self.is_entered:
            self.write_note(type, component, body, span)

    def write_note(self, type: str, component: str, body: Json, span: int | None = None) -> None:
        """Note something where the running code stands, for the probe itself."""
        frame = current.get()
        with self.lock:
            if self._notes:
                parent = frame.invocation if frame else None
                self.emit(Noted, type=type, component=component, body=self.bodies.put(body), parent=parent, span=span)

    def span(self, name: str, tags: Json = None, within: int | None = None) -> int | None:
        """The framework's instrumentation opens a span, inside another one; its number, None where nothing is written.

        Spans are distinguished by their numbers, not by where the code runs: a framework may close them elsewhere.
        """
        frame = current.get()
        if self.is_entered:
            return None
        with self.lock:
            if not self._notes:
                return None
            component, parent = (frame.component, frame.invocation) if frame else ("", None)
            body = self.bodies.put(tags) if tags else None
            number = self.next
            about = {"component": component, "parent": parent, "body": body}
            return self.emit_next(SpanStarted, span=number, within=within, name=name, **about)

    def span_end(self, span: int | None, result: Json = None, *, failed: bool = False, **told: Any) -> None:
        """A span closes; `told` are `seconds`, `tokens_in`, `tokens_out`.  One without a number is not written."""
        if span is None:
            return
        if self.is_entered:
            self.defer(partial(self.span_end, span, result, failed=failed, **told))
            return
        with self.lock:
            if self._notes:
                body = self.bodies.put(result) if result is not None else None
                self.emit(SpanEnded, span=span, failed=failed, body=body, **told)

    @property
    def _notes(self) -> bool:
        """Whether what only informs is written: what a replay repeats is in the record."""
        frame = current.get()
        if frame is not None and frame.caught is not None:
            return False
        return self.replay is None or not self.replay.index.in_prefix

    # -- the user's commands -----------------------------------------------------------------------------------------

    def command(self, verb: str, fields: Json) -> Json:
        """A command of the user for the live target: the number of its record.  Raises `BadValue`."""
        target = self.target
        if target is None:
            raise BadValue("the target has no queue and no settings, is not built yet, or has ended")
        if verb == "describe":
            return target.perform(target.describe)
        if self.is_in_prefix:
            raise BadValue("the fork is still replaying what its parent recorded; wait until it is live")
        return target.perform(lambda: self._commanded(verb, fields, target))

    def _commanded(self, verb: str, fields: Json, target: Target) -> Json:
        with self.lock:
            return self.perform(command_from(verb, fields, target))

    def perform(self, command: Command, by: Literal["plan", "user"] = "user") -> int:
        """Do to the target what a person (or the plan of a fork) wants, and write it down; returns the record's number.

        Raises `BadValue`.
        """
        if self.target is None:
            raise BadValue("the program takes no messages and has no settings")
        outgoing = perform(command, self.target)
        match command:
            case EditMessage(message, value):
                body = self.bodies.put(value)
                return self.emit(Edited, op="replace_message", message=message, body=body, by="user")
            case DropMessage(message):
                return self.emit(MessageDropped, message=message)
            case MoveMessage(message, before):
                return self.emit(MessageMoved, message=message, before=before)
            case Configure(component, key, value):
                return self.emit(ConfigSet, component=component, key=key, body=self.bodies.put(value), by=by)
            case SendMessage(component):
                if not outgoing:
                    raise BadValue(f"nobody listens to {component}")
                numbers = [self._queue_own(message) for message in outgoing]
                return numbers[0]

    def _queue_own(self, message: Outgoing) -> int:
        body, seq = self.bodies.put(message.body), self.next
        self.emit_next(
            MessageQueued,
            component="user",
            recipient=message.recipient,
            type=message.type,
            body=body,
            message=seq,
            injected=True,
        )
        message.put(seq)
        return seq

    def stop(self) -> None:
        """End the program at its gates; what is held is let go into the end."""
        with self.lock:
            self.stopping = True
            holds = list(self.holds.values())
            if self.replay is not None:
                self.replay.index.wake()
        for held in holds:
            held.answer = STOP
            held.wait.set()
        for told in self.on_stop:
            told()

    def let_go(self) -> None:
        """Nobody is there to decide any more: what is held goes on."""
        with self.lock:
            self.stance = Stance()
            holds = list(self.holds.values())
            if self.replay is not None and not self.replay.index.in_prefix:
                self.replay.index.depart()
        self.recorder.acknowledged(self.recorder.next)
        for held in holds:
            held.wait.set()

    # -- holding -----------------------------------------------------------------------------------------------------

    def hold(
        self,
        fields: dict[str, Json],
        check: Callable[[Answer], Answer] = lambda given: given,
        *,
        still: bool = True,
    ) -> Steps[Answer]:
        """Hold what `fields` describe until someone decides; returns the decision.  Raises `Stopped`.

        `still`: the time-outs of frameworks do not run meanwhile.
        """
        with self.lock:
            self.check()
            hold = Hold(next(self._hold_ids), fields, Wait(), check)
            self.holds[hold.id] = hold
            if still:
                self.standstill.begin()
            self.recorder.send("held", {"hold": hold.id, **fields})
        try:
            yield hold.wait
        finally:
            with self.lock:
                if still:
                    self.standstill.end()
                self.holds.pop(hold.id, None)
                self.recorder.send("freed", {"hold": hold.id})
        if hold.answer.verb == "stop":
            raise Stopped("stopped by the user of the debugger")
        return hold.answer

    def release(self, hold: int, answer: Answer, *, keep: bool = False) -> None:
        """The user's answer for what is held.  Raises `BadValue` for one that does not fit; it stays held then.

        `keep`: set it, and hold on; it is given when the hold is let go.
        """
        with self.lock:
            held = self.holds.get(hold)
            if held is None:
                raise BadValue(f"hold {hold} is not held any more")
            if keep:
                held.keep(answer)
                return
            held.answer = held.decided(answer)
            del self.holds[hold]
        held.wait.set()

    def tell_holds(self, connection: Connection) -> None:
        """Tell a server that has just come back what is held."""
        with self.lock:
            holds = list(self.holds.values())
        for hold in holds:
            told = {name: held if name == "body" else self.bodies.cleaned(held) for name, held in hold.fields.items()}
            connection.send("held", {"hold": hold.id, **told})

    def set_stance(self, stance: Stance) -> None:
        """The user wants the program to run, pause or step."""
        with self.lock:
            self.stance = stance
        for told in self.on_stance:
            told()


def _holds(lock: threading.RLock) -> bool:
    """Whether this thread holds the lock, which conditions ask of one, too."""
    held: bool = lock._is_owned()  # type: ignore[attr-defined]
    return held
