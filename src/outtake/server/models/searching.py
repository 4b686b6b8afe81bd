"""Search: the records of a run that say a text."""

from __future__ import annotations

from typing import Literal

from outtake.server.models.base import Answer


class Passage(Answer):
    """Where a record says the text; what is said keeps the case of its letters."""

    seq: int
    kind: str
    component: str
    first: bool
    """It says it in words that no record before it has; the others repeat what was said, as prompts do."""
    where: Literal["input", "output", "error", "body", "component", "recipient", "type", "name", "key", "value"]
    """In its body, or by a name where the body does not say it."""
    before: str
    said: str
    after: str


class SearchResult(Answer):
    """The records that say a text, in order: `total` in the run, `firsts` of them in new words."""

    run: str
    text: str
    total: int
    firsts: int
    more: bool
    """Others follow these."""
    found: list[Passage]
