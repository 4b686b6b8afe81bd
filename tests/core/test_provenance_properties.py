"""Provenance of generated programs: forks serve what is out of reach, and every hand of a text says it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outtake.core.provenance import Provenance, seek
from outtake.core.provenance.run_index import Entry
from outtake_probe.records import InvocationStarted, to_json
from tests.probe.inprocess import Log, execute
from tests.probe.programs import Node, answer, programs, run
from tests.probe.test_fork_properties import LEAVES, asked, mock, own_executed, record

slow = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def provenance(log: Log) -> Provenance:
    def fetch(names: Iterable[str]) -> dict[str, bytes]:
        return {name: log.nodes[name] for name in names if name in log.nodes}

    return Provenance(list(map(to_json, log.records)), fetch)


@slow
@given(programs, st.data())
def test_a_fork_executes_only_what_the_edit_could_reach(nodes: tuple[Node, ...], data: st.DataObject) -> None:
    parent = record(nodes)
    starts = [r for r in parent.records if isinstance(r, InvocationStarted) and r.call in LEAVES]
    if not starts:
        return
    at = data.draw(st.sampled_from(starts))
    reached = provenance(parent).affects(at.seq)
    edits = [mock(parent, at)]
    fork = execute(lambda: run(nodes), parent=parent, cut=at.seq, edits=edits, serve_failures=True)
    assert fork.status == "completed"
    out_of_reach = Counter((r.component, r.digest) for r in starts if r.seq not in reached)
    executed = own_executed(fork, at.seq)
    assert out_of_reach + executed <= asked(fork), (out_of_reach, executed)


@slow
@given(programs)
def test_what_ended_before_cannot_be_reached(nodes: tuple[Node, ...]) -> None:
    parent = record(nodes)
    found = provenance(parent)
    for seq in range(0, len(parent.records), 3):
        over = {inv for inv, end in found.story.ends.items() if end["seq"] < seq and inv != found.story.about(seq)}
        assert not over & found.affects(seq).keys()


@slow
@given(programs, st.data())
def test_every_hand_of_a_text_says_it_and_comes_from_an_earlier_one(
    nodes: tuple[Node, ...], data: st.DataObject
) -> None:
    parent = record(nodes)
    texts = sorted({end for r in parent.records if isinstance(end := parent.body(r.body), str) and end})
    if not texts:
        return
    text = data.draw(st.sampled_from(texts))
    hands = provenance(parent).hands(seek(text))
    says = [r.seq for r in parent.records if r.kind != "stream_chunk" and text in strings(parent.body(r.body))]
    verbatim = [hand.seq for hand in hands if hand.match.how == "verbatim"]
    assert set(says) <= {hand.seq for hand in hands}
    assert set(verbatim) <= set(says)
    assert all(hand.source is None or hand.source < hand.seq for hand in hands)
    assert {hand.source for hand in hands} <= {hand.seq for hand in hands} | {None}


def strings(value: object) -> str:
    """All texts in a value, one after the other; those of a stream put together."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = [strings(item) for item in value]
        return "\n".join(parts) + "\n" + "".join(parts)
    return "\n".join(map(strings, value.values())) if isinstance(value, dict) else ""


@slow
@given(programs)
def test_what_led_to_a_record_came_before_it_and_holds_the_value(nodes: tuple[Node, ...]) -> None:
    parent = record(nodes)
    found = provenance(parent)
    bodies = {r.seq: strings(parent.body(r.body)) for r in parent.records}
    for hand in found.why(len(parent.records) - 1, 1000).hands:
        for source in hand.sources:
            assert source.seq < hand.seq
            if source.match is not None and source.relation in ("value", "inside"):
                assert source.match.said in bodies[hand.seq]
                assert source.match.said in bodies[source.seq] or bodies[source.seq].strip() in source.match.said


def test_the_chain_of_a_line_of_calls_leads_back_to_the_input() -> None:
    log = record((Node("look", 1), Node("ask", 2)))
    found = provenance(log)
    (ended,) = [e for e in found.story.ends.values() if e["component"] == "main/ask"]
    hands = {hand.seq: hand for hand in found.why(ended["seq"], 50).hands}
    walked = [_name(found.story.entries[seq]) for seq in hands]
    assert walked[:4] == ["ended main/ask", "started main/ask", "ended main/look", "started main/look"]
    (source,) = hands[ended["seq"] - 1].sources
    assert (source.relation, source.match and source.match.said) == ("value", answer("lookstart:1"))


def _name(entry: Entry) -> str:
    return f"{entry['kind'].removeprefix('invocation_')} {entry.get('component', '')}"
