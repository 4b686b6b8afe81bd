"""The forms in which one thing is written: a number with and without separators, a name, an address, a date.

`seek` makes of a text the forms that it may appear in; each finds itself in a text and says how it is written there.
A number is found as a number: 82 is not in 1982.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from outtake.core.provenance import dates, numbers, urls
from outtake.core.provenance.folding import fold

How = Literal["verbatim", "re-formatted", "rounded"]
GRADES: tuple[How, ...] = ("verbatim", "re-formatted", "rounded")
"""The best first."""
CONTEXT = 160
"""Characters shown on each side of what was found."""


@dataclass(frozen=True, slots=True)
class Match:
    """Where a text was found: what is written there, with what stands around it."""

    how: How
    said: str
    before: str = ""
    after: str = ""
    form: str = ""
    """How the form differs from what was sought."""


class Form(Protocol):
    """One way to write what is sought."""

    @property
    def told(self) -> str:
        """The form in words, for who found nothing."""

    def find(self, text: str) -> Match | None:
        """The best place in `text`, if there is one."""


@dataclass(frozen=True, slots=True)
class Sought:
    """A text, in all forms."""

    text: str
    forms: Sequence[Form]

    @property
    def tried(self) -> list[str]:
        return [form.told for form in self.forms]

    @property
    def number(self) -> numbers.Number | None:
        """The number that is sought, if it is one."""
        return next((form.number for form in self.forms if isinstance(form, _Number)), None)

    def find(self, text: str) -> Match | None:
        """The best place in a text, or in the JSON or HTML that it is."""
        found = self._find(text)
        if found is not None and found.how == "verbatim":
            return found
        for inner, form in _unwrapped(text):
            other = self._find(inner)
            if other is not None and (found is None or GRADES.index(other.how) < GRADES.index(found.how)):
                found = replace(other, form=", ".join(part for part in (form, other.form) if part))
        return found

    def _find(self, text: str) -> Match | None:
        best: Match | None = None
        for form in self.forms:
            found = form.find(text)
            if found is not None and (best is None or GRADES.index(found.how) < GRADES.index(best.how)):
                best = found
                if found.how == "verbatim":
                    break
        return best


def seek(text: str) -> Sought:
    """The forms in which `text` may appear.  Raises `ValueError` where there is nothing to look for."""
    text = text.strip()
    if not text:
        raise ValueError("an empty text is everywhere")
    number = numbers.read(text)
    if number is not None:
        return Sought(text, (_Number(number),))
    forms: list[Form] = [_Verbatim(text)]
    if (address := urls.normal(text)) is not None:
        forms.append(_Address(text, address))
    elif days := dates.whole(text):
        forms.append(_Date(days))
    if (words := _words(text)) is not None:
        forms.append(words)
    return Sought(text, forms)


def at(text: str, start: int, end: int, how: How, form: str = "") -> Match:
    """What is written between two places of a text."""
    return Match(how, text[start:end], text[max(0, start - CONTEXT) : start], text[end : end + CONTEXT], form)


def _unwrapped(text: str) -> Iterator[tuple[str, str]]:
    """The texts in a text that is itself JSON or HTML, where they read differently."""
    if "\\" in text and text.lstrip()[:1] in ("{", "[", '"'):
        try:
            yield from ((inner, "inside JSON") for inner in _strings(json.loads(text)))
        except (ValueError, RecursionError):
            return
    elif "&" in text and ";" in text:
        yield html.unescape(text), "inside HTML"


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item)


@dataclass(frozen=True, slots=True)
class _Verbatim:
    text: str

    @property
    def told(self) -> str:
        return f"verbatim {self.text!r}"

    def find(self, text: str) -> Match | None:
        start = text.find(self.text)
        return at(text, start, start + len(self.text), "verbatim") if start >= 0 else None


@dataclass(frozen=True, slots=True)
class _Number:
    number: numbers.Number

    @property
    def told(self) -> str:
        return "the number with other separators, zeros, signs or exponents, as a percentage, rounded"

    def find(self, text: str) -> Match | None:
        best: Match | None = None
        for token in numbers.tokens(text):
            how = self.number.written(token)
            if how is None or (best is not None and GRADES.index(how.how) >= GRADES.index(best.how)):
                continue
            best = at(text, token.start, token.end, how.how, how.form)
            if best.how == "verbatim":
                break
        return best


@dataclass(frozen=True, slots=True)
class _Words:
    """Words, whatever their case and accents, and whatever stands between them."""

    text: str
    pattern: re.Pattern[str]
    reversed: re.Pattern[str] | None = None

    @property
    def told(self) -> str:
        return "the words in other case, spacing, punctuation, accents" + (", last name first" if self.reversed else "")

    def find(self, text: str) -> Match | None:
        folded, places = fold(text)
        found = self.pattern.search(folded)
        form = ""
        if found is None and self.reversed is not None:
            found, form = self.reversed.search(folded), "last name first"
        if found is None:
            return None
        start, end = (places[found.start()], places[found.end() - 1] + 1) if places is not None else found.span()
        said = text[start:end]
        return at(text, start, end, "re-formatted", form or _difference(self.text, said))


_INSIDE = r"[\W_]*"
_LEFT, _RIGHT = r"(?<![^\W_])", r"(?![^\W_])"


def _words(text: str) -> _Words | None:
    words = [re.escape(word) for word in re.findall(r"[^\W_]+", fold(text)[0])]
    if not words:
        return None
    name = len(words) == 2 and all(word.isalpha() for word in words)
    turned = re.compile(_LEFT + rf"{words[-1]},\s*{words[0]}" + _RIGHT) if name else None
    return _Words(text, re.compile(_LEFT + _INSIDE.join(words) + _RIGHT), turned)


def _difference(sought: str, said: str) -> str:
    """What differs between two texts with the same words."""
    if sought == said:
        return ""
    if sought.casefold() == said.casefold():
        return "other case" if sought.lower() == said.lower() else "other characters"
    if " ".join(sought.casefold().split()) == " ".join(said.casefold().split()):
        return "other spacing"
    plain, other = fold(sought)[0], fold(said)[0]
    return "other accents or characters" if plain == other else "other punctuation"


@dataclass(frozen=True, slots=True)
class _Address:
    text: str
    address: urls.Address

    @property
    def told(self) -> str:
        return "the address with another scheme, slash, percent-encoding or order of its query"

    def find(self, text: str) -> Match | None:
        for start, end in urls.places(text, self.address.host):
            form = self.address.written(text[start:end])
            if form is not None:
                return at(text, start, end, "re-formatted", form)
        return None


@dataclass(frozen=True, slots=True)
class _Date:
    days: frozenset[dates.Day]

    @property
    def told(self) -> str:
        return "the date in other notations"

    def find(self, text: str) -> Match | None:
        found = next((place for place in dates.places(text) if place.days & self.days), None)
        return at(text, found.start, found.end, "re-formatted", "the same date") if found is not None else None
