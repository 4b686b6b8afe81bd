"""A live target: what the user's commands for a running program have in common."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

from outtake_probe.commands import BadValue, Outgoing
from outtake_probe.records import Json
from outtake_probe.targets.base import Capability
from outtake_probe.targets.toolkit.event_loop import perform_on


class LiveTarget(ABC):
    """A target without a queue that takes no messages and has no settings: an adapter adds what its framework has.

    A command that is left as it is here raises `BadValue`.
    """

    no_queue: str = "this target has no queue of messages"
    """Says why there is no queue, and what to do instead."""

    def __init__(self, capabilities: Sequence[Capability], missing: Sequence[str] = ()) -> None:
        self._capabilities = capabilities
        self._missing = missing

    @abstractmethod
    def graph(self) -> Mapping[str, Json]:
        """The `components` and `edges`, as JSON of `outtake_probe.targets.base.Component` and `Edge`; calls nothing of
        the program's."""

    @property
    def loop(self) -> asyncio.AbstractEventLoop | None:
        """The event loop on which the program's state may be touched; None where any thread may."""
        return None

    def perform(self, act: Callable[[], Json]) -> Json:
        """Run `act` where the program's state may be touched, and return its result."""
        return perform_on(self.loop, act)

    def normalize(self, message: int, value: Json) -> Json:
        """The full new content of a queued message, of a value that may say only part of it."""
        raise BadValue(self.no_queue)

    def replace(self, message: int, value: Json) -> None:
        """Give a queued message another content."""
        raise BadValue(self.no_queue)

    def drop(self, message: int) -> None:
        """Take a message out of the queue."""
        raise BadValue(self.no_queue)

    def move(self, message: int, before: int | None) -> None:
        """Put a queued message before another one, or last."""
        raise BadValue(self.no_queue)

    def send(self, component: str, type: str, value: Json) -> Sequence[Outgoing]:
        """Check a new message for a component or ``topic:NAME``: what is queued for each recipient."""
        raise BadValue("this target takes no messages")

    def configure(self, component: str, key: str, value: Json) -> None:
        """Change a setting of a component, from now on."""
        raise BadValue("this target has no settings that can be changed")

    def describe(self) -> Json:
        """Graph, components with configuration and schemas, hooks that are missing, capabilities."""
        return {**self.graph(), "missing": list(self._missing), "capabilities": list(self._capabilities)}
