"""Calls of tools pass the gate.

A tool that takes the workflow's context may change the workflow's state (a handoff does): what it changed is part of
its recorded result, and made again where the record answers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from llama_index.core.base.llms.types import TextBlock
from llama_index.core.tools.types import ToolOutput
from workflows import Context
from workflows.runtime.types.results import WaitingForEvent

from outtake_probe.calling import NewInput, acall, call
from outtake_probe.calls import Call
from outtake_probe.records import Effects, Json
from outtake_probe.targets.llamaindex import state
from outtake_probe.targets.llamaindex.hub import Hub
from outtake_probe.targets.llamaindex.state import Watch, watching
from outtake_probe.targets.llamaindex.steps import running
from outtake_probe.targets.toolkit import resources
from outtake_probe.targets.toolkit.arguments import merge_arguments
from outtake_probe.targets.toolkit.context_variables import assigned
from outtake_probe.targets.toolkit.effects import declared_effects
from outtake_probe.targets.toolkit.paths import child_path, is_inside
from outtake_probe.values import TAG, Family, Opaque, decode, encode, is_opaque
from outtake_probe.values import register as register_family

Method = Callable[..., Any]
_FORGOTTEN: Json = {TAG: "opaque", "repr": "changes of the state that no record holds"}


def methods(hub: Hub) -> dict[str, Callable[[Method], Method]]:
    """How each method of a tool is wrapped."""
    made = {name: functools.partial(_called, hub) for name in ("__call__", "call")}
    return {**made, "acall": functools.partial(_acalled, hub)}


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

    hub: Hub
    tool: Any
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    watch: Watch | None = None

    @property
    def name(self) -> str:
        return str(self.tool.metadata.name or type(self.tool).__name__)

    def names(self) -> list[str]:
        try:
            return list(self.tool.metadata.get_parameters_dict().get("properties", {}))
        except Exception:  # noqa: BLE001  a tool may be the user's own, with a schema that cannot be told
            return []

    def given(self) -> dict[str, Json]:
        named = dict(zip(self.names(), self.args, strict=False))
        rest = self.args[len(named) :]
        told = {**named, **({"args": list(rest)} if rest else {}), **self.kwargs}
        return {name: encode(value) for name, value in told.items() if not isinstance(value, Context)}

    def call(self) -> Call:
        return Call(
            "tool",
            child_path(f"tools/{self.name}"),
            self.given(),
            effects=effects_of(self.tool),
            functions=[f for f in (*_functions(self.tool), type(self.tool).__call__) if f],
            signals=(WaitingForEvent,),
            state=resources.declared(self.tool, *_functions(self.tool), type(self.tool)),
            reaches=tuple(filter(None, _functions(self.tool))) or (self.tool,),
            known=lambda: resources.known(self.hub.session.states, self.tool, *_functions(self.tool)),
            encode=self.encode,
            decode=self.decode,
            normalize=self.normalize,
            normalize_output=self.normalize_output,
        )

    def arguments(self, new: NewInput | None) -> tuple[Sequence[Any], Mapping[str, Any]]:
        if new is None:
            return self.args, self.kwargs
        kept = {name: value for name, value in self.kwargs.items() if isinstance(value, Context)}
        return new.value.pop("args", []), {**new.value, **kept}

    def normalize(self, current: Json, value: Json) -> Json:
        names = self.names()
        return merge_arguments(self.name, current, value, names, allow_unknown=not names)

    def normalize_output(self, value: Json) -> Json:
        if isinstance(value, dict) and (TAG in value or "changes" in value):
            return value
        if isinstance(value, dict) and "content" in value:
            return {TAG: "tool_output", "tool": self.name, "raw_input": {"kwargs": self.given()}, **value}
        text = value if isinstance(value, str) else None
        told = {"content": text if text is not None else str(value), "raw_output": value}
        return {TAG: "tool_output", "tool": self.name, "raw_input": {"kwargs": self.given()}, **told}

    # -- what it changes ---------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """A tool that is given the context is watched by itself, and by the step around it."""
        around = watching.get()
        takes = any(isinstance(value, Context) for value in (*self.args, *self.kwargs.values()))
        if takes and around is not None:
            self.watch = Watch(around.owner, around)

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
                state.redo(value["changes"], run.shared)
            value = value["output"]
        return decode(value)


def _called(hub: Hub, method: Method) -> Method:
    @functools.wraps(method)
    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        use = _Use(hub, self, args, kwargs)
        if is_inside("tool", f"/{use.name}"):
            return method(self, *args, **kwargs)

        def run(new: NewInput | None) -> Any:
            given, named = use.arguments(new)
            use.begin()
            with assigned(watching, use.watch or watching.get()):
                return method(self, *given, **named)

        return call(hub.session, use.call(), run)

    return called


def _acalled(hub: Hub, method: Method) -> Method:
    @functools.wraps(method)
    async def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        use = _Use(hub, self, args, kwargs)
        if is_inside("tool", f"/{use.name}"):
            return await method(self, *args, **kwargs)

        async def run(new: NewInput | None) -> Any:
            given, named = use.arguments(new)
            use.begin()
            with assigned(watching, use.watch or watching.get()):
                return await method(self, *given, **named)

        return await acall(hub.session, use.call(), run)

    return called


def _functions(tool: Any) -> list[Any]:
    """The functions that a tool was made from; None in the place of one that it has not."""
    return [getattr(tool, name, None) for name in ("_real_fn", "_fn", "_async_fn")]


def effects_of(tool: Any) -> Effects | None:
    """What the program declares that a tool does to the world; None where it says nothing."""
    functions = _functions(tool)
    if any(getattr(f, "__module__", "").endswith("multi_agent_workflow") for f in functions):
        return "pure"
    return declared_effects(tool, *functions, type(tool))
