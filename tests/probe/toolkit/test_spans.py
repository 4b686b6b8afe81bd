"""Open spans: which span encloses which, what ends them, and what a replay does not write again."""

from __future__ import annotations

from collections.abc import Callable

from outtake_probe.attached import active
from outtake_probe.calls import Usage
from outtake_probe.records import Json, SpanEnded, SpanStarted
from outtake_probe.targets.toolkit.spans import OpenSpans
from tests.probe.inprocess import Log, execute


def recorded(use: Callable[[OpenSpans[str]], None], parent: Log | None = None) -> Log:
    """The log of a program that reports spans, or of a fork at the end of that."""

    def program() -> None:
        session = active()
        assert session is not None
        use(OpenSpans(session))

    return execute(program, parent=parent)


def started(log: Log) -> list[SpanStarted]:
    return [record for record in log.records if isinstance(record, SpanStarted)]


def ended(log: Log) -> list[SpanEnded]:
    return [record for record in log.records if isinstance(record, SpanEnded)]


def nested(spans: OpenSpans[str]) -> None:
    spans.start("a", "outer", {"tags": ["x"]}, attached="of a")
    assert spans.attached_to("a") == "of a"
    spans.start("b", "inner", parent="a")
    spans.end("b", lambda: {"answer": 1}, usage=Usage(3, 4))
    spans.end("a", lambda: {"error": "boom"}, failed=True)


def test_a_span_is_inside_that_of_its_parent_and_ends_with_what_came_of_it() -> None:
    log = recorded(nested)
    outer, inner = started(log)
    assert (outer.name, outer.within, log.body(outer.body)) == ("outer", None, {"tags": ["x"]})
    assert (inner.name, inner.within, inner.body) == ("inner", outer.span, None)
    first, last = ended(log)
    assert (first.span, first.failed, first.tokens_in, first.tokens_out) == (inner.span, False, 3, 4)
    assert log.body(first.body) == {"answer": 1}
    assert (last.span, last.failed, log.body(last.body)) == (outer.span, True, {"error": "boom"})


def test_what_passes_through_hands_on_the_span_around_it() -> None:
    def use(spans: OpenSpans[str]) -> None:
        spans.start("a", "outer")
        spans.pass_through("graph", "a")
        spans.pass_through("node", "graph")
        assert spans.number("node") == spans.number("a") is not None
        spans.start("b", "inner", parent="node")
        for key in ("b", "node", "graph", "a"):
            spans.end(key)
        assert not spans

    log = recorded(use)
    outer, inner = started(log)
    assert inner.within == outer.span
    assert [record.span for record in ended(log)] == [inner.span, outer.span]


def test_without_a_span_around_it_what_passes_through_is_not_kept() -> None:
    def use(spans: OpenSpans[str]) -> None:
        spans.pass_through("graph")
        assert not spans
        spans.start("a", "inner", parent="graph")
        assert spans

    (only,) = started(recorded(use))
    assert only.within is None


def test_an_end_without_a_start_is_left_out() -> None:
    def never() -> Json:
        raise AssertionError("nothing is to be described")

    def use(spans: OpenSpans[str]) -> None:
        spans.end("unknown", never)
        assert spans.number("unknown") is spans.number(None) is spans.attached_to("unknown") is None

    assert not ended(recorded(use))


def test_a_replay_writes_no_span_again() -> None:
    parent = recorded(nested)
    assert started(recorded(nested, parent)) == started(parent)
