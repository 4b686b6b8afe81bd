"""What the parts of the AutoGen adapter share while one program is debugged."""

from __future__ import annotations

import weakref
from typing import Any

from autogen_core import AgentId, SingleThreadedAgentRuntime

from outtake_probe.commands import Target
from outtake_probe.records import Json
from outtake_probe.session import Session
from outtake_probe.targets.autogen.delivery_queue import DeliveryQueue, DeliveryQueues
from outtake_probe.targets.autogen.paths import Paths
from outtake_probe.targets.autogen.runtime import Runtime


def new_runtime_class() -> type[Runtime]:
    """A class that is called like AutoGen's runtime; its `adapter_state` is to be set."""
    told = {"__doc__": Runtime.__doc__, "__module__": SingleThreadedAgentRuntime.__module__}
    return type("SingleThreadedAgentRuntime", (Runtime,), told)


class AdapterState:
    """One debugged program: its session, its runtimes, their queues, and the paths of its agents."""

    def __init__(self, session: Session, runtime_class: type[Runtime]) -> None:
        self.session = session
        self.runtime_class = runtime_class
        """What a program makes when it makes a runtime of AutoGen's."""
        self.paths = Paths()
        self.delivery_queues = DeliveryQueues(session)
        self.runtimes: weakref.WeakSet[Runtime] = weakref.WeakSet()
        self.target: Target | None = None
        self.pending: dict[str, list[tuple[str, Json]]] = {}
        """Settings for agents that are not made yet, by path."""
        self.runners: dict[str, Any] = {}
        """Agents that run by themselves, outside of any runtime, by path."""

    def agents(self) -> dict[str, tuple[Runtime, AgentId]]:
        """Where every agent that exists or was registered is, by path."""
        found: dict[str, tuple[Runtime, AgentId]] = {}
        for runtime in list(self.runtimes):
            made = runtime.made()
            for agent in made:
                found[runtime.path(agent)] = (runtime, agent)
            for kind in runtime.known():
                if not any(agent.type == kind for agent in made):
                    agent = AgentId(kind, self.paths.key(kind))
                    found.setdefault(runtime.path(agent), (runtime, agent))
        return found

    def announce(self) -> None:
        """A script has made its first team or started its first runtime: from now on it takes commands."""
        if self.session.target is None and self.target is not None:
            self.session.ready(self.target)

    def stance_changed(self) -> None:
        """The user lets the program run, pause or step (told in any thread): what waited for that goes on."""
        self.delivery_queues.each(self._go_on)

    def _go_on(self, delivery_queue: DeliveryQueue) -> None:
        if not self.session.stance.paused:
            for runtime in list(self.runtimes):
                if runtime.home is delivery_queue:
                    runtime.release()
        delivery_queue.wake()
