"""How a team, an agent or a runtime that a factory made is run."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from autogen_core import AgentId

from outtake_probe.commands import BadValue
from outtake_probe.records import Json
from outtake_probe.targets.autogen import messages
from outtake_probe.targets.autogen.adapter_state import AdapterState
from outtake_probe.targets.autogen.hooks import task_from
from outtake_probe.targets.autogen.paths import is_team
from outtake_probe.targets.autogen.runtime import Runtime
from outtake_probe.targets.autogen.target import AutoGenTarget
from outtake_probe.targets.base import Program


def make_program(made: Any, adapter_state: AdapterState, target: AutoGenTarget) -> Program:
    """What runs it, the commands it takes, and the path of its root."""
    if isinstance(made, Runtime):
        return Program(lambda given: _to_its_end(adapter_state, _run_runtime(made, target, given)), target, "program")
    if is_team(made):
        name = adapter_state.paths.adopt(made)
    else:
        name = made.name
        adapter_state.runners[name] = made
    return Program(lambda given: _to_its_end(adapter_state, _run_task(made, given)), target, name)


async def _to_its_end(adapter_state: AdapterState, run: Coroutine[Any, Any, Json]) -> Json:
    """A program that the user stops is cancelled everywhere at once; to whoever runs it, it was stopped."""
    try:
        return await run
    except asyncio.CancelledError:
        adapter_state.session.check()
        raise


async def _run_task(runner: Any, given: Json) -> Json:
    """Give a team or an agent its task; the result is its last message and why it stopped."""
    result: Any = None
    async for piece in runner.run_stream(task=task_from(given)):
        result = piece
    said = getattr(result, "messages", None) or []
    return {
        "answer": said[-1].to_text() if said else None,
        "stop_reason": getattr(result, "stop_reason", None),
        "messages": len(said),
    }


async def _run_runtime(runtime: Runtime, target: AutoGenTarget, given: Json) -> Json:
    """Send the input to an agent or a topic, and wait until nothing happens any more.

    The input is ``{"to": PATH or "topic:NAME", "type": NAME, "message": ...}``; without one, what the factory has
    queued is delivered.
    """
    runtime.start()
    answer: Json = None
    if given is not None:
        if not isinstance(given, dict) or "to" not in given or "message" not in given:
            raise BadValue('the input of a runtime is {"to": an agent or "topic:NAME", "type": ..., "message": ...}')
        message, recipients, topic = target.address(given["to"], given.get("type") or "", given["message"])
        if topic is not None:
            await runtime.publish_message(message, topic)
        else:
            answer = messages.plain(await runtime.send_message(message, _one(recipients)))
    await runtime.stop_when_idle()
    return answer


def _one(recipients: list[tuple[Runtime, AgentId]]) -> AgentId:
    return recipients[0][1]
