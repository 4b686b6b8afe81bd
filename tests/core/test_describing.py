"""What records show of a target, joined with what it said of itself."""

from __future__ import annotations

from collections import Counter

import pytest

from outtake.core.describing import Called, Parts, Sent, described, is_description, joined
from outtake_probe.records import Json

SHOWN = Parts(
    called=Counter({Called("main/writer", "agent", ""): 2, Called("main/writer/look", "tool", "read"): 3}),
    sent=Counter({Sent("user", "main/writer", "Text"): 1, Sent("main/writer", "main/critic", "Text"): 2}),
    inside=Counter({("main/writer", "main/writer/look"): 3}),
    settings={("main/writer", "manner"): "wild"},
)


def test_records_show_components_edges_and_settings() -> None:
    found = described(SHOWN, {"main/writer.manner": "calm", "main/critic.system_prompt": "You judge."})
    assert found["components"] == [
        {"path": "main/writer", "kind": "agent", "calls": 2, "config": {"manner": "wild"}},
        {"path": "main/writer/look", "kind": "tool", "calls": 3, "effects": "read"},
        {"path": "main/critic", "kind": "agent", "calls": 0, "config": {"system_prompt": "You judge."}},
    ]
    assert found["edges"] == [
        {"source": "main/writer", "target": "main/critic", "label": "Text"},
        {"source": "user", "target": "main/writer", "label": "Text"},
        {"source": "main/writer", "target": "main/writer/look", "label": "calls"},
    ]


def test_what_was_said_comes_first_and_what_was_only_shown_after_it() -> None:
    told = {
        "components": [
            {"path": "main/critic", "kind": "agent", "doc": "Judges."},
            {"path": "main/other", "kind": "tool", "doc": "Was never called."},
            {"path": "main/writer", "kind": "agent", "doc": "Writes.", "config": {"manner": "calm"}},
        ],
        "edges": [{"source": "main/writer", "target": "main/critic", "label": "asks"}],
        "capabilities": ["queue"],
    }
    found = joined(told, described(SHOWN, {}))
    paths = [part["path"] for part in found["components"]]
    assert paths == ["main/critic", "main/other", "main/writer", "main/writer/look"]
    writer = found["components"][2]
    assert (writer["doc"], writer["config"], writer["calls"]) == ("Writes.", {"manner": "calm"}, 2)
    assert (found["edges"], found["capabilities"]) == (told["edges"], ["queue"])


def test_functions_that_were_named_are_those_that_were_called_by_a_path() -> None:
    told = {
        "components": [
            {"path": "look", "kind": "tool", "doc": "Looks."},
            {"path": "writer", "kind": "tool", "doc": "Another one of that name."},
        ]
    }
    found = {part["path"]: part for part in joined(told, described(SHOWN, {}))["components"]}
    assert set(found) == {"main/writer", "main/writer/look", "main/critic", "writer"}
    assert (found["main/writer/look"]["doc"], "doc" in found["main/writer"]) == ("Looks.", False)


GOOD = {"components": [{"path": "a", "kind": "agent", "effects": None}], "edges": [{"source": "a", "target": "b"}]}


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"components": {}},
        {"components": ["a"]},
        {"components": [{"path": "a"}]},
        {"components": [{"path": "a", "kind": "agent", "config": None}]},
        {**GOOD, "edges": [{"source": "a"}]},
        {**GOOD, "missing": "none"},
        {**GOOD, "capabilities": [1]},
    ],
)
def test_what_is_no_description_is_not_taken_for_one(value: Json) -> None:
    assert not is_description(value)
    assert is_description(GOOD)
