"""Guardrails of agents and of tools: each check is a step, whose verdict can be edited and mocked."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from agents import guardrail as sdk
from agents.tool_guardrails import ToolGuardrailFunctionOutput, ToolInputGuardrail, ToolOutputGuardrail

from outtake_probe.calls import Call
from outtake_probe.codec import decode, encode
from outtake_probe.commands import BadValue
from outtake_probe.records import Json
from outtake_probe.targets.openai_agents.adapter_state import AdapterState, place
from outtake_probe.targets.toolkit.boundary import Bound, Boundary, Method
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.paths import child_path

PART = "guardrails"


def install(adapter_state: AdapterState, patches: Patches) -> list[str]:
    """Wrap what runs a guardrail."""
    described: dict[type, Callable[..., Bound]] = {
        sdk.InputGuardrail: _of_input,
        sdk.OutputGuardrail: _of_output,
        ToolInputGuardrail: _of_tool,
        ToolOutputGuardrail: _of_tool,
    }

    def is_wrapped(cls: type, describe: Callable[..., Bound]) -> bool:
        return patches.wrap(cls, "run", Boundary(lambda: adapter_state.session, describe).acall)

    lost = [cls.__name__ for cls, describe in described.items() if not is_wrapped(cls, describe)]
    return [f"guardrails are not seen: {name} has no run" for name in lost]


def name_of(guardrail: Any) -> str:
    """The guardrail's name, or that of its function."""
    found = guardrail.get_name()
    return found if isinstance(found, str) else type(guardrail).__name__


def _of_input(_method: Method, guardrail: Any, agent: Any, input: Any, context: Any) -> Bound:
    call = _call(guardrail, agent, input, functools.partial(sdk.InputGuardrailResult, guardrail))
    return Bound(call, lambda new: ((guardrail, agent, new, context), {}))


def _of_output(_method: Method, guardrail: Any, context: Any, agent: Any, agent_output: Any) -> Bound:
    result = functools.partial(sdk.OutputGuardrailResult, guardrail, agent_output, agent)
    return Bound(_call(guardrail, agent, agent_output, result), lambda new: ((guardrail, context, agent, new), {}))


def _call(guardrail: Any, agent: Any, checked: Any, result: Callable[..., Any]) -> Call:
    return Call(
        "step",
        f"{place(agent.name)}/{PART}/{name_of(guardrail)}",
        {"checked": encode(checked)},
        type=type(guardrail).__name__,
        functions=(guardrail.guardrail_function,),
        decode_input=lambda value: decode(value["checked"]),
        normalize=lambda _, value: value if isinstance(value, dict) and "checked" in value else {"checked": value},
        encode=_encode,
        decode=lambda value: result(
            output=sdk.GuardrailFunctionOutput(decode(value.get("info")), value["tripwire_triggered"])
        ),
        normalize_output=_complete,
    )


def _encode(result: Any) -> Json:
    said = {"tripwire_triggered": result.output.tripwire_triggered}
    return {**said, "info": encode(info)} if (info := result.output.output_info) is not None else said


def _complete(value: Json) -> Json:
    """A mocked verdict: whether the tripwire is triggered."""
    full = {"tripwire_triggered": value} if isinstance(value, bool) else value
    if not isinstance(full, dict) or not isinstance(full.get("tripwire_triggered"), bool):
        raise BadValue('a verdict is true or false, or {"tripwire_triggered": ..., "info": ...}')
    return full


# -- of tools --------------------------------------------------------------------------------------------------------


def _of_tool(_method: Method, guardrail: Any, data: Any) -> Bound:
    context = data.context
    given = {"tool": context.tool_name, "arguments": context.tool_arguments}
    said = {**given, "output": encode(data.output)} if hasattr(data, "output") else given
    call = Call(
        "step",
        child_path(f"{PART}/{name_of(guardrail)}"),
        said,
        type=type(guardrail).__name__,
        functions=(guardrail.guardrail_function,),
        normalize=lambda _, value: _unchanged(value),
        encode=lambda result: {"behavior": dict(result.behavior), "info": encode(result.output_info)},
        decode=lambda value: ToolGuardrailFunctionOutput(decode(value.get("info")), value["behavior"]),
        normalize_output=_behavior,
    )
    return Bound(call, lambda _: ((guardrail, data), {}))


def _unchanged(value: Json) -> Json:
    raise BadValue("a tool's guardrail looks at the tool call itself: change that, or mock the verdict")


def _behavior(value: Json) -> Json:
    """A mocked verdict on a tool call: a text rejects it with that message."""
    if isinstance(value, bool):
        return {"behavior": {"type": "allow" if value else "raise_exception"}}
    if isinstance(value, str):
        return {"behavior": {"type": "reject_content", "message": value}}
    if not isinstance(value, dict) or not isinstance(value.get("behavior"), dict):
        raise BadValue('a verdict is true (allow), a text that rejects, or {"behavior": {"type": ...}}')
    return value
