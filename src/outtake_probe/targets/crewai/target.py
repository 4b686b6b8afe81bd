"""The user's commands for a live program of CrewAI: read and change settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from outtake_probe.records import Json
from outtake_probe.targets.base import Capability
from outtake_probe.targets.crewai import graph, settings
from outtake_probe.targets.crewai.adapter_state import AdapterState
from outtake_probe.targets.toolkit.live_target import LiveTarget

CAPABILITIES: Sequence[Capability] = (
    "hold:agent",
    "hold:step",
    "hold:task",
    "hold:model",
    "hold:tool",
    "edit",
    "mock",
    "drop",
    "configure",
    "state",
)


class CrewTarget(LiveTarget):
    """The commands of one program."""

    no_queue = "tasks of a crew and methods of a flow follow each other without a queue: hold the one to come instead"

    def __init__(self, shared: AdapterState, missing: Sequence[str]) -> None:
        super().__init__(CAPABILITIES, missing)
        self._shared = shared

    def configure(self, component: str, key: str, value: Json) -> None:
        """Change a setting of a component, from its next turn on."""
        settings.change(self._shared, component, key, value)

    def graph(self) -> Mapping[str, Json]:
        return graph.describe(self._shared)
