"""Annotations in the store: seen along the tree of forks, kept as they were, also in a store that knew none."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from outtake.core.annotations import Annotation, Note
from outtake.core.outcome import Criteria
from outtake.core.runs import Fork, Launch
from outtake.service.service import Service
from outtake.store import Store
from outtake.store.annotations import Annotations

LAUNCH = Launch(spec="x.py:main", folder=".", python="python")
LENGTH = 6

forks = st.tuples(st.integers(0, 20), st.integers(0, LENGTH))
"""Which of the runs that are there is forked, and where."""
notes = st.one_of(
    st.builds(Note, kind=st.just("expectation"), text=st.text(min_size=1, max_size=4)),
    st.builds(Note, kind=st.just("verdict"), data=st.booleans().map(lambda passed: {"passed": passed})),
    st.builds(
        Note,
        kind=st.sampled_from(("feedback", "finding", "verdict")),
        text=st.text(min_size=1, max_size=4),
        seq=st.none() | st.integers(0, LENGTH),
        data=st.just({"passed": True}),
    ),
)


def tree(store: Store, shape: Sequence[tuple[int, int]]) -> dict[str, tuple[str, int] | None]:
    """Runs that are forks of each other: each with its parent and its cut."""
    made: dict[str, tuple[str, int] | None] = {store.create(LAUNCH, None, seed=1, status="completed").id: None}
    for which, cut in shape:
        parent = list(made)[which % len(made)]
        run = store.create(LAUNCH, Fork(parent=parent, cut=cut), seed=1, status="completed")
        made[run.id] = (parent, cut)
    return made


def naive(run: str, made: dict[str, tuple[str, int] | None], said: Sequence[Annotation]) -> list[Annotation]:
    """What is seen from a run, by going up the tree."""
    found = [a for a in said if a.run == run]
    shared, at = LENGTH + 1, made[run]
    while at is not None:
        parent, cut = at
        shared, at = min(shared, cut), made[parent]
        found += [a for a in said if a.run == parent and a.seq is not None and a.seq < shared]
    return sorted(found, key=lambda annotation: annotation.id)


def judged_by(run: str, made: dict[str, tuple[str, int] | None], said: Sequence[Annotation]) -> Criteria:
    verdicts = [a.data["passed"] for a in said if (a.run, a.seq, a.kind) == (run, None, "verdict")]
    at: str | None = run
    expected: list[str] = []
    while at is not None and not expected:
        expected = [a.text for a in said if (a.run, a.kind) == (at, "expectation")]
        parent = made[at]
        at = parent[0] if parent is not None else None
    return Criteria(expected[-1] if expected else None, verdicts[-1] if verdicts else None)


@settings(max_examples=40, deadline=None)
@given(st.lists(forks, max_size=6), st.lists(st.tuples(st.integers(0, 20), notes), max_size=12))
def test_what_is_said_is_seen_and_counts_as_the_tree_of_forks_says(
    shape: list[tuple[int, int]], spoken: list[tuple[int, Note]]
) -> None:
    with TemporaryDirectory() as folder:
        service = Service(Path(folder))
        try:
            made = tree(service.store, shape)
            kept = Annotations(service.store)
            said = [kept.add(list(made)[which % len(made)], note) for which, note in spoken]
            every = service._all_criteria(service.store.runs())
            for run in made:
                assert kept.seen_from(run) == naive(run, made, said)
                assert kept.of(run) == [a for a in said if a.run == run]
                assert service._criteria(service.store.run(run)) == every[run] == judged_by(run, made, said)
        finally:
            service.close()


def test_a_store_that_knew_no_annotations_goes_on_to_work(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run = store.create(LAUNCH, None, seed=1, status="completed").id
    store.close()
    with sqlite3.connect(tmp_path / "outtake.db") as old:
        old.execute("drop table annotations")
        old.execute("update runs set launch = ?", ('{"spec": "x.py:main", "folder": ".", "python": "python"}',))
    old.close()
    store = Store(tmp_path)
    kept = Annotations(store)
    assert store.run(run).launch == LAUNCH
    made = kept.add(run, Note(kind="feedback", text="half \udcff", data={"half": "\udcff"}))
    assert kept.of(run) == [made]
    assert (made.text, made.data) == ("half ?", {"half": "\udcff"})
    store.delete(run)
    assert kept.get(made.id) is None
    store.close()
