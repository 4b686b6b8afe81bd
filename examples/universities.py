"""Recommending a university: pages that are slow to fetch, criteria from a wish, a ranking, a recommendation.

The programs are in `universities_llamaindex.py` and `universities_langgraph.py`.  The pages lie beside them and are
read with the delay of a slow site; the universities do not exist.
"""

import json
import re
from pathlib import Path

from chat import as_json

FOLDER = Path(__file__).parent / "data" / "universities"
DELAY = 0.4
"""Seconds that a page takes."""
WISH = "I want to pay as little as possible, and I would like to see mountains."
FACTS = ("fees", "class size", "mountains", "jobs")
Criteria = dict[str, float]
Facts = dict[str, float]


def addresses() -> list[str]:
    """The pages to fetch."""
    return sorted(path.name for path in FOLDER.glob("*.html"))


def read(page: str) -> tuple[str, Facts]:
    """The name of the university on a page, and what the page says of it, each from 0 (bad) to 10 (good)."""
    text = (FOLDER / page).read_text("utf-8")
    name = re.search("<h1>(.*?)</h1>", text)
    rows = re.findall(r"<tr><th>(.*?)</th><td>([\d.]+)</td></tr>", text)
    if name is None or not rows:
        raise ValueError(f"{page} is no page of a university")
    return name.group(1), {fact: float(mark) for fact, mark in rows}


def criteria_prompt(wish: str) -> str:
    asked = ", ".join(FACTS)
    return (
        f"How much does each of {asked} matter to somebody who says this? Answer with JSON: an object with a number "
        f"between 0 and 1 for each.\n\n{wish}"
    )


def read_criteria(answer: str) -> Criteria:
    """The weights in the model's answer."""
    found = as_json(answer)
    if not isinstance(found, dict):
        raise ValueError(f"the model gave no criteria: {answer}")
    return {str(name): float(weight) for name, weight in found.items() if name in FACTS}


def rank(pages: dict[str, Facts], criteria: Criteria) -> list[tuple[str, float]]:
    """The universities with their marks, the best first."""
    total = sum(criteria.values()) or 1.0
    marks = {
        name: sum(facts.get(fact, 0.0) * weight for fact, weight in criteria.items()) / total
        for name, facts in pages.items()
    }
    return sorted(((name, round(mark, 2)) for name, mark in marks.items()), key=lambda one: (-one[1], one[0]))


def summary_prompt(ranking: list[tuple[str, float]], criteria: Criteria) -> str:
    lines = "\n".join(f"{name}: {mark}" for name, mark in ranking)
    return f"Recommend one of these in a sentence. The criteria were {json.dumps(criteria)}.\n\n{lines}"


def script(prompt: str) -> str:
    """What the scripted model answers."""
    if prompt.startswith("How much"):
        wish = prompt.split("\n\n", 1)[1]
        cheap, high = "pay as little" in wish, "mountains" in wish
        weights = (0.9 if cheap else 0.2, 0.1, 0.5 if high else 0.0, 0.2)
        return json.dumps(dict(zip(FACTS, weights, strict=True)))
    best = prompt.split("\n\n", 1)[1].splitlines()[0]
    name, mark = best.rsplit(": ", 1)
    return f"Go to the {name}: by your criteria it has {mark} of 10."
