"""What is new in a long text: what its author did not say before, without data and what a program printed into it.

Agents repeat themselves: a plan begins with the request and the team each time, a tool wraps each page into the same
sentences.  Who reads many of their texts in a row wants what differs.  Nothing is ever removed from the text itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from outtake.core.words import shortened

LENGTH = 600
"""Characters of a gist."""
LONGEST = 200_000
"""Characters of a text that are looked at."""
WHY = " · "
"""Between the value of a field and the reason for it."""
_WARNING = re.compile(r"^\S+\.py:\d+: \w*Warning: .*\n?(?:^[ \t]+\S.*\n?)?", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\((?:[^()\s]|\([^()\s]*\))*\)")
_MARKS = re.compile(r"^\s*(?:#{1,6}|[-*+•]) +|^\s*[-=_*]{3,}\s*$|\*\*|__|`")
_FIELD = re.compile(r"(?P<name>[^\W\d_][\w /]{0,60}): (?P<value>.*)")
_SENTENCE = re.compile(r"(?<=[.!?:])\s+(?=[A-Z\"'(\[])")
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*|\d+")
_TOKEN, _TAIL = 60, 30
"""Characters of a word that nobody reads whole, and those of its end that are kept: of a path, the name."""
_LABEL = 2
"""Words of a line that is only a label, as those of a menu, at most."""
_FORMULA = range(4, 13)
"""Words with which sentences of a form begin alike."""
_ALIKE = 2
"""Texts in which sentences begin alike, or differ in numbers only, for that to be a formula."""
_SEVERAL = 5
"""Words beside which a number does not tell one sentence from another."""
_DATA = 80
"""Characters from which JSON in the middle of a text is data."""


@dataclass(frozen=True, slots=True)
class Phrases:
    """What a text says, in a form in which it can be compared."""

    sentences: frozenset[str]
    beginnings: frozenset[str]
    fields: dict[str, str] = field(default_factory=dict)
    """The value of each ``name: value`` on a line of its own, without its reason."""


def phrases(text: str) -> Phrases:
    """The phrases of a text that is compared with others."""
    sentences: set[str] = set()
    beginnings: set[str] = set()
    fields: dict[str, str] = {}
    for line in _lines(text):
        if (named := _named(line)) is not None:
            fields[named[0]] = named[1]
        for sentence in _SENTENCE.split(line):
            words = _words(sentence)
            sentences.update((" ".join(words), _compared(words)))
            beginnings.update(_compared(words[:length]) for length in _FORMULA if length < len(words))
    return Phrases(frozenset(sentences), frozenset(beginnings), fields)


def has_warnings(text: str) -> bool:
    """Whether a program printed warnings of Python into a text."""
    return "Warning: " in text and _WARNING.search(text) is not None


def gist(text: str, before: Sequence[Phrases]) -> str:
    """What a text says that those before it, the last one first, do not say, from its beginning on.

    Its first line is part of it in any case: it says what was done, be it the same once more.
    """
    kept: list[str] = []
    said: list[str] = []
    size, heading = 0, ""
    for number, line in enumerate(_lines(text)):
        found = line if number == 0 and _named(line) is None else _new_in(line, before)
        words = " ".join(_words(found))
        if not words or (number > 0 and _is_label(found)) or any(words in other for other in said):
            heading = ""
        elif number > 0 and found.endswith(":"):
            heading = found  # it says something if what it leads to does
        else:
            kept += [heading, found] if heading else [found]
            said.append(words)
            size += len(heading) + len(found) + 2
            heading = ""
            if size > LENGTH:
                break
    return shortened("\n".join(kept), LENGTH)


def _new_in(line: str, before: Sequence[Phrases]) -> str:
    named = _named(line)
    if named is not None:
        known = next((each.fields[named[0]] for each in before if named[0] in each.fields), None)
        if known is not None:
            return "" if known == named[1] else line
    new = []
    for sentence in _SENTENCE.split(line):
        words = _words(sentence)
        if not words or any(" ".join(words) in each.sentences for each in before):
            continue
        if sum(_compared(words) in each.sentences for each in before) >= (1 if _is_count(words) else _ALIKE):
            continue  # only its numbers differ, each time
        new.append(_without_formula(sentence, words, before))
    return " ".join(new)


def _without_formula(sentence: str, words: Sequence[str], before: Sequence[Phrases]) -> str:
    """A sentence without the words with which several before it begin."""
    if len(before) < _ALIKE:
        return sentence
    for length in reversed(_FORMULA):
        beginning = _compared(words[:length])
        if length < len(words) and sum(beginning in each.beginnings for each in before) >= _ALIKE:
            rest = sentence[list(_WORD.finditer(sentence))[length].start() :]
            return f"…{rest}" if len(words) - length > _LABEL and not rest.endswith(":") else ""
    return sentence


def _lines(text: str) -> Iterator[str]:
    """The lines that somebody reads: no data, no warnings of Python, no addresses; each without its Markdown."""
    told = _WARNING.sub("", text[:LONGEST])
    for line in _without_data(told):
        plain = _MARKS.sub("", _LINK.sub(r"\1", line)).strip()
        short = " ".join(word if len(word) <= _TOKEN else f"…{word[-_TAIL:]}" for word in plain.split())
        if _WORD.search(short):
            yield short


def _without_data(text: str) -> Iterator[str]:
    """The lines of a text without the JSON in it, and without the line that leads to it."""
    held: str | None = None
    at = 0
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end]
        after = _data(text, at + len(line) - len(line.lstrip())) if line.lstrip()[:1] in ("{", "[") else None
        if after is not None:
            held = held if held is not None and not held.rstrip().endswith(":") else None
            at = after
            continue
        if line.strip():
            if held is not None:
                yield held
            held = line
        at = end + 1
    if held is not None:
        yield held


_DECODER = json.JSONDecoder()


def _data(text: str, start: int) -> int | None:
    """Where the JSON ends that begins there; None where there is none, or it is short enough to be read."""
    try:
        _, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return end if end - start >= _DATA else None


def _named(line: str) -> tuple[str, str] | None:
    """The name and the value of a line that is a field."""
    found = _FIELD.fullmatch(line)
    if found is None or not line or len(found["name"].split()) > 6:
        return None
    return found["name"].casefold(), found["value"].partition(WHY)[0].strip()


def _is_count(words: Sequence[str]) -> bool:
    """Whether a sentence has one small number among many words: how much of a page is shown, how many were found."""
    numbers = [word for word in words if word.isdigit()]
    return len(words) >= 2 * _SEVERAL and len(numbers) == 1 and len(numbers[0]) <= 3


def _is_label(text: str) -> bool:
    return not any(letter.isdigit() for letter in text) and len(text.split()) <= _LABEL


def _words(sentence: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(sentence)]


def _compared(words: Sequence[str]) -> str:
    """Words as they are compared: where there are several, a number is like any other, else it is what is said."""
    several = sum(not word.isdigit() for word in words) >= _SEVERAL
    return " ".join("0" if several and word.isdigit() else word for word in words)
