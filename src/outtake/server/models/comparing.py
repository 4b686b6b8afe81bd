"""The difference of two runs."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from outtake.server.models.base import Answer
from outtake.server.models.code import Change
from outtake.server.models.runs import RunInfo


class Item(Answer):
    """One message or invocation of one run: its body, and its result."""

    seq: int
    kind: str
    component: str
    type: str
    body: str | None
    digest: str | None
    output: str | None
    failed: bool
    how: str
    ended: int
    """Number of the record with its result; 0 where there is none."""


class Pair(Answer):
    """The same message or invocation in two runs."""

    change: Literal["same", "changed", "only_a", "only_b"]
    a: Item | None
    b: Item | None
    alike: int
    """How many pairs between this one and the one before it are the same."""


class ChangedFile(Answer):
    """One of the program's own files that is not the same in both runs; `change` from `a` to `b`."""

    path: str
    change: Change


class Difference(Answer):
    """How two runs differ: the records they share, how many pairs are the same, and those that are not, in order."""

    a: RunInfo
    b: RunInfo
    shared: int
    same: int
    first: Pair | None
    changes: list[Pair]
    alike: list[tuple[int, int]] | None
    """Of the pairs that are the same, the numbers of their records, in order; null where not asked for."""
    files: list[ChangedFile] = Field(default_factory=list)
