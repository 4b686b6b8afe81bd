"""Model calls, tools, workbenches, code executors and questions to the user pass the gate.

The classes that AutoGen's own, its extensions' and the program's implementations derive from are known; each
implementation's method is wrapped, also that of a class which is defined later.  Implementations call each other (a
caching client calls another client, a workbench calls a tool): only the outermost call is an invocation.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from autogen_core import CancellationToken
from autogen_core.code_executor import CodeBlock, CodeExecutor, CodeResult
from autogen_core.models import ChatCompletionClient, LLMMessage, RequestUsage
from autogen_core.tools import BaseTool, StaticWorkbench, TextResultContent, ToolResult, Workbench

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
from outtake_probe.targets.toolkit.boundary import Arguments, Bound, Boundary, Describe, Method
from outtake_probe.targets.toolkit.effects import declared_effects
from outtake_probe.targets.toolkit.human_input import input_call
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.paths import child_path, is_inside
from outtake_probe.values import TAG, decode, encode
from outtake_probe.waits import Link


def install(hub: Hub, patches: Patches) -> None:
    """Wrap every implementation there is, and those to come."""
    stateless.add(ChatCompletionClient)
    tool, workbench = _boundary(hub, functools.partial(_tool, hub)), _boundary(hub, functools.partial(_workbench, hub))
    patches.family(
        ChatCompletionClient,
        {"create": _boundary(hub, _model).acall, "create_stream": _boundary(hub, _model_stream).astream},
    )
    patches.family(BaseTool, {"run_json": tool.acall, "run_json_stream": tool.astream})
    patches.family(Workbench, {"call_tool": workbench.acall, "call_tool_stream": workbench.astream}, skip=_by_its_tools)
    patches.family(CodeExecutor, {"execute_code_blocks": _boundary(hub, functools.partial(_code, hub)).acall})


def ask_user(hub: Hub, patches: Patches, agent: type) -> bool:
    """Wrap what asks a person: what they type is a recorded answer.  False where the class has no such method."""
    return patches.wrap(agent, "_get_input", _boundary(hub, _question).acall)


def _boundary(hub: Hub, describe: Describe) -> Boundary:
    return Boundary(lambda: hub.session, describe, lambda: inside_call(hub.desks.wake_here))


def _by_its_tools(cls: type) -> bool:
    """AutoGen's own workbenches run tools, which are recorded themselves, errors included."""
    return issubclass(cls, StaticWorkbench) and cls.__module__.startswith("autogen_core.")


# -- models ----------------------------------------------------------------------------------------------------------


def _model(
    _method: Method, client: ChatCompletionClient, messages: Sequence[LLMMessage], *args: Any, **kwargs: Any
) -> Bound | None:
    if is_inside("model"):
        return None

    def rebind(new: Mapping[str, Any]) -> Arguments:
        given = {k: v for k, v in new.items() if k in ("tools", "extra_create_args") and k in kwargs}
        return (client, new["messages"], *args), {**kwargs, **given}

    call = _model_call(client, messages, kwargs)
    call.decode, call.normalize_output = prompts.result, prompts.full_result
    return Bound(call, rebind, lambda: _skip_one(client))


def _model_stream(
    method: Method, client: ChatCompletionClient, messages: Sequence[LLMMessage], *args: Any, **kwargs: Any
) -> Bound | None:
    bound = _model(method, client, messages, *args, **kwargs)
    if bound is not None:
        bound.call.decode, bound.call.normalize_output = prompts.decode_piece, prompts.full_stream
    return bound


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


def _tool(hub: Hub, _method: Method, tool: Any, args: Mapping[str, Any], *rest: Any, **kwargs: Any) -> Bound | None:
    if is_inside("tool", f"/{tool.name}"):
        return None
    call = _tool_call(hub, tool, args, [*rest, *kwargs.values()])
    return Bound(call, lambda new: ((tool, new, *rest), kwargs))


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


def _workbench(
    hub: Hub,
    _method: Method,
    workbench: Any,
    name: str,
    arguments: Mapping[str, Any] | None = None,
    *rest: Any,
    **kwargs: Any,
) -> Bound | None:
    if is_inside("tool", f"/{name}"):
        return None
    call = _workbench_call(hub, workbench, name, arguments, [*rest, *kwargs.values()])
    return Bound(call, lambda new: ((workbench, name, new, *rest), kwargs))


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


def _code(
    hub: Hub, method: Method, executor: Any, code_blocks: list[CodeBlock], *rest: Any, **kwargs: Any
) -> Bound | None:
    if is_inside("tool", "/code"):
        return None
    blocks = [{"language": block.language, "code": block.code} for block in code_blocks]
    place = child_path("code")
    call = Call(
        "tool",
        place,
        {"code_blocks": blocks},
        effects=declared_effects(executor),
        functions=(method,),
        state=resources.declared(executor, type(executor)),
        known=lambda: resources.owned(hub.session.states, executor, place),
        link=_link([*rest, *kwargs.values()]),
        decode=_code_result,
        normalize_output=lambda value: encode(_code_result(value)),
        decode_input=lambda value: [CodeBlock(**block) for block in value["code_blocks"]],
        normalize=lambda _, value: _code_blocks(blocks, value),
    )
    return Bound(call, lambda new: ((executor, new, *rest), kwargs))


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


def _question(_method: Method, agent: Any, prompt: str, cancellation_token: CancellationToken | None) -> Bound:
    call = input_call(child_path("input"), prompt, _link([cancellation_token]))
    return Bound(call, lambda new: ((agent, new["prompt"], cancellation_token), {}))
