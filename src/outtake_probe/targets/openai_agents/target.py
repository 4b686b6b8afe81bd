"""The user's commands for a live program of agents: read and change their settings."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from outtake_probe.records import Json
from outtake_probe.targets.base import Capability
from outtake_probe.targets.openai_agents import graph
from outtake_probe.targets.openai_agents.adapter_state import AdapterState
from outtake_probe.targets.openai_agents.settings import settings_of
from outtake_probe.targets.toolkit.live_target import LiveTarget
from outtake_probe.targets.toolkit.settings import change_setting

CAPABILITIES: Sequence[Capability] = (
    "hold:agent",
    "hold:step",
    "hold:model",
    "hold:tool",
    "edit",
    "mock",
    "drop",
    "configure",
    "state",
)


class AgentsTarget(LiveTarget):
    """The commands of one program."""

    no_queue = "agents have no queue of messages: change what a turn gets (replace_input) or gives (mock_output)"

    def __init__(self, adapter_state: AdapterState, missing: list[str]) -> None:
        super().__init__(CAPABILITIES, missing)
        self._adapter_state = adapter_state

    @property
    def loop(self) -> asyncio.AbstractEventLoop | None:
        return self._adapter_state.loop

    def configure(self, component: str, key: str, value: Json) -> None:
        """Change a setting of an agent, from its next turn on."""
        known = graph.known(self._adapter_state.agents)
        change_setting({path: list(settings_of(each)) for path, each in known.items()}, component, key, value)

    def graph(self) -> Mapping[str, Json]:
        return graph.describe(self._adapter_state.agents)
