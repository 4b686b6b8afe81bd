"""Parts of a live target: what the user's commands for a running program have in common."""

from __future__ import annotations

from outtake_probe.records import Json
from outtake_probe.session import BadValue


class WithoutQueue:
    """The commands for queued messages, of a target whose framework keeps none: each raises `BadValue`."""

    no_queue: str
    """Says why there is no queue, and what to do instead."""

    def normalize(self, message: int, value: Json) -> Json:
        raise BadValue(self.no_queue)

    def replace(self, message: int, value: Json) -> None:
        raise BadValue(self.no_queue)

    def drop(self, message: int) -> None:
        raise BadValue(self.no_queue)

    def move(self, message: int, before: int | None) -> None:
        raise BadValue(self.no_queue)
