"""What a person does to a live program: a closed list of commands, performed in one place, live and in a replay.

A command comes from the user (`command_from`), or from a record of the parent that says that the user gave it there
(`recorded_command`).  `perform` does it to the program; the session writes the record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from outtake_probe.records import ConfigSet, Edited, Json, MessageDropped, MessageMoved, MessageQueued, Record


class BadValue(ValueError):
    """A command's value does not fit; `schema` is what the target accepts."""

    def __init__(self, message: str, schema: Json = None) -> None:
        super().__init__(message)
        self.schema = schema


class Outgoing(NamedTuple):
    """A message of the user's for one recipient: its full content, and what queues it under a number."""

    recipient: str
    type: str
    body: Json
    put: Callable[[int], None]


class Target(Protocol):
    """What a live program offers to the user's commands.  Each raises `BadValue` for what it cannot take."""

    def perform(self, act: Callable[[], Json]) -> Json:
        """Run `act` where the program's queue may be touched, and return its result."""

    def normalize(self, message: int, value: Json) -> Json:
        """The full new content of a queued message, of a value that may say only part of it."""

    def replace(self, message: int, value: Json) -> None:
        """Give a queued message another content."""

    def drop(self, message: int) -> None:
        """Take a message out of the queue."""

    def move(self, message: int, before: int | None) -> None:
        """Put a queued message before another one, or last."""

    def send(self, component: str, type: str, value: Json) -> Sequence[Outgoing]:
        """Check a new message for a component or ``topic:NAME``: what is queued for each recipient."""

    def configure(self, component: str, key: str, value: Json) -> None:
        """Change a setting of a component, from now on."""

    def describe(self) -> Json:
        """Graph, components with configuration and schemas, hooks that are missing."""


@dataclass(frozen=True, slots=True)
class EditMessage:
    """Give a queued message another content, in full."""

    message: int
    value: Json


@dataclass(frozen=True, slots=True)
class DropMessage:
    """Take a message out of the queue."""

    message: int


@dataclass(frozen=True, slots=True)
class MoveMessage:
    """Put a queued message before another one, or last."""

    message: int
    before: int | None


@dataclass(frozen=True, slots=True)
class SendMessage:
    """Queue a new message for each who listens to a component."""

    component: str
    type: str
    value: Json


@dataclass(frozen=True, slots=True)
class Configure:
    """Change a setting of a component, from now on."""

    component: str
    key: str
    value: Json


Command = EditMessage | DropMessage | MoveMessage | SendMessage | Configure
VERBS = ("edit", "drop", "move", "send", "configure")
"""What clients call the commands."""


def command_from(verb: str, fields: Mapping[str, Json], target: Target) -> Command:
    """A command of the user's.  Raises `BadValue` for a verb that there is not, or a value that does not fit."""
    if verb == "edit":
        return EditMessage(fields["message"], target.normalize(fields["message"], fields["value"]))
    if verb == "drop":
        return DropMessage(fields["message"])
    if verb == "move":
        return MoveMessage(fields["message"], fields.get("before"))
    if verb == "send":
        return SendMessage(fields["component"], fields.get("type") or "", fields["value"])
    if verb == "configure":
        return Configure(fields["component"], fields["key"], fields["value"])
    raise BadValue(f"unknown command {verb!r}; known: {', '.join(('describe', *VERBS))}")


def recorded_command(record: Record, value: Json, number: Callable[[int | None], int | None]) -> Command | None:
    """The command of the user's that a record of the parent says was given; None where it says something else.

    `value` is its body, and `number` gives the number that a message of the parent's has in this run.
    """
    message = number(record.message)
    if isinstance(record, ConfigSet):
        return Configure(record.component, record.key, value)
    if isinstance(record, MessageQueued):
        return SendMessage(record.recipient, record.type, value)
    if message is None:
        return None
    if isinstance(record, Edited):
        return EditMessage(message, value)
    if isinstance(record, MessageDropped):
        return DropMessage(message)
    return MoveMessage(message, number(record.before)) if isinstance(record, MessageMoved) else None


def perform(command: Command, target: Target) -> Sequence[Outgoing]:
    """Do it to the program; returns the messages that are still to be queued.  Raises `BadValue`."""
    if isinstance(command, SendMessage):
        return target.send(command.component, command.type, command.value)
    if isinstance(command, EditMessage):
        target.replace(command.message, command.value)
    elif isinstance(command, DropMessage):
        target.drop(command.message)
    elif isinstance(command, MoveMessage):
        target.move(command.message, command.before)
    else:
        target.configure(command.component, command.key, command.value)
    return ()
