"""Search: whatever is stored in how many nodes, it finds what a look at every whole body would find."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchmarks.long_run import NEEDLE, write_runs
from outtake.core.excerpts import excerpt, folded
from outtake.core.runs import Fork, Launch
from outtake.store import Store
from outtake.store.contents import LONGEST
from outtake.store.search import Search
from outtake_probe.bodies import Bodies, parse
from outtake_probe.records import Json

LAUNCH = Launch(spec="x.py:main", folder=".", python="python")


def _repeated(text: str) -> str:
    """A text that is cut into pieces."""
    return text * (9000 // len(text) + 1)


words = st.sampled_from(
    ["walks", "WALKS", "n", "\n", "umber", "\\", '"', "519", "51", "ß", "SS", "İ", "Σας", "\x1f", "e", ", ", "list"]
)
short = st.lists(words, max_size=6).map("".join) | st.text(max_size=8)
long = st.lists(short.filter(bool), min_size=1, max_size=2).map(lambda parts: "".join(map(_repeated, parts)) + parts[0])
lines = st.lists(short, min_size=2, max_size=3).map(lambda parts: _repeated("\n".join(parts)))
scalar = st.none() | st.booleans() | st.integers(-999, 999) | st.floats(-1e18, 1e18) | short | long | lines
values: st.SearchStrategy[Json] = st.recursive(
    scalar,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(short, inner, max_size=4),
    max_leaves=6,
) | st.lists(short, min_size=1, max_size=3).map(lambda items: items * 50)
asked = short.filter(lambda text: text.strip("\0") != "" and "\0" not in text) | st.sampled_from(
    ("walks", "s\nw", "1,5", "tr", "null", "nu", ",", "[", "u00", "1f", "\\", '"', "\\n", "text", "0000", "alksw")
)


@settings(max_examples=40, deadline=None)
@given(st.lists(values, min_size=1, max_size=6), st.lists(asked, min_size=1, max_size=6))
@example([["a\nb", {"\0list": ["x"]}, "\0text"]], ["nb", "list", "text", "x"])
@example([[1, 23, {"4": 5}]], ["1,2", "23", "3,", "4", "45"])
@example(["a" * 9000 + "b" * 9000], ["ab", "a" * 400 + "b" * 400])
def test_it_finds_what_a_look_at_every_body_finds(bodies: list[Json], texts: list[str]) -> None:
    with TemporaryDirectory() as folder:
        store = Store(Path(folder))
        run = store.create(LAUNCH, None, seed=1).id
        told = Bodies()
        search = Search(store)
        for seq, value in enumerate(bodies):
            store.append(run, [_record(seq, told.put(value))], told.take())
            if seq % 2:
                search.find(run, "x")  # what is added later is found, too
        for text in texts:
            found = search.find(run, text)
            expected = [seq for seq, value in enumerate(bodies) if _says(value, text)]
            assert [hit.seq for hit in found.hits] == expected, text
            assert found.total == len(expected)
            for hit in found.hits:
                _check_excerpt(store, hit.source, bodies[hit.seq], text)
        store.close()


def _check_excerpt(store: Store, source: Sequence[bytes] | None, value: Json, text: str) -> None:
    assert source is not None
    nodes = [parse(store.node(name.hex())) for name in source]
    found = excerpt("".join(nodes) if len(nodes) > 1 else nodes[0], text)
    assert found is not None
    assert folded(text) in folded(found.said)
    assert any(found.before + found.said + found.after in one for one in _scalars(value))


def _says(value: Json, text: str) -> bool:
    return any(folded(text) in folded(one) for one in _scalars(value))


def _scalars(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _scalars(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _scalars(item)
    else:
        yield json.dumps(value)


def _record(seq: int, body: str, **fields: Json) -> dict[str, Json]:
    return {"kind": "noted", "seq": seq, "at": 1.0, "body": body, **fields}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path)
    yield made
    made.close()


def test_what_a_long_run_says_in_one_place_is_found_where_it_was_said_first_and_where_it_is_repeated(
    store: Store,
) -> None:
    run, fork, *_ = write_runs(store, 1200, forks=2, seed=7)
    search = Search(store)
    for each in (run, fork):
        found = search.find(each.id, NEEDLE.upper())
        expected = [r["seq"] for r in store.records(each.id) if "body" in r and NEEDLE in str(store.body(r["body"]))]
        assert [hit.seq for hit in found.hits] == expected
        assert [hit.seq for hit in found.hits if hit.first] == expected[: found.firsts]
    assert search.find(run.id, NEEDLE).firsts == 1


def test_a_message_that_a_prompt_repeats_is_no_news(store: Store) -> None:
    bodies = Bodies()
    run = store.create(LAUNCH, None, seed=1).id
    said = {"type": "TextMessage", "content": "Roy White has 519 at bats"}
    prompt = [{"type": "SystemMessage", "content": "You are a coder."}, {"type": "UserMessage", **said}]
    told = [said, {"messages": prompt}, {"messages": [*prompt, {"content": "519? I do not think so."}]}, said]
    store.append(run, [_record(seq, bodies.put(value)) for seq, value in enumerate(told)], bodies.take())
    found = Search(store).find(run, "519")
    assert [(hit.seq, hit.first) for hit in found.hits] == [(0, True), (1, False), (2, True), (3, False)]
    assert (found.total, found.firsts) == (4, 2)


@pytest.mark.parametrize("text", ["1445000", "1,445,000"])
def test_a_number_is_found_with_and_without_commas(store: Store, text: str) -> None:
    run = store.create(LAUNCH, None, seed=1).id
    told = Bodies()
    values: list[Json] = ["sold for $1,445,000", {"price": 1445000}, "1.445.000", "144,5000"]
    for seq, value in enumerate(values):
        store.append(run, [_record(seq, told.put(value))], told.take())
    assert [hit.seq for hit in Search(store).find(run, text).hits] == [0, 1]


def test_names_are_found_where_the_body_does_not_say_the_text(store: Store) -> None:
    bodies = Bodies()
    run = store.create(LAUNCH, None, seed=1).id
    queued = {
        "kind": "message_queued",
        "at": 1.0,
        "component": "team/coder",
        "recipient": "team/critic",
        "type": "Text",
    }
    store.append(
        run,
        [
            {**queued, "seq": 0, "body": bodies.put("hello critic")},
            {**queued, "seq": 1, "body": bodies.put("hello")},
            {"kind": "value_read", "seq": 2, "at": 1.0, "source": "input", "value": "what the user typed"},
            {"kind": "span_started", "seq": 3, "at": 1.0, "span": 3, "name": "Retrieve"},
        ],
        bodies.take(),
    )
    search = Search(store)
    for text, expected in {
        "critic": [(0, None), (1, ("recipient", "team/critic"))],
        "CODER": [(0, ("component", "team/coder")), (1, ("component", "team/coder"))],
        "text": [(0, ("type", "Text")), (1, ("type", "Text"))],
        "typed": [(2, ("value", "what the user typed"))],
        "retrieve": [(3, ("name", "Retrieve"))],
    }.items():
        assert [(hit.seq, hit.name) for hit in search.find(run, text).hits] == expected


def test_a_fork_shares_what_was_said_before_its_cut_even_when_that_moves(store: Store) -> None:
    bodies = Bodies()
    first = store.create(LAUNCH, None, seed=1).id
    store.append(first, [_record(n, bodies.put(f"walk {n}")) for n in range(6)], bodies.take())
    fork = store.create(LAUNCH, Fork(parent=first, cut=4), seed=1).id
    search = Search(store)
    assert [hit.seq for hit in search.find(fork, "walk").hits] == [0, 1, 2, 3]
    store.recut(fork, 2)
    store.append(fork, [_record(2, bodies.put("no more walks")), _record(3, bodies.put("hits"))], bodies.take())
    assert [hit.seq for hit in search.find(fork, "walk").hits] == [0, 1, 2]
    assert [hit.seq for hit in search.find(first, "walk").hits] == [0, 1, 2, 3, 4, 5]


def test_what_is_kept_for_later_is_bounded_and_nobody_notices(store: Store) -> None:
    runs = write_runs(store, 600, forks=3, seed=5)
    search, forgetful = Search(store), Search(store, most=1000)
    for _ in range(2):
        for run in runs:
            for text in ("walks", "Coder", "no such words"):
                told = [
                    [(found.total, found.firsts), *((hit.seq, hit.first, hit.name) for hit in found.hits)]
                    for found in (forgetful.find(run.id, text), search.find(run.id, text))
                ]
                assert told[0] == told[1]


def test_hits_come_in_pages_and_news_alone(store: Store) -> None:
    bodies = Bodies()
    run = store.create(LAUNCH, None, seed=1).id
    told = [f"walk {n // 2}" for n in range(20)]
    store.append(run, [_record(n, bodies.put(text)) for n, text in enumerate(told)], bodies.take())
    search = Search(store)
    page = search.find(run, "walk", after=4, limit=3)
    assert (page.total, page.firsts, [hit.seq for hit in page.hits]) == (20, 10, [5, 6, 7])
    assert [hit.seq for hit in search.find(run, "walk", limit=3, first=True).hits] == [0, 2, 4]


def test_long_texts_that_grow_are_searched_across_their_pieces(store: Store) -> None:
    bodies = Bodies()
    run = store.create(LAUNCH, None, seed=1).id
    lines = [f"line {n} of a log that grows and grows, with nothing in it\n" for n in range(12_000)]
    texts = ["".join(lines[:length]) for length in range(2000, 12_001, 500)]
    store.append(run, [_record(n, bodies.put({"log": text})) for n, text in enumerate(texts)], bodies.take())
    search = Search(store)
    for n in range(0, 12_000, 37):
        text = lines[n][-30:] + (lines[n + 1][:30] if n + 1 < len(lines) else "")
        assert [hit.seq for hit in search.find(run, text).hits] == [k for k, whole in enumerate(texts) if text in whole]
    text = texts[-1][40_000 : 40_000 + LONGEST]
    assert len(search.find(run, text).hits) == len(texts) - sum(text not in whole for whole in texts)
