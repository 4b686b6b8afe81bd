"""Grading a class of essays: the texts, the rubric, what is asked of the model, and what the scripted model answers.

The programs are in `essays_llamaindex.py`, `essays_langgraph.py` and `essays_plain.py`.  The scripted model makes one
mistake: it marks Femi's essay on a scale of 100 where the rubric asks for fractions, and the average of the class
comes out as 1222.92 %.
"""

import json
from pathlib import Path

from chat import as_json

FOLDER = Path(__file__).parent / "data" / "essays"
RUBRIC = ("argument", "evidence", "style")
MARKS = {
    "Ada": (0.55, 0.60, 0.65),
    "Bram": (0.70, 0.725, 0.75),
    "Chen": (0.60, 0.65, 0.70),
    "Dalia": (0.65, 0.70, 0.75),
    "Emil": (0.70, 0.70, 0.70),
    "Femi": (65, 70, 75),
}


def students() -> list[str]:
    """Who handed in an essay."""
    return sorted(path.stem for path in FOLDER.glob("*.txt"))


def essay(student: str) -> str:
    """The text of an essay."""
    return (FOLDER / f"{student}.txt").read_text("utf-8")


def assess_prompt(student: str, text: str) -> str:
    asked = ", ".join(RUBRIC)
    return (
        f"Assess this essay by {student}. For each of {asked}, give a mark from 0.0 to 1.0, as a fraction of the best. "
        f'Answer with JSON, such as {{"{RUBRIC[0]}": 0.5}}.\n\n{text}'
    )


def read_marks(answer: str) -> dict[str, float]:
    """The marks in the model's answer."""
    found = as_json(answer)
    if not isinstance(found, dict):
        raise ValueError(f"the model gave no marks: {answer}")
    return {str(name): mark for name, mark in found.items() if name in RUBRIC}


def average(marks: list[dict[str, float]]) -> float:
    """The average of the class, as a fraction of full marks."""
    return sum(sum(one.values()) / len(one) for one in marks) / len(marks)


def summary_prompt(mean: float, marks: dict[str, dict[str, float]]) -> str:
    lines = "\n".join(f"{student}: {json.dumps(one)}" for student, one in sorted(marks.items()))
    return f"The class average is {mean:.2%}. Say so in one sentence, and who did best.\n\n{lines}"


def script(prompt: str) -> str:
    """What the scripted model answers."""
    if prompt.startswith("Assess"):
        student = prompt.split(" by ", 1)[1].split(".", 1)[0]
        return json.dumps(dict(zip(RUBRIC, MARKS[student], strict=True)))
    mean = prompt.split("average is ", 1)[1].split("%", 1)[0]
    lines = (line.split(": ", 1) for line in prompt.split("\n\n", 1)[1].splitlines())
    sums = {student: sum(json.loads(marks).values()) for student, marks in lines}
    best = max(sorted(sums), key=lambda student: sums[student])
    return f"The class average is {mean} %. The best essay is by {best}."
