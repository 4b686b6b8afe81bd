"""The demo's plain program: wrong as it stands, right after one edit, the same every time, offline."""

import json
from typing import TypedDict

import pytest

from .conftest import HERE, TEAM, Run

ORCHESTRATOR = "MagenticOneOrchestrator"
WRONG = "Identify the player with the most walks"
RIGHT = "Sort the table by walks and give at bats of the first row."


class Rerun(TypedDict):
    texts: list[str]
    answer: str
    edited: int


def rerun(run: Run, *edits: tuple[str, str, str]) -> list[Rerun]:
    reruns: list[Rerun] = json.loads(run(HERE / "rerun_with_edits.py", str(TEAM), json.dumps(edits)))
    return reruns


def test_as_it_stands_the_team_goes_for_the_famous_name(run: Run) -> None:
    output = run(TEAM)
    assert output.rstrip().endswith("FINAL ANSWER: 525")
    assert WRONG in output
    assert "Reggie Jackson: 74 walks, 525 at bats" in output


def test_every_member_takes_part(run: Run) -> None:
    output = run(TEAM)
    for member in (ORCHESTRATOR, "WebSurfer", "Coder", "Executor", "FileSurfer"):
        assert f"({member}) ----------" in output
    assert 12 <= output.count("----------\n") <= 25


def test_two_runs_are_the_same_and_show_no_port(run: Run) -> None:
    first = run(TEAM)
    assert run(TEAM) == first
    assert "127.0.0.1" not in first


def test_one_edited_instruction_makes_the_team_right(run: Run) -> None:
    (done,) = rerun(run, (ORCHESTRATOR, WRONG, RIGHT))
    assert done["edited"] == 1
    assert done["answer"] == "519"
    assert any("Roy White: 75 walks, 519 at bats" in text for text in done["texts"])


@pytest.mark.parametrize(
    ("instruction", "answer"),
    [
        ("Open the batting table, SORT it by WALKS, report the at bats in the top row", "519"),
        ("Which at bats does the first player have once the rows are sorted by number of walks, descending?", "519"),
        ("sort by walks in ascending order and read the first row", "46"),
        ("Sort the batters by home runs and report the first.", "589"),
        ("Look up the totals of Roy White.", "519"),
        ("Look up the totals of Carlos May.", "181"),
    ],
)
def test_the_web_surfer_acts_on_what_it_is_told(run: Run, instruction: str, answer: str) -> None:
    (done,) = rerun(run, (ORCHESTRATOR, WRONG, instruction))
    assert done["answer"] == answer


@pytest.mark.parametrize(
    ("source", "beginning", "replacement"),
    [
        ("WebSurfer", "The first result", "It was Roy White, with 75 walks and 519 at bats."),
        ("Coder", "This checks", "```python\nprint('Roy White: 519 at bats')\n```"),
        ("Executor", "Reggie Jackson", "Roy White: 519 at bats"),
    ],
)
def test_the_team_believes_what_its_members_report(run: Run, source: str, beginning: str, replacement: str) -> None:
    (done,) = rerun(run, (source, beginning, replacement))
    assert (done["edited"], done["answer"]) == (1, "519")


def test_a_member_that_fails_is_asked_again(run: Run) -> None:
    (done,) = rerun(run, (ORCHESTRATOR, WRONG, "Look for xyzzy."))
    assert done["answer"] == "unknown"
    assert any(text.startswith("I could not find a page about this.") for text in done["texts"])
