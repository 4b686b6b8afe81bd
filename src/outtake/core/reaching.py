"""How far the change of a fork went: the calls that were asked something else than in the parent because of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from outtake.core.diff import items
from outtake.core.report import LEAVES
from outtake_probe.records import Json


@dataclass(frozen=True, slots=True)
class Used:
    """Model and tool calls that a fork executed with another input than its parent, or that its parent did not make."""

    calls: int
    first: int | None
    """The number of the first of them."""


def used(records: Iterable[Mapping[str, Json]], parent: Iterable[Mapping[str, Json]], cut: int) -> Used:
    """The calls of a fork at `cut` that its change reached; calls are aligned as in `outtake.core.diff`."""
    theirs = items(parent)
    found = [
        item.seq
        for key, item in items(records).items()
        if item.kind in LEAVES and item.seq >= cut and item.how == "executed"
        if key not in theirs or theirs[key].digest != item.digest
    ]
    return Used(len(found), min(found, default=None))
