"""Following: what one reader has not seen yet of a run, or of the list of runs, as events.

Nothing is queued for a reader: what it has not seen is read from the store when there is news and the reader is ready,
so a slow one costs no memory.  One that has fallen too far behind is told what to fetch, and goes on from the present.
"""

from __future__ import annotations

import os
from typing import Protocol

from outtake.server import serializers
from outtake.server.models.base import Json
from outtake.server.models.records import slim
from outtake.server.saved_files import SavedFiles
from outtake.service import Service
from outtake.service.service import Document
from outtake.service.watch import ChangeSignal

BATCH = 1000
"""Records in one frame."""
BEHIND = 10_000
"""Records that a reader may be behind before it is told to fetch them instead."""


class Source(Protocol):
    """Something that can be followed."""

    watch: ChangeSignal
    tick: float
    """Seconds between two frames, so that what happens in a burst goes out together."""

    def news(self) -> list[Document]:
        """The events that the reader has not seen."""
        ...

    @property
    def more(self) -> bool:
        """Whether there is more to read at once."""
        ...

    @property
    def over(self) -> bool:
        """Whether nothing more is expected."""
        ...


class RunSource:
    """The events of one run, over record `after` and console part `console`.  Raises `NotFound`."""

    tick = 0.03

    def __init__(self, service: Service, run: str, after: int = -1, console: int = -1) -> None:
        self._service = service
        self._run = run
        self._last = after
        self._part = console
        self._state: Document | None = None
        self._cut: int | None = None
        self.more = False
        self.over = False
        self.watch = service.watch(run)

    def news(self) -> list[Document]:
        info = self._service.info(self._run, counted=False)
        events = [*self._gap(info), *self._records()]
        self.more = self._last + 1 < info["records"]
        if not self.more:
            events += [*self._console(), *self._changed_state()]
        return events

    def _changed_state(self) -> list[Document]:
        state = serializers.state(self._service.info(self._run)).model_dump(mode="json")
        self.over = not state["live"]
        if state == self._state:
            return []
        self._state = state
        return [{"type": "state", "state": state}]

    def _gap(self, info: Document) -> list[Document]:
        """A reader that is far behind, or has seen records that a replay took back, is told so."""
        total, cut = info["records"], info["cut"]
        kept = self._last
        if self._cut is not None and cut is not None and cut < self._cut:
            kept = min(kept, cut - 1)
        self._cut = cut
        kept = min(kept, total - 1)
        upto = total - 1 if total - 1 - kept > BEHIND else kept
        if (kept, upto) == (self._last, self._last):
            return []
        self._last = upto
        return [{"type": "gap", "after": kept, "upto": upto}]

    def _records(self) -> list[Document]:
        upto = self._last + 1 + BATCH  # cheaper than a limit, and numbers have no holes
        found = [slim(record) for record in self._service.show(self._run, after=self._last, before=upto)]
        if found:
            self._last = found[-1]["seq"]
        return [{"type": "record", "record": record} for record in found]

    def _console(self) -> list[Document]:
        parts = self._service.console(self._run, self._part)["parts"]
        if parts:
            self._part = parts[-1]["n"]
        return [{"type": "console", "part": part} for part in parts]


class ListSource:
    """The list of runs: all of them first, then what changes."""

    tick = 0.05
    more = False
    over = False

    def __init__(self, service: Service) -> None:
        self._service = service
        self._seen: dict[str, dict[str, Json]] = {}
        self.watch = service.watch()

    def news(self) -> list[Document]:
        found = {run["run"]: serializers.summary(run).model_dump(mode="json") for run in self._service.runs()}
        events: list[Document] = [
            {"type": "run", "run": run} for name, run in found.items() if run != self._seen.get(name)
        ]
        events += [{"type": "deleted", "run": name} for name in self._seen if name not in found]
        self._seen = found
        return events


class CodeSource:
    """What changed of the program's own code since a run: at first, and when one of its files is saved.

    Raises `NotFound`.
    """

    tick = 0.05
    more = False

    def __init__(self, service: Service, run: str) -> None:
        self._service = service
        self._run = run
        self._seen: Document | None = None
        code = service.code(run)
        saved = SavedFiles(os.path.join(code["folder"], file["path"]) for file in code["files"])
        self.watch: ChangeSignal = saved
        self.over = saved.idle

    def news(self) -> list[Document]:
        code = self._service.code(self._run)
        if code == self._seen:
            return []
        self._seen = code
        return [code]
