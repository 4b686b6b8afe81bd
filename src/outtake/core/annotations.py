"""Annotations: what people and judges say of a run or of one of its records.  None is part of the log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from outtake_probe.records import Json

Kind = Literal["expectation", "verdict", "feedback", "finding"]
KINDS: tuple[Kind, ...] = get_args(Kind)
USER = "user"
"""The author of what a person says."""


class BadAnnotation(ValueError):
    """An annotation that says nothing, or cannot be where it is put; the message names what is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """An annotation before it is kept.

    An `expectation` is the answer that is expected of a run and of its forks.  A `verdict` is a judge's: `data` has
    ``passed``, and perhaps a ``score``.  `feedback` is a comment.  A `finding` is a suspected cause; `data` may name
    the ``component``.
    """

    kind: Kind
    text: str = ""
    seq: int | None = None
    """The record that it is about; None: the run as a whole."""
    author: str = USER
    data: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation(Note):
    """A note that is kept with a run."""

    id: int
    run: str
    created: float


def check(note: Note) -> None:
    """Raises `BadAnnotation`."""
    if note.kind not in KINDS:
        raise BadAnnotation(f"unknown kind of annotation {note.kind!r}; known: {', '.join(KINDS)}")
    if note.kind == "expectation" and not note.text.strip():
        raise BadAnnotation("an expectation is the answer that is expected; it cannot be empty")
    if note.kind == "expectation" and note.seq is not None:
        raise BadAnnotation("an expectation is about the run as a whole, not about a record")
    if note.kind == "verdict" and not isinstance(note.data.get("passed"), bool):
        raise BadAnnotation('a verdict says whether the run passed: its data is {"passed": true} or {"passed": false}')
    score = note.data.get("score")
    if score is not None and (isinstance(score, bool) or not isinstance(score, (int, float))):
        raise BadAnnotation(f"a score is a number, not {score!r}")
    if note.kind in ("feedback", "finding") and not note.text.strip():
        raise BadAnnotation(f"a {note.kind} says something; its text cannot be empty")
    if not note.author.strip():
        raise BadAnnotation("an annotation has an author, such as user")
