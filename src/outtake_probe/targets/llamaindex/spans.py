"""The framework's own instrumentation: spans and events, recorded under the invocation that they belong to.

What repeats an invocation's input or output (prompts, answers, the pieces of streams) is left out of the events: it is
in the record already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from llama_index_instrumentation import get_dispatcher
from llama_index_instrumentation.event_handlers import BaseEventHandler
from llama_index_instrumentation.span_handlers import BaseSpanHandler

from outtake_probe import clock
from outtake_probe.calls import Usage
from outtake_probe.records import Json
from outtake_probe.session import Session
from outtake_probe.targets.llamaindex.hub import Hub
from outtake_probe.targets.llamaindex.usage import usage
from outtake_probe.targets.patches import Patches

_ID = len("-00000000-0000-0000-0000-000000000000")
"""Characters at the end of a span's id that make it unique."""
_LEFT_OUT = frozenset({"llamaindex.run_id", "llamaindex.step.input_summary"})
"""Tags that differ from run to run, or say again what the input is."""
_FACTS = frozenset({str, int, float, bool, type(None)})
"""Types of fields that are told of an event."""
_KNOWN = frozenset({"timestamp", "id_", "span_id", "tags", "prompt", "output"})
"""Fields that the record holds elsewhere."""
_PIECES = ("InProgress", "Delta", "WorkflowStepOutput", "WorkflowRunOutput")
_LONG = 400
"""Characters of a text in an event that are kept."""


@dataclass(frozen=True, slots=True)
class _Open:
    """A span that has not closed."""

    number: int
    since: float
    tags: Any


def install(hub: Hub, patches: Patches) -> Sequence[str]:
    """Listen to the root of all dispatchers."""
    root = get_dispatcher("root")
    spans, events = _handlers(_Listener(hub.session))
    root.add_span_handler(spans)
    root.add_event_handler(events)
    patches.then(lambda: root.span_handlers.remove(spans))
    patches.then(lambda: root.event_handlers.remove(events))
    return []


def _name(id_: str) -> str:
    return id_[:-_ID] if id_[-_ID : 1 - _ID] == "-" else id_


def _own_tags(tags: Any, around: _Open | None) -> dict[str, Json]:
    """Tags that the span around does not have already: the framework hands them down."""
    if not isinstance(tags, dict) or (around is not None and tags == around.tags):
        return {}
    above = around.tags if around is not None and isinstance(around.tags, dict) else {}
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
        self._opened: dict[str, _Open] = {}

    def opens(self, id_: str, parent: str | None, tags: Any) -> None:
        around = self._opened.get(parent or "")
        within = around.number if around is not None else None
        number = self._session.span(_name(id_), _own_tags(tags, around), within)
        if number is not None:
            self._opened[id_] = _Open(number, clock.monotonic(), tags)

    def closes(self, id_: str, used: Usage | None = None, error: BaseException | None = None) -> None:
        found = self._opened.pop(id_, None)
        if found is None:
            return
        told: dict[str, Json] = {"seconds": round(clock.monotonic() - found.since, 6)}
        if used is not None:
            told |= {"tokens_in": used.tokens_in, "tokens_out": used.tokens_out}
        result = {"error": type(error).__name__, "message": _plain(str(error))} if error is not None else None
        self._session.span_end(found.number, result, failed=error is not None, **told)

    def hears(self, event: Any) -> None:
        name = type(event).__name__
        if any(part in name for part in _PIECES):
            return
        found = self._opened.get(event.span_id or "")
        told: dict[str, Json] = {k: _plain(v) for k, v in vars(event).items() if type(v) in _FACTS and k not in _KNOWN}
        tags = _own_tags(event.tags, found)
        if tags:
            told["tags"] = tags
        self._session.note(name, "", told or None, span=found.number if found is not None else None)


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
