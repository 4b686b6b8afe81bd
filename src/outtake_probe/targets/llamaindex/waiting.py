"""A run in which nothing moves until an event arrives: it waits for its program, or for a person.

A person is asked where nothing else in the program can act: no other task, timer, thread or server of it.  Then the
clock of the framework stands still, so that the workflow's time-out leaves them time.  A run that waits for a person by
the type of what it waits for, while its program may answer for them, is shown as waiting, too, but everything goes on.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import workflows
from workflows.errors import WorkflowRuntimeError
from workflows.events import Event, HumanResponseEvent

from outtake_probe.commands import BadValue, SendMessage
from outtake_probe.gate.decision import Answer
from outtake_probe.records import Json
from outtake_probe.session import Stopped
from outtake_probe.targets.toolkit import activity
from outtake_probe.targets.toolkit.human_input import is_answered, question
from outtake_probe.waits import adrive

if TYPE_CHECKING:
    from outtake_probe.targets.llamaindex.adapter_state import AdapterState
    from outtake_probe.targets.llamaindex.runs import Run

FIRST, LONGEST = 0.02, 0.5
"""Seconds between two looks at whether the program may still act: at first, and at most."""
_FRAMEWORK = os.path.join(os.path.dirname(workflows.__file__ or ""), "")
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


def idle(adapter_state: AdapterState, run: Run) -> None:
    """Nothing moves in a run any more until an event arrives."""
    if run.hold is None:
        run.hold = asyncio.ensure_future(_shown(adapter_state, run))


async def _shown(adapter_state: AdapterState, run: Run) -> None:
    """Look what the program does as long as the run waits, and ask a person where that makes sense."""
    asked: _Asked | None = None
    pause = FIRST
    try:
        while asked is None or not asked.task.done():
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST)
            others = _others(adapter_state)
            if not others and run.unheard and run.is_closed():
                run.failure = WorkflowRuntimeError(
                    f"{run.unheard}: nothing follows from it, and the run would never end"
                )
                await run.adapter.cancel()
                return
            if (others and not is_for_a_person(run)) or adapter_state.session.is_in_prefix:
                _withdraw(asked)
                asked = None
            elif asked is None or asked.others != others:
                _withdraw(asked)
                asked = _Asked(others, asyncio.ensure_future(_ask(adapter_state, run, others)))
    finally:
        _withdraw(asked)


@dataclass(frozen=True)
class _Asked:
    """A person is asked; `others` of the program may answer, too."""

    others: bool
    task: asyncio.Future[None]


def _withdraw(asked: _Asked | None) -> None:
    if asked is not None:
        asked.task.cancel()


def _others(adapter_state: AdapterState) -> bool:
    """Whether anything in the program may act while its runs wait."""
    busy = any(run.timer for run in adapter_state.runs.values())
    return busy or activity.may_act(asyncio.get_running_loop(), _waits_for_events)


def _waits_for_events(files: Sequence[str]) -> bool:
    """Whether a task that is suspended there waits for events of workflows, or shows that one does."""
    return bool(files) and (files[-1].startswith(_FRAMEWORK) or __file__ in files)


async def _ask(adapter_state: AdapterState, run: Run, others: bool) -> None:
    reason = f"waits for {names(run) or 'an event'}"
    fields: dict[str, Json] = {**question(run.path, f"{run.path} {reason}", reason, "flow"), "others": others}
    try:
        answer = await adrive(
            adapter_state.session.hold(fields, lambda given: _complete(adapter_state, run, given), still=not others)
        )
    except Stopped:
        await run.adapter.cancel()
        return
    if is_answered(answer):
        with adapter_state.session.lock:
            adapter_state.session.perform(SendMessage(run.path, "", answer.value))


def _complete(adapter_state: AdapterState, run: Run, given: Answer) -> Answer:
    """A person's answer is an event that fits."""
    if is_answered(given) and adapter_state.session.target is not None:
        adapter_state.session.target.send(run.path, "", given.value)
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


def is_for_a_person(run: Run) -> bool:
    """Whether it waits for a person by what it asked or waits for."""
    return run.asks or any(map(_is_human, expected(run)))


def _is_human(cls: Any) -> bool:
    return isinstance(cls, type) and issubclass(cls, HumanResponseEvent)
