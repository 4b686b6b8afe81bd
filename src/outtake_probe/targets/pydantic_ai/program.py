"""How an agent or a graph that a factory made is run; deferred tool calls are a person's to approve or to answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ToolApproved, ToolDenied

from outtake_probe.calls import Call
from outtake_probe.codec import TAG, decode, encode
from outtake_probe.commands import BadValue
from outtake_probe.gate.decision import Answer
from outtake_probe.gate.invoke import acall
from outtake_probe.records import Json
from outtake_probe.targets.base import Program
from outtake_probe.targets.pydantic_ai import graphs, settings
from outtake_probe.targets.pydantic_ai.adapter_state import AdapterState
from outtake_probe.targets.pydantic_ai.target import PydanticAiTarget
from outtake_probe.targets.toolkit.human_input import input_call, is_answered, question
from outtake_probe.waits import adrive

APPROVAL: Json = {
    "anyOf": [
        {"type": "boolean", "description": "whether the call is approved"},
        {"type": "object", "properties": {"args": {"type": "object"}}, "description": "approved, with these arguments"},
        {"type": "string", "description": "denied: what the model is told"},
    ]
}


def make_program(made: Any, state: AdapterState, missing: list[str]) -> Program:
    """What runs it, the commands it takes, and the path of its root."""
    name = settings.name_of(made) if isinstance(made, Agent) else graphs.name_of(made)
    target = state.target or PydanticAiTarget(state, missing)
    state.made.add(name, made, newest=True)
    run = _AgentRun(made, state, name).run if isinstance(made, Agent) else _GraphRun(made).run
    return Program(run, target, name)


class _AgentRun:
    """One agent, and the conversation with it: what is sent to it afterwards goes on there."""

    def __init__(self, agent: Any, state: AdapterState, name: str) -> None:
        self._agent = agent
        self._state = state
        self._name = name
        self._history: list[Any] | None = None

    async def run(self, given: Json) -> Json:
        """Run it to its end, through all calls that a person is to decide on."""
        fields = given if isinstance(given, dict) and TAG not in given else {"prompt": given}
        unknown = [name for name in fields if name not in ("prompt", "deps")]
        if unknown:
            raise BadValue(f'an agent takes a prompt, as text or as {{"prompt": ..., "deps": ...}}, not {unknown[0]!r}')
        prompt, deps = decode(fields.get("prompt")), decode(fields.get("deps"))
        results: DeferredToolResults | None = None
        while True:
            options = {} if results is None else {"deferred_tool_results": results}
            history = self._history
            done = await self._agent.run(prompt, message_history=history, deps=deps, infer_name=False, **options)
            self._history = done.all_messages()
            if not isinstance(done.output, DeferredToolRequests):
                return encode(done.output)
            prompt, results = None, await self._decided(done.output)

    async def _decided(self, asked: DeferredToolRequests) -> DeferredToolResults:
        results = DeferredToolResults()
        for call in asked.approvals:
            results.approvals[call.tool_call_id] = await self._ask(call, "approve", _approval)
        for call in asked.calls:
            results.calls[call.tool_call_id] = await self._ask(call, "answer", decode)
        return results

    async def _ask(self, call: Any, verb: str, read: Callable[[Json], Any]) -> Any:
        """What a person says of a call; recorded, so that a fork does not ask again."""
        prompt = {verb: call.tool_name, "args": encode(call.args_as_dict())}
        what = input_call(f"{self._name}/tools/{call.tool_name}/input", "")
        what.input = {"prompt": prompt}
        return read(await acall(self._state.session, what, lambda _: self._asked(what, verb, read)))

    async def _asked(self, what: Call, verb: str, read: Callable[[Json], Any]) -> Json:
        fields = question(what.component, what.input["prompt"], f"waits for someone to {verb} a call")

        def check(given: Answer) -> Answer:
            if is_answered(given):
                read(given.value)
            return given

        given = await adrive(self._state.session.hold(fields, check))
        return given.value if is_answered(given) else False


def _approval(value: Json) -> Any:
    """What the framework takes as a decision.  Raises `BadValue`."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return ToolDenied(value)
    if isinstance(value, dict) and isinstance(value.get("args"), dict):
        return ToolApproved(override_args=decode(value["args"]))
    raise BadValue('say true, false, {"args": {...}}, or why it is denied', APPROVAL)


class _GraphRun:
    """One graph."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph

    async def run(self, given: Json) -> Json:
        """Run it to its end; its state begins as its class makes it without arguments."""
        kind = self._graph.state_type
        state = kind() if isinstance(kind, type) and kind is not type(None) else None
        return encode(await self._graph.run(inputs=decode(given), state=state, infer_name=False))
