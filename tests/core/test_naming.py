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


def test_a_fork_without_a_change_is_called_by_its_cut() -> None:
    assert changed(Fork(parent="r1", cut=3)) == "from #3"
    assert changed(Fork(parent="r1", cut=3, reuse="prefix")) == "from #3, afresh"
    assert changed(None) == ""
