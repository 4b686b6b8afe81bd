"""Changes of settings: unknown components, unknown settings and wrong values are refused with what there is."""

from __future__ import annotations

import pytest

from outtake_probe.records import Json
from outtake_probe.session import BadValue
from outtake_probe.targets.toolkit.settings import check_setting, find_holder

SCHEMAS: dict[str, Json] = {"temperature": {"type": ["number", "null"]}, "prompt": {"type": "string"}}


def test_the_holder_of_a_component_is_found() -> None:
    assert find_holder("team/bob", {"team/ann": 1, "team/bob": 2}) == 2


def test_an_unknown_component_is_refused_with_those_that_have_settings() -> None:
    with pytest.raises(BadValue, match=r"no component 'team/ben' with settings; known: team/ann, team/bob$"):
        find_holder("team/ben", {"team/bob": 2, "team/ann": 1})
    with pytest.raises(BadValue, match=r"known: team/bob$"):
        find_holder("team/ben", {"team/bob": 2, "team/ann": 0}, bool)
    with pytest.raises(BadValue, match=r"known: none yet$"):
        find_holder("team/ben", {"team/ann": 0}, bool)


def test_a_component_without_settings_has_a_holder_all_the_same() -> None:
    assert find_holder("team/ann", {"team/ann": 0}, bool) == 0


def test_a_setting_has_to_be_there_and_its_value_to_fit() -> None:
    check_setting("team/bob", "temperature", 0.5, SCHEMAS)
    with pytest.raises(BadValue, match=r"team/bob\.temperature is number or null, not 'hot'"):
        check_setting("team/bob", "temperature", "hot", SCHEMAS)
    with pytest.raises(BadValue, match=r"team/bob has no setting 'colour'; it has temperature, prompt$") as caught:
        check_setting("team/bob", "colour", "red", SCHEMAS)
    assert caught.value.schema == {"type": "object", "properties": SCHEMAS}
    with pytest.raises(BadValue, match="it has none"):
        check_setting("team/bob", "colour", "red", {})
