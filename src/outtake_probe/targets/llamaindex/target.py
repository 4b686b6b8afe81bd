"""The user's commands for a live workflow: send events, read and change settings."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from workflows.events import Event

from outtake_probe.codec import TAG, decode, encode
from outtake_probe.commands import BadValue, Outgoing
from outtake_probe.records import Json
from outtake_probe.targets.base import Capability
from outtake_probe.targets.llamaindex import events as codec
from outtake_probe.targets.llamaindex import graph, runtime, settings, waiting
from outtake_probe.targets.llamaindex.adapter_state import AdapterState
from outtake_probe.targets.llamaindex.runs import Run
from outtake_probe.targets.llamaindex.steps import accepted
from outtake_probe.targets.toolkit.live_target import LiveTarget

CAPABILITIES: Sequence[Capability] = (
    "hold:agent",
    "hold:step",
    "hold:model",
    "hold:tool",
    "edit",
    "mock",
    "drop",
    "inject",
    "configure",
    "state",
)


class LlamaIndexTarget(LiveTarget):
    """The commands of one program."""

    no_queue = (
        "an event is delivered as soon as it is sent: edit or drop it in a fork, or hold the step that receives it"
    )

    def __init__(self, adapter_state: AdapterState, missing: list[str]) -> None:
        super().__init__(CAPABILITIES, missing)
        self._adapter_state = adapter_state

    @property
    def loop(self) -> asyncio.AbstractEventLoop | None:
        return next((run.loop for run in self._adapter_state.runs.values() if run.loop is not None), None)

    # -- events ------------------------------------------------------------------------------------------------------

    def send(self, component: str, type: str, value: Json) -> Sequence[Outgoing]:
        """Check a new event for a step or a workflow."""
        run, step = self._address(component)
        event = self._event(run, step, type, value)

        def put(number: int) -> None:
            runtime.inject(run, event, step, number)

        path = run.step_path(step) if step is not None else runtime.recipient(run, event)
        return [Outgoing(path, event.__class__.__name__, encode(event), put)]

    def _event(self, run: Run, step: str | None, type: str, value: Json) -> Event:
        """What a person means; who names no type means what the run waits for, if that fits."""
        if self._adapter_state.session.is_fork and isinstance(value, dict) and value.get(TAG) == "event":
            found: Event = decode(value)  # from the record: its step may not wait yet
            return found
        awaited = waiting.expected(run) if step is None and not type else []
        if awaited:
            try:
                return codec.build(value, awaited)
            except BadValue:
                if self._takes(run, step) == awaited:
                    raise
        return codec.build(value, self._takes(run, step), type)

    def _address(self, component: str) -> tuple[Run, str | None]:
        runs = list(self._adapter_state.runs.values())
        for run in reversed(runs):
            if run.path == component:
                return run, None
            step = component.removeprefix(f"{run.path}/")
            if step != component and step in run.configs:
                return run, step
        known = [path for run in runs for path in (run.path, *map(run.step_path, run.configs))]
        raise BadValue(f"there is no workflow and no step {component!r}; known: {', '.join(known) or 'none yet'}")

    def _takes(self, run: Run, step: str | None) -> list[type[Event]]:
        """The types of events that a step accepts, or that any does, or waits for."""
        configs = run.configs
        found = accepted(configs[step]) if step is not None else []
        if step is None:
            found = [cls for config in configs.values() for cls in accepted(config)]
            found += run.awaited.values()
        return list(dict.fromkeys(found))

    # -- settings ----------------------------------------------------------------------------------------------------

    def configure(self, component: str, key: str, value: Json) -> None:
        """Change a setting of a component, from its next turn on."""
        settings.change(self._adapter_state, component, key, value)

    def graph(self) -> Mapping[str, Json]:
        found: Mapping[str, Json] = graph.describe(self._adapter_state)
        return found
