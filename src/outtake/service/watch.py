"""A watch: how a reader sleeps until there is something new, without asking again and again."""

from __future__ import annotations

import threading
from collections.abc import Callable


class ChangeSignal:
    """Wakes one reader whenever `version` has moved on; `changed` is notified then."""

    def __init__(self, changed: threading.Condition, version: Callable[[], int]) -> None:
        self._changed = changed
        self._version = version
        self._seen: int | None = None
        self._closed = False

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for a change since the last call, the first call at once; False when closed, or when time is up."""
        with self._changed:
            moved = self._changed.wait_for(lambda: self._closed or self._version() != self._seen, timeout)
            self._seen = self._version()
            return moved and not self._closed

    @property
    def closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        """Let the reader go, from any thread."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
