"""Model calls, tools, workbenches, code executors and questions to the user pass the gate.

The classes that AutoGen's own, its extensions' and the program's implementations derive from are known; each
implementation's method is wrapped, also that of a class which is defined later.  Implementations call each other (a
caching client calls another client, a workbench calls a tool): only the outermost call is an invocation.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import Any

from autogen_core import CancellationToken
from autogen_core.code_executor import CodeBlock, CodeExecutor, CodeResult
from autogen_core.models import ChatCompletionClient, CreateResult, LLMMessage, RequestUsage
from autogen_core.tools import BaseTool, StaticWorkbench, TextResultContent, ToolResult, Workbench

from outtake_probe.calling import NewInput, acall, astream
from outtake_probe.calls import Call, Usage
from outtake_probe.keeping import stateless
from outtake_probe.records import Effects, Json
from outtake_probe.session import BadValue
from outtake_probe.targets.autogen import messages as codec
from outtake_probe.targets.autogen import prompts
from outtake_probe.targets.autogen.desk import inside_call
from outtake_probe.targets.autogen.hub import Hub
from outtake_probe.targets.toolkit import resources
from outtake_probe.targets.toolkit.arguments import merge_arguments
from outtake_probe.targets.toolkit.effects import declared_effects
from outtake_probe.targets.toolkit.human_input import input_call
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.paths import child_path, is_inside
from outtake_probe.values import TAG, decode, encode
from outtake_probe.waits import Link

Method = Callable[..., Any]


def install(hub: Hub, patches: Patches) -> None:
    """Wrap every implementation there is, and those to come."""
    stateless.add(ChatCompletionClient)
    patches.family(ChatCompletionClient, {"create": _model(hub), "create_stream": _model_stream(hub)})
    patches.family(BaseTool, {"run_json": _tool(hub), "run_json_stream": _tool_stream(hub)})
    patches.family(
        Workbench, {"call_tool": _workbench(hub), "call_tool_stream": _workbench_stream(hub)}, skip=_by_its_tools
    )
    patches.family(CodeExecutor, {"execute_code_blocks": _code(hub)})


def _by_its_tools(cls: type) -> bool:
    """AutoGen's own workbenches run tools, which are recorded themselves, errors included."""
    return issubclass(cls, StaticWorkbench) and cls.__module__.startswith("autogen_core.")


# -- models ----------------------------------------------------------------------------------------------------------


def _model(hub: Hub) -> Callable[[Method], Method]:
    def wrap(method: Method) -> Method:
        @functools.wraps(method)
        async def create(self: ChatCompletionClient, messages: Sequence[LLMMessage], *args: Any, **kwargs: Any) -> Any:
            if is_inside("model"):
                return await method(self, messages, *args, **kwargs)
            ran = False

            async def run(new: NewInput | None) -> CreateResult:
                nonlocal ran
                ran = True
                said, given = prompts.edited(messages, kwargs, new)
                result: CreateResult = await method(self, said, *args, **given)
                return result

            call = _model_call(self, messages, kwargs)
            call.decode, call.normalize_output = prompts.result, prompts.full_result
            with inside_call(hub.desks.wake_here):
                result = await acall(hub.session, call, run)
            if not ran:
                _skip_one(self)
            return result

        return create

    return wrap


def _model_stream(hub: Hub) -> Callable[[Method], Method]:
    def wrap(method: Method) -> Method:
        @functools.wraps(method)
        async def create_stream(
            self: ChatCompletionClient, messages: Sequence[LLMMessage], *args: Any, **kwargs: Any
        ) -> AsyncIterator[Any]:
            if is_inside("model"):
                async for piece in method(self, messages, *args, **kwargs):
                    yield piece
                return
            ran = False

            def run(new: NewInput | None) -> AsyncIterator[Any]:
                nonlocal ran
                ran = True
                said, given = prompts.edited(messages, kwargs, new)
                pieces: AsyncIterator[Any] = method(self, said, *args, **given)
                return pieces

            call = _model_call(self, messages, kwargs)
            call.decode, call.normalize_output = prompts.decode_piece, prompts.full_stream
            with inside_call(hub.desks.wake_here):
                async for piece in astream(hub.session, call, run):
                    yield piece
            if not ran:
                _skip_one(self)

        return create_stream

    return wrap


def _model_call(client: ChatCompletionClient, said: Sequence[LLMMessage], kwargs: Mapping[str, Any]) -> Call:
    path = child_path("model")
    given = prompts.prompt(client, said, kwargs, path)
    return Call(
        "model",
        path,
        given,
        type=type(client).__name__,
        functions=(type(client).create, type(client).create_stream),
        link=_link(kwargs.values()),
        decode_input=prompts.decode_prompt,
        encode=prompts.encode_piece,
        usage=_usage,
        normalize=lambda _, value: prompts.normalize(given, value),
    )


def _usage(result: Any) -> Usage | None:
    usage: RequestUsage | None = getattr(result, "usage", None)
    return Usage(usage.prompt_tokens, usage.completion_tokens) if usage is not None else None


def _skip_one(client: Any) -> None:
    """AutoGen's replay client counts its answers: one that was given by the record counts, too."""
    at = getattr(client, "_current_index", None)
    if isinstance(at, int):
        client._current_index = at + 1


# -- tools -----------------------------------------------------------------------------------------------------------


def _tool(hub: Hub) -> Callable[[Method], Method]:
    def wrap(method: Method) -> Method:
        @functools.wraps(method)
        async def run_json(self: Any, args: Mapping[str, Any], *rest: Any, **kwargs: Any) -> Any:
            if is_inside("tool", f"/{self.name}"):
                return await method(self, args, *rest, **kwargs)
            with inside_call(hub.desks.wake_here):
                return await acall(
                    hub.session,
                    _tool_call(hub, self, args, [*rest, *kwargs.values()]),
                    lambda new: method(self, args if new is None else new.value, *rest, **kwargs),
                )

        return run_json

    return wrap


def _tool_stream(hub: Hub) -> Callable[[Method], Method]:
    def wrap(method: Method) -> Method:
        @functools.wraps(method)
        async def run_json_stream(self: Any, args: Mapping[str, Any], *rest: Any, **kwargs: Any) -> AsyncIterator[Any]:
            if is_inside("tool", f"/{self.name}"):
                async for piece in method(self, args, *rest, **kwargs):
                    yield piece
                return
            call = _tool_call(hub, self, args, [*rest, *kwargs.values()])
            with inside_call(hub.desks.wake_here):
                async for piece in astream(
                    hub.session, call, lambda new: method(self, args if new is None else new.value, *rest, **kwargs)
                ):
                    yield piece

        return run_json_stream

    return wrap


def _link(others: Iterable[object]) -> Link | None:
    """How the program cancels what it has given these arguments to."""
    return next((each.link_future for each in others if isinstance(each, CancellationToken)), None)


def _tool_call(hub: Hub, tool: Any, args: Mapping[str, Any], others: Iterable[object]) -> Call:
    given = codec.plain(dict(args))
    function = getattr(tool, "_func", None)
    return Call(
        "tool",
        child_path(f"tools/{tool.name}"),
        given,
        effects=effects_of(tool),
        functions=(getattr(tool, "_func", None), getattr(type(tool), "run", None)),
        state=resources.declared(tool, function, type(tool)),
        known=lambda: resources.known(hub.session.states, tool, function),
        reaches=(function or tool,),
        link=_link(others),
        normalize=lambda _, value: _edited_arguments(tool, given, value),
    )


def _edited_arguments(tool: Any, given: dict[str, Json], value: Json) -> Json:
    """All arguments of an edited call.  Raises `BadValue` for those that the tool's model of them refuses."""
    cls = tool.args_type()
    full = merge_arguments(
        tool.name, given, value, list(cls.model_fields), schema=codec.schema(cls), allow_unknown=True
    )
    codec.build(cls, full)
    return full


def effects_of(tool: Any) -> Effects | None:
    """What the program declares that a tool does to the world; None where it says nothing."""
    function = getattr(tool, "_func", None)
    if getattr(function, "__qualname__", "").endswith("handoff_tool.<locals>._handoff_tool"):
        return "pure"
    return declared_effects(tool, function, type(tool))


def _workbench(hub: Hub) -> Callable[[Method], Method]:
    def wrap(method: Method) -> Method:
        @functools.wraps(method)
        async def call_tool(
            self: Any, name: str, arguments: Mapping[str, Any] | None = None, *rest: Any, **kwargs: Any
        ) -> Any:
            if is_inside("tool", f"/{name}"):
                return await method(self, name, arguments, *rest, **kwargs)
            with inside_call(hub.desks.wake_here):
                return await acall(
                    hub.session,
                    _workbench_call(hub, self, name, arguments, [*rest, *kwargs.values()]),
                    lambda new: method(self, name, arguments if new is None else new.value, *rest, **kwargs),
                )

        return call_tool

    return wrap


def _workbench_stream(hub: Hub) -> Callable[[Method], Method]:
    def wrap(method: Method) -> Method:
        @functools.wraps(method)
        async def call_tool_stream(
            self: Any, name: str, arguments: Mapping[str, Any] | None = None, *rest: Any, **kwargs: Any
        ) -> AsyncIterator[Any]:
            if is_inside("tool", f"/{name}"):
                async for piece in method(self, name, arguments, *rest, **kwargs):
                    yield piece
                return
            with inside_call(hub.desks.wake_here):
                async for piece in astream(
                    hub.session,
                    _workbench_call(hub, self, name, arguments, [*rest, *kwargs.values()]),
                    lambda new: method(self, name, arguments if new is None else new.value, *rest, **kwargs),
                ):
                    yield piece

        return call_tool_stream

    return wrap


def _workbench_call(
    hub: Hub, workbench: Any, name: str, arguments: Mapping[str, Any] | None, others: Iterable[object]
) -> Call:
    given = codec.plain(dict(arguments or {}))
    place = child_path("workbench")
    return Call(
        "tool",
        child_path(f"tools/{name}"),
        given,
        effects=declared_effects(workbench),
        functions=(type(workbench).call_tool,),
        link=_link(others),
        state=resources.declared(workbench, type(workbench)),
        known=lambda: resources.owned(hub.session.states, workbench, place),
        encode=_encode_tool_result,
        decode=lambda value: _tool_result(name, value),
        normalize_output=lambda value: _encode_tool_result(_tool_result(name, value)),
        normalize=lambda _, value: merge_arguments(name, given, value, allow_unknown=True),
    )


def _encode_tool_result(result: Any) -> Json:
    return codec.plain(result) if isinstance(result, ToolResult) else encode(result)


def _tool_result(name: str, value: Json) -> Any:
    """The result of a workbench's tool; a mock may be a text."""
    if isinstance(value, str):
        return ToolResult(name=name, result=[TextResultContent(content=value)])
    return codec.build(ToolResult, value) if isinstance(value, dict) and "result" in value else decode(value)


# -- code and people -------------------------------------------------------------------------------------------------


def _code(hub: Hub) -> Callable[[Method], Method]:
    def wrap(method: Method) -> Method:
        @functools.wraps(method)
        async def execute_code_blocks(self: Any, code_blocks: list[CodeBlock], *rest: Any, **kwargs: Any) -> Any:
            if is_inside("tool", "/code"):
                return await method(self, code_blocks, *rest, **kwargs)
            blocks = [{"language": block.language, "code": block.code} for block in code_blocks]
            place = child_path("code")
            call = Call(
                "tool",
                place,
                {"code_blocks": blocks},
                effects=declared_effects(self),
                functions=(method,),
                state=resources.declared(self, type(self)),
                known=lambda: resources.owned(hub.session.states, self, place),
                link=_link([*rest, *kwargs.values()]),
                decode=_code_result,
                normalize_output=lambda value: encode(_code_result(value)),
                decode_input=lambda value: [CodeBlock(**block) for block in value["code_blocks"]],
                normalize=lambda _, value: _code_blocks(blocks, value),
            )
            with inside_call(hub.desks.wake_here):
                return await acall(
                    hub.session,
                    call,
                    lambda new: method(self, code_blocks if new is None else new.value, *rest, **kwargs),
                )

        return execute_code_blocks

    return wrap


def _code_result(value: Json) -> Any:
    """What running code gave; a mock may be its output, or an object with `exit_code` and `output`."""
    if isinstance(value, str):
        return CodeResult(exit_code=0, output=value)
    return decode(value) if not isinstance(value, dict) or TAG in value else codec.build(CodeResult, value)


def _code_blocks(blocks: list[dict[str, Json]], value: Json) -> Json:
    """New code: the whole list of blocks, or the text of the only one."""
    if isinstance(value, str) and len(blocks) == 1:
        value = {"code_blocks": [{**blocks[0], "code": value}]}
    if not isinstance(value, dict) or not isinstance(value.get("code_blocks"), list):
        raise BadValue('code is {"code_blocks": [{"language": ..., "code": ...}]}, or a text where there is one block')
    for block in value["code_blocks"]:
        codec.build(CodeBlock, block)
    return value


def ask_user(hub: Hub) -> Callable[[Method], Method]:
    """Wrap what asks a person: what they type is a recorded answer."""

    def wrap(method: Method) -> Method:
        @functools.wraps(method)
        async def get_input(self: Any, prompt: str, cancellation_token: CancellationToken | None) -> Any:
            call = input_call(child_path("input"), prompt, _link([cancellation_token]))
            with inside_call(hub.desks.wake_here):
                return await acall(
                    hub.session,
                    call,
                    lambda new: method(self, prompt if new is None else new.value["prompt"], cancellation_token),
                )

        return get_input

    return wrap
