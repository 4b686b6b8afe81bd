"""Grading essays in plain Python: ingest, assess each, compute, summarise."""

import essays
import outtake
from chat import answer

Marks = dict[str, float]


@outtake.model(name="chat")
def ask(prompt: str) -> str:
    return answer(prompt, essays.script)


@outtake.step(effects="read")
def ingest() -> dict[str, str]:
    """Read the essays."""
    return {student: essays.essay(student) for student in essays.students()}


@outtake.step(effects="pure")
def assess(student: str, text: str) -> Marks:
    """Have the model mark an essay."""
    return essays.read_marks(ask(essays.assess_prompt(student, text)))


@outtake.step(effects="pure")
def compute(marks: dict[str, Marks]) -> float:
    """Average the marks."""
    return essays.average([marks[student] for student in sorted(marks)])


@outtake.step(effects="pure")
def summarise(average: float, marks: dict[str, Marks]) -> str:
    """Have the model put it into words."""
    return ask(essays.summary_prompt(average, marks))


def grading() -> str:
    marks = {student: assess(student, text) for student, text in ingest().items()}
    return summarise(compute(marks), marks)
