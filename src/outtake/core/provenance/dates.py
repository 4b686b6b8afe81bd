"""Dates in texts, in the notations of several countries; one that can be read in two ways is both."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Day = tuple[int, int, int]
"""Year, month, day."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"


@dataclass(frozen=True, slots=True)
class DateInText:
    """A date that stands in a text."""

    start: int
    end: int
    days: frozenset[Day]


def _month(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){pattern}(?!\d)", re.IGNORECASE)


_NOTATIONS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], list[Day]]], ...] = (
    (_compiled(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})"), lambda m: [(int(m[1]), int(m[3]), int(m[4]))]),
    (_compiled(r"(\d{4})(\d{2})(\d{2})"), lambda m: [(int(m[1]), int(m[2]), int(m[3]))]),
    (
        _compiled(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})"),
        lambda m: [(int(m[4]), int(m[3]), int(m[1])), (int(m[4]), int(m[1]), int(m[3]))],
    ),
    (
        _compiled(rf"(\d{{1,2}})(?:st|nd|rd|th)?\.?(?: of)?[ -]({_NAME})\.?,?[ -](\d{{4}})"),
        lambda m: [(int(m[3]), _month(m[2]), int(m[1]))],
    ),
    (
        _compiled(rf"({_NAME})\.? (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})"),
        lambda m: [(int(m[3]), _month(m[1]), int(m[2]))],
    ),
)


def places(text: str) -> Iterator[DateInText]:
    """The dates in a text."""
    for pattern, days in _NOTATIONS:
        for found in pattern.finditer(text):
            possible = frozenset(day for day in days(found) if 1 <= day[1] <= 12 and 1 <= day[2] <= 31)
            if possible:
                yield DateInText(found.start(), found.end(), possible)


def whole(text: str) -> frozenset[Day]:
    """The days that a whole text may be; none where it is no date."""
    return next((place.days for place in places(text) if place.end - place.start == len(text)), frozenset())
