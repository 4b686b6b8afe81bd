"""Steering a live run: what is about to happen, stepping, answers to what is held, the queue, breakpoints."""

from __future__ import annotations

from enum import StrEnum

from fastapi import APIRouter

from outtake.server import serializers
from outtake.server.models import steering as models
from outtake.server.models.runs import RunState
from outtake.server.routes.dependencies import RunId, Using
from outtake.service.errors import Conflict
from outtake.service.service import Document

router = APIRouter(prefix="/api/runs/{run}", tags=["steering"])


@router.get("/pending", response_model=models.Pending)
def list_pending(service: Using, run: RunId) -> Document:
    """What is about to happen: what is held, then the queued messages."""
    try:
        return service.pending(run)
    except Conflict:  # it has ended, and that is no reason to tell a reader off
        status = service.info(run, counted=False)["status"]
        return {"run": run, "status": status, "held": [], "queued": []}


class Verb(StrEnum):
    """`step` goes into what is held, `next` over it, `out` to the end of what is around it."""

    STEP = "step"
    NEXT = "next"
    OUT = "out"
    CONTINUE = "continue"
    PAUSE = "pause"
    STOP = "stop"


def _add_verb(verb: Verb, name: str, told: str) -> None:
    """One route for each verb, so that each is a command of its own in generated clients."""

    def command(service: Using, run: RunId, asked: models.HoldRequest | None = None) -> RunState:
        return serializers.state(service.control(run, verb.value, asked.hold if asked is not None else None))

    router.add_api_route(f"/{verb.value}", command, methods=["POST"], name=name, description=told, summary=told)


for _verb, _name, _told in (
    (Verb.STEP, "step_run", "Let one held thing go, to the next gate wherever it is."),
    (Verb.NEXT, "next_run", "Let one held thing go, to the next gate beside it."),
    (Verb.OUT, "step_out_run", "Let one held thing go, to the end of the invocation around it."),
    (Verb.CONTINUE, "continue_run", "Let everything go, to the next breakpoint."),
    (Verb.PAUSE, "pause_run", "Hold at the very next gate."),
    (Verb.STOP, "stop_run", "End the program."),
):
    _add_verb(_verb, _name, _told)


@router.post("/release")
def release_hold(service: Using, run: RunId, asked: models.ReleaseRequest) -> RunState:
    """Answer something that is held; what else is held stays so."""
    return serializers.state(service.release(run, asked.hold, _answer(asked)))


@router.post("/set")
def set_answer(service: Using, run: RunId, asked: models.ReleaseRequest) -> RunState:
    """Set what something that is held goes on with; it stays held until it is let go."""
    return serializers.state(service.set_answer(run, asked.hold, _answer(asked)))


def _answer(asked: models.ReleaseRequest) -> Document:
    answer: Document = {"verb": asked.verb}
    if asked.verb == "serve":
        answer |= {"value": asked.value, "failed": asked.failed}
    elif "value" in asked.model_fields_set:
        answer |= {"value": asked.value, "edited": True}
    return answer


@router.post("/run-to")
def run_to_message(service: Using, run: RunId, asked: models.RunToRequest) -> RunState:
    """Go on until a queued message is about to be delivered."""
    return serializers.state(service.run_to(run, asked.message))


@router.post("/edit", response_model=models.Done)
def edit_message(service: Using, run: RunId, asked: models.EditRequest) -> Document:
    """Give a queued message another content."""
    return service.edit(run, asked.message, asked.value)


@router.post("/drop", response_model=models.Done)
def drop_message(service: Using, run: RunId, asked: models.DropRequest) -> Document:
    """Take a message out of the queue."""
    return service.drop(run, asked.message)


@router.post("/move", response_model=models.Done)
def move_message(service: Using, run: RunId, asked: models.MoveRequest) -> Document:
    """Put a queued message before another one, or last."""
    return service.move(run, asked.message, asked.before)


@router.post("/send", response_model=models.Done)
def send_message(service: Using, run: RunId, asked: models.SendRequest) -> Document:
    """Queue a new message to a component or a topic."""
    return service.send(run, asked.component, asked.value, asked.type)


@router.post("/configure", response_model=models.Done)
def configure_component(service: Using, run: RunId, asked: models.ConfigureRequest) -> Document:
    """Change a setting of a component, from now on."""
    return service.configure(run, asked.component, asked.key, asked.value)


@router.get("/breakpoints", response_model=models.Breakpoints)
def list_breakpoints(service: Using, run: RunId) -> Document:
    """The breakpoints of a live run; one that has ended has none any more."""
    try:
        return service.breakpoints(run)
    except Conflict:
        service.info(run, counted=False)  # it is there
        return {"run": run, "breakpoints": []}


@router.post("/breakpoints", status_code=201, response_model=models.Breakpoints)
def add_breakpoint(service: Using, run: RunId, asked: models.BreakpointRequest) -> Document:
    """Hold where a condition is true, from now on."""
    return service.add_breakpoint(run, asked.condition)


@router.patch("/breakpoints/{id}", response_model=models.Breakpoints)
def change_breakpoint(service: Using, run: RunId, id: int, asked: models.BreakpointChange) -> Document:
    """Switch a breakpoint on or off."""
    return service.change_breakpoint(run, id, enabled=asked.enabled)


@router.delete("/breakpoints/{id}", response_model=models.Breakpoints)
def remove_breakpoint(service: Using, run: RunId, id: int) -> Document:
    """Remove a breakpoint."""
    return service.change_breakpoint(run, id, remove=True)
