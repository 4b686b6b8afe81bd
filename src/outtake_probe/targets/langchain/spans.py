"""LangChain's callbacks as spans: chains, parsers, prompts and the like, and events that a program reports itself.

Model and tool calls and a graph's nodes are invocations already, so they are no spans as well; nor are its routers, of
which the node that comes next tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.tracers import context as tracing

from outtake_probe.calls import current
from outtake_probe.codec import describe_error
from outtake_probe.records import Json
from outtake_probe.session import Session
from outtake_probe.targets.langchain.context import around
from outtake_probe.targets.langchain.messages import body
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.spans import OpenSpans

_SHOWN = ("langgraph_node", "langgraph_step", "thread_id")
_INSIDE = ("ls_", "lc_", "langgraph_", "checkpoint_", "thread_id", "__")
"""Metadata that frameworks put on everything."""


class Spans(BaseCallbackHandler):
    """Hears what LangChain reports; it never changes anything."""

    run_inline = True
    raise_error = False

    def __init__(self, session: Session) -> None:
        self._session = session
        self._open: OpenSpans[UUID] = OpenSpans(session)
        """By LangChain's run."""

    @property
    def ignore_llm(self) -> bool:
        return True

    @property
    def ignore_chat_model(self) -> bool:
        return True

    @property
    def ignore_retriever(self) -> bool:
        return True

    @property
    def ignore_agent(self) -> bool:
        return True

    @property
    def ignore_chain(self) -> bool:
        """Of the runs of graphs and nodes only need be known what spans enclose them."""
        return not self._open and around.is_between()

    def on_chain_start(
        self,
        serialized: dict[str, Any] | None,
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        if around.is_between() or _is_part_of_a_graph(kwargs.get("name"), tags or (), metadata or {}):
            self._open.pass_through(run_id, parent_run_id)
            return
        name = kwargs.get("name") or (serialized or {}).get("name") or "chain"
        self._open.start(run_id, name, _tags(tags or (), metadata or {}), parent_run_id)

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        self._open.end(run_id)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        self._open.end(run_id, lambda: describe_error(error), failed=True)

    def on_custom_event(self, name: str, data: Any, *, run_id: UUID, **kwargs: Any) -> None:
        frame = current.get()
        self._session.note(name, frame.component if frame else "", body(data), self._open.number(run_id))


def _is_part_of_a_graph(name: str | None, tags: Sequence[str], metadata: dict[str, Any]) -> bool:
    """Whether this is the run of a graph or of one of its nodes, which are invocations."""
    if any(tag.startswith("graph:step:") for tag in tags):
        return True
    if metadata.get("ls_integration") == "langgraph" and "langgraph_node" not in metadata:
        return True
    return metadata.get("langgraph_node") == name and any(tag.startswith("seq:step:") for tag in tags)


def _tags(tags: Sequence[str], metadata: dict[str, Any]) -> Json:
    own = {name: body(value) for name, value in metadata.items() if not name.startswith(_INSIDE)}
    kept = [tag for tag in tags if not tag.startswith(("seq:step:", "map:key:"))]
    return {**({"tags": kept} if kept else {}), **({"metadata": own} if own else {})}


def install_spans(session: Session, patches: Patches) -> list[str]:
    """Add the handler to whatever configures callbacks."""
    hooks = getattr(tracing, "_configure_hooks", None)
    if not isinstance(hooks, list):
        return ["chains are not shown as spans: langchain_core.tracers.context has no list of handlers"]
    handler: ContextVar[Spans | None] = ContextVar("outtake_spans", default=Spans(session))  # noqa: B039  one for all contexts
    entry = (handler, True, None, None)
    hooks.append(entry)
    patches.then(lambda: hooks.remove(entry))
    return []
