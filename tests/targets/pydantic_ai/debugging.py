"""Agents under the debugger in this process, and models that answer by a hash of what they are told."""

from __future__ import annotations

import asyncio
import hashlib
import uuid
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, DeltaThinkingPart, DeltaToolCall, FunctionModel

from outtake_probe import nondeterminism
from outtake_probe.bodies import Bodies
from outtake_probe.edits import Edit
from outtake_probe.records import InvocationEnded, InvocationStarted, Json
from outtake_probe.session import Session
from outtake_probe.targets.pydantic_ai import adapter
from tests.probe.inprocess import Log
from tests.targets.hooked import Executed, run

CALLS = Executed()
"""What was really asked of models and tools."""
Program = Callable[[], Coroutine[Any, Any, Any]]


def record(program: Program, **options: Any) -> Log:
    """Run a coroutine function under the debugger; ids follow from the run, as in a debugged process."""
    real = uuid.uuid4
    nondeterminism.seed_all(Session(Bodies()), 7)
    try:
        return run(adapter, lambda: asyncio.run(program()), **options)
    finally:
        uuid.uuid4 = real


def fork(program: Program, parent: Log, edit: Edit, **options: Any) -> Log:
    """A fork with one edit, cut at what it is about."""
    return record(program, parent=parent, cut=edit.seq, edits=[edit], **options)


def mock(at: InvocationStarted, value: Json) -> Edit:
    return Edit(op="mock_output", seq=at.seq, component=at.component, call=at.call, value=value)


def replace(at: InvocationStarted, value: Json) -> Edit:
    return Edit(op="replace_input", seq=at.seq, component=at.component, call=at.call, value=value)


def started(log: Log, component: str = "", call: str = "") -> list[InvocationStarted]:
    found = (r for r in log.records if isinstance(r, InvocationStarted))
    return [r for r in found if r.component.endswith(component) and call in ("", r.call)]


def ended(log: Log, start: InvocationStarted) -> InvocationEnded:
    return next(r for r in log.records if isinstance(r, InvocationEnded) and r.invocation == start.seq)


def given(log: Log, start: InvocationStarted) -> Json:
    return log.body(start.body)


def output(log: Log, start: InvocationStarted) -> Json:
    return log.body(ended(log, start).body)


# -- models ----------------------------------------------------------------------------------------------------------


def hashed(*told: object) -> str:
    return hashlib.sha256(" ".join(map(str, told)).encode()).hexdigest()[:8]


def said(messages: list[ModelMessage], info: AgentInfo) -> str:
    """All that a model is told, without ids and times."""
    parts = [part for message in messages for part in message.parts]
    told = [(part.part_kind, getattr(part, "content", None) or getattr(part, "args", None)) for part in parts]
    return hashed(info.instructions, *told)


def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """A text by a hash of what it is told; before that, calls of tools, how many and of which the hash decides."""
    told = said(messages, info)
    CALLS.append(f"model {told}")
    turn = sum(isinstance(message, ModelResponse) for message in messages)
    tools = sorted(tool.name for tool in info.function_tools)
    number = int(told, 16)
    if tools and turn < 1 + number % 2:
        wanted = [tools[(number >> at) % len(tools)] for at in range(1 + number % 3)]
        calls = [ToolCallPart(name, {"what": f"{told}-{at}"}) for at, name in enumerate(wanted)]
        return ModelResponse(parts=[ThinkingPart(f"thinks {told}"), *calls])
    if info.output_tools:
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, {"says": told, "number": number % 3})])
    return ModelResponse(parts=[TextPart(f"says {told}")])


async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
    """The same in pieces."""
    for index, part in enumerate(answer(messages, info).parts):
        if isinstance(part, ThinkingPart):
            yield {index: DeltaThinkingPart(content=part.content[:3])}
            yield {index: DeltaThinkingPart(content=part.content[3:])}
        elif isinstance(part, ToolCallPart):
            args = part.args_as_json_str()
            yield {index: DeltaToolCall(part.tool_name, args[:5], tool_call_id=part.tool_call_id)}
            yield {index: DeltaToolCall(None, args[5:])}
        elif isinstance(part, TextPart):
            for at in range(0, len(part.content), 4):
                yield part.content[at : at + 4]


model = FunctionModel(answer, stream_function=stream)
