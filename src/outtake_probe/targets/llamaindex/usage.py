"""Tokens that an answer says it took, in the words of the providers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from outtake_probe.calls import Usage


def usage(answer: Any) -> Usage | None:
    """Tokens, where the provider or the client says how many."""
    for place in (getattr(answer, "raw", None), getattr(answer, "additional_kwargs", None)):
        if place is None or (type(place) is dict and not place):
            continue
        found = _get(place, "usage") or _get(place, "usage_metadata") or place
        given = _first(found, "prompt_tokens", "input_tokens", "prompt_token_count")
        made = _first(found, "completion_tokens", "output_tokens", "candidates_token_count")
        if given is not None or made is not None:
            return Usage(given or 0, made or 0)
    return None


def _get(place: Any, name: str) -> Any:
    return place.get(name) if isinstance(place, Mapping) else getattr(place, name, None)


def _first(place: Any, *names: str) -> int | None:
    found = (_get(place, name) for name in names)
    return next((value for value in found if isinstance(value, int)), None)
