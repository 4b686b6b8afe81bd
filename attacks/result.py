"""What an attack gives: the figures that stand in the docs, and what it got through with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Size = Literal["short", "full"]
"""`short` runs in CI, in well under a minute; `full` is what the figures in the docs come from."""


@dataclass(slots=True)
class Result:
    """One attack's outcome."""

    name: str
    figures: dict[str, float] = field(default_factory=dict)
    """By what was counted: trials, kills, doubled calls."""
    failures: list[str] = field(default_factory=list)
    """What got through, one line each; empty when everything held."""

    def fail(self, what: str) -> None:
        self.failures.append(what)

    def count(self, what: str, number: float = 1) -> None:
        self.figures[what] = self.figures.get(what, 0) + number
