"""Steering a live run: what is about to happen, commands, breakpoints."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from outtake.server.models.base import Answer, Json, Request, Seq
from outtake.server.models.records import MessageQueued
from outtake.server.models.runs import Breakpoint, Hold, State


class GivenAnswer(Answer):
    """What was set for something that is held: another input (`proceed`), or a result or an error (`serve`)."""

    verb: str
    value: Json
    failed: bool


class PendingHold(Hold):
    """Something held, with the value of its body."""

    value: Json
    given: GivenAnswer | None = None
    """What it goes on with when it is let go, where that was set."""


class Pending(Answer):
    """What is about to happen: what is held, then the queued messages in the order of their delivery."""

    run: str
    status: State
    held: list[PendingHold]
    queued: list[MessageQueued]


class HoldRequest(Request):
    """Which of the things that are held; the first one where it is not said."""

    hold: int | None = None


class ReleaseRequest(HoldRequest):
    """Answer what is held: let it go on, with another input if there is a `value`; or serve `value` as its result."""

    verb: Literal["proceed", "over", "serve", "drop", "record", "skip", "stop"] = "proceed"
    value: Json = None
    failed: bool = False
    """With `serve`: `value` is the message of an error."""


class RunToRequest(Request):
    """Go on until this queued message is about to be delivered."""

    message: Seq


class EditRequest(Request):
    """Another content for a queued message."""

    message: Seq
    value: Json


class DropRequest(Request):
    """Take a message out of the queue."""

    message: Seq


class MoveRequest(Request):
    """Put a queued message before another one, or last."""

    message: Seq
    before: Seq | None = None


class SendRequest(Request):
    """Queue a new message to a component, or to ``topic:NAME``."""

    component: str
    value: Json
    type: str = ""


class ConfigureRequest(Request):
    """Change a setting of a component, from now on."""

    component: str
    key: str
    value: Json


class Done(Answer):
    """A command was obeyed; `seq` is the record that says so."""

    run: str
    seq: int | None


class Breakpoints(Answer):
    run: str
    breakpoints: list[Breakpoint]


class BreakpointRequest(Request):
    """Hold where the condition is true."""

    condition: str = Field(examples=["agent:coder", 'tool:* and text~"budget"', "error", "tokens>5000"])


class BreakpointChange(Request):
    enabled: bool
