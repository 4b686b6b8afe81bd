"""What is answered when something cannot be done; the same document that the command line prints."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from outtake.server.models.base import Answer, Json


class Error(Answer):
    """`message` names the thing, the reason and the way out; `schema` is what the target would accept."""

    model_config = ConfigDict(serialize_by_alias=True, validate_by_name=True)

    code: Literal["error", "wrong_use", "not_found", "bad_body", "conflict", "untrusted", "unauthorized", "forbidden"]
    message: str
    schema_: Json = Field(default=None, alias="schema")


class Problem(Answer):
    error: Error
