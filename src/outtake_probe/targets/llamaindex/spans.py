"""The framework's own instrumentation: spans and events, recorded under the invocation that they belong to.

What repeats an invocation's input or output (prompts, answers, the pieces of streams) is left out of the events: it is
in the record already.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index_instrumentation import get_dispatcher
from llama_index_instrumentation.event_handlers import BaseEventHandler
from llama_index_instrumentation.span_handlers import BaseSpanHandler

from outtake_probe.calls import Usage
from outtake_probe.records import Json
from outtake_probe.session import Session
from outtake_probe.targets.llamaindex.adapter_state import AdapterState
from outtake_probe.targets.llamaindex.usage import usage
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.spans import OpenSpans

_ID = len("-00000000-0000-0000-0000-000000000000")
"""Characters at the end of a span's id that make it unique."""
_LEFT_OUT = frozenset({"llamaindex.run_id", "llamaindex.step.input_summary"})
"""Tags that differ from run to run, or say again what the input is."""
_FACTS = frozenset({str, int, float, bool, type(None)})
"""Types of fields that are reported of an event."""
_KNOWN = frozenset({"timestamp", "id_", "span_id", "tags", "prompt", "output"})
"""Fields that the record holds elsewhere."""
_PIECES = ("InProgress", "Delta", "WorkflowStepOutput", "WorkflowRunOutput")
_LONG = 400
"""Characters of a text in an event that are kept."""


def install(adapter_state: AdapterState, patches: Patches) -> Sequence[str]:
    """Listen to the root of all dispatchers."""
    root = get_dispatcher("root")
    spans, events = _handlers(_Listener(adapter_state.session))
    root.add_span_handler(spans)
    root.add_event_handler(events)
    patches.then(lambda: root.span_handlers.remove(spans))
    patches.then(lambda: root.event_handlers.remove(events))
    return []


def _name(id_: str) -> str:
    return id_[:-_ID] if id_[-_ID : 1 - _ID] == "-" else id_


def _own_tags(tags: Any, around: Any) -> dict[str, Json]:
    """Tags that are not among those of the span around already: the framework hands them down."""
    if not isinstance(tags, dict) or tags == around:
        return {}
    above = around if isinstance(around, dict) else {}
    new = {name: value for name, value in tags.items() if name not in _LEFT_OUT and above.get(name) != value}
    return {str(name): _plain(value) for name, value in new.items()}


def _plain(value: Any) -> Json:
    if value is None or isinstance(value, (bool, int, float)):
        return value
    text = str(value)
    return text if len(text) <= _LONG else text[: _LONG - 1] + "…"


class _Listener:
    """Writes what the dispatchers say."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._open: OpenSpans[str] = OpenSpans(session)
        """By the framework's id, each with its tags."""

    def opens(self, id_: str, parent: str | None, tags: Any) -> None:
        own = _own_tags(tags, self._open.attached_to(parent))
        self._open.start(id_, _name(id_), own, parent, attached=tags)

    def closes(self, id_: str, used: Usage | None = None, error: BaseException | None = None) -> None:
        self._open.end(id_, lambda: _described(error), failed=error is not None, usage=used)

    def hears(self, event: Any) -> None:
        name = type(event).__name__
        if any(part in name for part in _PIECES):
            return
        told: dict[str, Json] = {k: _plain(v) for k, v in vars(event).items() if type(v) in _FACTS and k not in _KNOWN}
        tags = _own_tags(event.tags, self._open.attached_to(event.span_id))
        if tags:
            told["tags"] = tags
        self._session.note(name, "", told or None, span=self._open.number(event.span_id))


def _described(error: BaseException | None) -> Json:
    return {"error": type(error).__name__, "message": _plain(str(error))} if error is not None else None


def _handlers(listener: _Listener) -> tuple[BaseSpanHandler[Any], BaseEventHandler]:
    """What the dispatcher calls.  Its classes are pydantic's, whose private attributes are slow to read."""

    class Spans(BaseSpanHandler[Any]):
        def span_enter(
            self,
            id_: str,
            bound_args: Any,
            instance: Any = None,
            parent_id: str | None = None,
            tags: dict[str, Any] | None = None,
            **kwargs: Any,
        ) -> None:
            listener.opens(id_, parent_id, tags)

        def span_exit(self, id_: str, bound_args: Any, instance: Any = None, result: Any = None, **kwargs: Any) -> None:
            listener.closes(id_, usage(result))

        def span_drop(
            self, id_: str, bound_args: Any, instance: Any = None, err: BaseException | None = None, **kwargs: Any
        ) -> None:
            listener.closes(id_, error=err or RuntimeError("the span was dropped"))

        def new_span(self, *args: Any, **kwargs: Any) -> Any:
            return None

        def prepare_to_exit_span(self, *args: Any, **kwargs: Any) -> Any:
            return None

        def prepare_to_drop_span(self, *args: Any, **kwargs: Any) -> Any:
            return None

    class Events(BaseEventHandler):
        def handle(self, event: Any, **kwargs: Any) -> None:
            listener.hears(event)

    return Spans(), Events()
