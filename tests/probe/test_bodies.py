"""Bodies: what goes in comes out, equal content has one name, and growth costs what is new."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outtake_probe.bodies import Bodies, Growing, Part, references, resolve
from outtake_probe.records import Json
from outtake_probe.redaction.text import MARK, Cleaner

growing = st.text(min_size=1, max_size=4).map(lambda t: t * 2500)
texts = st.text(max_size=30) | growing | st.just("\0") | st.just("\0list")
values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(texts, inner, max_size=6),
    max_leaves=10,
) | st.lists(texts, min_size=1, max_size=3).map(lambda items: items * 50)


@given(values)
def test_what_goes_in_comes_out(value: Json) -> None:
    bodies = Bodies()
    name = bodies.put(value)
    nodes = dict(bodies.take())
    assert resolve(name, nodes.__getitem__) == value


@given(values)
def test_equal_content_has_one_name_and_is_sent_once(value: Json) -> None:
    bodies = Bodies()
    name = bodies.put(value)
    bodies.take()
    assert bodies.put(json.loads(json.dumps(value))) == name
    assert bodies.take() == []
    assert Bodies().put(value) == name


@given(st.lists(texts, max_size=200), st.lists(st.integers(0, 3), max_size=60))
def test_a_growing_list_has_the_name_of_the_plain_one(items: list[str], steps: list[int]) -> None:
    bodies, plain = Bodies(), Bodies()
    at, last = 0, None
    for step in steps:
        at += step
        last = Growing(items[:at], last)
        assert bodies.put({"messages": last}) == plain.put({"messages": items[:at]})


def test_a_conversation_costs_what_is_new_in_it() -> None:
    bodies = Bodies()
    made: list[int] = []

    def message(i: int) -> Part:
        return Part(i, lambda: _said(made, i))

    sizes = []
    for turn in range(1, 401):
        bodies.put([message(i) for i in range(turn)])
        sizes.append(sum(len(data) for _, data in bodies.take()))
    assert made == list(range(400)), "each message is serialised once"
    assert sum(sizes[300:]) < 2.5 * sum(sizes[:100]), "and what a turn adds does not grow with the conversation"


def test_a_text_that_grows_by_lines_shares_what_it_was() -> None:
    bodies = Bodies()
    text = "".join(f"line {i} of the transcript\n" for i in range(5000))
    bodies.put(text)
    bodies.take()
    bodies.put(text + "one more line\n")
    assert sum(len(data) for _, data in bodies.take()) < 20_000


def test_references_are_found_at_any_depth() -> None:
    bodies = Bodies()
    bodies.put({"a": ["x" * 500, {"b": "y" * 500}]})
    nodes = dict(bodies.take())
    assert {ref for data in nodes.values() for ref in references(json.loads(data))} < set(nodes)


def test_secrets_stop_before_they_become_a_node() -> None:
    clean = Cleaner(["ACME-[0-9]{6}"], {"SERVICE_API_KEY": "hunter2hunter2", "HOME": "/home/someone"})
    bodies = Bodies(clean)
    said = {
        "api_key": "anything",
        "headers": {"Authorization": "Bearer abcdefghijklmnop"},
        "text": "use sk-abcdefghijklmnopqrstu or ACME-123456 or hunter2hunter2 " + "and so on " * 50,
        "home": "/home/someone",
    }
    name = bodies.put(said)
    stored = resolve(name, dict(bodies.take()).__getitem__)
    assert stored["api_key"] == MARK
    assert stored["headers"]["Authorization"] == MARK
    assert stored["text"].startswith(f"use {MARK} or {MARK} or {MARK} and so on")
    assert stored["home"] == "/home/someone"


@pytest.mark.parametrize(
    "start", ["sk-", "ghp_AAAA", "gho_AAAA", "ghs_AAAA", "github_pat_AAAA", "AKIA", "bearer ", "BeArEr ", "hunter2"]
)
def test_every_form_of_secret_is_found_without_patterns_of_the_users(start: str) -> None:
    clean = Cleaner(environ={"SERVICE_API_KEY": "hunter2" + "A" * 16})
    assert clean(f"it is {start}{'A' * 16}") == f"it is {MARK}"
    harmless = f"it is no {start}, {'B' * 16}"
    assert clean(harmless) == harmless


def _said(made: list[int], i: int) -> Json:
    made.append(i)
    return {"role": "user", "content": f"message {i} " * 40}
