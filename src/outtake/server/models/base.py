"""What all types of the API have in common."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from outtake.service.methods import DEEPEST, is_too_deep

Json = Any
"""Any JSON value."""
Seq = Annotated[int, Field(ge=0, le=2**53)]
"""The number of a record."""


class Request(BaseModel):
    """What is asked: a field that is not known is refused, so that a slip of the pen does not pass unseen."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _flat_enough(cls, given: Json) -> Json:
        """What is nested deeper cannot be walked, by this or by what stands behind it."""
        if is_too_deep(given):
            raise ValueError(f"a value is nested more than {DEEPEST} levels deep")
        return given


class Answer(BaseModel):
    """What is answered: every field is there."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)


class Lean(BaseModel):
    """What is answered often: a field that holds its default is left out."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=False)
