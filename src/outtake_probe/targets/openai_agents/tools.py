"""Function tools, those of MCP servers and agents as tools: they pass the gate where the SDK invokes them.

What the SDK makes of an error (a text for the model, as a rule) happens around the gate: the record has the error.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Awaitable, Callable
from typing import Any

from agents import tool as sdk
from agents.run_internal import tool_execution
from agents.tool import FunctionTool

from outtake_probe.calls import Call
from outtake_probe.codec import encode
from outtake_probe.gate.invoke import NewInput, acall
from outtake_probe.records import Effects
from outtake_probe.targets.openai_agents.adapter_state import AdapterState
from outtake_probe.targets.toolkit.arguments import parse_arguments
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.paths import child_path
from outtake_probe.targets.toolkit.tools import Tool

Invoke = Callable[[Any, str], Awaitable[Any]]
_CONTEXTS = ("RunContextWrapper", "ToolContext")
_INVOKER, _OTHERS = "_FailureHandlingFunctionToolInvoker", "_invoke_function_tool_with_metadata"


def install(adapter_state: AdapterState, patches: Patches) -> list[str]:
    """Wrap what is made of a function, an agent or an MCP tool where it is invoked, other tools where they are used."""
    invoker = getattr(sdk, _INVOKER, None)
    others = getattr(sdk, _OTHERS, None)
    if invoker is None or others is None:
        return [f"tools are not seen: agents.tool has no {_INVOKER if invoker is None else _OTHERS}"]

    def gated(method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        @functools.wraps(method)
        async def __call__(self: Any, ctx: Any, input: str) -> Any:
            tool = self._function_tool
            if tool is None:
                return await method(self, ctx, input)
            invoke = _through_gate(adapter_state, tool, self._invoke_tool_impl)
            return await method(invoker(invoke, self._on_handled_error, function_tool=tool), ctx, input)

        return __call__

    @functools.wraps(others)
    async def invoke(*, function_tool: FunctionTool, context: Any, arguments: str) -> Any:
        own = function_tool.on_invoke_tool
        if isinstance(own, invoker):
            return await others(function_tool=function_tool, context=context, arguments=arguments)
        tool = _copied(function_tool, _through_gate(adapter_state, function_tool, own))
        return await others(function_tool=tool, context=context, arguments=arguments)

    patches.wrap(invoker, "__call__", gated)
    patches.everywhere(_OTHERS, others, invoke)
    return [] if getattr(tool_execution, _OTHERS, None) is invoke else ["some tools are not seen"]


def _copied(tool: FunctionTool, invoke: Invoke) -> FunctionTool:
    """The tool with another implementation, which looks like its own to the SDK."""
    copied = object.__new__(type(tool))
    copied.__dict__.update(tool.__dict__)
    copied.on_invoke_tool = functools.update_wrapper(invoke, tool.on_invoke_tool)
    return copied


def _through_gate(adapter_state: AdapterState, tool: FunctionTool, implementation: Invoke) -> Invoke:
    async def invoke(ctx: Any, arguments: str) -> Any:
        async def run(new: NewInput | None) -> Any:
            if new is None:
                return await implementation(ctx, arguments)
            if hasattr(ctx, "_function_tool_arguments"):
                ctx._function_tool_arguments = None  # what was prepared of the arguments that an edit replaced
            return await implementation(ctx, json.dumps(new.value))

        return await acall(adapter_state.session, _call(adapter_state, tool, implementation, ctx, arguments), run)

    return invoke


def _call(adapter_state: AdapterState, tool: FunctionTool, implementation: Invoke, ctx: Any, arguments: str) -> Call:
    given = parse_arguments(arguments)
    called = described(tool)
    context = getattr(ctx, "context", None)
    path = child_path(f"tools/{tool.name}")
    what = called.call(adapter_state.session.states, given, path=path)
    what.effects = effects_of(tool)
    what.reaches = (*(called.functions or (implementation,)), context)
    if context is not None and any(map(_reads_context, called.functions)):
        what.identity = {"arguments": given, "context": encode(context)}
    return what


def described(tool: FunctionTool) -> Tool:
    """What is known of a tool before it is called."""
    function = inspect.getattr_static(tool, "__wrapped__", None) and getattr(tool, "__wrapped__", None)
    functions = (function,) if function is not None else ()
    return Tool(tool.name, tool, functions, parameters=lambda: tool.params_json_schema)


def effects_of(tool: FunctionTool) -> Effects | None:
    """What the program, or the tool's MCP server, says that it does to the world."""
    hints = getattr(tool, "_mcp_annotations", None)
    is_read = getattr(hints, "readOnlyHint", getattr(hints, "read_only_hint", None)) is True
    return described(tool).effects or ("read" if is_read else None)


def _reads_context(function: Any) -> bool:
    try:
        first = next(iter(inspect.signature(function).parameters.values()), None)
    except (TypeError, ValueError):
        return False
    return first is not None and any(name in str(first.annotation) for name in _CONTEXTS)
