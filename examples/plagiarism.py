"""Checking where an essay comes from: similar essays from a local index, the sentences that are the same, a score.

The program is in `plagiarism_llamaindex.py`.  The library lies beside it.
"""

import json
import math
import re
from collections import Counter
from pathlib import Path

from chat import as_json

DATA = Path(__file__).parent / "data"
SUBMISSION = "The town that faces away"
NEAREST = 3
"""Essays of the library that are compared sentence by sentence."""
Match = tuple[str, str]
"""A sentence of the submission, and the one that it is taken from."""


def submission(title: str) -> str:
    """The text that was handed in."""
    return (DATA / "submissions" / f"{title}.txt").read_text("utf-8")


def source(title: str) -> str:
    """The text of an essay of the library."""
    return (DATA / "library" / f"{title}.txt").read_text("utf-8")


def library() -> list[str]:
    """Titles of the essays of the library."""
    return sorted(path.stem for path in (DATA / "library").glob("*.txt"))


def sentences(text: str) -> list[str]:
    """The sentences of a text, without the line breaks in them."""
    return re.split(r"(?<=[.!?])\s+", " ".join(text.split()))


def words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


def similar(text: str) -> list[tuple[str, float]]:
    """The essays of the library with how similar they are to a text (cosine of weighted words), the nearest first."""
    texts = {title: Counter(words(source(title))) for title in library()}
    seen = Counter(word for counts in texts.values() for word in counts)

    def weighted(counts: Counter[str]) -> dict[str, float]:
        return {word: n * math.log(1 + len(texts) / (1 + seen[word])) for word, n in counts.items()}

    asked = weighted(Counter(words(text)))

    def cosine(title: str) -> float:
        other = weighted(texts[title])
        product = sum(weight * other.get(word, 0.0) for word, weight in asked.items())
        return product / (math.hypot(*asked.values()) * math.hypot(*other.values()))

    return sorted(((title, round(cosine(title), 3)) for title in texts), key=lambda one: -one[1])


def compare_prompt(mine: list[str], theirs: list[str]) -> str:
    return (
        "Which sentences of the first text are taken from the second, word for word or nearly so? Answer with a JSON "
        "list of pairs: the sentence, and the one that it is taken from.\n\n"
        f"First text:\n{json.dumps(mine)}\n\nSecond text:\n{json.dumps(theirs)}"
    )


def read_matches(answer: str) -> list[Match]:
    """The pairs in the model's answer."""
    found = as_json(answer)
    if not isinstance(found, list):
        raise ValueError(f"the model gave no list of pairs: {answer}")
    return [(str(mine), str(theirs)) for mine, theirs in found]


def summary_prompt(score: float, matches: dict[str, list[Match]]) -> str:
    lines = "\n".join(f"{title}: {len(found)} sentences" for title, found in matches.items() if found)
    return f"Say in a sentence that {score:.0%} of the sentences are taken from elsewhere, and from where.\n\n{lines}"


def script(prompt: str) -> str:
    """What the scripted model answers."""
    if prompt.startswith("Which"):
        mine, theirs = (json.loads(part.split("\n", 1)[1]) for part in prompt.split("\n\n")[1:])
        known = {tuple(words(sentence)): sentence for sentence in theirs}
        pairs = [(sentence, known.get(tuple(words(sentence)))) for sentence in mine]
        return json.dumps([pair for pair in pairs if pair[1]])
    score = prompt.split(" that ", 1)[1].split("%", 1)[0]
    titles = [line.split(": ", 1)[0] for line in prompt.split("\n\n", 1)[1].splitlines() if line]
    where = " and ".join(f"“{title}”" for title in titles)
    return f"{score} % of the sentences are taken from {where}." if titles else "The essay is its author's own."
