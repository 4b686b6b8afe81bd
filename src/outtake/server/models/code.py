"""What changed of a program's own code."""

from __future__ import annotations

from typing import Literal

from outtake.server.models.base import Answer

Change = Literal["same", "changed", "new", "gone"]


class File(Answer):
    """One of the program's own files, by its path relative to the program's folder."""

    path: str
    since_parent: Change | None
    """Against what the parent run imported; null where there is none, or it did not tell."""
    since_run: Change | None
    """As it is now, against what this run imported; null where nobody can look."""


class Stale(Answer):
    """A component that was served from the record before the cut though its code has changed."""

    component: str
    call: str
    files: list[str]


class Code(Answer):
    """The program's own files that a run imported, and what changed of them."""

    run: str
    parent: str | None
    files: list[File]
    stale: list[Stale]
