"""The programs that were found in a folder."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from outtake.server.models.base import Answer, Json


class ProgramInput(Answer):
    """The input of a program as a JSON schema of an object."""

    model_config = ConfigDict(serialize_by_alias=True, validate_by_name=True)

    schema_: dict[str, Json] = Field(alias="schema")
    parameter: str | None
    """The only property of that object, whose value is the input; null where the whole object is."""


class FoundProgram(Answer):
    """A program, with a guess of how it is run."""

    spec: str
    kind: Literal["function", "team", "agent", "runtime", "graph", "workflow", "crew", "script", "notebook"]
    framework: str
    """Empty for plain Python, and where it is not known."""
    file: str
    line: int
    about: str
    """The first line of its docstring."""
    input: ProgramInput | None
    takes: Literal["nothing", "input", "unknown"]
    """Whether it is given an input; `unknown` where only its framework could say."""
    note: str
    """Why it cannot be run as it is; empty where it can."""


class Unread(Answer):
    file: str
    reason: str


class FoundPrograms(Answer):
    """The likeliest programs of a folder; nothing was imported or executed."""

    folder: str
    programs: list[FoundProgram]
    more: int
    """How many were found besides."""
    files: int
    """How many files were looked at."""
    unread: list[Unread]
    """The first of those that could not be read, or were not understood."""
    stopped: str
    """Why not all of the folder was looked at; empty where it was."""
