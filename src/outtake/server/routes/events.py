"""Events: pushed over a WebSocket, or what would be pushed now as an ordinary answer of the same types."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response, WebSocket
from starlette.concurrency import run_in_threadpool

from outtake.server import problems
from outtake.server.encoding import Plain
from outtake.server.event_feed import CodeSource, ListSource, RunSource
from outtake.server.event_socket import push
from outtake.server.models.events import ListEvent, RunEvent
from outtake.server.routes.dependencies import After, RunId, Using
from outtake.service import ServiceError

router = APIRouter(prefix="/api", tags=["events"])
Console = Annotated[int, Query(ge=-1, le=2**53, description="Only console parts over this")]


@router.get("/runs/{run}/events", responses={200: {"model": list[RunEvent]}})
def list_run_events(service: Using, run: RunId, after: After = -1, console: Console = -1) -> Response:
    """What is new of a run.  A WebSocket at the same address pushes the same events as they happen."""
    return _array(RunSource(service, run, after, console).news())


@router.get("/events", responses={200: {"model": list[ListEvent]}})
def list_events(service: Using) -> Response:
    """All runs, as events.  A WebSocket at the same address pushes these first, then every change."""
    return _array(ListSource(service).news())


@router.websocket("/runs/{run}/events")
async def push_run_events(
    websocket: WebSocket, service: Using, run: RunId, after: After = -1, console: Console = -1
) -> None:
    """Arrays of events, until the run has ended."""
    try:
        source = await run_in_threadpool(RunSource, service, run, after, console)
    except ServiceError as error:
        await websocket.send_denial_response(problems.of_service(error))
        return
    await push(websocket, source)


@router.websocket("/runs/{run}/code")
async def push_code(websocket: WebSocket, service: Using, run: RunId) -> None:
    """Arrays of what an ordinary request gets at this address: now, and when one of the program's files is saved."""
    try:
        source = await run_in_threadpool(CodeSource, service, run)
    except ServiceError as error:
        await websocket.send_denial_response(problems.of_service(error))
        return
    await push(websocket, source)


@router.websocket("/events")
async def push_events(websocket: WebSocket, service: Using) -> None:
    """Arrays of events, as long as somebody reads."""
    await push(websocket, ListSource(service))


def _array(events: list[dict[str, object]]) -> Response:
    return Plain(events)
