"""A run that can only go on when a person, or another program, sends an event: it is shown as waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from workflows.errors import WorkflowRuntimeError
from workflows.events import Event, HumanResponseEvent

from outtake_probe.gate import Answer
from outtake_probe.records import Json
from outtake_probe.session import BadValue, Stopped
from outtake_probe.waits import adrive

if TYPE_CHECKING:
    from outtake_probe.targets.llamaindex.hub import Hub
    from outtake_probe.targets.llamaindex.runs import Run

PATIENCE = 0.1
"""Seconds in which a program may answer by itself before a person is asked."""
GRACE = 1.0
"""Seconds in which a program may still send an event into a run in which nothing can happen any more."""
_tasks: set[asyncio.Future[Any]] = set()


def spawn(run: Run, work: Coroutine[Any, Any, Any]) -> None:
    """Do something on the program's loop, from any of its threads."""
    loop = run.loop
    if loop is None:
        raise BadValue(f"{run.path} is not running")
    loop.call_soon_threadsafe(_start, loop, work)


def _start(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any]) -> None:
    task = loop.create_task(work)
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)


def idle(hub: Hub, run: Run) -> None:
    """Nothing moves in a run any more until an event arrives."""
    if run.hold is None:
        run.hold = asyncio.ensure_future(_shown(hub, run))


async def _shown(hub: Hub, run: Run) -> None:
    await asyncio.sleep(PATIENCE)
    if run.unheard and run.is_closed():
        await asyncio.sleep(GRACE)
        run.failure = WorkflowRuntimeError(f"{run.unheard}: nothing follows from it, and the run would never end")
        await run.adapter.cancel()
        return
    fields: dict[str, Json] = {
        "when": "input",
        "reason": f"waits for {names(run) or 'an event'}",
        "offers": ["mock_output"],
        "component": run.path,
        "call": "flow",
        "prompt": f"{run.path} waits for {names(run) or 'an event'}",
    }
    try:
        answer = await adrive(hub.session.hold(fields, lambda given: _complete(hub, run, given)))
    except Stopped:
        await run.adapter.cancel()
        return
    if answer.verb == "serve" and not answer.failed:
        with hub.session.lock:
            hub.session.inject(run.path, "", answer.value)


def _complete(hub: Hub, run: Run, given: Answer) -> Answer:
    """A person's answer is an event that fits."""
    if given.verb == "serve" and not given.failed and hub.session.target is not None:
        hub.session.target.send(run.path, "", given.value)
    return given


def over(run: Run) -> None:
    """An event has arrived, or the run has ended."""
    hold, run.hold = run.hold, None
    if hold is not None and not hold.done():
        hold.cancel()


def expected(run: Run) -> list[type[Event]]:
    """The types of events that would let it go on, as far as that is known."""
    heard = [cls for config in run.configs.values() for cls in config.accepted_events if _is_human(cls)]
    return list(dict.fromkeys([*run.awaited.values(), *heard]))


def names(run: Run) -> str:
    return ", ".join(cls.__name__ for cls in expected(run))


def _is_human(cls: Any) -> bool:
    return isinstance(cls, type) and issubclass(cls, HumanResponseEvent)
