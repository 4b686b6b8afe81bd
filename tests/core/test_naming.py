"""What forks are called."""

from __future__ import annotations

import pytest

from outtake.core.naming import changed
from outtake.core.runs import Fork
from outtake_probe.records import Json


@pytest.mark.parametrize(
    ("edits", "name"),
    [
        ([{"op": "replace_message", "seq": 90, "value": {"content": "Sort the table"}}], "Sort the table"),
        ([{"op": "mock_output", "seq": 3, "value": "519"}, {"op": "drop", "seq": 9}], "519 +1"),
        ([{"op": "execute", "seq": 116}], "#116 tried again"),
        ([{"op": "execute", "component": "team/a"}], "team/a executed"),
        ([{"op": "drop", "seq": 9}], "without #9"),
        ([{"op": "set_config", "component": "a", "key": "temperature", "value": 0}], "temperature = 0"),
        ([{"op": "raise", "seq": 4, "value": "no network"}], "raises no network"),
        ([{"op": "mock_output", "seq": 3, "value": ""}], "nothing said"),
        ([{"op": "replace_input", "seq": 3, "value": "long " * 50}], ("long " * 50)[:59] + "…"),
    ],
)
def test_a_fork_is_called_by_its_first_change(edits: list[dict[str, Json]], name: str) -> None:
    assert changed(Fork(parent="r1", cut=3, edits=edits)) == name


CLICK = {
    "content": [{"name": "click", "arguments": '{"address": "http://a", "link": "Reggie Jackson, 1977 Yankees"}'}],
    "thought": "The first result is Reggie Jackson. I take it without a look at the others.",
}
MORE = f"{CLICK['thought']} Then read the table and take the highest."
OTHER = [{"name": "click", "arguments": '{"address": "http://a", "link": "1977 Yankees: batting"}'}]


@pytest.mark.parametrize(
    ("replaced", "value", "name"),
    [
        ("Who has most walks", "Who has most walks. Read the table!", "… Read the table!"),
        ("Who has most walks in the year 1977?", "Who has most hits in the year 1977?", "… has most hits in the …"),
        ("Who has most walks in 1977?", "Sort the table by walks.", "Sort the table by walks."),
        ("Read all of the long page and report", "Read the long page and report", "without … all of …"),
        ({"content": "Who has most walks"}, "Who has most walks in the year 1977?", "… in the year 1977?"),
        (CLICK, {**CLICK, "thought": MORE}, "… Then read the table and take the highest."),
        (CLICK, {**CLICK, "content": OTHER}, "… 1977 Yankees: batting"),
        ({"query": "walks", "n": 3}, {"query": "walks of 1977", "n": 3}, "walks of 1977"),
        ({"n": 3}, {"n": 4, "all": True}, "n: 4"),
        (["Rome"], ["Rome", "Oslo"], "Oslo"),
        ("519", "519", "519"),
        (None, "519", "519"),
    ],
)
def test_a_fork_is_called_by_what_its_change_says_that_its_parent_does_not(
    replaced: Json, value: Json, name: str
) -> None:
    fork = Fork(parent="r1", cut=3, edits=[{"op": "mock_output", "seq": 3, "value": value}])
    assert changed(fork, replaced) == name


def test_a_fork_without_a_change_is_called_by_its_cut() -> None:
    assert changed(Fork(parent="r1", cut=3)) == "from #3"
    assert changed(Fork(parent="r1", cut=3, reuse="prefix")) == "from #3, afresh"
    assert changed(None) == ""


def test_a_fork_without_edits_is_called_by_its_new_code() -> None:
    fork = Fork(parent="r1", cut=3)
    assert changed(fork) == "from #3"
    assert changed(fork, new_code=["story.py"]) == "new code in story.py"
    assert changed(fork, new_code=["a.py", "b.py", "c.py"]) == "new code in a.py +2"
    edited = Fork(parent="r1", cut=3, edits=[{"op": "drop", "seq": 9}])
    assert changed(edited, new_code=["a.py"]) == "without #9"
