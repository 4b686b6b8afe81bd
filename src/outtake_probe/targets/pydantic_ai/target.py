"""The user's commands for a live program: read and change settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from outtake_probe.records import Json
from outtake_probe.targets.base import Capability
from outtake_probe.targets.pydantic_ai import describing, settings
from outtake_probe.targets.pydantic_ai.adapter_state import AdapterState
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


class PydanticAiTarget(LiveTarget):
    """The commands of one program."""

    no_queue = "agents have no queue of messages: change what an agent, a model or a tool gets or returns"

    def __init__(self, state: AdapterState, missing: list[str]) -> None:
        super().__init__(CAPABILITIES, missing)
        self._state = state

    def configure(self, component: str, key: str, value: Json) -> None:
        """Change a setting of an agent, from its next request to a model on."""
        known = describing.settings_of(self._state)
        if component not in known and self._state.session.replay is not None:  # it may not have run yet
            known[component] = settings.unknown_agent(self._state.changes(component))
        change_setting(known, component, key, value)

    def graph(self) -> Mapping[str, Json]:
        return describing.describe(self._state)
