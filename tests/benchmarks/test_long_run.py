"""The long run is made up, but it is a log like any other."""

from __future__ import annotations

from pathlib import Path

from benchmarks.long_run import NEEDLE, write_runs
from outtake.core.runs import Run, count
from outtake.store import Store
from outtake_probe.records import InvocationEnded, InvocationStarted, Json, MessageQueued, from_json


def test_it_has_as_many_records_as_asked_for_and_is_the_same_for_the_same_seed(tmp_path: Path) -> None:
    stores = [Store(tmp_path / name) for name in ("a", "b")]
    runs = [write_runs(store, 1500, forks=2, seed=4) for store in stores]
    assert runs[0][0].records == 1500
    left, right = ([list(store.records(run.id)) for run in found] for store, found in zip(stores, runs, strict=True))
    assert left == right
    for store in stores:
        store.close()


def test_every_record_refers_to_what_came_before_it_and_every_body_is_there(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for run in write_runs(store, 1200, forks=2):
        found = [from_json(record) for record in store.records(run.id)]
        assert [record.seq for record in found] == list(range(run.records))
        started = {r.seq: r for r in found if isinstance(r, InvocationStarted)}
        queued = {r.seq for r in found if isinstance(r, MessageQueued)}
        for record in found:
            assert record.parent is None or started[record.parent].seq < record.seq
            assert queued >= set(record.caused_by)
            if isinstance(record, InvocationEnded):
                assert record.invocation is not None
                assert started.pop(record.invocation).call == record.call
            if record.body is not None:
                store.body(record.body)
        assert started == {}, "an invocation has no end"
        assert run.counts == count(found, run.fork.cut if run.fork is not None else 0)
    store.close()


def test_forks_share_their_parents_records_up_to_an_instruction_that_they_replace(tmp_path: Path) -> None:
    store = Store(tmp_path)
    first, *forks = write_runs(store, 1500, forks=3, seed=2)
    for run in forks:
        assert run.fork is not None
        theirs, mine = _records(store, store.run(run.fork.parent)), _records(store, run)
        assert mine[: run.fork.cut] == theirs[: run.fork.cut]
        assert theirs[run.fork.cut]["kind"] == "message_queued"
        assert (mine[run.fork.cut]["kind"], mine[run.fork.cut + 1]["edited"]) == ("edited", True)
        assert run.fork.edits[0]["value"] in str(store.body(mine[run.fork.cut]["body"]))
    assert any(NEEDLE in str(store.body(r["body"])) for r in store.records(first.id, kind="tool") if "body" in r)
    store.close()


def _records(store: Store, run: Run) -> list[dict[str, Json]]:
    return list(store.records(run.id))
