"""Random ids that frameworks make: UUIDs, with and without hyphens.

They differ from run to run, so they must be replaced in component paths and in what digests cover.
"""

from __future__ import annotations

import re

_RANDOM_ID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|[0-9a-fA-F]{32}")


def is_random_id(text: str) -> bool:
    """Whether the whole text is a random id."""
    return _RANDOM_ID.fullmatch(text) is not None


class RandomIdNumbers:
    """The random ids of one program, numbered from 1 in the order in which they were first seen."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def replace_in(self, text: str) -> str:
        """The text with each random id replaced by its number."""
        return _RANDOM_ID.sub(lambda found: str(self._numbers.setdefault(found[0], len(self._numbers) + 1)), text)
