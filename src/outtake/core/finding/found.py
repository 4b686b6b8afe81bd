"""What is found in a file: something that can be named by a spec, and what its input looks like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from outtake_probe.records import Json

Kind = Literal["function", "team", "agent", "runtime", "graph", "workflow", "crew", "script", "notebook"]
Schema = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Input:
    """The input of a program, as a JSON schema of an object.

    Where `parameter` is named, the object has it as its only property, and its value is the input.
    """

    schema: Schema
    parameter: str | None = None


@dataclass(frozen=True, slots=True)
class FoundProgram:
    """A program, with a guess of how it is run."""

    spec: str
    kind: Kind
    file: str
    """Relative to the folder that was looked through, with ``/``."""
    line: int
    framework: str = ""
    about: str = ""
    """The first line of its docstring."""
    input: Input | None = None
    takes: Literal["nothing", "input", "unknown"] = "unknown"
    """Whether it is given an input; `unknown` where only its framework could say."""
    note: str = ""
    """Why it cannot be run as it is."""
    weight: int = 0
    """How likely a person means it, among those of one folder."""
