"""Turns of agents: one question to the model and what the agent does with the answer.

A turn that was interrupted for an approval goes on as another turn of its agent.
"""

from __future__ import annotations

import functools
import inspect
import json
from typing import Any

from agents.agent import Agent
from agents.items import HandoffCallItem, ItemHelpers, MessageOutputItem, ModelResponse, ToolCallItem
from agents.run_internal import run_loop, run_steps, turn_resolution
from agents.run_internal.run_steps import SingleStepResult
from agents.run_internal.turn_preparation import get_output_schema
from agents.usage import Usage
from openai.types.responses import ResponseOutputMessage

from outtake_probe.calls import Call
from outtake_probe.codec import encode
from outtake_probe.commands import BadValue
from outtake_probe.records import Json
from outtake_probe.targets.openai_agents import items
from outtake_probe.targets.openai_agents.adapter_state import AdapterState, place
from outtake_probe.targets.openai_agents.graph import agents_of
from outtake_probe.targets.toolkit.boundary import Arguments, Bound, Boundary, Method
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.prompts import merge_prompt

_TURNS = (
    (run_loop, "run_single_turn"),
    (run_loop, "run_single_turn_streamed"),
    (turn_resolution, "resolve_interrupted_turn"),
)


def install(adapter_state: AdapterState, patches: Patches) -> list[str]:
    """Wrap what makes a turn, wherever it is called by its name."""
    missing = []
    for module, name in _TURNS:
        found = getattr(module, name, None)
        if found is None:
            missing.append(f"turns of agents are not seen: {module.__name__} has no {name}")
            continue
        describe = functools.partial(_describe, adapter_state, inspect.signature(found))
        patches.everywhere(name, found, Boundary(lambda: adapter_state.session, describe).acall(found))
    return missing


def _describe(
    adapter_state: AdapterState, signature: inspect.Signature, _method: Method, *args: Any, **kwargs: Any
) -> Bound:
    return _Turn(adapter_state, signature.bind(*args, **kwargs)).bound()


class _Turn:
    """One turn: its arguments by name, which differ between turns that are streamed, new or resumed."""

    def __init__(self, adapter_state: AdapterState, arguments: inspect.BoundArguments) -> None:
        self._adapter_state = adapter_state
        self._arguments = arguments
        given = arguments.arguments
        self._agent: Agent[Any] = given["bindings"].public_agent
        self._stream: Any = given.get("streamed_result")
        self._resumes = "new_response" in given
        self._input = self._stream.input if self._stream is not None else given["original_input"]
        before = given.get("original_pre_step_items", given.get("generated_items", ()))
        self._before = list(self._stream._model_input_items if self._stream is not None else before)

    def bound(self) -> Bound:
        path = place(self._agent.name)
        said = run_loop._prepare_turn_input_items(self._input, self._before, None)
        shown, compared = self._adapter_state.conversations.follow(path, said)
        about: dict[str, Json] = {"resumes": True} if self._resumes else {}
        call = Call(
            "agent",
            path,
            {"messages": shown, **about},
            {"messages": compared, **about},
            decode_input=lambda value: items.unshow(value["messages"], said),
            normalize=lambda _, value: self._edited({"messages": shown, **about}, value),
            encode=_encode,
            decode=self._build,
            normalize_output=self._complete,
        )
        return Bound(call, self._rebind)

    # -- what it is given ------------------------------------------------------------------------------------------

    def _edited(self, given: dict[str, Json], value: Json) -> Json:
        if self._resumes:
            raise BadValue("this turn goes on after an approval: change what its tools are given or return")
        return merge_prompt(given, value)

    def _rebind(self, new: Any) -> Arguments:
        """From now on, the run has this conversation."""
        self._input, self._before = new, []
        if self._stream is not None:
            self._stream.input, self._stream._model_input_items = new, []
        else:
            self._arguments.arguments.update(original_input=new, generated_items=[])
        return self._arguments.args, self._arguments.kwargs

    # -- what comes out --------------------------------------------------------------------------------------------

    def _complete(self, value: Json) -> Json:
        """A mocked result in full: a final output, or ``{"handoff": NAME}``.  Raises `BadValue`."""
        if isinstance(value, dict) and value.get("handoff") is not None:
            self._agent_named(str(value["handoff"]))
            return {"handoff": value["handoff"]}
        final = value["final_output"] if isinstance(value, dict) and "final_output" in value else value
        self._validated(final)
        return {"final_output": final}

    def _build(self, value: Json) -> SingleStepResult:
        final = value.get("final_output")
        said = final if isinstance(final, str | None) else json.dumps(final)
        step = (
            run_steps.NextStepHandoff(self._agent_named(value["handoff"]))
            if "handoff" in value
            else run_steps.NextStepFinalOutput(self._validated(final))
        )
        output = [items.build(ResponseOutputMessage, item) for item in items.output(said)] if said else []
        return SingleStepResult(
            original_input=self._input,
            model_response=ModelResponse(output, Usage(), None),
            pre_step_items=self._before,
            new_step_items=[MessageOutputItem(agent=self._agent, raw_item=item) for item in output],
            next_step=step,
            tool_input_guardrail_results=[],
            tool_output_guardrail_results=[],
        )

    def _validated(self, final: Json) -> Any:
        schema = get_output_schema(self._agent)
        if schema is None or schema.is_plain_text():
            return final
        try:
            return schema.validate_json(json.dumps(final))
        except Exception as error:
            raise BadValue(f"the final output does not fit: {error}", schema.json_schema()) from error

    def _agent_named(self, name: str) -> Agent[Any]:
        known = {agent.name: agent for agent in agents_of(self._agent)}
        if name not in known:
            raise BadValue(f"there is no agent {name!r} to hand off to; known: {', '.join(known)}")
        return known[name]


def _encode(result: Any) -> Json:
    """What a turn did, and what follows from it."""
    step = result.next_step
    made = result.new_step_items
    said = [ItemHelpers.text_message_output(item) for item in made if isinstance(item, MessageOutputItem)]
    asked = [items.dump(item.raw_item) for item in made if isinstance(item, (ToolCallItem, HandoffCallItem))]
    out: dict[str, Json] = {"content": "\n".join(filter(None, said))} if any(said) else {}
    if asked:
        calls = [call for call in asked if "name" in call]
        out["tool_calls"] = [{"name": call["name"], "arguments": call.get("arguments", "")} for call in calls]
    if isinstance(step, run_steps.NextStepFinalOutput):
        return {**out, "final_output": encode(step.output)}
    if isinstance(step, run_steps.NextStepHandoff):
        return {**out, "handoff": step.new_agent.name}
    if isinstance(step, run_steps.NextStepInterruption):
        return {
            **out,
            "waits_for_approval": [{"name": each.name, "arguments": each.arguments} for each in step.interruptions],
        }
    return out
