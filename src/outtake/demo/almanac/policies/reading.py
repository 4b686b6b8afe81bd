"""What every policy needs: how to read a prompt, and the two ways to answer one."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from autogen_core.models import (
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    SystemMessage,
    UserMessage,
)

ORCHESTRATOR = "MagenticOneOrchestrator"

# How a member says that it failed; the orchestrator looks for it.
COULD_NOT = "I could not"


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
Policy = Callable[[Sequence[LLMMessage]], Reply]


@dataclass(frozen=True)
class Figures:
    """A player's totals as a member of the team reported them."""

    player: str
    at_bats: int
    walks: int | None

    def __str__(self) -> str:
        return f"{self.player}: {self.walks} walks, {self.at_bats} at bats"

    @classmethod
    def read(cls, text: str) -> "Figures | None":
        """The totals in a text, whatever their order; the player is the last one named before them."""
        at_bats, walks = re.search(r"(\d+) at[ -]bats", text), re.search(r"(\d+) walks", text)
        if at_bats is None:
            return None
        first = min(found.start() for found in (at_bats, walks) if found)
        return cls(_last_name(text[:first]), int(at_bats[1]), int(walks[1]) if walks else None)


def text_of(message: LLMMessage) -> str:
    """A message's text; empty for tool calls and pictures, which no policy reads as text."""
    return message.content if isinstance(message.content, str) else ""


def reports(messages: Sequence[LLMMessage]) -> list[tuple[str, str]]:
    """Who of the team reported what, in order."""
    return [(m.source, text_of(m)) for m in messages if isinstance(m, UserMessage) and m.source != ORCHESTRATOR]


def instruction(messages: Sequence[LLMMessage]) -> str:
    """The last thing that the orchestrator asked for."""
    at = _last_instruction(messages)
    return "" if at is None else text_of(messages[at])


def known_address(messages: Sequence[LLMMessage]) -> str | None:
    """The web site that the member's own system message names."""
    told = " ".join(m.content for m in messages if isinstance(m, SystemMessage))
    found = re.search(r"http://[^\s/]+/", told)
    return found[0] if found else None


def tool_results(messages: Sequence[LLMMessage]) -> list[FunctionExecutionResult]:
    """What the tools have answered since the last instruction."""
    tail = messages[_last_instruction(messages) or 0 :]
    return [result for m in tail if isinstance(m, FunctionExecutionResultMessage) for result in m.content]


def _last_instruction(messages: Sequence[LLMMessage]) -> int | None:
    asked = (at for at, m in enumerate(messages) if isinstance(m, UserMessage) and m.source == ORCHESTRATOR)
    return max(asked, default=None)


def _last_name(text: str) -> str:
    names: list[str] = re.findall(r"\b[A-Z][a-z]+ [A-Z][a-z]+\b", text)
    return names[-1] if names else "the player"
