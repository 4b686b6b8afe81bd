"""Numbers in texts: which ones a text holds, and whether one is written form of another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import Literal

_SPACES = "\u00a0\u2009\u202f"
_QUOTES = "'\u2019_"
_MINUS = "\u2212-"
_BODY = rf"\d{{1,3}}(?: \d{{3}})+(?:[.,]\d+)?(?!\d)|\d[\d.,{_QUOTES}{_SPACES}]*\d|\d"
_TOKEN = re.compile(
    rf"(?<!\w)(?P<sign>[+{_MINUS}]?)(?P<body>{_BODY})(?P<power>[eE][-+]?\d{{1,3}})?(?!\d)(?P<after>\s?%|\w*)"
)
_UNIT = re.compile(r"[^\W\d_]{0,4}|\s?%")
_PLAIN = re.compile(r"(?:0|[1-9]\d*|0\d*(?=\.))(?:\.\d+)?")
"""A code such as 007, or the month of a date, begins with a zero, and is no number."""
_GROUPED = re.compile(rf"\d{{1,3}}(?P<by>[,{_QUOTES} {_SPACES}])\d{{3}}(?:(?P=by)\d{{3}})*(?:\.\d+)?")
_COMMA = re.compile(rf"(?:\d+|\d{{1,3}}(?:[.{_QUOTES} {_SPACES}]\d{{3}})+),\d+")
_POINTS = re.compile(r"\d{1,3}(?:\.\d{3})+")
_AROUND = re.compile(r"[$€£¥]|\b(?:USD|EUR|GBP|CHF)\b")
_LONGEST = 40
_EXACT = Context(prec=200)
Grade = Literal["verbatim", "re-formatted", "rounded"]


@dataclass(frozen=True, slots=True)
class Token:
    """A number as it is written in a text; it may be read in several ways."""

    said: str
    start: int
    end: int
    readings: Sequence[tuple[Decimal, str]]
    """Values, and how they are written."""
    percent: bool = False


@dataclass(frozen=True, slots=True)
class Writing:
    """How a number is written."""

    how: Grade
    form: str = ""


@dataclass(frozen=True, slots=True)
class Number:
    """A number that is sought."""

    said: str
    values: Sequence[Decimal]
    percent: bool = False

    def written(self, token: Token) -> Writing | None:
        """How `token` is this number, if it is."""
        if token.said == self.said:
            return Writing("verbatim")
        best: Writing | None = None
        for sought in self.values:
            for value, form in token.readings:
                found = self._compared(sought, value, form, token.percent)
                if found is not None and found.how != "rounded":
                    return found
                best = best or found
        return best

    def distance(self, token: Token) -> Decimal:
        """How far a token is from this number."""
        return min(abs(sought - value) for sought in self.values for value, _ in token.readings)

    def _compared(self, sought: Decimal, value: Decimal, form: str, percent: bool) -> Writing | None:
        """The first scale on which the two are the same: as they are, or a share and its percentage."""
        scales = [(Decimal(1), form)]
        if percent and not self.percent:
            scales.append((Decimal("0.01"), "as a percentage"))
        elif self.percent and not percent:
            scales.append((Decimal(100), "as a share"))
        near = [(value * scale, told) for scale, told in scales]
        for other, told in near:
            if other == sought:
                return Writing("re-formatted", told or "other digits")
        for other, told in near:
            if (how := _rounded(sought, other)) is not None:
                return Writing("rounded", ", ".join(part for part in (how, told) if part))
        return None


def read(text: str) -> Number | None:
    """The number that a whole text is, perhaps with a currency or a percent sign."""
    bare = _AROUND.sub("", text).strip()
    found = _TOKEN.fullmatch(bare)
    token = _token(found) if found is not None else None
    if token is None or found is None or found["after"].strip("% "):
        return None
    return Number(token.said, [value for value, _ in token.readings], token.percent)


def tokens(text: str) -> Iterator[Token]:
    """The numbers in a text, in order."""
    for found in _TOKEN.finditer(text):
        token = _token(found)
        if token is not None:
            yield token
        elif "," in found["body"]:  # not one number, but several in a row
            yield from _several(found)


def _several(found: re.Match[str]) -> Iterator[Token]:
    for part in re.finditer(r"[^,]+", found["body"]):
        start = found.start("body") + part.start()
        if readings := _readings(part[0], "", ""):
            yield Token(part[0], start, start + len(part[0]), readings)


def _token(found: re.Match[str]) -> Token | None:
    after = found["after"]
    if not _UNIT.fullmatch(after) or len(found["body"]) > _LONGEST:
        return None  # part of a name, as in 3f5a
    readings = _readings(found["body"], found["sign"], found["power"] or "")
    end = found.end() - len(after)
    said = found.string[found.start() : end]
    return Token(said, found.start(), end, readings, "%" in after) if readings else None


def _readings(body: str, sign: str, power: str) -> list[tuple[Decimal, str]]:
    out = []
    if _PLAIN.fullmatch(body):
        out.append((body, "as a power of ten" if power else ""))
    if _GROUPED.fullmatch(body):
        out.append((re.sub(r"[^\d.]", "", body), "with separators"))
    if _COMMA.fullmatch(body):
        whole, _, rest = body.rpartition(",")
        out.append((re.sub(r"\D", "", whole) + "." + rest, "with a decimal comma"))
    if _POINTS.fullmatch(body):
        out.append((body.replace(".", ""), "with separators"))
    negative = "-" if sign and sign in _MINUS else ""
    try:
        return [(Decimal(negative + digits + power), form) for digits, form in out]
    except InvalidOperation:
        return []


def _rounded(sought: Decimal, value: Decimal) -> str | None:
    """Whether one of two numbers is the other with fewer digits; `value` is the one in the text."""
    if not (_near(sought, value) and sought and value):
        return None
    short, long = (sought, value) if _decimals(sought) < _decimals(value) else (value, sought)
    places = _decimals(short)
    if places == _decimals(long) or len(short.as_tuple().digits) < 2:
        return None
    unit = Decimal(1).scaleb(-places)
    for mode, told in ((ROUND_HALF_EVEN, "rounded"), (ROUND_HALF_UP, "rounded"), (ROUND_DOWN, "cut off")):
        if long.quantize(unit, mode, _EXACT) == short:
            if short is sought:
                return "with more digits"
            return f"{told} to {places} decimal{'s' if places > 1 else ''}" if places else f"{told} to a whole number"
    return None


def _near(a: Decimal, b: Decimal) -> bool:
    return a.adjusted() - b.adjusted() in (-1, 0, 1) and abs(a - b) <= 1


def _decimals(value: Decimal) -> int:
    exponent = value.normalize(_EXACT).as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0
