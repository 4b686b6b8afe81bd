"""What a target is made of."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from outtake.server.models.base import Answer, Json, Request


class Component(Answer):
    """A named part of a target: its settings with their JSON schema, and the message types that it accepts."""

    model_config = ConfigDict(serialize_by_alias=True, validate_by_name=True)

    path: str
    kind: str
    doc: str = ""
    config: dict[str, Json] = Field(default_factory=dict)
    schema_: dict[str, Json] = Field(default_factory=dict, alias="schema")
    accepts: dict[str, Json] = Field(default_factory=dict)
    effects: str | None = None
    calls: int | None = None
    """How often the records of the run show it called; a live program does not say."""


class Edge(Answer):
    """Something can flow from one component to another."""

    source: str
    target: str
    label: str = ""


class Description(Answer):
    """A target as a graph; `missing` are the hooks that this version of its framework does not have."""

    components: list[Component]
    edges: list[Edge] = Field(default_factory=list)
    missing: list[str] = Field(default_factory=list)
    capabilities: list[str] = Field(default_factory=list)
    source: Literal["live", "kept", "records", "built"]
    """Who told: the live program; the program when it last could; the records, which know neither docs nor schemas; or
    the target as it is now, which was built for that."""
    told_by: str | None = None
    """The run whose program told what was kept."""


class DescribeRequest(Request):
    """Build a target without running it."""

    spec: str
    python: str | None = None
    folder: str | None = None
    env: dict[str, str] | None = None
