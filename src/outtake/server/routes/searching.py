"""Search in what the records of a run say."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from outtake.server.encoding import Plain
from outtake.server.models.searching import SearchResult
from outtake.server.routes.dependencies import After, RunId, Using

router = APIRouter(prefix="/api/runs/{run}", tags=["search"])
MOST = 1000


@router.get("/search", responses={200: {"model": SearchResult}})
def search_run(
    *,
    service: Using,
    run: RunId,
    text: Annotated[str, Query(description="What to search for, whatever the case of its letters")],
    after: After = -1,
    limit: Annotated[int, Query(ge=1, le=MOST)] = 100,
    first: Annotated[bool, Query(description="Only where it is said in words that no record before has")] = False,
) -> Response:
    """The records that say a text in their bodies, long ones included, or by a name; in order."""
    return Plain(service.search(run, text, after=after, limit=limit, first=first))
