"""The orchestrator's policy: it answers the prompts of AutoGen's MagenticOneOrchestrator.

It writes a plan with one line per member, then gives each member its line in turn until all have reported. It
believes what they report: whether the web surfer's way of finding the player was sound is a question it never asks. So
the plan's line for the web surfer, and the instruction made from it, decide whether the team is right.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from autogen_core.models import AssistantMessage, LLMMessage

from .reading import COULD_NOT, ORCHESTRATOR, Figures, Reply, Say, reports, text_of

_FACTS = """1. GIVEN OR VERIFIED FACTS
- The team is the New York Yankees, the season is the regular season of 1977.

2. FACTS TO LOOK UP
- Which of their batters drew the most walks: the almanac, http://almanac.example/
- How many at bats he had in that same season: the almanac as well.
- What exactly counts as a walk and as an at bat: the glossary in the notes folder.

3. FACTS TO DERIVE
- None, the at bats are given as a total.

4. EDUCATED GUESSES
- Reggie Jackson was the best known hitter of that team, so it may well be him."""

_PLAN = """- FileSurfer: Read the glossary and tell us what the columns "walks" and "at bats" count.
- WebSurfer: Identify the player with the most walks for the New York Yankees in the 1977 regular season, \
and report his walks and his at bats.
- Coder: Write a short Python snippet that checks whether these two figures fit together and prints his at bats.
- Executor: Run the snippet and report what it prints."""

# Facts and plan alike where the question is another one.
_UNKNOWN = "I am a scripted policy and know one question only, the one about walks. Choose a real model for any other."

# What an executor says when there is nothing to report.
_FAILURES = (COULD_NOT, "No code blocks found", "The script ran, then exited with an error")


@dataclass(frozen=True)
class Step:
    """A line of the plan: who is asked for what."""

    member: str
    instruction: str


def orchestrator(messages: Sequence[LLMMessage]) -> Reply:
    """Answer whichever of the orchestrator's prompts the last message is."""
    prompt = text_of(messages[-1])
    for mark, answer in _ANSWERS.items():
        if mark in prompt:
            return Say(answer(messages))
    return Say(f"{COULD_NOT} tell what is being asked: I am a scripted policy, and this prompt is none that I know.")


def _facts(messages: Sequence[LLMMessage]) -> str:
    return _FACTS if "the most walks" in text_of(messages[-1]) else _UNKNOWN


def _plan(messages: Sequence[LLMMessage]) -> str:
    return _PLAN if any("the most walks" in text_of(message) for message in messages) else _UNKNOWN


def _progress_ledger(messages: Sequence[LLMMessage]) -> str:
    thread, names = messages[:-1], _names(text_of(messages[-1]))
    step = _next_step(thread, names)
    if step is None:
        return _ledger(True, True, "Every member in the plan has reported.", names[0], "")
    failed = any(member == step.member for member, _ in reports(thread))
    reason = f"{step.member} failed and is asked again." if failed else f"The plan has {step.member} next."
    return _ledger(False, not failed, reason, step.member, step.instruction)


def _final_answer(messages: Sequence[LLMMessage]) -> str:
    found = [figures for _, report in reports(messages) if (figures := Figures.read(report))]
    if not found:
        return "The team could not find the figures.\n\nFINAL ANSWER: unknown"
    player, at_bats = found[-1].player, found[-1].at_bats
    return (
        f"The Yankee with the most walks in the 1977 regular season was {player}. "
        f"He had {at_bats} at bats that same season.\n\nFINAL ANSWER: {at_bats}"
    )


# The words by which each prompt of MagenticOneOrchestrator is known.
_ANSWERS: dict[str, Callable[[Sequence[LLMMessage]], str]] = {
    "Here is the pre-survey": _facts,
    "rewrite the following fact sheet": _facts,
    "devise a short bullet-point plan": _plan,
    "explain what went wrong on this last run": _plan,
    "answer in pure JSON format": _progress_ledger,
    "provide the final answer": _final_answer,
}


def _next_step(thread: Sequence[LLMMessage], names: Sequence[str]) -> Step | None:
    """The first line of the plan that nobody has answered; a member asked twice answers twice."""
    answered = Counter(member for member, report in reports(thread) if not report.startswith(_FAILURES))
    for step in _steps(thread):
        if step.member in names and not answered[step.member]:
            return step
        answered[step.member] -= 1
    return None


def _steps(thread: Sequence[LLMMessage]) -> list[Step]:
    """The plan as the last message that holds one gives it."""
    mine = (text_of(m) for m in thread if isinstance(m, AssistantMessage) and m.source == ORCHESTRATOR)
    plans = [steps for text in mine if (steps := re.findall(r"^- (\w+): (.+)$", text, re.MULTILINE))]
    return [Step(member, asked) for member, asked in plans[-1]] if plans else []


def _names(prompt: str) -> list[str]:
    found = re.search(r"select from: ([^)]+)\)", prompt)
    return found[1].split(", ") if found else [ORCHESTRATOR]


def _ledger(satisfied: bool, progress: bool, reason: str, speaker: str, asked: str) -> str:
    """A progress ledger in the form that the orchestrator's prompt demands."""
    answers: dict[str, tuple[str, bool | str]] = {
        "is_request_satisfied": (reason, satisfied),
        "is_in_loop": ("No request was repeated after it was answered.", False),
        "is_progress_being_made": (reason, progress),
        "next_speaker": (reason, speaker),
        "instruction_or_question": ("The line of the plan for this member.", asked),
    }
    return json.dumps({key: {"reason": why, "answer": answer} for key, (why, answer) in answers.items()}, indent=1)
