"""Model calls, tools, workbenches, code executors and questions to the user pass the gate.

The classes that AutoGen's own, its extensions' and the program's implementations derive from are known; each
implementation's method is wrapped, also that of a class which is defined later.  Implementations call each other (a
caching client calls another client, a workbench calls a tool): only the outermost call is an invocation.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from autogen_core import CancellationToken
from autogen_core.code_executor import CodeBlock, CodeExecutor, CodeResult
from autogen_core.models import ChatCompletionClient, LLMMessage, RequestUsage
from autogen_core.tools import BaseTool, StaticWorkbench, TextResultContent, ToolResult, Workbench

from outtake_probe.calls import Call, Usage
from outtake_probe.codec import TAG, decode, encode
from outtake_probe.commands import BadValue
from outtake_probe.keeping import stateless
from outtake_probe.records import Json
from outtake_probe.targets.autogen import messages as codec
from outtake_probe.targets.autogen import prompts
from outtake_probe.targets.autogen.adapter_state import AdapterState
from outtake_probe.targets.autogen.delivery_queue import inside_call
from outtake_probe.targets.toolkit import resources
from outtake_probe.targets.toolkit.arguments import merge_arguments
from outtake_probe.targets.toolkit.boundary import Arguments, Bound, Boundary, Describe, Method
from outtake_probe.targets.toolkit.effects import declared_effects
from outtake_probe.targets.toolkit.human_input import input_call
from outtake_probe.targets.toolkit.models import ModelBoundary, ModelRequest
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.paths import child_path, is_inside
from outtake_probe.targets.toolkit.tools import Tool
from outtake_probe.waits import Link


def install(adapter_state: AdapterState, patches: Patches) -> None:
    """Wrap every implementation there is, and those to come."""
    stateless.add(ChatCompletionClient)
    tool, workbench = (
        _boundary(adapter_state, functools.partial(_tool, adapter_state)),
        _boundary(adapter_state, functools.partial(_workbench, adapter_state)),
    )
    model = ModelBoundary(lambda: adapter_state.session, _Question, _around(adapter_state))
    patches.family(ChatCompletionClient, {"create": model.acall, "create_stream": model.astream})
    patches.family(BaseTool, {"run_json": tool.acall, "run_json_stream": tool.astream})
    patches.family(Workbench, {"call_tool": workbench.acall, "call_tool_stream": workbench.astream}, skip=_by_its_tools)
    patches.family(
        CodeExecutor, {"execute_code_blocks": _boundary(adapter_state, functools.partial(_code, adapter_state)).acall}
    )


def ask_user(adapter_state: AdapterState, patches: Patches, agent: type) -> bool:
    """Wrap what asks a person: what they type is a recorded answer.  False where the class has no such method."""
    return patches.wrap(agent, "_get_input", _boundary(adapter_state, _question).acall)


def _boundary(adapter_state: AdapterState, describe: Describe) -> Boundary:
    return Boundary(lambda: adapter_state.session, describe, _around(adapter_state))


def _around(adapter_state: AdapterState) -> Callable[[], AbstractContextManager[object]]:
    return lambda: inside_call(adapter_state.delivery_queues.wake_here)


def _by_its_tools(cls: type) -> bool:
    """AutoGen's own workbenches run tools, which are recorded themselves, errors included."""
    return issubclass(cls, StaticWorkbench) and cls.__module__.startswith("autogen_core.")


# -- models ----------------------------------------------------------------------------------------------------------


class _Question(ModelRequest):
    """One call of a model client."""

    implemented_by = ("create", "create_stream")

    def __init__(
        self, _method: Method, client: ChatCompletionClient, messages: Sequence[LLMMessage], *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(client)
        self._messages = messages
        self._args = args
        self._kwargs = kwargs

    def prompt(self, path: str) -> dict[str, Json]:
        return prompts.prompt(self.model, self._messages, self._kwargs, path)

    def merge(self, prompt: dict[str, Json], value: Json) -> Json:
        return prompts.normalize(prompt, value)

    def decode_prompt(self, value: Json) -> Any:
        return prompts.decode_prompt(value)

    def rebind(self, new: Any) -> Arguments:
        given = {k: v for k, v in new.items() if k in ("tools", "extra_create_args") and k in self._kwargs}
        return (self.model, new["messages"], *self._args), {**self._kwargs, **given}

    def encode(self, answer: Any) -> Json:
        return prompts.encode_piece(answer)

    def decode(self, value: Json) -> Any:
        return prompts.result(value)

    def complete(self, value: Json) -> Json:
        return prompts.full_result(value)

    def decode_piece(self, value: Json) -> Any:
        return prompts.decode_piece(value)

    def complete_pieces(self, value: Json) -> Json:
        return prompts.full_stream(value)

    def usage(self, answer: Any) -> Usage | None:
        usage: RequestUsage | None = getattr(answer, "usage", None)
        return Usage(usage.prompt_tokens, usage.completion_tokens) if usage is not None else None

    def replaced(self) -> None:
        """AutoGen's replay client counts its answers: one that was given by the record counts, too."""
        at = getattr(self.model, "_current_index", None)
        if isinstance(at, int):
            self.model._current_index = at + 1

    def call(self, *, streams: bool = False) -> Call:
        call = super().call(streams=streams)
        call.link = _link(self._kwargs.values())
        return call


# -- tools -----------------------------------------------------------------------------------------------------------


def _tool(
    adapter_state: AdapterState, _method: Method, tool: Any, args: Mapping[str, Any], *rest: Any, **kwargs: Any
) -> Bound | None:
    if is_inside("tool", f"/{tool.name}"):
        return None
    call = _tool_call(adapter_state, tool, args, [*rest, *kwargs.values()])
    return Bound(call, lambda new: ((tool, new, *rest), kwargs))


def _link(others: Iterable[object]) -> Link | None:
    """How the program cancels what it has given these arguments to."""
    return next((each.link_future for each in others if isinstance(each, CancellationToken)), None)


def _tool_call(adapter_state: AdapterState, tool: Any, args: Mapping[str, Any], others: Iterable[object]) -> Call:
    given = codec.plain(dict(args))
    call = described(tool).call(adapter_state.session.states, given, takes_more=True)
    call.link = _link(others)
    call.normalize = lambda _, value: _edited_arguments(tool, given, value)
    return call


def described(tool: Any) -> Tool:
    """A tool as far as its calls are concerned."""
    function = getattr(tool, "_func", None)
    return Tool(
        tool.name,
        tool,
        [function] if function is not None else [],
        ["run"],
        lambda: codec.schema(tool.args_type()),
        own_effects="pure" if _is_handoff(function) else None,
    )


def _is_handoff(function: Any) -> bool:
    return getattr(function, "__qualname__", "").endswith("handoff_tool.<locals>._handoff_tool")


def _edited_arguments(tool: Any, given: dict[str, Json], value: Json) -> Json:
    """All arguments of an edited call.  Raises `BadValue` for those that the tool's model of them refuses."""
    full = described(tool).merge(given, value, takes_more=True)
    codec.build(tool.args_type(), full)
    return full


def _workbench(
    adapter_state: AdapterState,
    _method: Method,
    workbench: Any,
    name: str,
    arguments: Mapping[str, Any] | None = None,
    *rest: Any,
    **kwargs: Any,
) -> Bound | None:
    if is_inside("tool", f"/{name}"):
        return None
    call = _workbench_call(adapter_state, workbench, name, arguments, [*rest, *kwargs.values()])
    return Bound(call, lambda new: ((workbench, name, new, *rest), kwargs))


def _workbench_call(
    adapter_state: AdapterState,
    workbench: Any,
    name: str,
    arguments: Mapping[str, Any] | None,
    others: Iterable[object],
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
        known=lambda: resources.owned(adapter_state.session.states, workbench, place),
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
    adapter_state: AdapterState, method: Method, executor: Any, code_blocks: list[CodeBlock], *rest: Any, **kwargs: Any
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
        known=lambda: resources.owned(adapter_state.session.states, executor, place),
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
