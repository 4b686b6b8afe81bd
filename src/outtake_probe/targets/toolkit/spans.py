"""The open spans of a framework's own instrumentation, so that what closes one finds its number in the log."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from outtake_probe import clock
from outtake_probe.calls import Usage
from outtake_probe.records import Json
from outtake_probe.session import Session

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class _Open:
    number: int
    """Number of the span in the log."""
    since: float | None
    """When it began, by the monotonic clock; None for what is no span of its own."""
    attached: Any


class OpenSpans(Generic[Key]):
    """Spans that have begun and not ended, by the framework's own keys of them.

    A span that is not written, because a replay repeats it, is not kept: what is inside of it has no span around it.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._open: dict[Key, _Open] = {}

    def __bool__(self) -> bool:
        """Whether any is open."""
        return bool(self._open)

    def start(self, key: Key, name: str, tags: Json = None, parent: Key | None = None, *, attached: Any = None) -> None:
        """A span begins, inside that of `parent`; `attached` is kept for `attached_to`."""
        number = self._session.span(name, tags, self.number(parent))
        if number is not None:
            self._open[key] = _Open(number, clock.monotonic(), attached)

    def pass_through(self, key: Key, parent: Key | None = None) -> None:
        """What begins here is no span of its own: what is inside of it belongs to the span of `parent`."""
        around = self.number(parent)
        if around is not None:
            self._open[key] = _Open(around, None, None)

    def end(
        self,
        key: Key,
        result: Callable[[], Json] = lambda: None,
        *,
        failed: bool = False,
        usage: Usage | None = None,
    ) -> None:
        """A span ends, or what is none; `result` is called only for a span that is written."""
        found = self._open.pop(key, None)
        if found is None or found.since is None:
            return
        about: dict[str, Json] = {"seconds": round(clock.monotonic() - found.since, 6)}
        if usage is not None:
            about |= {"tokens_in": usage.tokens_in, "tokens_out": usage.tokens_out}
        self._session.span_end(found.number, result(), failed=failed, **about)

    def number(self, key: Key | None) -> int | None:
        """The number of the span that is open under that key, or around it; None where there is none."""
        found = self._open.get(key) if key is not None else None
        return found.number if found is not None else None

    def attached_to(self, key: Key | None) -> Any:
        """What was attached to the span under that key; None where there is none."""
        found = self._open.get(key) if key is not None else None
        return found.attached if found is not None else None
