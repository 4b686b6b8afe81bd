"""The framework's own instrumentation: spans and events, recorded under the invocation that they belong to.

What repeats an invocation's input or output (prompts, answers, the pieces of streams) is left out of the events: it is
in the record already.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import Any

from llama_index_instrumentation import get_dispatcher
from llama_index_instrumentation.event_handlers import BaseEventHandler
from llama_index_instrumentation.span_handlers import BaseSpanHandler
from pydantic import PrivateAttr

from outtake_probe.records import Json
from outtake_probe.session import Session
from outtake_probe.targets.llamaindex.hub import Hub
from outtake_probe.targets.llamaindex.usage import usage
from outtake_probe.targets.patches import Patches

_ID = re.compile(r"-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$")
_RANDOM_TAGS = frozenset({"llamaindex.run_id"})
_OWN_FIELDS = frozenset({"timestamp", "id_", "span_id", "tags"})
_PIECES = ("InProgress", "Delta", "WorkflowStepOutput", "WorkflowRunOutput")
_LONG = 400
"""Characters of a text in an event that are kept."""


def install(hub: Hub, patches: Patches) -> Sequence[str]:
    """Listen to the root of all dispatchers."""
    root = get_dispatcher("root")
    numbers: dict[str, tuple[int, float]] = {}
    spans, events = _Spans(hub.session, numbers), _Events(hub.session, numbers)
    root.add_span_handler(spans)
    root.add_event_handler(events)
    patches.then(lambda: root.span_handlers.remove(spans))
    patches.then(lambda: root.event_handlers.remove(events))
    return []


def _plain_tags(tags: Any) -> dict[str, Json]:
    found = tags.items() if isinstance(tags, dict) else ()
    return {str(name): _plain(value) for name, value in found if name not in _RANDOM_TAGS}


def _plain(value: Any) -> Json:
    if value is None or isinstance(value, (bool, int, float)):
        return value
    text = str(value)
    return text if len(text) <= _LONG else text[: _LONG - 1] + "…"


class _Spans(BaseSpanHandler[Any]):
    """Spans by the dispatcher's ids."""

    _session: Session = PrivateAttr()
    _numbers: dict[str, tuple[int, float]] = PrivateAttr()

    def __init__(self, session: Session, numbers: dict[str, tuple[int, float]]) -> None:
        super().__init__()
        self._session = session
        self._numbers = numbers

    def span_enter(
        self,
        id_: str,
        bound_args: Any,
        instance: Any = None,
        parent_id: str | None = None,
        tags: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        around = self._numbers.get(parent_id or "")
        within = around[0] if around is not None else None
        number = self._session.span(_ID.sub("", id_), _plain_tags(tags), within)
        if number is not None:
            self._numbers[id_] = (number, time.monotonic())

    def span_exit(self, id_: str, bound_args: Any, instance: Any = None, result: Any = None, **kwargs: Any) -> None:
        used = usage(result)
        told = {"tokens_in": used.tokens_in, "tokens_out": used.tokens_out} if used is not None else {}
        self._end(id_, failed=False, result=None, **told)

    def span_drop(
        self, id_: str, bound_args: Any, instance: Any = None, err: BaseException | None = None, **kwargs: Any
    ) -> None:
        self._end(id_, failed=True, result={"error": type(err).__name__, "message": _plain(str(err))})

    def _end(self, id_: str, *, failed: bool, result: Json, **told: int) -> None:
        found = self._numbers.pop(id_, None)
        if found is not None:
            number, since = found
            seconds = round(time.monotonic() - since, 6)
            self._session.span_end(number, result, failed=failed, seconds=seconds, **told)

    def new_span(self, *args: Any, **kwargs: Any) -> Any:
        return None

    def prepare_to_exit_span(self, *args: Any, **kwargs: Any) -> Any:
        return None

    def prepare_to_drop_span(self, *args: Any, **kwargs: Any) -> Any:
        return None


class _Events(BaseEventHandler):
    """Events, each in the span that was open."""

    _session: Session = PrivateAttr()
    _numbers: dict[str, tuple[int, float]] = PrivateAttr()

    def __init__(self, session: Session, numbers: dict[str, tuple[int, float]]) -> None:
        super().__init__()
        self._session = session
        self._numbers = numbers

    def handle(self, event: Any, **kwargs: Any) -> None:
        name = type(event).__name__
        if any(part in name for part in _PIECES):
            return
        found = self._numbers.get(event.span_id or "")
        fields = {k: v for k, v in vars(event).items() if k not in _OWN_FIELDS}
        told = {k: _plain(v) for k, v in fields.items() if v is None or isinstance(v, (str, bool, int, float))}
        tags = _plain_tags(event.tags)
        body = {**told, **({"tags": tags} if tags else {})}
        self._session.note(name, "", body, span=found[0] if found is not None else None)
