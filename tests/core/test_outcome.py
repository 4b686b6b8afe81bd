"""Whether an expected answer is found in an output: by example, and for any answer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from outtake.core.outcome import OUTCOMES, outcome

PASSED = [
    ("519", "519"),
    ("519", "He had 519 at bats."),
    ("519", {"answer": "Roy White. FINAL ANSWER: 519", "messages": 22}),
    ("519", "First 525, then I looked again.\n\n**Final answer:** 519."),
    ("1010000", "It was sold for $1,010,000."),
    ("1,010,000", "1010000"),
    ("41.75", "$41.75, with USPS"),
    ("519", 519),
    ("519", {"rows": [{"at_bats": 519}]}),
    ("519", {"exit_code": 0, "output": "at bats: 519\n"}),
    ("-5", "it is -5 degrees"),
    ("-5", "it is \u22125 degrees"),
    ("10", "from 5-10 (five to ten)"),
    ("Maktay mato apple", "MAKTAY  mato\nApple"),
    ("So we had to let it die.", 'It reads "So we had to let it die"'),
    ("Yosemite Falls\nBridalveil Fall", "1. Bridalveil Fall, 2. Yosemite Falls"),
    ("true", True),
    ("`", "a ` is missing"),
    ("519", "the answer is 519\nFINAL ANSWER:"),
]
FAILED = [
    ("519", "525"),
    ("519", "He had 1519 at bats, or 5190."),
    ("519", "0.519"),
    ("519", "519.5"),
    ("519", "It is -519."),
    ("519", "It is -$519."),
    ("5", ".5"),
    ("519", "He had 519 at bats, they say. FINAL ANSWER: 525"),
    ("22", {"answer": "519", "messages": 22}),
    ("0", {"exit_code": 0, "output": "at bats: 519\n"}),
    ("cat", "a category"),
    ("-5", "10-5"),
    ("Yosemite Falls\nBridalveil Fall", "Yosemite Falls"),
    ("519", ""),
    ("519", {}),
]


@pytest.mark.parametrize(("expected", "output"), PASSED)
def test_an_answer_is_found(expected: str, output: Any) -> None:
    assert outcome(output, expected) == "passed"


@pytest.mark.parametrize(("expected", "output"), FAILED)
def test_another_answer_is_not(expected: str, output: Any) -> None:
    assert outcome(output, expected) == "failed"


@pytest.mark.parametrize(("expected", "output"), [(None, "519"), ("", "519"), ("  ", "519"), ("519", None)])
def test_without_an_answer_or_an_output_nothing_is_known(expected: str | None, output: Any) -> None:
    assert outcome(output, expected) is None


words = st.from_regex(r"[a-zA-Zé]{1,8}", fullmatch=True)
numbers = st.integers(0, 10**9)
answers = st.one_of(words, numbers.map(str), st.lists(words, min_size=1, max_size=4).map(" ".join))
asides = st.lists(words, max_size=5).map(" ".join)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@given(answers, asides, asides, st.sampled_from([" ", "\n", " (", ': "', " **", ", "]))
def test_an_answer_is_found_wherever_it_stands(answer: str, before: str, after: str, edge: str) -> None:
    for said in (answer, answer.upper(), answer.replace(" ", "  \n")):
        assert outcome(f"{before}{edge}{said}. {after}", answer) == "passed"


@given(numbers, asides)
def test_separators_of_thousands_do_not_count(number: int, aside: str) -> None:
    assert outcome(f"{aside} {number:,}", str(number)) == "passed"
    assert outcome(f"{aside} {number}", f"{number:,}") == "passed"


@given(answers, st.from_regex(r"[a-z0-9_]{1,3}", fullmatch=True), st.booleans())
def test_part_of_a_longer_word_or_number_is_no_answer(answer: str, more: str, first: bool) -> None:
    longer = more + answer if first else answer + more
    assume(" " not in answer)
    assert outcome(longer, answer) == "failed"


@given(answers, asides)
def test_what_is_marked_is_the_answer(answer: str, aside: str) -> None:
    other = answer + "x"
    assert outcome(f"{other} {aside} FINAL ANSWER: {answer}", answer) == "passed"
    assert outcome(f"{answer} {aside} FINAL ANSWER: {other}", answer) == "failed"


@given(values, st.text())
def test_any_output_has_an_outcome(output: Any, expected: str) -> None:
    found = outcome(output, expected)
    assert (found in OUTCOMES) == (output is not None and bool(expected.strip()))
