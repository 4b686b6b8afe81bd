"""Provenance: where a value came from, and what a change could reach."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from outtake.server.encoding import Plain
from outtake.server.models.provenance import Affected, Explanation, Why
from outtake.server.routes.dependencies import RunId, Using

router = APIRouter(prefix="/api/runs/{run}", tags=["provenance"])
Number = Annotated[int, Query(ge=0, le=2**53, description="The number of a record")]
MOST = 10_000


@router.get("/why", responses={200: {"model": Why}})
def explain_record(
    service: Using,
    run: RunId,
    seq: Annotated[int | None, Query(ge=0, le=2**53, description="The number of a record")] = None,
    text: Annotated[str | None, Query(max_length=2000, description="A text, in any form")] = None,
    limit: Annotated[int, Query(ge=1, le=MOST)] = 200,
) -> Response:
    """What led to a record; with `text`, each record that says it (without `seq`: from the first one on)."""
    return Plain(service.why(run, seq, text, limit))


@router.get("/explanation", responses={200: {"model": Explanation}})
def explain_run(service: Using, run: RunId) -> Response:
    """Why a run came out wrong: what it said, where that was said first, and the path from what led to it."""
    return Plain(service.explain(run))


@router.get("/affects", responses={200: {"model": Affected}})
def list_affected(service: Using, run: RunId, seq: Number) -> Response:
    """The invocations and messages that a change of a record could reach, and those that it cannot."""
    return Plain(service.affects(run, seq))
