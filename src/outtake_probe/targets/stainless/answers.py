"""What a model answers, as JSON: live, from the record, or mocked by the user.

A mock is a response (or the list of a stream's pieces), or only the text that the model says.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from outtake_probe.codec import encode, is_model
from outtake_probe.commands import BadValue
from outtake_probe.records import Json
from outtake_probe.targets.stainless.library import Api
from outtake_probe.targets.stainless.requests import dump


@dataclass(frozen=True, slots=True)
class Answered:
    """What the model really answered: the library's object, and its JSON."""

    made: Any
    json: Json


@dataclass(frozen=True, slots=True)
class Served:
    """What the record or a mock says that the model answered: a response, or a piece of a stream."""

    json: Json


def answer_json(made: Any) -> Json:
    """The JSON of the library's object; of a raw response, its body."""
    if is_model(made):
        return dump(made)
    raw = getattr(made, "http_response", None)
    return raw.json() if raw is not None else encode(made)


def mocked(api: Api, request: Json, value: Json) -> Json:
    """The whole response of a mock.  Raises `BadValue`."""
    if isinstance(value, str) and api.says_text:
        return api.whole(request, value)
    _check(api, value, api.wrong(value), "a response", api.whole(request, "Hello"))
    return {**api.whole(request, ""), **value}


def mocked_pieces(api: Api, request: Json, value: Json) -> list[Json]:
    """The pieces of a mocked stream.  Raises `BadValue`."""
    if isinstance(value, str):
        return api.pieces(request, value)
    example = api.pieces(request, "Hello")
    pieces = value if isinstance(value, list) else [value]
    wrong = "no list" if not isinstance(value, list) else None
    for piece in pieces:
        _check(api, piece, wrong or api.wrong_piece(piece), "a list of pieces", example)
    return pieces


def _check(api: Api, value: Json, wrong: str | None, takes: str, example: Json) -> None:
    if wrong is not None:
        shown = json.dumps(value)[:200]
        raise BadValue(
            f"{api.type} answers {takes}{', or a text that the model says' if api.says_text else ''}; there is {wrong} "
            f"in {shown}. "
            f"Example: {json.dumps(example)}"
        )
