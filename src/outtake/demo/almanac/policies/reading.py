"""What every policy needs: the messages of a prompt, how to read them, and the two ways to answer.

The messages are these few types and no framework's, so that the same policies serve a team of any kind.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from .understanding import COLUMNS, Column

# By which name the orchestrator of each team speaks.
ORCHESTRATORS = ("MagenticOneOrchestrator", "Orchestrator")

# How a member says that it failed; the orchestrator looks for it.
COULD_NOT = "I could not"

# A text of so many words may be an answer and nothing else.
_SHORT = 8

# A person's name: two words with capitals that are no place and no heading.
_NAME = re.compile(r"\b(?!New York|World Series|Final Answer|Educated Guesses)[A-Z][a-z]+ [A-Z][a-z]+\b")


@dataclass(frozen=True)
class ToolResult:
    """What a tool returned, or the text of the error that it raised."""

    name: str
    content: str
    is_error: bool = False


@dataclass(frozen=True)
class Message:
    """One message of a prompt. `source` names who of the team said it; a tool's message holds results and no text."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str = ""
    source: str = ""
    thought: str = ""
    results: tuple[ToolResult, ...] = ()


@dataclass(frozen=True)
class Say:
    """Answer with text."""

    text: str


@dataclass(frozen=True)
class Use:
    """Call a tool, and say why."""

    tool: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    thought: str | None = None


Reply = Say | Use
Policy = Callable[[Sequence[Message]], Reply]


@dataclass(frozen=True)
class Figures:
    """A player's totals as a text reports them, by column."""

    player: str
    totals: Mapping[Column, int]

    def __str__(self) -> str:
        return f"{self.player}: " + ", ".join(f"{number} {column}" for column, number in self.totals.items())

    @property
    def answer(self) -> tuple[Column, int] | None:
        """The figure that answers the question: the at bats, or what was reported instead of them."""
        return next(((c, self.totals[c]) for c in ("at bats", *COLUMNS) if c in self.totals and c != "walks"), None)

    @classmethod
    def read(cls, text: str) -> "Figures | None":
        """The totals in a text, in whatever form; the player is the last one named before them, and not denied.

        Of several figures for one column, the one just before the at bats counts.
        """
        plain = re.sub(r"[\"'{}*`]", "", text.replace("_", " "))
        mentions = {column: _mentions(plain, words) for column, words in COLUMNS.items()}
        if not any(mentions.values()):
            return None
        start = min(mentions["at bats"] or [found for each in mentions.values() for found in each])[0]
        totals = {
            column: max(((at, n) for at, n in found if at <= start), default=found[0])[1]
            for column, found in mentions.items()
            if found
        }
        return cls(last_name(plain[:start]), totals)

    @classmethod
    def reported(cls, text: str) -> "Figures | None":
        """The totals in what somebody says: one number and no column in a short text (*It is 519*) is about at bats."""
        numbers = re.findall(r"\d+", text)
        bare = len(numbers) == 1 and len(text.split()) <= _SHORT
        return cls.read(text) or (cls(last_name(text), {"at bats": int(numbers[0])}) if bare else None)


def reports(messages: Sequence[Message]) -> list[tuple[str, str]]:
    """Who of the team reported what, in order."""
    return [(m.source, m.text) for m in messages if m.role == "user" and m.source not in ORCHESTRATORS]


def instruction(messages: Sequence[Message]) -> str:
    """The last thing that the orchestrator asked for."""
    at = _last_instruction(messages)
    return "" if at is None else messages[at].text


def known_address(messages: Sequence[Message]) -> str | None:
    """The web site that the member's own system message names."""
    told = " ".join(m.text for m in messages if m.role == "system")
    found = re.search(r"http://[^\s/]+/", told)
    return found[0] if found else None


def tool_results(messages: Sequence[Message]) -> list[ToolResult]:
    """What the tools have answered since the last instruction."""
    return [result for m in _tail(messages) for result in m.results]


def thoughts(messages: Sequence[Message]) -> list[str]:
    """What this member thought since the last instruction, the latest first."""
    return [m.thought for m in reversed(_tail(messages)) if m.thought]


def names_in(text: str) -> list[str]:
    """The people whom a text names, as far as two words with capitals show it."""
    return _NAME.findall(text)


def last_name(text: str) -> str:
    """The last person named, but for *not NAME*."""
    names = names_in(re.sub(r"\bnot [A-Z]\w+ [A-Z]\w+", "", text))
    return names[-1] if names else "the player"


def _mentions(text: str, words: str) -> list[tuple[int, int]]:
    """Where a column's figure stands, and the figure: `75 walks`, `walks: 75`, `walks = 75`, `at bats were 519`."""
    before = re.finditer(rf"(\d+)[ -](?:times )?(?:{words})\b", text, re.IGNORECASE)
    after = re.finditer(rf"\b(?:{words})\s*(?:[:=]|is|are|was|were)\s*(\d+)", text, re.IGNORECASE)
    return sorted((found.start(), int(found[1])) for matches in (before, after) for found in matches)


def _tail(messages: Sequence[Message]) -> Sequence[Message]:
    return messages[_last_instruction(messages) or 0 :]


def _last_instruction(messages: Sequence[Message]) -> int | None:
    asked = (at for at, m in enumerate(messages) if m.role == "user" and m.source in ORCHESTRATORS)
    return max(asked, default=None)
