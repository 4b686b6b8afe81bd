"""Text without what a reader does not see as a difference: case, accents, compatibility characters."""

from __future__ import annotations

import unicodedata
from functools import lru_cache


def fold(text: str) -> tuple[str, list[int] | None]:
    """The folded text, and for each of its characters the place in `text` that it comes from; None: the same place."""
    if text.isascii():
        return text.lower(), None
    out: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        folded = _folded(character)
        out.append(folded)
        places += [place] * len(folded)
    return "".join(out), places


@lru_cache(maxsize=4096)
def _folded(character: str) -> str:
    """The letters of one character, without marks."""
    apart = unicodedata.normalize("NFKD", character)
    return "".join(c for c in apart if not unicodedata.combining(c)).casefold()
