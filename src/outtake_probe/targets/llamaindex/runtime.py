"""The seams of the framework's runtimes: steps, the clock, events that are sent and streamed, runs.

Every runtime gives its steps, and an adapter for each run, through the same three methods; they are wrapped wherever a
class of the family defines them.  The program's runtimes stay the objects that they are.
"""

from __future__ import annotations

import asyncio
import dataclasses
import functools
from collections.abc import Callable
from typing import Any

from workflows.errors import WorkflowCancelledByUser
from workflows.events import (
    Event,
    InputRequiredEvent,
    InternalDispatchEvent,
    StopEvent,
    UnhandledEvent,
    WorkflowIdleEvent,
)
from workflows.runtime.runtime_decorators import BaseInternalRunAdapterDecorator
from workflows.runtime.types.plugin import RegisteredWorkflow, Runtime
from workflows.runtime.types.ticks import TickAddEvent, TickCancelRun

from outtake_probe.calls import Call, Message, current
from outtake_probe.codec import decode, encode
from outtake_probe.commands import BadValue
from outtake_probe.gate.invoke import NewInput, acall, asend
from outtake_probe.records import Json
from outtake_probe.targets.llamaindex import events as codec
from outtake_probe.targets.llamaindex import waiting
from outtake_probe.targets.llamaindex.access_tracking import Shared, watching
from outtake_probe.targets.llamaindex.adapter_state import AdapterState
from outtake_probe.targets.llamaindex.compat import add_event
from outtake_probe.targets.llamaindex.runs import Run
from outtake_probe.targets.llamaindex.steps import Asked, Invocation, Sent, accepted, running
from outtake_probe.targets.llamaindex.store import StoreCells, TrackedStore, live
from outtake_probe.targets.toolkit.patches import Patches

_MARK = "__outtake_gate__"
_BREATH = 0.05
"""Seconds between two looks at the clock while it stands still."""
QUIET = ("AgentStream",)
"""Streamed events that repeat what a model's pieces say."""


def install(adapter_state: AdapterState, patches: Patches) -> None:
    """Wrap the seams of every runtime there is, and of those to come."""
    seams = {
        "register": _register(adapter_state),
        "get_internal_adapter": _adapter(adapter_state),
        "run_workflow": _run_workflow(adapter_state),
    }
    patches.family(Runtime, seams)


# -- a workflow's steps ----------------------------------------------------------------------------------------------


def _register(adapter_state: AdapterState) -> Callable[[Any], Any]:
    def wrap(method: Any) -> Any:
        @functools.wraps(method)
        def register(self: Any, workflow: Any) -> Any:
            found = method(self, workflow)
            if hasattr(found.workflow_run_fn, _MARK):
                return found
            steps = {name: _worker(adapter_state, worker) for name, worker in found.steps.items()}
            return RegisteredWorkflow(
                workflow=found.workflow,
                workflow_run_fn=_flow(adapter_state, workflow, found.workflow_run_fn),
                steps=steps,
            )

        return register

    return wrap


def _worker(adapter_state: AdapterState, worker: Any) -> Any:
    async def gated(state: Any, step_name: str, event: Event, workflow: Any, **rest: Any) -> list[Any]:
        run = adapter_state.runs.get(workflow._runtime.get_internal_adapter(workflow).run_id)
        if run is None:
            return await worker(state=state, step_name=step_name, event=event, workflow=workflow, **rest)  # type: ignore[no-any-return]
        bound = rest.pop("bound_events", None)
        asked = Asked(state, step_name, event, workflow, bound, rest.get("retry"), rest)
        sent = list(run.expected)
        run.enter()
        try:
            outputs = await Invocation(adapter_state, run, worker, asked).go()
        finally:
            run.leave()
        await run.received(sent)
        run.came_back()
        return outputs

    functools.update_wrapper(gated, worker)
    return gated


# -- a run -----------------------------------------------------------------------------------------------------------


def _flow(adapter_state: AdapterState, workflow: Any, run_fn: Any) -> Any:
    """What runs a workflow to its end: an invocation of its own, but for the one that the target is."""

    async def flow(init_state: Any, start_event: Any = None, tags: Any = None) -> Any:
        run = adapter_state.runs.get(workflow._runtime.get_internal_adapter(workflow).run_id)
        if run is None:
            return await run_fn(init_state, start_event, tags)
        try:
            if is_root(run):
                return await run_fn(init_state, start_event, tags)
            call = Call(
                "flow",
                run.path,
                encode(start_event),
                identity=codec.identity(encode(start_event)),
                type=type(start_event).__name__,
                normalize=lambda _, value: _new_start(workflow, value),
            )
            return await acall(
                adapter_state.session, call, lambda new: run_fn(init_state, _start(new, start_event), tags)
            )
        except WorkflowCancelledByUser:
            adapter_state.session.check()  # the user of the debugger has ended the program
            if run.failure is not None:
                raise run.failure from None
            raise
        finally:
            waiting.over(run)
            adapter_state.runs.pop(run.id, None)

    setattr(flow, _MARK, True)
    return flow


def is_root(run: Run) -> bool:
    """Whether a run is what the flow around it is."""
    return run.frame is not None and run.frame.kind == "flow" and run.frame.component == run.path


def _start(new: NewInput | None, start_event: Any) -> Any:
    return start_event if new is None else new.value


def _new_start(workflow: Any, value: Json) -> Json:
    return encode(codec.build(value, [workflow.start_event_class]))


def _run_workflow(adapter_state: AdapterState) -> Callable[[Any], Any]:
    def wrap(method: Any) -> Any:
        @functools.wraps(method)
        def run_workflow(self: Any, run_id: str, workflow: Any, *args: Any, **kwargs: Any) -> Any:
            if run_id in adapter_state.runs:
                return method(self, run_id, workflow, *args, **kwargs)
            run = adapter_state.runs[run_id] = Run(run_id, workflow, adapter_state.adopt(workflow), current.get())
            external = method(self, run_id, workflow, *args, **kwargs)
            external.send_event = _outside(adapter_state, run, external.send_event)
            return external

        return run_workflow

    return wrap


def _outside(adapter_state: AdapterState, run: Run, send: Any) -> Any:
    """Events that the program sends into a run from outside of its steps are messages, too."""

    @functools.wraps(send)
    async def send_event(tick: Any) -> None:
        if isinstance(tick, TickAddEvent):
            tick = await message(adapter_state, run, sender(), tick)
            run.outside += [tick.event] if tick is not None else []
        if tick is not None:
            await send(tick)

    return send_event


def sender() -> str:
    frame = current.get()
    return frame.component if frame is not None and frame.component else "program"


async def message(adapter_state: AdapterState, run: Run, who: str, tick: Any, sent: Sent | None = None) -> Any:
    """Send a tick's event as a message: the tick as the gate wants it, None where it is dropped."""
    event = tick.event
    body = encode(event)
    step = tick_step(tick)
    here = running.get()
    told = Message(
        who,
        recipient(run, event, step),
        type(event).__name__,
        body,
        identity=codec.identity(body),
        caused_by=here.causes if here is not None and here.run is run else (),
        normalize=lambda now, value: _new_event(event, now, value),
    )
    if here is not None:
        run.gives(event, f"{who} sent")
    queued = await asend(adapter_state.session, told)
    if sent is not None:
        sent.dropped = queued.dropped
    if queued.dropped:
        return None
    made = run.emitted(decode(queued.value) if queued.edited else event, queued.id, is_message=True)
    if sent is not None:
        sent.event = made
    return tick if made is event else tick.model_copy(update={"event": made})


def _new_event(event: Event, now: Json, value: Json) -> Json:
    if isinstance(value, dict) and "$type" not in value:
        value = {**now, "fields": {**now["fields"], **value}}
    return encode(codec.build(value, [type(event)]))


def tick_step(tick: Any) -> str | None:
    found = getattr(tick, "step_id", None) or getattr(tick, "step_name", None)
    return str(found) if found is not None else None


def recipient(run: Run, event: Event, step: str | None = None) -> str:
    """Who gets an event: the step that it is for, the only one that accepts it, or the workflow."""
    if step is not None:
        return run.step_path(step)
    takers = [name for name, config in run.configs.items() if type(event) in accepted(config)]
    return run.step_path(takers[0]) if len(takers) == 1 else run.path


# -- the adapter of a run --------------------------------------------------------------------------------------------


def _adapter(adapter_state: AdapterState) -> Callable[[Any], Any]:
    def wrap(method: Any) -> Any:
        @functools.wraps(method)
        def get_internal_adapter(self: Any, *args: Any) -> Any:
            found = method(self, *args)
            run = adapter_state.runs.get(found.run_id)
            return found if run is None or _is_gated(found) else GatedAdapter(found, adapter_state, run)

        return get_internal_adapter

    return wrap


def _is_gated(adapter: Any) -> bool:
    while adapter is not None:
        if isinstance(adapter, GatedAdapter):
            return True
        adapter = vars(adapter).get("_decorated")
    return False


class GatedAdapter(BaseInternalRunAdapterDecorator):
    """Between a run and its runtime."""

    def __init__(self, decorated: Any, adapter_state: AdapterState, run: Run) -> None:
        super().__init__(decorated)
        self._adapter_state = adapter_state
        self._run = run
        run.adapter = run.adapter or self
        run.loop = run.loop or asyncio.get_running_loop()
        store = decorated.get_state_store() if run.store is None else None
        if store is not None and live(store) is not None:
            run.store = Shared("store", StoreCells(store))

    async def get_now(self) -> float:
        return self._adapter_state.now()

    async def wait_for_next_task(self, running: Any, pending: Any, timeout: float | None = None) -> Any:
        self._run.waits(self._adapter_state.now(), timeout)
        if timeout is not None and self._adapter_state.session.standstill.now:
            timeout = max(timeout, _BREATH)
        result = await super().wait_for_next_task(running, pending, timeout)
        done = [task for task in (named.task for named in (*running, *result.started)) if task.done()]
        return dataclasses.replace(result, completed=self._run.first(done, result.completed))

    async def wait_receive(self, timeout_seconds: float | None = None) -> Any:
        result = await super().wait_receive(timeout_seconds)
        tick = getattr(result, "tick", None)
        if isinstance(tick, TickAddEvent):
            await self._run.let_in(tick.event)
        self._run.came_back()
        return result

    def get_state_store(self, *args: Any) -> Any:
        store = super().get_state_store(*args)
        here, watch = running.get(), watching.get()
        if store is None or here is None or watch is None or here.run is not self._run:
            return store
        if self._run.store is None:
            watch.cannot("the state is kept in a store of its own")
            return store
        return TrackedStore(store, self._run.store, watch)

    async def send_event(self, tick: Any) -> None:
        here = running.get()
        if not isinstance(tick, TickAddEvent) or here is None or here.run is not self._run:
            await super().send_event(tick)
            return
        emission = getattr(tick, "emission", None)
        index = emission.index if emission is not None else None
        sent = Sent(tick.event, tick_step(tick), index, dict(getattr(tick, "recovery_counts", None) or {}))
        if here.invocation is not None:
            here.invocation.sent.append(sent)
        told = await message(self._adapter_state, self._run, here.path, tick, sent)
        if told is not None:
            await super().send_event(told)

    async def send_again(self, sent: Sent, state: Any) -> None:
        """A step that is served from the record sent this."""
        await super().send_event(add_event(sent, getattr(state, "invocation_id", None)))

    async def cancel(self) -> None:
        """End a run in which nothing moves any more."""
        await super().send_event(TickCancelRun())

    async def write_to_event_stream(self, event: Event) -> None:
        here = running.get()
        if isinstance(event, UnhandledEvent):
            told = {"event": event.event_type, "words": f"no step accepts {event.event_type}: nothing follows from it"}
            self._adapter_state.session.note("UnhandledEvent", self._run.path, told)
            self._run.nobody_takes(event.qualified_name)
        elif isinstance(event, WorkflowIdleEvent):
            waiting.idle(self._adapter_state, self._run)
        elif not isinstance(event, (InternalDispatchEvent, StopEvent)):
            told, path = encode(event), self._run.path
            if here is not None and here.run is self._run:
                if here.invocation is not None:
                    here.invocation.streamed.append(told)
                path = here.path
            self._run.asks = self._run.asks or isinstance(event, InputRequiredEvent)
            if type(event).__name__ not in QUIET:
                self._adapter_state.session.note(type(event).__name__, path, told)
        await super().write_to_event_stream(event)

    async def on_tick(self, tick: Any) -> None:
        if isinstance(tick, TickAddEvent):
            waiting.over(self._run)
            self._run.asks = False
            self._run.expected = [event for event in self._run.expected if event is not tick.event]
        await super().on_tick(tick)


def inject(run: Run, event: Event, step: str | None, number: int) -> None:
    """Put a person's event into a run, on the loop of the program."""
    if run.adapter is None:
        raise BadValue(f"{run.path} has not started yet")
    event = run.emitted(event, number, is_message=True)
    run.expected.append(event)
    sent = Sent(event, step, None, {})
    waiting.spawn(run, run.adapter.send_again(sent, None))
