"""What a fork did: executed, served, mocked, not reached."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from outtake.server.models.base import Answer, Json
from outtake.server.models.code import Code
from outtake.server.models.edits import Edit
from outtake.server.models.runs import State

Fate = Literal["executed", "served", "mocked", "dropped", "running", "not reached"]


class Line(Answer):
    """One invocation of a run, or one of its parent's that it did not come to."""

    fate: Fate
    kind: str
    component: str
    occurrence: int
    """Which of its component, from 1."""
    seq: int | None
    """Number of the invocation in this run."""
    parent_seq: int | None
    """Number of the same invocation in the parent run."""
    failed: bool
    seconds: float
    """What it took, or, not executed, what it took in the parent."""
    tokens_in: int
    tokens_out: int
    reason: Literal["", "code", "failure"] = ""
    """Why it was executed though the parent had done the same: its code has changed, or it had failed there."""


class Saved(Answer):
    """What did not have to be done again; `calls` by kind, `seconds` of whole invocations that were served."""

    calls: dict[str, int]
    tokens_in: int
    tokens_out: int
    cost: float
    seconds: float


class Step(Answer):
    """One step that brought a state outside the process to where the record left it: a saved one was loaded, or an
    earlier call was executed again or left out.
    """

    seq: int
    state: str
    how: Literal["loaded", "repeated", "skipped"]
    component: str
    invocation: int | None
    same: bool
    """Whether it gave what is recorded."""
    seconds: float
    reason: str


class ProcessStart(Answer):
    """A process that the run started outside of its model and tool calls; in a fork, all that ran live."""

    seq: int
    """The note that says so; before the cut, that of the parent."""
    component: str
    how: str
    """`subprocess`, `os.system` or `multiprocessing`."""
    command: Json
    """A command line as a text or a list of its parts; of `multiprocessing`, what is executed."""
    again: bool
    """Whether the parent had started the same."""


class Report(Answer):
    """What became of each invocation of a run, in order, and of its parent's."""

    run: str
    parent: str | None
    cut: int
    status: State
    lines: list[Line]
    counts: dict[Fate, dict[str, int]]
    """Numbers of invocations by fate and kind."""
    saved: Saved
    unused: list[Edit]
    """Edits and mocks that never applied: nothing that they name, or match, happened."""
    code: Code
    restored: list[Step] = Field(default_factory=list)
    processes: list[ProcessStart] = Field(default_factory=list)
