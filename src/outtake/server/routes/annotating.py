"""What is said about runs: read it, say something, change it, take it back."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from outtake.server.models import annotating as models
from outtake.server.routes.dependencies import RunId, Using
from outtake.service.service import Document

router = APIRouter(prefix="/api/runs/{run}/annotations", tags=["annotations"])
AnnotationId = Annotated[int, Path(description="An annotation of the run", ge=1, le=2**53)]


@router.get("", response_model=models.Annotations)
def list_annotations(service: Using, run: RunId) -> Document:
    """What was said about a run, and about the records that it shares with the runs it was forked from."""
    return service.annotations(run)


@router.post("", status_code=201, response_model=models.Annotation)
def annotate_run(service: Using, run: RunId, asked: models.AnnotationRequest) -> Document:
    """Say something about a run, or about one of its records."""
    return service.annotate(run, **asked.model_dump())


@router.patch("/{id}", response_model=models.Annotation)
def change_annotation(service: Using, run: RunId, id: AnnotationId, asked: models.AnnotationChange) -> Document:
    """Let an annotation say something else."""
    return service.change_annotation(run, id, asked.text, asked.data)


@router.delete("/{id}", response_model=models.AnnotationRemoved)
def remove_annotation(service: Using, run: RunId, id: AnnotationId) -> Document:
    """Take back what was said."""
    return service.remove_annotation(run, id)
