"""What the records of a run name, counted in the database: the same as counted one by one."""

from __future__ import annotations

from pathlib import Path

from benchmarks.long_run import write_runs
from outtake.core.describing import Called, Parts, Sent
from outtake.store import Store
from outtake.store.parts import parts


def test_counting_in_the_database_is_counting_one_by_one(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for run in write_runs(store, 1500, forks=4, seed=3):
        expected = Parts()
        paths = {}
        for record in store.records(run.id):
            path = record.get("component", "")
            paths[record["seq"]] = path
            if record["kind"] == "invocation_started":
                expected.called[Called(path, record["call"], record["effects"] or "")] += 1
                if record.get("parent") is not None:
                    expected.inside[paths[record["parent"]], path] += 1
            elif record["kind"] == "message_queued":
                expected.sent[Sent(path, record["recipient"], record["type"])] += 1
            elif record["kind"] == "config_set":
                expected.settings[path, record["key"]] = store.body(record["body"])
        assert parts(store, run.id) == expected
    store.close()
