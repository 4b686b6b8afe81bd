"""Tools, retrievers and embeddings pass the gate where their classes implement them; callbacks around it run as always.

What a tool is shown to get are the arguments that the model gave it.  What a framework injects (a graph's state, the id
of the call) is part of what tells one call from another, because the tool can read it.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import BaseTool

from outtake_probe.calls import Call, current
from outtake_probe.codec import decode, encode
from outtake_probe.keeping import stateless
from outtake_probe.records import EFFECTS, Effects, Json
from outtake_probe.session import Session
from outtake_probe.targets.langchain import messages, toolkits
from outtake_probe.targets.langchain.context import around, running
from outtake_probe.targets.toolkit.boundary import Bound, Boundary, Method
from outtake_probe.targets.toolkit.classes import derives_from
from outtake_probe.targets.toolkit.effects import declared_effects
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.paths import child_path, is_inside
from outtake_probe.targets.toolkit.tools import Tool

_OURS = ("config", "run_manager", "callbacks")
"""What LangChain passes along, which is no argument of the tool."""
_RUNTIME = ("state", "context", "tool_call_id")
"""What a tool can read of an injected runtime and that is not made up anew in each run."""


def install_tools(session: Session, patches: Patches) -> list[str]:
    """Wrap every tool there is, and those to come."""
    boundary = Boundary(lambda: session, functools.partial(_described, session))
    patches.family(BaseTool, {"_run": boundary.call, "_arun": boundary.acall})
    toolkits.install(patches)
    return []


def install_retrievers(session: Session, patches: Patches) -> list[str]:
    """Wrap every retriever."""
    query = Boundary(lambda: session, _query)
    methods = {"_get_relevant_documents": query.call, "_aget_relevant_documents": query.acall}
    patches.family(BaseRetriever, methods)
    return []


def install_embeddings(session: Session, patches: Patches) -> list[str]:
    """Wrap every class that embeds texts."""
    stateless.add(Embeddings)
    embed = Boundary(lambda: session, _embed)
    patches.family(
        Embeddings,
        {
            "embed_documents": embed.call,
            "embed_query": embed.call,
            "aembed_documents": embed.acall,
            "aembed_query": embed.acall,
        },
    )
    return []


# -- tools -----------------------------------------------------------------------------------------------------------


def described(made: Any) -> Tool:
    """A tool as far as its calls are concerned."""
    functions = [f for name in ("func", "coroutine") if (f := getattr(made, name, None)) is not None]
    return Tool(
        made.name,
        made,
        functions,
        ("_run", "_arun"),
        functools.partial(schema, made),
        own_effects=_noted_effects(made),
    )


def _noted_effects(made: Any) -> Effects | None:
    metadata = getattr(made, "metadata", None) or {}
    if metadata.get("effects") in EFFECTS:
        return metadata["effects"]  # type: ignore[no-any-return]
    return "read" if metadata.get("readOnlyHint") is True else None  # what an MCP server says of its tool


def _described(session: Session, _method: Method, made: Any, *args: Any, **kwargs: Any) -> Bound | None:
    if is_inside("tool", f"/{made.name}"):
        return None
    around.leaf()
    call = _tool_call(session, made, args, kwargs)
    return Bound(
        call,
        lambda new: ((made, *_positional(args, new)), _named(kwargs, new)),
        inside=lambda: running(call),
        translate=around.error,
    )


def _positional(args: tuple[Any, ...], new: Mapping[str, Any]) -> tuple[Any, ...]:
    return args if "input" not in new or not args else (new["input"], *args[1:])


def _named(kwargs: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    return {**kwargs, **{k: v for k, v in new.items() if k in kwargs or k != "input"}}


def _tool_call(session: Session, made: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
    said, injected = _split(made, args, kwargs)
    awaited = around.identity()
    rest = {**({"injected": injected} if injected else {}), **({"answers": awaited} if awaited else {})}
    tool = described(made)
    call = tool.call(session.states, said, path=child_path(made.name) if _in_tools() else "", takes_more=False)
    call.identity = {"arguments": said, **rest} if rest else None
    call.known = lambda: toolkits.known(session.states, made, *tool.functions)
    call.normalize_output = _result
    call.signals = around.signals
    call.is_seen, call.stream = around.is_seen(), around.stream
    return call


def _in_tools() -> bool:
    """A component that is itself called so: the tools of a graph are in its node `tools`."""
    frame = current.get()
    return frame is not None and frame.component.endswith("/tools")


def _split(tool: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[dict[str, Json], dict[str, Json]]:
    """The arguments that a model (or the program) gave, and those that a framework injected."""
    said: dict[str, Json] = {"input": encode(args[0])} if args else {}
    injected: dict[str, Json] = {}
    hidden = _injected_names(tool)
    for name, value in kwargs.items():
        if name in _OURS:
            continue
        if _is_runtime(value):
            parts = {part: getattr(value, part, None) for part in _RUNTIME}
            injected[name] = {part: messages.body(item) for part, item in parts.items() if item is not None}
        elif hasattr(value, "abatch") and hasattr(value, "search"):
            continue  # a store: what is read there is seen there
        elif name in hidden:
            injected[name] = messages.body(value)
        else:
            said[name] = messages.body(value)
    return said, injected


def _is_runtime(value: Any) -> bool:
    return hasattr(value, "tool_call_id") and hasattr(value, "stream_writer") and hasattr(value, "state")


def _injected_names(tool: Any) -> frozenset[str]:
    """Names of arguments that no model sees."""
    fields = getattr(tool.args_schema, "model_fields", None) or {}
    return frozenset(name for name, info in fields.items() if any(map(_is_injected, getattr(info, "metadata", ()))))


def _is_injected(note: Any) -> bool:
    cls = note if isinstance(note, type) else type(note)
    return derives_from(cls, "InjectedToolArg")


def schema(tool: Any) -> dict[str, Json]:
    """The JSON schema of what a model gives to a tool."""
    try:
        found = tool.tool_call_schema
        return dict(found) if isinstance(found, dict) else dict(found.model_json_schema())
    except Exception:  # noqa: BLE001  a schema of the user's that pydantic cannot describe
        return {}


def _result(value: Json) -> Json:
    """A mocked result: a message that was written as a plain object is one."""
    if messages.looks_like_message(value):
        return encode(messages.given(value, "tool"))
    return encode(decode(value))


# -- what is asked with one text -------------------------------------------------------------------------------------


def _query(_method: Method, retriever: Any, query: str, **kwargs: Any) -> Bound | None:
    if is_inside("tool", "/retriever"):
        return None
    around.leaf()
    return Bound(_query_call(retriever, query, kwargs), lambda new: ((retriever, str(new["query"])), kwargs))


def _query_call(retriever: Any, query: str, kwargs: Mapping[str, Any]) -> Call:
    said = {"query": query, **{name: encode(value) for name, value in kwargs.items() if name not in _OURS}}
    return Call(
        "tool",
        child_path("retriever"),
        said,
        type=type(retriever).__name__,
        functions=(type(retriever)._get_relevant_documents, type(retriever)._aget_relevant_documents),
        effects=declared_effects(retriever, type(retriever)) or _noted_effects(retriever) or "read",
        normalize=lambda _, value: {**said, **(value if isinstance(value, dict) else {"query": value})},
    )


def _embed(_method: Method, model: Any, texts: Any, **kwargs: Any) -> Bound | None:
    if is_inside("model"):
        return None
    around.leaf()
    return Bound(_embed_call(model, texts), lambda new: ((model, new["texts"]), kwargs))


def _embed_call(model: Any, texts: Any) -> Call:
    name = getattr(model, "model", None)
    said: dict[str, Json] = {"model": name if isinstance(name, str) else type(model).__name__, "texts": encode(texts)}
    return Call(
        "model",
        child_path("embeddings"),
        said,
        type=type(model).__name__,
        functions=(type(model).embed_documents, type(model).embed_query),
        normalize=lambda _, value: {**said, **(value if isinstance(value, dict) else {"texts": value})},
    )
