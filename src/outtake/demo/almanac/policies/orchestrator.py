"""The orchestrator's policy: it answers the prompts of AutoGen's MagenticOneOrchestrator, and of the plain team's.

It writes a plan with one line per member, then gives each member its line in turn until all have reported. It
believes what they report: whether the web surfer's way of finding the player was sound is a question it never asks. So
the plan's line for the web surfer, and the instruction made from it, decide whether the team is right.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence

from .plans import Step, published_plan, read_plan
from .reading import COULD_NOT, ORCHESTRATORS, Figures, Message, Reply, Say, reports

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


def orchestrator(messages: Sequence[Message]) -> Reply:
    """Answer whichever of the orchestrator's prompts the last message is."""
    prompt = messages[-1].text
    for mark, answer in _ANSWERS.items():
        if mark in prompt:
            return Say(answer(messages))
    return Say(f"{COULD_NOT} tell what is being asked: I am a scripted policy, and this prompt is none that I know.")


def _facts(messages: Sequence[Message]) -> str:
    return _FACTS if "the most walks" in messages[-1].text else _UNKNOWN


def _plan(messages: Sequence[Message]) -> str:
    return _PLAN if any("the most walks" in message.text for message in messages) else _UNKNOWN


def _progress_ledger(messages: Sequence[Message]) -> str:
    thread, names = messages[:-1], _names(messages[-1].text)
    steps = _steps(thread, names)
    if not steps:
        return _ledger(True, False, "The plan asks nobody of the team for anything that I understand.", names[0], "")
    step = _next_step(thread, steps)
    if step is None:
        return _ledger(True, True, "Every member in the plan has reported.", names[0], "")
    failed = any(member == step.member for member, _ in reports(thread))
    reason = f"{step.member} failed and is asked again." if failed else f"The plan has {step.member} next."
    return _ledger(False, not failed, reason, step.member, step.instruction)


def _final_answer(messages: Sequence[Message]) -> str:
    found = [figures for _, report in reports(messages) if (figures := Figures.reported(report)) and figures.answer]
    answer = found[-1].answer if found else None
    if answer is None:
        return "The team could not find the figures.\n\nFINAL ANSWER: unknown"
    column, number = answer
    return (
        f"The Yankee with the most walks in the 1977 regular season was {found[-1].player}. "
        f"He had {number} {column} that same season.\n\nFINAL ANSWER: {number}"
    )


# The words by which each prompt is known: of AutoGen's MagenticOneOrchestrator, then of the team in plain Python.
_ANSWERS: dict[str, Callable[[Sequence[Message]], str]] = {
    "Here is the pre-survey": _facts,
    "rewrite the following fact sheet": _facts,
    "devise a short bullet-point plan": _plan,
    "explain what went wrong on this last run": _plan,
    "answer in pure JSON format": _progress_ledger,
    "provide the final answer": _final_answer,
    "List the facts": _facts,
    "Make a plan": _plan,
    "who speaks next": _progress_ledger,
    "Give the final answer": _final_answer,
}


def _next_step(thread: Sequence[Message], steps: Sequence[Step]) -> Step | None:
    """The first line of the plan that nobody has answered; a member asked twice answers twice."""
    answered = Counter(member for member, report in reports(thread) if not report.startswith(_FAILURES))
    for step in steps:
        if not answered[step.member]:
            return step
        answered[step.member] -= 1
    return None


def _steps(thread: Sequence[Message], names: Sequence[str]) -> list[Step]:
    """The plan as the last message that holds one gives it."""
    mine = (m for m in thread if m.role == "assistant" and m.source in ORCHESTRATORS)
    plans = [plan for message in mine if (plan := published_plan(message.text)) is not None]
    return read_plan(plans[-1], names) if plans else []


def _names(prompt: str) -> list[str]:
    found = re.search(r"select from: ([^)]+)\)", prompt)
    return found[1].split(", ") if found else [ORCHESTRATORS[0]]


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
