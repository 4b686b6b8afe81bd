"""Requests as JSON: what is the same shares its nodes, what differs does not, and one-shot iterators survive."""

from __future__ import annotations

import datetime as dt
import io
from typing import Any

import pytest

from outtake_probe.bodies import Bodies, Part, resolve
from outtake_probe.commands import BadValue
from outtake_probe.targets.stainless.library import Turns
from outtake_probe.targets.stainless.requests import body_json, edited_body, normalized, plain, settled


class NotGiven:
    pass


ABSENT = (NotGiven,)
MESSAGES = Turns("messages")


def stored(*bodies: dict[str, Any]) -> list[Any]:
    """What comes back of these bodies from one store."""
    kept = Bodies()
    names = [kept.put(body_json(body, ABSENT)) for body in bodies]
    nodes = dict(kept.take())
    return [resolve(name, nodes.__getitem__) for name in names]


def test_values_that_only_python_takes_for_equal_are_not_mixed_up() -> None:
    values: list[Any] = [1, True, 1.0, "1", None, "", [], {}, [[]], [{}]]
    bodies: list[dict[str, Any]] = [{"messages": [value]} for value in values]
    assert [repr(body) for body in stored(*bodies)] == [repr(body) for body in bodies]


def test_what_was_not_given_is_left_out_at_any_depth() -> None:
    body = {"model": "m", "stop": NotGiven(), "messages": [{"role": "user", "name": NotGiven()}]}
    assert stored(body) == [{"model": "m", "messages": [{"role": "user"}]}]


def test_a_message_is_serialised_once() -> None:
    made: list[Any] = []

    def counted(part: Part) -> Part:
        def make() -> Any:
            made.append(part.key)
            return part.make()

        return Part(part.key, make)

    kept, messages = Bodies(), []
    for n in range(20):
        messages.append({"role": "user", "content": f"message {n}"})
        parts = body_json({"messages": settled(messages)}, ABSENT)["messages"]
        kept.put([counted(part) for part in parts])
    assert len(made) == 20


def test_a_message_that_changed_in_place_is_another() -> None:
    message = {"role": "user", "content": "before"}
    first = {"messages": settled([message])}
    message["content"] = "after"
    assert stored(first, {"messages": settled([message])}) == [
        {"messages": [{"role": "user", "content": "before"}]},
        {"messages": [{"role": "user", "content": "after"}]},
    ]


def test_iterators_are_read_once_and_files_not_at_all() -> None:
    file = io.BytesIO(b"data")
    body = settled({"messages": iter([{"content": (part for part in "ab")}]), "file": file})
    assert body == {"messages": [{"content": ["a", "b"]}], "file": file}
    assert file.read() == b"data"


def test_dates_are_written_as_the_libraries_write_them() -> None:
    assert plain({"day": dt.date(2026, 1, 2)}) == {"day": "2026-01-02"}


def test_an_edit_keeps_the_objects_it_does_not_touch() -> None:
    file = io.BytesIO(b"data")
    body = {"model": "m", "file": file, "temperature": 1.0}
    edited = edited_body(body, {**plain(body), "model": "other"}, ABSENT)
    assert edited == {"model": "other", "file": file, "temperature": 1.0}


def test_an_edit_names_some_keys_and_takes_out_others() -> None:
    now = {"model": "m", "messages": [], "temperature": 1.0}
    assert normalized(now, MESSAGES, {"temperature": None, "top_p": 0.5}) == {
        "model": "m",
        "messages": [],
        "top_p": 0.5,
    }


@pytest.mark.parametrize("value", [7, "text", [], {}, {"messages": "text"}, {"messages": [1]}, {"stream": True}])
def test_an_edit_that_is_no_request_is_refused(value: Any) -> None:
    with pytest.raises(BadValue):
        normalized({"model": "m", "messages": []}, MESSAGES, value)


def test_what_is_asked_may_be_something_else_than_a_conversation() -> None:
    turns = Turns("input", lambda value: isinstance(value, str))
    assert normalized({"model": "m", "input": "a"}, turns, {"input": "b"})["input"] == "b"
    with pytest.raises(BadValue):
        normalized({"model": "m", "input": "a"}, turns, {"input": [{"role": "user"}]})
