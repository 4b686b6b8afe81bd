"""One call of a step through the gate.

What a step gives to the framework is a list: events that it returned, events that it collected or waits for, an error.
To the user its output is what it returned, or what it waits for; the rest is part of its changes, and so are the events
that it sent and streamed.  A step that the record answers is not called: its changes are made again.
"""

from __future__ import annotations

import asyncio
import dataclasses
import types
import typing
import weakref
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from workflows.events import Event, StopEvent
from workflows.runtime.types.results import (
    AddCollectedEvent,
    AddWaiter,
    DeleteCollectedEvent,
    DeleteWaiter,
    StepWorkerFailed,
    StepWorkerResult,
    StepWorkerStateContextVar,
)

from outtake_probe.calls import Call
from outtake_probe.codec import TAG, Opaque, class_name, decode, encode, is_opaque
from outtake_probe.commands import BadValue
from outtake_probe.gate.invoke import NewInput, acall
from outtake_probe.records import CallKind, Json
from outtake_probe.targets.llamaindex import access_tracking, attribute_tracking, fingerprints
from outtake_probe.targets.llamaindex import events as codec
from outtake_probe.targets.llamaindex.access_tracking import AccessTracker, watching
from outtake_probe.targets.llamaindex.adapter_state import AdapterState
from outtake_probe.targets.llamaindex.compat import retry_decision, sent_event
from outtake_probe.targets.llamaindex.runs import Run

Worker = Callable[..., Awaitable[list[Any]]]


@dataclass(slots=True)
class Sent:
    """An event that a step sent: its message, and what the framework needs to have it again."""

    event: Event
    step: str | None
    index: int | None
    recovery: dict[str, int]
    dropped: bool = False


@dataclass(slots=True)
class Asked:
    """What the framework gave to the worker of a step."""

    state: Any
    step: str
    event: Event
    workflow: Any
    bound: dict[str, Event] | None
    retry: Any
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def batch(self) -> Any:
        """The events that were collected for it, where it takes a list."""
        return getattr(self.state, "collection_release_payload", None)

    @property
    def events(self) -> list[Event]:
        """The events that it is called with."""
        if self.batch is not None:
            return list(self.batch.events)
        return list(self.bound.values()) if self.bound else [self.event]

    @property
    def attempt(self) -> int:
        return int(getattr(self.retry, "retry_number", 0) or 0)

    @property
    def work_item(self) -> str:
        return getattr(self.state, "work_item_id", None) or ""

    def input(self) -> Json:
        if self.batch is not None:
            return [encode(event) for event in self.batch.events]
        return {name: encode(event) for name, event in self.bound.items()} if self.bound else encode(self.event)

    def answers(self) -> list[Any]:
        """What arrived that this event's step has waited for."""
        return [w.resolved_event if w.resolved_event is not None else "timed out" for w in self.answered()]

    def answered(self) -> list[Any]:
        """What this event's step has waited for with, where that is over."""
        return [w for w in getattr(self.state, "collected_waiters", ()) if self._is_mine(w) and _is_settled(w)]

    def _is_mine(self, waiter: Any) -> bool:
        item = getattr(waiter, "work_item_id", None)
        return waiter.event is self.event or (item is not None and item == self.work_item)


def _is_settled(waiter: Any) -> bool:
    return waiter.resolved_event is not None or bool(getattr(waiter, "timed_out", False))


@dataclass(slots=True)
class Collect:
    """One use of `collect_events`."""

    buffer: str
    expected: list[str]
    complete: bool
    added: bool


class Running:
    """What a context says of the step whose code runs in it.

    A context lives as long as whatever was started in it, such as a timer, and a workflow does not: once the step has
    come back, this holds only what the messages need that its code still sends.
    """

    __slots__ = ("_run", "causes", "invocation", "path")

    def __init__(self, invocation: Invocation) -> None:
        self._run = weakref.ref(invocation.run)
        self.path = invocation.path
        self.causes = invocation.call.caused_by
        self.invocation: Invocation | None = invocation
        """The call of the step, as long as it has not come back."""

    @property
    def run(self) -> Run | None:
        """The run of the step, as long as there is one."""
        return self._run()

    def over(self) -> None:
        """The step has come back."""
        self.invocation = None


running: ContextVar[Running | None] = ContextVar("outtake_llamaindex_step", default=None)
"""The step whose code runs."""


class Invocation:
    """One call of a step; also what lets the record answer in its place."""

    def __init__(self, adapter_state: AdapterState, run: Run, worker: Worker, asked: Asked) -> None:
        self.adapter_state = adapter_state
        self.run = run
        self.worker = worker
        self.asked = asked
        self.config = run.configs[asked.step]
        self.path = component(run, asked)
        self.watch = AccessTracker(weakref.ref(asked.workflow))
        self.rest: list[Any] = []
        """What the framework is told beside the result."""
        self.sent: list[Sent] = []
        self.streamed: list[Json] = []
        self.collects: list[Collect] = []
        self.error: Exception | None = None
        self.executed = False
        self.verdict: Any = None
        self.changed: Json = None
        self._again: list[Awaitable[None]] = []
        self.call = self._describe()
        self.here = Running(self)

    def _describe(self) -> Call:
        asked, run = self.asked, self.run
        given, answers = asked.input(), asked.answers()
        resolved = [encode(answer) for answer in answers]
        identity = [codec.identity(given), asked.attempt, codec.identity(resolved)]
        events = [*asked.events, *(answer for answer in answers if isinstance(answer, Event)), *self._completing()]
        return Call(
            kind_of(run, asked),
            self.path,
            given,
            identity=identity,
            type=type(asked.event).__name__ if not asked.bound else " + ".join(type(e).__name__ for e in asked.events),
            message=run.message_of(events),
            caused_by=run.causes(asked.step, events),
            encode=self._encode,
            decode=self._decode,
            normalize=lambda current, value: normalize_input(self.asked, self.config, current, value),
            normalize_output=lambda value: normalize_output(self.run, self.config, value),
            functions=(run.function(asked.step),),
            whole=self,
        )

    # -- through the gate --------------------------------------------------------------------------------------------

    async def go(self) -> list[Any]:
        """Let it pass the gate; what the framework's worker would have returned."""
        try:
            return await self._go()
        finally:
            self.here.over()

    async def _go(self) -> list[Any]:
        try:
            result = await acall(self.adapter_state.session, self.call, self._execute)
        except Exception as error:  # noqa: BLE001  the user's step is the boundary; the framework decides what follows
            self._settle(None)
            outputs = [*self.rest, self._failed(error)]
        else:
            self._settle(result)
            outputs = [*self._results(result), *self.rest]
        for task in self._again:
            await task
        for item in self.rest:
            if isinstance(item, DeleteWaiter):
                self.run.awaited.pop(item.waiter_id, None)
        return [*outputs, *(entry for entry in map(sent_event, self.sent) if entry is not None)]

    def _settle(self, result: Any) -> None:
        """A mock takes the place of a step: what it has waited for and collected is used up all the same."""
        if self.executed or self.changed is not None:
            return
        self.rest = [DeleteWaiter(waiter_id=waiter.waiter_id) for waiter in self.asked.answered()]
        if result is not None:
            self.rest += [DeleteCollectedEvent(event_id=buffer) for buffer, _ in self._completed()]

    async def _execute(self, new: NewInput | None) -> Any:
        self.executed = True
        self.run.leave()
        asked = with_input(self.asked, new) if new is not None else self.asked
        here, watched = running.set(self.here), watching.set(self.watch)
        try:
            outputs = await self.worker(
                state=asked.state,
                step_name=asked.step,
                event=asked.event,
                workflow=asked.workflow,
                **({"bound_events": asked.bound} if asked.bound is not None else {}),
                **asked.extra,
            )
        finally:
            self.run.enter()
            running.reset(here)
            watching.reset(watched)
        return self._take(outputs)

    def _take(self, outputs: Sequence[Any]) -> Any:
        """Part the result from the rest; an error is raised, so that the gate sees it."""
        self.rest = [
            item for item in outputs if isinstance(item, (AddCollectedEvent, DeleteCollectedEvent, DeleteWaiter))
        ]
        failed = next((item for item in outputs if isinstance(item, StepWorkerFailed)), None)
        if failed is not None:
            self.error = failed.exception
            raise failed.exception
        waits = next((item for item in outputs if isinstance(item, AddWaiter)), None)
        if waits is not None:
            return waits
        results = [item for item in outputs if isinstance(item, StepWorkerResult)]
        if any(getattr(item, "fanned_out", False) for item in results):
            return [item.result for item in results if item.result is not None]
        return results[0].result if results else None

    def _results(self, result: Any) -> list[Any]:
        number, asked = self.call.number, self.asked
        if isinstance(result, AddWaiter):
            self.run.waited(asked.step, asked.event, number)
            self.run.awaited[result.waiter_id] = result.event_type
            return [result]
        if isinstance(result, list):
            made = [StepWorkerResult(result=self._returned(event), fanned_out=True) for event in result]
            return made or [StepWorkerResult(result=None, fanned_out=True)]
        if isinstance(result, Event) and not isinstance(result, StopEvent):
            result = self._returned(result)
        return [StepWorkerResult(result=result)]

    def _returned(self, event: Event) -> Event:
        self.run.gives(event, f"{self.path} returned")
        return self.run.emitted(event, self.call.number)

    def _failed(self, error: Exception) -> Any:
        """The framework's own verdict on a failure: the time stands still while something is held."""
        self.run.failed(self.asked.step, self.asked.event, self.call.number)
        told: dict[str, Any] = {"exception": error, "failed_at": self.adapter_state.now()}
        if self.changed is not None and "verdict" in self.changed:
            decided = retry_decision(0.0 if self.changed["verdict"]["retry"] else None)
            told |= {"retry_decision": decided} if decided is not None else {}
        elif self.verdict is not None:
            told["retry_decision"] = self.verdict
        return StepWorkerFailed(**told)

    # -- the output --------------------------------------------------------------------------------------------------

    def _encode(self, result: Any) -> Json:
        return [encode(event) for event in result] if isinstance(result, list) else encode(result)

    def _decode(self, value: Json) -> Any:
        made = decode(value)
        if isinstance(made, AddWaiter):
            return made.model_copy(update={"waiter_id": self._waiter_here(made.waiter_id)})
        return made

    # -- what it does beside its result ------------------------------------------------------------------------------

    def begin(self) -> None:
        attribute_tracking.start(self.asked.workflow, self.watch)

    def changes(self) -> Json:
        told = self.watch.finish()
        self._check_resources()
        if any(map(is_opaque, self.streamed)):
            raise Opaque("it streamed what cannot be put into a record")
        if self.error is not None:
            self.verdict, retried = self._decide(self.error)
            told["verdict"] = {"retry": retried}
        if self.rest:
            told["rest"] = [self._told(item) for item in self.rest]
        if self.asked.work_item:
            told["item"] = self.asked.work_item
        if self.collects:
            told["collects"] = [self._collected(use) for use in self.collects]
        if self.sent:
            told["sent"] = [self._sent(sent) for sent in self.sent]
        if self.streamed:
            told["streamed"] = self.streamed
        return told

    def same(self, changes: Json) -> bool:
        collects = changes.get("collects", ())
        return access_tracking.same(changes, self.run.shared) and all(self._would_collect(use) for use in collects)

    def redo(self, changes: Json, sent: Sequence[int]) -> None:
        self.changed = changes
        access_tracking.redo(changes, self.run.shared)
        self.rest = [self._made(item) for item in changes.get("rest", ())]
        for use in changes.get("collects", ()):
            self.adapter_state.collects[self.path, use["buffer"]] = use["expected"]
        for event in changes.get("streamed", ()):
            self._again.append(self.run.adapter.write_to_event_stream(decode(event)))

    def resend(self, changes: Json, index: int, number: int) -> None:
        told = changes["sent"][index]
        if told is None:
            return
        event = self.run.emitted(decode(told["event"]), number, is_message=True)
        self.run.gives(event, f"{self.path} sent")
        sent = Sent(event, told["step"], told["index"], told["recovery"])
        self.sent.append(sent)
        self._again.append(asyncio.ensure_future(self.run.adapter.send_again(sent, self.asked.state)))

    def _sent(self, sent: Sent) -> Json:
        if sent.dropped:
            return None
        about = {"step": sent.step, "index": sent.index, "recovery": sent.recovery}
        return {"event": fingerprints.coded(sent.event), **about}

    def _decide(self, error: Exception) -> tuple[Any, bool]:
        """What the framework's policy says of a failure: its decision, and whether the step is tried again."""
        policy = self.config.retry_policy
        if policy is None:
            return None, False
        first = getattr(self.asked.retry, "first_attempt_at", 0.0) or self.adapter_state.now()
        try:
            delay = policy.next(self.adapter_state.now() - first, self.asked.attempt + 1, error)
        except Exception:  # noqa: BLE001  a policy is the user's; the framework reports what it raises
            return None, False
        return retry_decision(delay), delay is not None

    def _check_resources(self) -> None:
        """What is injected may keep a state that no record holds."""
        manager = getattr(self.asked.workflow, "_resource_manager", None)
        for definition in self.config.resources:
            held = getattr(manager, "resources", {})
            value = held.get(getattr(definition.resource, "name", None))
            if value is not None and not isinstance(value, tuple(cls for cls, _ in fingerprints.constants)):
                raise Opaque(f"{definition.name} is injected: what it keeps is not in the record")

    # -- collecting and waiting --------------------------------------------------------------------------------------

    def collected(self, buffer: str, expected: Sequence[type], result: Any) -> None:
        """The step's code has used `collect_events`."""
        added = any(isinstance(i, AddCollectedEvent) for i in self._pending_returns())
        names = [class_name(cls) for cls in expected]
        self.collects.append(Collect(buffer, names, result is not None, added))
        self.adapter_state.collects[self.path, buffer] = names

    def _pending_returns(self) -> list[Any]:
        from_framework = state_of_step()
        return list(from_framework.returns.return_values) if from_framework is not None else []

    def _buffered(self, buffer: str) -> list[Event]:
        return list(self.asked.state.collected_events.get(buffer, ()))

    def _completing(self) -> list[Event]:
        """What was collected before, where this event completes it."""
        return [event for _, events in self._completed() for event in events]

    def _completed(self) -> list[tuple[str, list[Event]]]:
        """Buffers that this event completes, and what is in them."""
        found: list[tuple[str, list[Event]]] = []
        for buffer, events in getattr(self.asked.state, "collected_events", {}).items():
            expected = self.adapter_state.collects.get((self.path, buffer))
            if expected is not None and _completes(expected, events, self.asked.event)[0]:
                found.append((buffer, list(events)))
        return found

    def _collected(self, use: Collect) -> Json:
        told: dict[str, Json] = {"buffer": use.buffer, "expected": use.expected}
        held = codec.identity(self._coded_buffer(use.buffer)) if use.complete else None
        return {**told, "complete": use.complete, "added": use.added, "held": held}

    def _coded_buffer(self, buffer: str) -> Json:
        return [encode(event) for event in self._buffered(buffer)]

    def _would_collect(self, use: Json) -> bool:
        """Whether collecting here comes to the same."""
        complete, added = _completes(use["expected"], self._buffered(use["buffer"]), self.asked.event)
        if complete != use["complete"] or (not complete and added != use["added"]):
            return False
        return not complete or codec.identity(self._coded_buffer(use["buffer"])) == use["held"]

    def _told(self, item: Any) -> Json:
        if isinstance(item, AddCollectedEvent):
            given = None if item.event is self.asked.event else fingerprints.coded(item.event)
            return {"add": item.event_id, "event": given}
        if isinstance(item, DeleteCollectedEvent):
            return {"clear": item.event_id}
        return {"answered": item.waiter_id}

    def _made(self, told: Json) -> Any:
        if "add" in told:
            event = self.asked.event if told["event"] is None else decode(told["event"])
            return AddCollectedEvent(event_id=told["add"], event=event)
        if "clear" in told:
            return DeleteCollectedEvent(event_id=told["clear"])
        return DeleteWaiter(waiter_id=self._waiter_here(told["answered"]))

    def _waiter_here(self, waiter: str) -> str:
        """The framework's name of a waiter, which ends with a number that the run has given to the event."""
        then, now = (self.changed or {}).get("item", ""), self.asked.work_item
        return waiter[: -len(then)] + now if then and waiter.endswith(then) else waiter


def state_of_step() -> Any:
    return StepWorkerStateContextVar.get(None)


def _completes(expected: Sequence[str], held: Sequence[Event], event: Event) -> tuple[bool, bool]:
    """Whether an event completes what is collected, and otherwise whether it is one of those that are missing."""
    own_name = class_name(type(event))
    missing = Counter(expected) - Counter(class_name(type(each)) for each in held)
    return missing == Counter([own_name]), own_name in missing


# -- where it is -----------------------------------------------------------------------------------------------------


def component(run: Run, asked: Asked) -> str:
    """The path of a step; the turn of one of several agents is that agent's."""
    agent = _agent(run, asked)
    return f"{run.path}/{agent}" if agent else run.step_path(asked.step)


def kind_of(run: Run, asked: Asked) -> CallKind:
    return "agent" if asked.step == "run_agent_step" and is_agent_event(asked.event) else "step"


def _agent(run: Run, asked: Asked) -> str:
    several = isinstance(getattr(run.workflow, "agents", None), dict)
    if several and kind_of(run, asked) == "agent":
        return str(getattr(asked.event, "current_agent_name", ""))
    return ""


def is_agent_event(event: Event) -> bool:
    return "current_agent_name" in type(event).model_fields


# -- edits -----------------------------------------------------------------------------------------------------------


def with_input(asked: Asked, new: NewInput) -> Asked:
    """The call with other events."""
    if asked.batch is not None:
        payload = dataclasses.replace(asked.batch, events=list(new.value))
        changed = dataclasses.replace(asked.state, collection_release_payload=payload)
        return dataclasses.replace(asked, state=changed)
    if asked.bound:
        return dataclasses.replace(asked, bound=dict(new.value))
    return dataclasses.replace(asked, event=new.value)


def accepted(config: Any) -> list[type[Event]]:
    return [cls for cls in config.accepted_events if isinstance(cls, type)]


def normalize_input(asked: Asked, config: Any, current: Json, value: Json) -> Json:
    """The full new input, of a value that may say only some fields of the event."""
    if asked.batch is not None:
        if not isinstance(value, list):
            raise BadValue("the input is a list of events", codec.schemas(accepted(config)))
        return [encode(codec.build(item, accepted(config))) for item in value]
    if asked.bound:
        unknown = [name for name in value if name not in asked.bound] if isinstance(value, dict) else ["?"]
        if unknown:
            raise BadValue(f"the input is an object with the events {', '.join(asked.bound)}")
        merged = {name: _merged(current[name], item) for name, item in value.items()}
        return {**current, **{name: encode(codec.build(item, accepted(config))) for name, item in merged.items()}}
    return encode(codec.build(_merged(current, value), [type(asked.event)]))


def _merged(current: Json, value: Json) -> Json:
    """An event of which only some fields were said."""
    if isinstance(value, dict) and TAG not in value:
        named = {name: item for name, item in value.items() if name != "type" or "type" in current["fields"]}
        return {**current, "fields": {**current["fields"], **named}}
    return value


def normalize_output(run: Run, config: Any, value: Json) -> Json:
    """A mock as the full output: an event that this step may return, a list of them where it fans out, or nothing."""
    if isinstance(value, dict) and value.get(TAG) == "waiting":
        return value
    allowed = returnable(run, config)
    if isinstance(value, list) and getattr(config, "is_fan_out", False):
        return [encode(codec.build(item, allowed)) for item in value]
    if value is None:
        if not may_skip(run, config):
            raise BadValue(f"the step returns an event: {codec.names(allowed)}", codec.schemas(allowed))
        return None
    bare = [cls for cls in getattr(config, "bare_return_types", ()) if isinstance(cls, type)]
    if getattr(config, "is_fan_out", False) and not bare:
        raise BadValue(f"the step returns a list of events: {codec.names(allowed)}", codec.schemas(allowed))
    return encode(codec.build(value, bare if getattr(config, "is_fan_out", False) else allowed))


def returnable(run: Run, config: Any) -> list[type[Event]]:
    """The types of events that a step may return."""
    declared = [cls for cls in config.return_types if isinstance(cls, type) and issubclass(cls, Event)]
    if declared and Event not in declared:
        return declared
    every = (*declared, *(cls for each in run.configs.values() for cls in (*each.accepted_events, *each.return_types)))
    return [cls for cls in dict.fromkeys(every) if isinstance(cls, type) and issubclass(cls, Event)]


def may_skip(run: Run, config: Any) -> bool:
    """Whether a step may return nothing, as far as its annotation says."""
    found = next((step for step in run.workflow._get_steps().values() if step._step_config is config), None)
    try:
        declared = typing.get_type_hints(getattr(found, "__func__", found)).get("return", None)
    except Exception:  # noqa: BLE001  an annotation of the user's may name what is not there
        return True
    return declared is None or declared is type(None) or types.NoneType in typing.get_args(declared)
