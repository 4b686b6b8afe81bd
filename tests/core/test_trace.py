"""The trace of a run: what encloses what, in time."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from outtake.core.trace import Item, items, tree, window
from outtake_probe.attached import active
from outtake_probe.calls import Call
from outtake_probe.gate.invoke import call
from outtake_probe.records import SpanEnded, SpanStarted, to_json
from tests.probe.inprocess import Log, execute

Work = tuple[str, list["Work"]]
_works: st.SearchStrategy[list[Work]] = st.recursive(
    st.lists(st.tuples(st.sampled_from(("call", "span", "event")), st.just([])), max_size=3),
    lambda inner: st.lists(st.tuples(st.sampled_from(("call", "span")), inner), max_size=3),
    max_leaves=12,
)


def _program(works: list[Work]) -> Callable[[], None]:
    def do(works: list[Work], span: int | None) -> None:
        session = active()
        assert session is not None
        for number, (kind, inside) in enumerate(works):
            if kind == "event":
                session.note("event", "here", number, span=span)
            elif kind == "call":
                call(session, Call("step", f"s{number}", None), lambda _, inside=inside: do(inside, None))  # type: ignore[misc]
            else:
                opened = session.span(f"span {number}", {"n": number}, within=span)
                do(inside, opened)
                session.span_end(opened, seconds=0.25, tokens_in=3)

    return lambda: do(works, None)


def _items(log: Log) -> list[Item]:
    return items(to_json(r) | {"name": getattr(r, "name", "")} | _full(r) for r in log.records)


def _full(r: object) -> dict[str, object]:
    names = ("within", "span", "seconds", "tokens_in", "tokens_out", "failed", "type")
    return {name: getattr(r, name) for name in names if hasattr(r, name)}


def _shape(works: list[Work]) -> tuple[list[object], list[object]]:
    """What encloses what, and the calls made inside spans, which lie in the invocation around them."""
    own: list[object] = []
    calls: list[object] = []
    for kind, inside in works:
        inner, out = _shape(inside)
        if kind == "call":
            calls.append(("invocation", _flat(inside)))
        else:
            own.append((kind, inner))
            calls += out
    return own, calls


def _flat(works: list[Work]) -> list[object]:
    """What lies directly in an invocation, in time order."""
    found: list[object] = []
    for work in works:
        own, calls = _shape([work])
        found += [*own, *calls]
    return found


def _nested(placed: list[tuple[int, Item]]) -> list[object]:
    roots: list[object] = []
    stack: list[list[object]] = [roots]
    for depth, item in placed:
        inside: list[object] = []
        stack[depth].append((item.kind, inside))
        stack[depth + 1 :] = [inside]
    return roots


@settings(max_examples=60, deadline=None)
@given(_works)
def test_the_tree_has_the_shape_of_what_happened(works: list[Work]) -> None:
    log = execute(_program(works))
    assert _nested(tree(_items(log))) == [("invocation", _flat(works))]


@settings(max_examples=40, deadline=None)
@given(_works, st.integers(0, 40), st.integers(0, 40))
def test_a_window_holds_what_goes_on_in_it(works: list[Work], first: int, last: int) -> None:
    found = _items(execute(_program(works)))
    assert found == sorted(found, key=lambda item: (item.start, item.seq))
    since, until = found[first % len(found)].start, found[last % len(found)].start
    shown = window(found, since, until)
    for item in found:
        inside = item.start <= until and (item.end is None or item.end >= since)
        assert (item in shown) is inside


def test_a_fork_writes_only_the_spans_that_are_its_own() -> None:
    works: list[Work] = [("call", [("span", [("event", [])])]), ("call", [("span", [])])]
    parent = execute(_program(works))
    fork = execute(_program(works), parent=parent, cut=len(parent.records) - 1)
    again = execute(_program(works), parent=parent, cut=1)
    for log in (fork, again):
        spans = [r for r in log.records if isinstance(r, SpanStarted)]
        assert [r.span for r in spans] == [r.seq for r in spans]
        assert {r.span for r in log.records if isinstance(r, SpanEnded)} == {r.seq for r in spans}
        assert len(spans) == 2
