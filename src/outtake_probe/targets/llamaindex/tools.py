"""Calls of tools pass the gate.

A tool that takes the workflow's context may change the workflow's state (a handoff does): what it changed is part of
its recorded result, and made again where the record answers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from llama_index.core.base.llms.types import TextBlock
from llama_index.core.tools.types import ToolOutput
from workflows import Context
from workflows.runtime.types.results import WaitingForEvent

from outtake_probe.calls import Call
from outtake_probe.codec import TAG, Family, Opaque, decode, encode, is_opaque
from outtake_probe.codec import register as register_family
from outtake_probe.records import Json
from outtake_probe.targets.llamaindex import access_tracking
from outtake_probe.targets.llamaindex.access_tracking import AccessTracker, watching
from outtake_probe.targets.llamaindex.adapter_state import AdapterState
from outtake_probe.targets.llamaindex.steps import running
from outtake_probe.targets.toolkit.boundary import Arguments, Bound, Boundary, Method
from outtake_probe.targets.toolkit.context_variables import assigned
from outtake_probe.targets.toolkit.paths import is_inside
from outtake_probe.targets.toolkit.tools import Tool

_FORGOTTEN: Json = {TAG: "opaque", "repr": "changes of the state that no record holds"}


def methods(adapter_state: AdapterState) -> dict[str, Callable[[Method], Method]]:
    """How each method of a tool is wrapped."""
    boundary = Boundary(lambda: adapter_state.session, functools.partial(_described, adapter_state))
    return {"__call__": boundary.call, "call": boundary.call, "acall": boundary.acall}


def _described(adapter_state: AdapterState, _method: Method, made: Any, *args: Any, **kwargs: Any) -> Bound | None:
    use = _Use(adapter_state, tool(made), args, kwargs)
    if is_inside("tool", f"/{use.tool.name}"):
        return None
    return Bound(use.call(), use.rebind, inside=use.watching)


def tool(made: Any) -> Tool:
    """A tool as far as its calls are concerned."""
    functions = [f for name in ("_real_fn", "_fn", "_async_fn") if (f := getattr(made, name, None)) is not None]
    is_agents_own = any(getattr(f, "__module__", "").endswith("multi_agent_workflow") for f in functions)
    return Tool(
        str(made.metadata.name or type(made).__name__),
        made,
        functions,
        ["__call__"],
        functools.partial(_parameters, made),
        own_effects="pure" if is_agents_own else None,
    )


def _parameters(made: Any) -> Mapping[str, Json]:
    try:
        return made.metadata.get_parameters_dict()  # type: ignore[no-any-return]
    except Exception:  # noqa: BLE001  a tool may be the user's own, with a schema that cannot be determined
        return {}


def register() -> None:
    """What a tool gives is written by its content, wherever it stands."""
    register_family(Family("tool_output", ToolOutput, lambda value, _: _output_json(value), _output_from))


def _output_json(output: ToolOutput) -> dict[str, Json]:
    blocks = output.blocks
    told: dict[str, Json] = {"tool": output.tool_name, "content": output.content}
    if any(type(block) is not TextBlock for block in blocks) or len(blocks) != 1:
        told["blocks"] = [encode(block) for block in blocks]
    if output.is_error:
        told["is_error"] = True
    raw = encode(output.raw_output)
    if raw != output.content and not is_opaque(raw):
        told["raw_output"] = raw
    told["raw_input"] = _without_opaque(encode(output.raw_input))
    return told


def _without_opaque(value: Json) -> Json:
    if isinstance(value, dict) and TAG not in value:
        return {name: _without_opaque(item) for name, item in value.items() if not _is_bare_opaque(item)}
    return None if is_opaque(value) else value


def _is_bare_opaque(value: Json) -> bool:
    return isinstance(value, dict) and value.get(TAG) == "opaque"


def _output_from(value: Json) -> ToolOutput:
    content = value["content"]
    blocks = decode(value["blocks"]) if "blocks" in value else [TextBlock(text=content)]
    return ToolOutput(
        tool_name=value.get("tool", ""),
        blocks=blocks,
        raw_input=decode(value.get("raw_input") or {}),
        raw_output=decode(value["raw_output"]) if "raw_output" in value else content,
        is_error=bool(value.get("is_error", False)),
    )


# -- one call --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Use:
    """One call of a tool: its arguments, and what it changes in the workflow's state."""

    adapter_state: AdapterState
    tool: Tool
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    watch: AccessTracker | None = None

    def given(self) -> dict[str, Json]:
        names = self.tool.parameters().get("properties", {})
        named = dict(zip(names, self.args, strict=False))
        rest = self.args[len(named) :]
        told = {**named, **({"args": list(rest)} if rest else {}), **self.kwargs}
        return {name: encode(value) for name, value in told.items() if not isinstance(value, Context)}

    def call(self) -> Call:
        call = self.tool.call(self.adapter_state.session.states, self.given())
        call.signals = (WaitingForEvent,)
        call.encode, call.decode, call.normalize_output = self.encode, self.decode, self.normalize_output
        return call

    def rebind(self, new: Any) -> Arguments:
        kept = {name: value for name, value in self.kwargs.items() if isinstance(value, Context)}
        return (self.tool.made, *new.pop("args", [])), {**new, **kept}

    def normalize_output(self, value: Json) -> Json:
        if isinstance(value, dict) and (TAG in value or "changes" in value):
            return value
        if isinstance(value, dict) and "content" in value:
            return {TAG: "tool_output", "tool": self.tool.name, "raw_input": {"kwargs": self.given()}, **value}
        text = value if isinstance(value, str) else None
        told = {"content": text if text is not None else str(value), "raw_output": value}
        return {TAG: "tool_output", "tool": self.tool.name, "raw_input": {"kwargs": self.given()}, **told}

    # -- what it changes ---------------------------------------------------------------------------------------------

    @contextmanager
    def watching(self) -> Iterator[None]:
        """A tool that is given the context is watched by itself, and by the step around it."""
        around = watching.get()
        takes = any(isinstance(value, Context) for value in (*self.args, *self.kwargs.values()))
        if takes and around is not None:
            self.watch = AccessTracker(around.owner, around)
        with assigned(watching, self.watch or around):
            yield

    def encode(self, output: Any) -> Json:
        told = encode(output)
        if self.watch is None:
            return told
        try:
            changes = self.watch.finish()
        except Opaque:
            return {"output": told, "changes": _FORGOTTEN}
        changes.pop("read", None)
        return {"output": told, "changes": changes} if changes else told

    def decode(self, value: Json) -> Any:
        if isinstance(value, dict) and set(value) == {"output", "changes"}:
            here = running.get()
            run = here.run if here is not None else None
            if run is not None:
                access_tracking.redo(value["changes"], run.shared)
            value = value["output"]
        return decode(value)
