"""The outcome of a run: whether what came out is what was expected.

An expected answer is found in an output, never compared with the whole of it: as a whole word or number, whatever the
case, the spaces and the separators of thousands.  An answer that is marked (``FINAL ANSWER: 519``) is looked at alone.
An expected answer of several lines is several answers, and all of them are expected.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from outtake.core.annotations import Annotation
from outtake.core.runs import Run
from outtake_probe.records import Json

Outcome = Literal["passed", "failed"]
OUTCOMES: tuple[Outcome, ...] = ("passed", "failed")

_MARK = re.compile(r"\bfinal\s+answer\W{0,4}:", re.IGNORECASE)
_GROUPED = re.compile(r"(?<!\d)\d{1,3}([,'\u2019\u00a0\u2009\u202f]\d{3})+(?!\d)")
"""A number with separators of thousands; a common space is none, as it stands between two numbers as well."""
_REST_OF_A_NUMBER = re.compile(r"(\d[.,]|(^|\s)\.|(^|[^\w)])-[$€£¥]?)$")
"""What comes right before digits that are only the rest of a number: what is before a decimal point, a sign."""
_MORE_OF_A_NUMBER = re.compile(r"[.,]\d")
_QUOTES, _STOPS = " \t\r\n\"'\u201c\u201d\u2018\u2019`*", ".,;:!?"
"""What stands around an answer, or after it, and is no part of it."""


@dataclass(frozen=True, slots=True)
class Criteria:
    """What a run is judged by: the answer that is expected of it, and the verdict on it, where there are any."""

    expected: str | None = None
    passed: bool | None = None


def criteria(run: str, said: Iterable[Annotation], inherited: Criteria | None = None) -> Criteria:
    """The criteria of a run, of annotations on it and on the runs it was forked from, the nearest and newest last.

    An expectation holds in forks, too; a verdict is about one run.  `inherited`: the parent's, for what `said` lacks.
    """
    expected, passed = inherited.expected if inherited is not None else None, None
    for annotation in said:
        if annotation.kind == "expectation":
            expected = annotation.text
        elif annotation.kind == "verdict" and annotation.run == run:
            passed = annotation.data["passed"]
    return Criteria(expected, passed)


def judged(run: Run, by: Criteria) -> Outcome | None:
    """The outcome of a run: the verdict on it, else what its output says; a program that failed gave no answer."""
    if by.passed is not None:
        return "passed" if by.passed else "failed"
    if run.status == "failed" and by.expected is not None:
        return "failed"
    return outcome(run.output, by.expected)


def outcome(output: Json, expected: str | None) -> Outcome | None:
    """Whether `output` holds the answer that is expected; None where nothing is expected, or nothing came out."""
    if output is None or expected is None or not expected.strip():
        return None
    said = _plain(answer(output))
    return "passed" if all(_holds(said, line) for line in _lines(expected)) else "failed"


def answer(output: Json) -> str:
    """The part of an output that is the answer, as text: what is marked as one, else all of it."""
    text = "\n".join(_texts(output))
    marks = list(_MARK.finditer(text))
    told = text[marks[-1].end() :] if marks else ""
    return told if told.strip(_QUOTES + _STOPS) else text


def _texts(output: Json) -> Iterator[str]:
    """The texts and numbers of an output; of one that has an answer, or what a script printed, only those."""
    todo = [output]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            only = next((name for name in ("answer", "output") if value.get(name) is not None), None)
            todo += [value[only]] if only is not None else reversed(value.values())
        elif isinstance(value, list):
            todo += reversed(value)
        elif isinstance(value, str):
            yield value
        elif value is not None:
            yield json.dumps(value)


def _plain(text: str) -> str:
    """Text without the differences that do not count."""
    joined = _GROUPED.sub(lambda number: re.sub(r"\D", "", number[0]), text).replace("\u2212", "-")
    return " ".join(unicodedata.normalize("NFKC", joined).casefold().split())


def _lines(expected: str) -> Iterator[str]:
    """The answers that are expected, without what merely stands around them."""
    for line in filter(None, map(_plain, expected.splitlines())):
        yield line.lstrip(_QUOTES).rstrip(_QUOTES + _STOPS) or line


def _holds(said: str, wanted: str) -> bool:
    at = said.find(wanted)
    while at >= 0:
        if _stands_alone(said[max(at - 3, 0) : at], wanted, said[at + len(wanted) :][:2]):
            return True
        at = said.find(wanted, at + 1)
    return False


def _stands_alone(before: str, wanted: str, after: str) -> bool:
    """Whether it is no part of a longer word or number."""
    first, last = wanted.lstrip("-")[:1], wanted[-1]
    if _is_word(first) and _is_word(before[-1:]):
        return False
    if _is_word(last) and _is_word(after[:1]):
        return False
    if first.isdigit() and _REST_OF_A_NUMBER.search(before):
        return False
    return not (last.isdigit() and _MORE_OF_A_NUMBER.match(after))


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
