"""Settings: what is shown of them; unknown components, keys and wrong values are refused with what there is."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from outtake_probe.commands import BadValue
from outtake_probe.targets.toolkit.settings import (
    NUMBER,
    TEXT,
    Setting,
    Settings,
    attribute,
    change_setting,
    describe_settings,
    fixed,
)


def bob() -> tuple[SimpleNamespace, Settings]:
    holder = SimpleNamespace(temperature=None, _prompt="Be brief.")
    return holder, [
        fixed("class", "Bob"),
        attribute(holder, "temperature", NUMBER),
        attribute(holder, "_prompt", TEXT, "prompt"),
    ]


def test_all_values_are_shown_and_the_schemas_of_what_can_be_changed() -> None:
    _, settings = bob()
    assert describe_settings(settings) == {
        "config": {"class": "Bob", "temperature": None, "prompt": "Be brief."},
        "schema": {
            "type": "object",
            "properties": {"temperature": NUMBER, "prompt": TEXT},
            "additionalProperties": False,
        },
    }
    assert describe_settings([fixed("class", "Ann")]) == {"config": {"class": "Ann"}, "schema": {}}


def test_a_change_is_made_where_the_setting_is_kept() -> None:
    holder, settings = bob()
    change_setting({"team/bob": settings}, "team/bob", "prompt", "Be long.")
    assert (holder._prompt, holder.temperature) == ("Be long.", None)


def test_an_unknown_component_is_refused_with_those_that_have_settings() -> None:
    _, settings = bob()
    with pytest.raises(BadValue, match=r"no component 'team/ben' with settings; known: team/ann, team/bob$"):
        change_setting({"team/bob": settings, "team/ann": settings}, "team/ben", "prompt", "")
    with pytest.raises(BadValue, match=r"known: team/bob$"):
        change_setting({"team/bob": settings, "team/ann": [fixed("class", "Ann")]}, "team/ben", "prompt", "")
    with pytest.raises(BadValue, match=r"known: none yet$"):
        change_setting({}, "team/ben", "prompt", "")


def test_a_setting_has_to_be_there_and_its_value_to_fit() -> None:
    holder, settings = bob()
    with pytest.raises(BadValue, match=r"team/bob\.temperature is number or null, not 'hot'"):
        change_setting({"team/bob": settings}, "team/bob", "temperature", "hot")
    with pytest.raises(BadValue, match=r"team/bob has no setting 'colour'; it has temperature, prompt$") as caught:
        change_setting({"team/bob": settings}, "team/bob", "colour", "red")
    assert caught.value.schema == {"type": "object", "properties": {"temperature": NUMBER, "prompt": TEXT}}
    with pytest.raises(BadValue, match="it has temperature, prompt"):
        change_setting({"team/bob": settings}, "team/bob", "class", "Ben")
    with pytest.raises(BadValue, match="it has none"):
        change_setting({"team/bob": [Setting("colour", TEXT, lambda: "red")]}, "team/bob", "colour", "blue")
    assert holder.temperature is None
