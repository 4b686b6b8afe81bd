"""Calls of tools: by an agent's own code (`CrewStructuredTool.invoke`) or by a model's tool call (`BaseTool.run`)."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Any

from crewai.tools.agent_tools.base_agent_tools import BaseAgentTool
from crewai.tools.base_tool import BaseTool
from crewai.tools.structured_tool import CrewStructuredTool

from outtake_probe.calls import Call
from outtake_probe.codec import encode
from outtake_probe.records import Json
from outtake_probe.targets.crewai.adapter_state import AdapterState
from outtake_probe.targets.toolkit.boundary import Bound, Boundary, Method
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.paths import is_inside
from outtake_probe.targets.toolkit.tools import Tool


def install(shared: AdapterState, patches: Patches) -> list[str]:
    """Wrap every class of tools."""
    run = Boundary(lambda: shared.session, functools.partial(_run, shared))
    invoke = Boundary(lambda: shared.session, functools.partial(_invoke, shared))
    patches.family(BaseTool, {"run": run.call, "arun": run.acall})
    patches.family(CrewStructuredTool, {"invoke": invoke.call, "ainvoke": invoke.acall})
    return []


def of_tool(made: Any) -> Tool:
    """What is known of a tool of CrewAI."""
    function = getattr(made, "func", None)
    bound = getattr(function, "__func__", function)
    name = str(made.name).replace("/", "-")
    return Tool(name, made, (bound,) if bound is not None else (), ("_run", "_arun"), functools.partial(_schema, made))


def _schema(made: Any) -> Mapping[str, Json]:
    describe = getattr(getattr(made, "args_schema", None), "model_json_schema", None)
    return dict(describe()) if describe is not None else {}


def _run(shared: AdapterState, method: Method, tool: Any, *args: Any, **kwargs: Any) -> Bound | None:
    names = list(getattr(tool.args_schema, "model_fields", None) or {})
    named = dict(zip(names, args, strict=False))
    if len(named) < len(args):
        named["args"] = list(args[len(named) :])
    given = {**named, **kwargs}
    call = _call(shared, tool, given)
    if call is None:
        return None
    return Bound(call, lambda new: ((tool, *new.pop("args", ())), new), lambda: _used(tool))


def _invoke(shared: AdapterState, method: Method, tool: Any, input: Any, *args: Any, **kwargs: Any) -> Bound | None:
    made = tool._original_tool if tool._original_tool is not None else tool
    call = _call(shared, made, _arguments(input))
    if call is None:
        return None
    return Bound(call, lambda new: ((tool, new, *args), kwargs), tool._increment_usage_count)


def _arguments(input: Any) -> Mapping[str, Any]:
    if isinstance(input, str):
        try:
            input = json.loads(input)
        except ValueError:
            return {"input": input}
    return input if isinstance(input, Mapping) else {"input": input}


def _call(shared: AdapterState, made: Any, given: Mapping[str, Any]) -> Call | None:
    tool = of_tool(made)
    if is_inside("tool", f"/tools/{tool.name}"):
        return None
    call = tool.call(shared.session.states, {str(name): encode(value) for name, value in given.items()})
    call.type = type(made).__name__
    if isinstance(made, BaseAgentTool):
        call.reaches = None  # a colleague works: in a fork it does so again, and the calls inside are served
    return call


def _used(tool: Any) -> None:
    """The record or an edit answered: a use counts all the same."""
    tool.current_usage_count += 1
