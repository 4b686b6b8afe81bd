"""Edits, the same in the fork of a run and in its description."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict

from outtake.server.models.base import Answer, Json, Lean, Request, Seq

Op = Literal["replace_message", "replace_input", "mock_output", "raise", "drop", "execute", "inject", "set_config"]


class Edit(Lean):
    """One declared change; it names what it changes by the record's `seq`, or by component and occurrence."""

    model_config = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=False)

    op: Op
    seq: Seq | None = None
    component: str | None = None
    occurrence: int | None = None
    call: str | None = None
    key: str | None = None
    type: str | None = None
    sender: str | None = None
    recipient: str | None = None
    where: Json = None
    """A pattern over the input: the invocations of a component that are meant."""
    value: Json = None


class MocksRequest(Request):
    """A document of mocks, as it is kept in `mocks.json`."""

    document: Json


class MocksRead(Answer):
    """What a document of mocks asks for: edits, and components that are executed in any case."""

    edits: list[Edit]
    live: list[str]
