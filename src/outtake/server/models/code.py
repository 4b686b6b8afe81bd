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


class Renewed(Answer):
    """A component of a run whose code is another one now."""

    component: str
    call: str
    files: list[str]
    """Files of its functions; the change may be in another one that they use."""
    seq: int
    """The start of its first call with the old code: a fork from there executes the new one."""


class PromptChange(Answer):
    """A prompt of a component that is written in another way now, by its first changed line."""

    component: str
    seq: int
    """The start of the first call with the old prompt: a fork from there uses the new one."""
    file: str
    was: str
    now: str


class Code(Answer):
    """The program's own files that a run imported, and what changed of them."""

    run: str
    parent: str | None
    folder: str
    """Where the program was started: paths of files are relative to it."""
    files: list[File]
    stale: list[Stale]
    renewed: list[Renewed]
    """Components whose code changed since this run, in the order of their first calls."""
    prompts: list[PromptChange]
    """Prompts that were changed since this run, as far as they are much like what they were; one for each component."""
