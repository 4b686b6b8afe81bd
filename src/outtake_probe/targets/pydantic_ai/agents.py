"""Runs of agents and calls of their tools pass the gate in a capability that each run gets beside its own.

The run of an agent is an invocation around all that happens in it: its model calls, its tools and the agents that
these run.  Tools are wrapped innermost: the hooks of the program's own capabilities are executed around them.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_ai import Agent, CallDeferred, ModelRetry, RunContext
from pydantic_ai import exceptions as framework_errors
from pydantic_ai.agent import UserPromptNode
from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering
from pydantic_ai.exceptions import ApprovalRequired
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.run import AgentRunResult
from pydantic_ai.toolsets import AbstractToolset, WrapperToolset

from outtake_probe.calls import Call, nested
from outtake_probe.codec import TAG, decode, encode
from outtake_probe.commands import BadValue
from outtake_probe.gate.invoke import NewInput, acall
from outtake_probe.records import EFFECTS, Effects, Json
from outtake_probe.targets.pydantic_ai import messages, settings
from outtake_probe.targets.pydantic_ai.adapter_state import AdapterState
from outtake_probe.targets.toolkit.context_variables import assigned
from outtake_probe.targets.toolkit.conversations import follow
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.tools import Tool

Method = Callable[..., Any]


def install(state: AdapterState, patches: Patches) -> list[str]:
    """Give every run of an agent the capability."""

    def wrap(method: Method) -> Method:
        @functools.wraps(method)
        def iter(agent: Any, *args: Any, **kwargs: Any) -> Any:
            own = [Turn(state, agent, args, kwargs), Tools(state)]
            kwargs["capabilities"] = [*(kwargs.get("capabilities") or ()), *own]
            return method(agent, *args, **kwargs)

        return iter

    for name in _ACTS:
        patches.wrap(RunContext, name, functools.partial(_act, name))
    return [] if patches.wrap(Agent, "iter", wrap) else ["agents and tools are not seen: Agent.iter is not there"]


# -- runs of agents --------------------------------------------------------------------------------------------------


class Turn(AbstractCapability[Any]):
    """One run of an agent as an invocation, outside of all other capabilities."""

    def __init__(self, state: AdapterState, agent: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        self._state = state
        self._agent = agent
        self._prompt = args[0] if args else kwargs.get("user_prompt")
        self._history = list(kwargs.get("message_history") or ())
        self._answers = kwargs.get("deferred_tool_results")
        self._output_type = kwargs.get("output_type") or agent.output_type
        self._path = ""
        self._new_prompt: Any = None
        self._result: AgentRunResult[Any] | None = None

    def get_ordering(self) -> CapabilityOrdering:
        return CapabilityOrdering(position="outermost")

    async def wrap_run(self, ctx: Any, *, handler: Any) -> Any:
        path = self._path = nested(settings.name_of(self._agent))
        self._state.adopt(path, self._agent)

        async def run(new: NewInput | None) -> Any:
            if new is not None:
                self._new_prompt = decode(new.value["prompt"])
            self._result = await handler()
            return self._result

        result = await acall(self._state.session, self._call(path), run)
        return self._decode(None) if result is None else result

    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
        settings.apply(self._agent, self._state.changes(self._path), request_context)
        return request_context

    async def before_node_run(self, ctx: Any, *, node: Any) -> Any:
        if isinstance(node, UserPromptNode) and self._new_prompt is not None:
            return dataclasses.replace(node, user_prompt=self._new_prompt)
        return node

    def _call(self, path: str) -> Call:
        said: dict[str, Json] = {"prompt": encode(self._prompt)}
        if self._history:
            items = messages.items_of(self._history)
            talks = self._state.conversations
            talk = talks[path] = follow(talks.get(path), items, messages.Snapshot(items), messages.said)
            said["history"] = talk.parts
        if self._answers is not None:
            said["deferred_tool_results"] = _answered(self._answers)
        return Call(
            "agent",
            path,
            said,
            decode_input=lambda value: value,
            normalize=lambda _, value: _edited(said, value),
            encode=lambda result: encode(result.output),
            decode=self._decode,
            normalize_output=lambda value: encode(self._output(value)),
        )

    def _decode(self, value: Json) -> Any:
        """A result that says what a person, or the record, says instead."""
        output = self._output(value)
        if self._result is not None:
            return dataclasses.replace(self._result, output=output)
        result = AgentRunResult(output=output)
        asked = [ModelRequest(parts=[UserPromptPart(self._prompt)])] if self._prompt is not None else []
        text = output if isinstance(output, str) else repr(output)
        result._state.message_history[:] = [*self._history, *asked, ModelResponse(parts=[TextPart(text)])]
        result._new_message_index = len(self._history)
        return result

    def _output(self, value: Json) -> Any:
        """An output of the agent's type.  Raises `BadValue`."""
        made, kind = decode(value), self._output_type
        if not isinstance(kind, type) or kind is str or made is None or isinstance(made, kind):
            return made
        adapter = TypeAdapter(kind)
        try:
            return adapter.validate_python(made)
        except ValidationError as error:
            raise BadValue(f"the output is a {kind.__name__}: {error}", adapter.json_schema()) from error


def _answered(results: Any) -> Json:
    """Answers to deferred calls, in order; the ids of the calls differ from run to run."""
    return {name: [encode(item) for item in getattr(results, name).values()] for name in ("calls", "approvals")}


def _edited(said: Mapping[str, Json], value: Json) -> Json:
    """The whole input of an edited run: its prompt is another.  Raises `BadValue`."""
    given = value if isinstance(value, dict) and TAG not in value else {"prompt": value}
    unknown = [name for name in given if name != "prompt" and given[name] != said.get(name)]
    if unknown:
        raise BadValue(f'of the input of an agent, "prompt" can be changed, not {unknown[0]!r}: edit its model calls')
    return {**said, "prompt": given["prompt"]} if "prompt" in given else dict(said)


# -- tools -----------------------------------------------------------------------------------------------------------


class Tools(AbstractCapability[Any]):
    """Calls of the tools of one run, inside of all other capabilities."""

    def __init__(self, state: AdapterState) -> None:
        self._state = state

    def get_ordering(self) -> CapabilityOrdering:
        return CapabilityOrdering(position="innermost")

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        return _Toolset(toolset, self._state)


@dataclasses.dataclass
class _Toolset(WrapperToolset[Any]):
    """The tools of an agent, whose calls pass the gate."""

    state: AdapterState

    async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: Any, tool: Any) -> Any:
        known = tool_of(tool)
        what = known.call(self.state.session.states, {key: encode(value) for key, value in tool_args.items()})
        what.identity = {"arguments": what.input, "retry": ctx.retry} if ctx.retry else None
        what.effects = what.effects or _declared(tool.tool_def.metadata or {})
        what.encode, what.decode = _encode, _decode
        what.normalize_output = lambda value: _encode(_decode(value))
        what.decode_input = functools.partial(_arguments, known.made)
        what.normalize = lambda _, value: _checked(known.made, known.merge(what.input, value))
        what.reaches = (*known.functions, ctx.deps) if known.functions else None

        what.stream = functools.partial(_act_again, ctx)

        async def run(new: NewInput | None) -> Any:
            given = tool_args if new is None else new.value
            what.streamed.clear()
            try:
                with assigned(_running, what):
                    return await self.wrapped.call_tool(name, given, ctx, tool)
            except _SIGNALS as error:
                return _Said(error)

        result = await acall(self.state.session, what, run)
        if isinstance(result, _Said):
            raise result.error
        return result


_ACTS = ("cancel", "enqueue", "load_capability")
"""What a tool can do to its agent's run by the context that it is given; what a release lacks is not wrapped."""
_running: ContextVar[Call | None] = ContextVar("outtake_pydantic_ai_tool", default=None)
"""The innermost tool that is being executed."""


def _act(name: str, method: Method) -> Method:
    """Note what a tool does to the run: where the record answers for the tool, it is done again."""

    @functools.wraps(method)
    def act(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        tool = _running.get()
        if tool is not None:
            tool.streamed.append({"do": name, "args": encode(list(args)), "options": encode(kwargs)})
        return method(ctx, *args, **kwargs)

    return act


def _act_again(ctx: Any, act: Json) -> None:
    getattr(ctx, act["do"])(*decode(act["args"]), **decode(act["options"]))


@dataclasses.dataclass(frozen=True)
class _Said:
    """What a tool says to the framework with an exception, which is a result like any other."""

    error: Exception


_ERRORS: dict[str, type[Any]] = {"retry": ModelRetry, "deferred": CallDeferred, "approval_required": ApprovalRequired}
if hasattr(framework_errors, "ToolFailed"):  # newer than the oldest supported release
    _ERRORS["tool_failed"] = framework_errors.ToolFailed
_SIGNALS = tuple(_ERRORS.values())


def _encode(result: Any) -> Json:
    if not isinstance(result, _Said):
        return encode(result)
    tag = next(tag for tag, cls in _ERRORS.items() if isinstance(result.error, cls))
    return {TAG: tag, **{name: encode(value) for name, value in vars(result.error).items()}}


def _decode(value: Json) -> Any:
    cls = _ERRORS.get(value.get(TAG, "")) if isinstance(value, dict) else None
    if cls is None:
        return decode(value)
    return _Said(cls(**{str(name): decode(item) for name, item in value.items() if name != TAG}))


def tool_of(tool: Any) -> Tool:
    """What is known of a tool of a toolset."""
    while hasattr(tool, "source_tool"):
        tool = tool.source_tool
    schema = getattr(getattr(tool, "call_func", None), "__self__", None)  # a tool that was made from a function
    function = getattr(schema, "function", None)
    definition = tool.tool_def
    return Tool(
        definition.name,
        tool,
        functions=() if function is None else (function,),
        parameters=lambda: definition.parameters_json_schema,
    )


def _declared(metadata: Mapping[str, Any]) -> Effects | None:
    """What the program, or the MCP server of a tool, says that it does to the world."""
    if metadata.get("effects") in EFFECTS:
        return metadata["effects"]  # type: ignore[no-any-return]
    hints = metadata.get("annotations") or {}
    return "read" if hints.get("readOnlyHint") is True else None


def _checked(tool: Any, value: dict[str, Json]) -> Json:
    _arguments(tool, value)
    return value


def _arguments(tool: Any, value: Mapping[str, Json]) -> dict[str, Any]:
    """The arguments that an edit means, checked as those of a model are.  Raises `BadValue`."""
    given: Any = {name: decode(item) for name, item in value.items()}
    only = getattr(getattr(getattr(tool, "call_func", None), "__self__", None), "single_arg_name", None)
    try:
        checked: dict[str, Any] = tool.args_validator.validate_python(given.get(only, given))
    except ValidationError as error:
        raise BadValue(f"{tool.tool_def.name}: {error}", tool.tool_def.parameters_json_schema) from error
    return checked
