"""What is pushed: to who follows one run, and to who follows the list of runs.  Frames are JSON arrays of these."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from outtake.server.models.base import Answer
from outtake.server.models.records import Record
from outtake.server.models.runs import ConsolePart, RunState, RunSummary


class RecordEvent(Answer):
    """A record was written; its `seq` is what to resume with."""

    type: Literal["record"]
    record: Record


class StateEvent(Answer):
    """The run's state, its counts, or what is held has changed."""

    type: Literal["state"]
    state: RunState


class ConsoleEvent(Answer):
    """The process printed something."""

    type: Literal["console"]
    part: ConsolePart


class GapEvent(Answer):
    """Forget the records over `after`; those up to and with `upto` are not pushed, so fetch them."""

    type: Literal["gap"]
    after: int
    upto: int


class RunChanged(Answer):
    """A run has begun, or is not as it was."""

    type: Literal["run"]
    run: RunSummary


class RunDeleted(Answer):
    """A run is gone."""

    type: Literal["deleted"]
    run: str


RunEvent = Annotated[RecordEvent | StateEvent | ConsoleEvent | GapEvent, Field(discriminator="type")]
ListEvent = Annotated[RunChanged | RunDeleted, Field(discriminator="type")]
