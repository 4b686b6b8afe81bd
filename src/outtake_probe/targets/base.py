"""What a target adapter is: it translates one framework into invocations, messages, a graph and a configuration.

An adapter installs its hooks into a process (`install`), takes them out again (`remove`), and tells what it can do.
Built-in adapters register in the same group of entry points as anyone else's: ``outtake.targets``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from outtake_probe.records import Json
from outtake_probe.session import Session, Target

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


class Adapter(Protocol):
    """One framework, or a library that is only called."""

    name: str
    capabilities: Sequence[Capability]

    def install(self, session: Session) -> Sequence[str]:
        """Put the hooks in place; returns the hooks that this version of the framework lacks, in words."""

    def remove(self) -> None:
        """Take every hook out again."""


@runtime_checkable
class RunnableAdapter(Adapter, Protocol):
    """A framework whose objects can be run: a target may be a factory of them."""

    def claims(self, made: object) -> bool:
        """Whether this is an object of the framework that can be run."""

    def program(self, made: object, session: Session) -> Program:
        """How to run it."""
