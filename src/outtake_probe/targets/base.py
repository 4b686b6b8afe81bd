"""What an adapter says of its framework: capabilities, components and edges, and how an object of it is run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal

from outtake_probe.commands import Target
from outtake_probe.records import Json

Capability = Literal[
    "hold:message",
    "hold:agent",
    "hold:step",
    "hold:task",
    "hold:model",
    "hold:tool",
    "edit",
    "mock",
    "drop",
    "inject",
    "queue",
    "configure",
    "state",
]


@dataclass(frozen=True, slots=True)
class Component:
    """A named part of a target.  `config` holds current values, `schema` their JSON schema."""

    path: str
    kind: str
    doc: str = ""
    config: dict[str, Json] = field(default_factory=dict)
    schema: dict[str, Json] = field(default_factory=dict)
    accepts: dict[str, Json] = field(default_factory=dict)
    """Message types it accepts, each with its JSON schema."""


@dataclass(frozen=True, slots=True)
class Edge:
    """Something can flow from one component to another."""

    source: str
    target: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Program:
    """A factory's product made runnable: `run` takes the input and gives what its author would call the result.

    `name` is the path of its root component.
    """

    run: Callable[[Json], Awaitable[Json]]
    target: Target
    name: str
