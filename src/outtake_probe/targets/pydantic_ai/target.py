"""The user's commands for a live program: read and change settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic_ai import Agent

from outtake_probe.records import Json
from outtake_probe.targets.base import Capability
from outtake_probe.targets.pydantic_ai import describing, settings
from outtake_probe.targets.pydantic_ai.adapter_state import AdapterState
from outtake_probe.targets.toolkit.live_target import LiveTarget
from outtake_probe.targets.toolkit.settings import find_holder

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
        if self._state.session.rerun is None:  # in a fork, an agent of a script may not have run yet
            agents = {path: made for path, made in self._state.made.items() if isinstance(made, Agent)}
            find_holder(component, agents)
        settings.check(component, key, value)
        self._state.changed.setdefault(component, {})[key] = value

    def graph(self) -> Mapping[str, Json]:
        return describing.describe(self._state)
