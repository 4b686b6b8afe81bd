"""What is seen of a body before it is opened."""

import pytest

from outtake.core.glance import LENGTH, glance
from outtake_probe.records import Json


@pytest.mark.parametrize(
    ("body", "form", "text"),
    [
        (None, "empty", ""),
        ({}, "empty", ""),
        ("hello", "text", "hello"),
        ({"content": "hello", "source": "coder"}, "text", "hello"),
        ({"messages": [{"content": "one"}, {"content": "two"}]}, "text", "two"),
        ({"$type": "object", "class": "a:Event", "fields": {"content": "hello"}}, "text", "hello"),
        ({"$type": "exception", "class": "builtins:ValueError", "message": "bad"}, "error", "ValueError: bad"),
        ({"query": "walks", "top": 3}, "json", '{"query": "walks", "top": 3}'),
        (17, "json", "17"),
    ],
)
def test_a_glance_says_what_was_said(body: Json, form: str, text: str) -> None:
    seen = glance(body)
    assert (seen.form, seen.text, seen.size) == (form, text, len(text))


def test_a_long_text_is_cut_and_its_length_told() -> None:
    seen = glance("walks " * LENGTH)
    assert (len(seen.text), seen.size) == (LENGTH, 6 * LENGTH)
