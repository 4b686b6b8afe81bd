"""The orchestrator's plan, in whatever form a model or a person writes it: who of the team is asked for what."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .understanding import understand

WEB_SURFER = "WebSurfer"
MEMBERS = ("FileSurfer", WEB_SURFER, "Coder", "Executor")

# What stands before the plan in the message by which the orchestrator publishes it.
_PUBLISHED = re.compile(r"\b(?:plan to follow as best as possible|The plan):\s*(.*)\Z", re.DOTALL)


@dataclass(frozen=True)
class Step:
    """A line of the plan: who is asked for what."""

    member: str
    instruction: str


def published_plan(message: str) -> str | None:
    """The plan in the message that publishes it; None if the message is another."""
    found = _PUBLISHED.search(message)
    return found[1] if found else None


def read_plan(plan: str, names: Sequence[str]) -> list[Step]:
    """Who is asked for what: line by line, or sentence by sentence where several members share a line.

    A line that names nobody goes to the web surfer if it says how to look something up, for nobody else looks.
    """
    steps = []
    for line in plan.splitlines():
        several = len({name for name in names if _mention(name, line)}) > 1
        for part in re.split(r"(?<=[.;])\s+", line) if several else [line]:
            member = _first_mentioned(names, part)
            if member is None and understand(part).careful and WEB_SURFER in names:
                member = WEB_SURFER
            if member is not None:
                steps.append(Step(member, _without_address(member, part)))
    return steps


def _first_mentioned(names: Sequence[str], text: str) -> str | None:
    found = [(mention.start(), name) for name in names if (mention := _mention(name, text))]
    return min(found)[1] if found else None


def _mention(name: str, text: str) -> re.Match[str] | None:
    """A member's name in a text, whatever its case, in one word or two; a surfer of no kind is the web surfer."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "[ -]?", name)
    surfer = r"|(?<!file)(?<!file[ -])surfer" if name == WEB_SURFER else ""
    return re.search(rf"\b(?:{words}){surfer}", text, re.IGNORECASE)


def _without_address(member: str, line: str) -> str:
    """What `- NAME: what to do` asks for; of any other line the whole, without its bullet or number."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "[ -]?", member)
    plain = re.sub(r"^\s*(?:[-*•]|\d+[.)])\s+", "", line).strip()
    return re.sub(rf"^\W*{words}\W*?(?::\W*|\s+[-\u2013>]+\s+)", "", plain, flags=re.IGNORECASE)
