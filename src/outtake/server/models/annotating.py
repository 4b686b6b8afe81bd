"""What people and judges say of runs and records; none of it is part of a log."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from outtake.server.models.base import Answer, Json, Request, Seq

AnnotationKind = Literal["expectation", "verdict", "feedback", "finding"]


class Annotation(Answer):
    """Something that was said about run `run`, or about its record `seq`."""

    id: int
    run: str
    seq: int | None
    kind: AnnotationKind
    author: str
    text: str
    data: dict[str, Json]
    """Of a verdict: `passed`, and perhaps a `score`; of a finding perhaps the `component`."""
    created: float


class Annotations(Answer):
    """What was said about a run, and about the records that it shares with the runs it was forked from."""

    run: str
    annotations: list[Annotation]


class AnnotationRequest(Request):
    """Say something about a run, or about one of its records.

    An `expectation` is the answer that is expected of the run and its forks; a `verdict` needs `passed` in its data.
    """

    kind: AnnotationKind
    text: str = ""
    seq: Seq | None = None
    author: str = "user"
    data: dict[str, Json] = Field(default_factory=dict)


class AnnotationChange(Request):
    """Let an annotation say something else; what is not given stays."""

    text: str | None = None
    data: dict[str, Json] | None = None


class AnnotationRemoved(Answer):
    run: str
    id: int
    removed: bool
