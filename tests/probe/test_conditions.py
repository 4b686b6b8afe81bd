"""Conditions: what they mean, and what a bad one is told."""

from __future__ import annotations

import pytest

from outtake_probe.conditions import BadCondition, Breakpoint, Subject, When, parse


def subject(when: When = "before", **about: object) -> Subject:
    fields: dict[str, object] = {
        "kind": "tool",
        "component": "team/coder/tools/search",
        "type": "",
        "body": lambda: {"query": "the budget of 2024"},
        **about,
    }
    return Subject(when, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("condition", "asked", "holds"),
    [
        ("tool:search", subject(), True),
        ("tool:team/coder/tools/search", subject(), True),
        ("tool:coder", subject(), False),
        ("tool:*", subject(), True),
        ("agent:*", subject(), False),
        ("component:team/*", subject(), True),
        ("kind:tool", subject(), True),
        ('text~"budget"', subject(), True),
        ('text~"bud.et of \\d+"', subject(), True),
        ('text~"weather"', subject(), False),
        ('input~"budget"', subject("after"), False),
        ('output~"budget"', subject("after"), True),
        ("message:Text*", subject(type="TextMessage"), True),
        ("message:TextMessage", subject(type="StopMessage"), False),
        ("error", subject("after", failed=True), True),
        ("error", subject("after"), False),
        ("error:budget", subject("after", failed=True), True),
        ("tokens>5000", subject(tokens=5001), True),
        ("tokens>5000", subject(tokens=5000), False),
        ("cost>=0.5", subject(cost=0.5), True),
        ('tool:search and text~"budget and so on"', subject(), False),
        ('tool:search and text~"budget"', subject(), True),
    ],
)
def test_conditions(condition: str, asked: Subject, holds: bool) -> None:
    assert Breakpoint(condition).holds(asked) is holds


def test_a_hit_count_counts_what_everything_else_lets_through() -> None:
    third = Breakpoint("tool:* and hit==3")
    assert [third.holds(subject()) for _ in range(5)] == [False, False, True, False, False]
    assert third.hits == 5
    third.enabled = False
    assert not third.holds(subject())
    assert third.hits == 5


def failing(message: str, *frames: str) -> Subject:
    error = {"class": "builtins:ValueError", "message": message, "frames": list(frames)}
    return subject("after", failed=True, body=lambda: error)


def test_an_error_that_only_passes_on_is_held_where_it_came_up() -> None:
    errors = Breakpoint("error")
    assert errors.holds(failing("late"), (1, 4, 9))
    assert not errors.holds(failing("late", "in the agent"), (1, 4))
    assert errors.holds(failing("late"), (1, 5))  # another invocation fails in the same way
    assert errors.holds(failing("late"), (1, 5, 11))
    assert errors.holds(failing("no more tries"), (1, 5))
    assert not errors.holds(failing("no more tries"), (1,))
    assert errors.hits == 4


def test_an_error_is_held_by_each_condition_where_that_first_sees_it() -> None:
    tools, agents = Breakpoint("tool:* and error"), Breakpoint("agent:* and error")
    tool, agent = failing("late"), subject("after", kind="agent", failed=True, body=failing("late").body)
    assert (tools.holds(tool, (1, 4, 9)), agents.holds(tool, (1, 4, 9))) == (True, False)
    assert (tools.holds(agent, (1, 4)), agents.holds(agent, (1, 4))) == (False, True)


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("", "an empty condition"),
        ("colour:red", "unknown field 'colour'.*known: agent, step"),
        ("tokens>many", "compared with a number"),
        ('text~"["', "no regular expression"),
        ("text:budget", "followed by ~"),
        ("agent", "followed by :"),
        ("tool:a or tool:b", "cannot read"),
    ],
)
def test_a_bad_condition_is_told_what_is_wrong(condition: str, words: str) -> None:
    with pytest.raises(BadCondition, match=words):
        parse(condition)
