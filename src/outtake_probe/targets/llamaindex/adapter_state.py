"""What the parts of the LlamaIndex adapter share while one program is debugged."""

from __future__ import annotations

import functools
import time
import weakref
from collections.abc import Callable
from typing import Any

from workflows import Workflow

from outtake_probe.calls import current
from outtake_probe.commands import Target
from outtake_probe.records import Json
from outtake_probe.session import Session
from outtake_probe.targets.base import Component, Edge
from outtake_probe.targets.llamaindex import attribute_tracking, events
from outtake_probe.targets.llamaindex.runs import Run
from outtake_probe.targets.llamaindex.shallow_snapshot import Contents
from outtake_probe.targets.toolkit.classes import derives_from
from outtake_probe.targets.toolkit.conversations import Conversation
from outtake_probe.targets.toolkit.weak_maps import Known

Described = tuple[list[Component], list[Edge]]
"""The components and edges of a workflow."""


class AdapterState:
    """One debugged program: its session, its workflows by path, and their runs."""

    def __init__(self, session: Session, describe: Callable[[str, Any], Described]) -> None:
        self.session = session
        self.target: Target | None = None
        self.runs: dict[str, Run] = {}
        """The runs that have not ended, by the framework's id."""
        self.workflows: Known[Described] = Known(describe)
        """Workflows by path, the newest for each."""
        self.watched: dict[int, weakref.ref[Workflow]] = {}
        self.collects: dict[tuple[str, str], Json] = {}
        """What a step collects into a buffer, as far as it was seen: names of event types, by the step's path."""
        self.conversations: dict[str, Conversation[Contents]] = {}
        """The last prompt of each model, by its path."""
        self.pending: dict[str, dict[str, Json]] = {}
        """Settings for components that are not there yet, by path."""

    def now(self) -> float:
        """The clock that time-outs go by: it stands still while something is held."""
        return time.time() - self.session.standstill.seconds

    def watch(self, workflow: Any) -> None:
        """From now on, know what a workflow's steps use."""
        if id(workflow) not in self.watched:
            self.watched[id(workflow)] = weakref.ref(workflow, functools.partial(self._forget, id(workflow)))
            attribute_tracking.watch(workflow)
            events.know_all(known_types(workflow))

    def _forget(self, key: int, _: object) -> None:
        self.watched.pop(key, None)

    def let_go(self) -> None:
        """Leave the workflows as they were."""
        for found in list(self.watched.values()):
            workflow = found()
            if workflow is not None:
                attribute_tracking.unwatch(workflow)
        self.watched.clear()

    def adopt(self, workflow: Any) -> str:
        """The path of a workflow that is about to run here."""
        path = place(name_of(workflow))
        self.workflows.add(path, workflow, newest=True)
        self.watch(workflow)
        if self.session.target is None and self.target is not None:
            self.session.ready(self.target)
        return path


def known_types(workflow: Any) -> list[Any]:
    """The event types that a workflow's steps name, and the type of its state."""
    configs = [step._step_config for step in workflow._get_steps().values()]
    found = [cls for config in configs for cls in (*config.accepted_events, *config.return_types)]
    return [*found, *(config.context_state_type for config in configs)]


def name_of(workflow: Any) -> str:
    """What a workflow is called: an agent by its name, others as the program or their class says."""
    given = getattr(workflow, "_workflow_name", None)
    if isinstance(given, str) and given:
        return given.replace("/", "-")
    own = getattr(workflow, "name", None)
    cls = type(workflow)
    is_agent = isinstance(own, str) and derives_from(cls, "BaseWorkflowAgent")
    return own if is_agent and own else cls.__name__


def place(name: str) -> str:
    """The path of a workflow that runs here: below the step that runs it."""
    frame = current.get()
    if frame is None or frame.kind == "flow":
        return name
    return f"{frame.component}/{name}"
