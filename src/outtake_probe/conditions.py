"""Breakpoints: conditions on invocations and messages, written as data, never as code.

    agent:coder          an invocation of an agent named coder, or whose path ends in it
    tool:*               any tool
    component:team/*     a component by its path
    message:TextMessage  a message, or an invocation's input, of that type
    text~"budget"        a pattern in the input (before) or the output (after); `input~` and `output~` say which
    error                an invocation that failed, where the error came up
    tokens>5000          the run's total so far; cost>0.5 likewise, in US dollars
    hit>=3               the third time that everything before it holds, and from then on

Terms are combined with ``and``.  A condition is parsed here, shown here, and decided here.
"""

from __future__ import annotations

import fnmatch
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from outtake_probe.records import CALL_KINDS, Json

When = Literal["before", "after"]
FIELDS = (*CALL_KINDS, "component", "kind", "message", "text", "input", "output", "error", "tokens", "cost", "hit")
_TERM = re.compile(r"""\s*([A-Za-z_]+)\s*(?:(:|~|>=|<=|==|>|<|=)\s*("(?:[^"\\]|\\.)*"|'[^']*'|\S+))?\s*""")
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "=": operator.eq,
}


class BadCondition(ValueError):
    """A condition that cannot be read; the message says what is wrong and what is known."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a condition is asked about: an invocation before or after, or a message that is about to be delivered."""

    when: When
    kind: str
    component: str
    type: str = ""
    body: Callable[[], Json] = lambda: None
    failed: bool = False
    tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Term:
    field: str
    op: str
    value: str


@dataclass(slots=True)
class Breakpoint:
    """A condition with its number, its hit count and whether it is on; and the error that it held last, with where."""

    text: str
    id: int = 0
    enabled: bool = True
    hits: int = 0
    held_error: tuple[tuple[int, ...], Json] | None = None
    terms: tuple[Term, ...] = field(default=())

    def __post_init__(self) -> None:
        self.terms = parse(self.text)

    def holds(self, subject: Subject, lineage: Sequence[int] = ()) -> bool:
        """Whether to hold; counts a hit each time that every term but ``hit`` is true.

        `lineage`: see `outtake_probe.gate.decision.why_hold`.  An error that was held where it came up is not held
        again by what only passes it on.
        """
        if not self.enabled or not _asked(self.terms, subject.when):
            return False
        if not all(_true(term, subject) for term in self.terms if term.field != "hit"):
            return False
        if subject.failed and self._passes_on(tuple(lineage), subject.body()):
            return False
        self.hits += 1
        return all(_COMPARE[t.op](self.hits, float(t.value)) for t in self.terms if t.field == "hit")

    def _passes_on(self, lineage: tuple[int, ...], body: Json) -> bool:
        # Each that it passes adds frames of its own.
        error = {name: value for name, value in body.items() if name != "frames"} if isinstance(body, dict) else body
        if self.held_error is not None and self.held_error[1] == error:
            at = self.held_error[0]
            if len(lineage) < len(at) and at[: len(lineage)] == lineage:
                return True
        self.held_error = lineage, error
        return False


def parse(text: str) -> tuple[Term, ...]:
    """The terms of a condition.  Raises `BadCondition`."""
    if not text.strip():
        raise BadCondition('an empty condition; say for example agent:coder, tool:*, text~"budget", error')
    return tuple(_term(part, text) for part in re.split(r"\s+and\s+(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", text.strip()))


def _term(part: str, whole: str) -> Term:
    match = _TERM.fullmatch(part)
    if match is None:
        raise BadCondition(f'cannot read {part!r} in {whole!r}; a term is FIELD:VALUE, FIELD~"PATTERN" or FIELD>NUMBER')
    name, op, raw = match.group(1), match.group(2) or "", match.group(3) or ""
    value = raw[1:-1] if raw[:1] in ("'", '"') and raw[-1:] == raw[:1] and len(raw) > 1 else raw
    if name not in FIELDS:
        raise BadCondition(f"unknown field {name!r} in {whole!r}; known: {', '.join(FIELDS)}")
    _check(name, op, value, whole)
    return Term(name, op, value)


def _check(name: str, op: str, value: str, whole: str) -> None:
    if name in ("tokens", "cost", "hit"):
        allowed: tuple[str, ...] = tuple(_COMPARE)
        if op in allowed and not re.fullmatch(r"\d+(\.\d+)?", value):
            raise BadCondition(f"{name} in {whole!r} is compared with a number, not {value!r}")
    elif name in ("text", "input", "output", "error"):
        allowed = ("", ":") if name == "error" else ("~",)
        try:
            re.compile(value)
        except re.error as error:
            raise BadCondition(f"the pattern {value!r} in {whole!r} is no regular expression: {error}") from error
    else:
        allowed = (":",)
    if op not in allowed:
        shown = " ".join(a or "(nothing)" for a in allowed)
        raise BadCondition(f"{name} in {whole!r} is followed by {shown}, not {op or 'nothing'!r}")


def _asked(terms: tuple[Term, ...], when: When) -> bool:
    """Conditions on what came back are asked after the call; all others before it."""
    after = any(term.field in ("error", "output") for term in terms)
    text = any(term.field == "text" for term in terms)
    return when == "after" if after else (text or when == "before")


def _true(term: Term, subject: Subject) -> bool:
    if term.field in CALL_KINDS:
        return subject.kind == term.field and names(term.value, subject.component)
    if term.field == "component":
        return names(term.value, subject.component)
    if term.field == "kind":
        return subject.kind == term.value
    if term.field == "message":
        return bool(subject.type) and fnmatch.fnmatchcase(subject.type, term.value)
    if term.field == "error":
        return subject.failed and (not term.value or _found(term.value, subject.body()))
    if term.field in ("tokens", "cost"):
        return _COMPARE[term.op](getattr(subject, term.field), float(term.value))
    return _found(term.value, subject.body())


def names(pattern: str, component: str) -> bool:
    """Whether `pattern` names the component: its whole path, its last parts, or a wildcard for either."""
    return fnmatch.fnmatchcase(component, pattern) or fnmatch.fnmatchcase(component, "*/" + pattern)


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _found(pattern: str, value: Json) -> bool:
    search = _compiled(pattern).search
    return any(search(text) for text in texts(value))


def texts(value: Json) -> list[str]:
    """Every string in a JSON value."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.values() for text in texts(item)]
    if isinstance(value, (list, tuple)):
        return [text for item in value for text in texts(item)]
    make = getattr(value, "make", None)
    return texts(make()) if make is not None else []
