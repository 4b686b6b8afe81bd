"""Whether documents are what the types of the API say."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter


def fits(model: Any, document: Any) -> None:
    """Check that `document` is one of `model`, and holds nothing else."""
    adapter: TypeAdapter[Any] = TypeAdapter(model)
    read = adapter.validate_python(document)
    assert adapter.dump_python(read, mode="json", exclude_unset=True, by_alias=True) == document
