"""What the models of the benchmarks say: about 500 characters that depend on who speaks and how much was said."""

from __future__ import annotations

import random

WORDS = ("agent", "message", "budget", "table", "result", "because", "search", "value", "before", "answer", "number")
CHARACTERS = 500


def said(name: str, turn: int) -> str:
    """What `name` says as the `turn`-th."""
    chance = random.Random(f"{name} {turn}")
    text = ""
    while len(text) < CHARACTERS:
        text += chance.choice(WORDS) + " "
    return text
