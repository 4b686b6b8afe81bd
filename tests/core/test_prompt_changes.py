"""Prompts that are written in another way now, found by what the models were told."""

from __future__ import annotations

import ast
from collections.abc import Mapping

import pytest

from outtake.core.prompt_changes import FirstPrompt, PromptChange, Written, changed_prompts

ASKED = {"messages": [{"role": "system", "content": "You are a careful reader of tables."}, {"content": "Who walked?"}]}


def written(**files: str) -> dict[str, Written]:
    return {f"{name}.py": Written(ast.parse(text)) for name, text in files.items()}


def changes(asked: object, files: Mapping[str, Written]) -> list[PromptChange]:
    return [*changed_prompts([FirstPrompt("team/reader/model", 7, asked)], files, files)]


def test_a_prompt_that_still_stands_in_a_file_is_none() -> None:
    assert changes(ASKED, written(team='PROMPT = "You are a careful reader of tables."')) == []
    assert (
        changes(ASKED, written(other="X = 1", team='PROMPT = """\n  You are a careful   reader of tables.\n"""')) == []
    )


def test_a_line_that_was_changed_is_told_with_what_it_was() -> None:
    team = written(team='def agent():\n    return Agent("You are a careful reader of tables. Sort them first.")')
    (change,) = changes(ASKED, team)
    assert change == PromptChange(
        "team/reader/model",
        7,
        "team.py",
        "You are a careful reader of tables.",
        "You are a careful reader of tables. Sort them first.",
    )


@pytest.mark.parametrize(
    "source",
    [
        'f"You are a careful reader of {what}."',
        '"You are a careful {} of tables.".format(role)',
        '"You are a careful %s of tables." % role',
        '"You are a $how reader of tables."',
        '"You are a careful " + role + " of tables."',
        '("You are a careful "\n    "reader of tables.")',
    ],
)
def test_what_is_filled_in_does_not_count(source: str) -> None:
    assert changes(ASKED, written(team=f"prompt = {source}")) == []


def test_a_line_with_many_gaps_is_compared() -> None:
    gaps = "".join(f"{{a{at}}}" for at in range(40))
    team = written(team=f'P = f"{gaps} is all that there is to say"')
    assert changes("word " * 700 + "and no more of it", team) == []
    assert changes("word " * 700 + "is all that there is to say", team) == []


def test_a_line_with_something_filled_in_is_told_with_its_gap() -> None:
    (change,) = changes(ASKED, written(team='P = f"You are a careful, patient reader of {what}."'))
    assert change.now == "You are a careful, patient reader of ...."


def test_only_a_changed_file_can_have_changed_it() -> None:
    team = written(team='PROMPT = "You are a careful reader of long tables."')
    assert [*changed_prompts([FirstPrompt("reader", 7, ASKED)], team, [])] == []


def test_what_was_never_in_a_file_is_none() -> None:
    team = written(team='PROMPT = "Whatever the question is, answer it in one short line."')
    assert changes(ASKED, team) == []
    assert changes("What is the answer to the question of the season of 1977?", team) == []


def test_another_line_of_the_same_prompt_is_no_version_of_it() -> None:
    asked = "Read the first table of the page.\nRead the second table of the page."
    assert changes(asked, written(team='P = "Read the second table of the page."')) == []
