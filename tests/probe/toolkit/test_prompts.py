"""Edited prompts: of a text, a list of messages, or an object with some of the fields."""

from __future__ import annotations

from typing import Any

import pytest

from outtake_probe.bodies import Growing, Part
from outtake_probe.commands import BadValue
from outtake_probe.records import Json
from outtake_probe.targets.toolkit.prompts import merge_prompt

SYSTEM: Json = {"role": "system", "content": "Be brief."}
USER: Json = {"role": "user", "content": "Hi", "name": "ann"}
PROMPT: dict[str, Json] = {"model": "m", "messages": Growing([SYSTEM, USER]), "temperature": 0.5}


def test_a_text_is_what_the_last_message_says() -> None:
    edited = merge_prompt(PROMPT, "Bye")
    assert edited == {"model": "m", "messages": [SYSTEM, {**USER, "content": "Bye"}], "temperature": 0.5}
    assert list(edited) == ["model", "messages", "temperature"]
    assert PROMPT["messages"] == [SYSTEM, USER]


def test_a_list_is_all_messages() -> None:
    assert merge_prompt(PROMPT, [USER])["messages"] == [USER]
    assert merge_prompt(PROMPT, [])["messages"] == []


def test_an_object_replaces_the_fields_that_it_names() -> None:
    assert merge_prompt(PROMPT, {"temperature": 1}) == {**PROMPT, "temperature": 1}
    assert merge_prompt(PROMPT, {"messages": [USER], "model": "n"}) == {**PROMPT, "messages": [USER], "model": "n"}
    assert merge_prompt(PROMPT, {}) == PROMPT


def test_messages_that_are_not_made_yet_are_made() -> None:
    prompt: dict[str, Any] = {"messages": [Part("key", lambda: SYSTEM), USER]}
    assert merge_prompt(prompt, {}) == {"messages": [SYSTEM, USER]}
    assert merge_prompt(prompt, "Bye") == {"messages": [SYSTEM, {**USER, "content": "Bye"}]}


def test_a_text_needs_a_message_or_a_template_of_one() -> None:
    with pytest.raises(BadValue, match="no message whose text could be changed"):
        merge_prompt({"messages": []}, "Hi")
    assert merge_prompt({"messages": []}, "Hi", template={"role": "user"}) == {
        "messages": [{"role": "user", "content": "Hi"}]
    }


@pytest.mark.parametrize("value", [3, None, True])
def test_anything_else_is_refused(value: Json) -> None:
    with pytest.raises(BadValue, match=r'an object with "messages", or the text of its last message'):
        merge_prompt(PROMPT, value)


def test_messages_are_a_list() -> None:
    with pytest.raises(BadValue, match='"messages" is a list of messages') as caught:
        merge_prompt(PROMPT, {"messages": "Hi"}, schema={"type": "array"})
    assert caught.value.schema == {"type": "array"}


def test_an_unknown_field_is_refused_unless_that_is_allowed() -> None:
    with pytest.raises(BadValue, match="has no field 'top_p'; it has model, messages, temperature"):
        merge_prompt(PROMPT, {"top_p": 1})
    assert merge_prompt(PROMPT, {"top_p": 1}, allow_unknown=True) == {**PROMPT, "top_p": 1}
