"""What a model answers, as JSON: live, from the record, or mocked by the user.

A mock is a response (or the pieces of a stream), or only the text that the model says.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from outtake_probe.records import Json
from outtake_probe.session import BadValue
from outtake_probe.targets.stainless.library import Api
from outtake_probe.targets.stainless.requests import dump
from outtake_probe.values import TAG, encode, is_model

UNUSUAL = "unusual"
"""Tag of an answer that its API does not describe, as some servers give: it is served as it was."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What the model really answered: the library's object, and its JSON."""

    made: Any
    json: Json


@dataclass(frozen=True, slots=True)
class Served:
    """What the record or a mock says that the model answered: a response, or pieces of a stream."""

    values: list[Json]


def recorded(made: Any, wrong: Callable[[Json], str | None]) -> tuple[Json, Json]:
    """The JSON of the library's object, and the same as it goes into the record."""
    value = _json(made)
    return value, ({TAG: UNUSUAL, "value": value} if wrong(value) else value)


def _json(made: Any) -> Json:
    if is_model(made):
        return dump(made)
    raw = getattr(made, "http_response", None)
    return raw.json() if raw is not None else encode(made)


def served(api: Api, request: Json, value: Json) -> Served:
    """A recorded response, or a mock.  Raises `BadValue`."""
    if isinstance(value, str):
        return Served([api.whole(request, value)])
    if isinstance(value, dict) and value.get(TAG) == UNUSUAL:
        return Served([value["value"]])
    _check(api, value, api.wrong(value), ("a response", api.whole(request, "Hello")))
    return Served([value if "id" in value else {**api.whole(request, ""), **value}])


def served_piece(api: Api, request: Json, value: Json) -> Served:
    """A recorded piece of a stream, or a mock: a piece, or the whole text.  Raises `BadValue`."""
    if isinstance(value, str):
        return Served(api.pieces(request, value))
    if isinstance(value, dict) and value.get(TAG) == UNUSUAL:
        return Served([value["value"]])
    _check(api, value, api.wrong_piece(value), ("a list of pieces", api.pieces(request, "Hello")))
    return Served([value])


def _check(api: Api, value: Json, wrong: str | None, takes: tuple[str, Json]) -> None:
    if wrong is not None:
        raise BadValue(
            f"{api.type} answers {takes[0]}, or a text that the model says; {wrong} in {json.dumps(value)[:200]}. "
            f"Example: {json.dumps(takes[1])}",
            takes[1],
        )
