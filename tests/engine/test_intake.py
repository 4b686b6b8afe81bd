"""What was acknowledged is there again after a crash at any moment: before it is stored, and while it is."""

from __future__ import annotations

import resource
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from outtake.core.runs import Launch
from outtake.engine.intake import Intake
from outtake.engine.journal import Journal, recover
from outtake.store import Store
from outtake_probe.records import Json
from outtake_probe.wire import Frame, pack, read_frames

WAIT = 30.0


class Slow(Store):
    """A store that takes records when it is told to."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.asked, self.go_on = threading.Event(), threading.Event()
        self.broken: Exception | None = None

    def append(self, run: str, records: Sequence[Mapping[str, Json]], nodes: Sequence[tuple[str, bytes]] = ()) -> None:
        self.asked.set()
        assert self.go_on.wait(WAIT)
        if self.broken is not None:
            raise self.broken
        super().append(run, records, nodes)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Slow]:
    store = Slow(tmp_path)
    yield store
    store.go_on.set()
    store.close()


def frame(seq: int) -> Frame:
    (made,) = read_frames(pack("records", {"records": [{"kind": "noted", "seq": seq, "at": 1.0 + seq}]}))
    return made


def numbers(store: Store, run: str) -> list[int]:
    return [record["seq"] for record in store.records(run)]


def test_what_comes_while_something_is_stored_survives_a_crash(store: Slow, tmp_path: Path) -> None:
    run = store.create(Launch(spec="x.py", folder=".", python="python"), None, seed=1).id
    intake = Intake(store, run, lambda _: None, lambda _: None)
    intake.keep(frame(0))
    assert store.asked.wait(WAIT)  # what is kept is being stored
    intake.keep(frame(1))
    other = Store(tmp_path)  # the server is killed here, and the next one begins
    recover(tmp_path, other)
    assert numbers(other, run) == [0, 1]
    other.close()


def test_what_is_stored_is_in_the_journal_no_more(store: Slow, tmp_path: Path) -> None:
    run = store.create(Launch(spec="x.py", folder=".", python="python"), None, seed=1).id
    seen: list[int] = []
    intake = Intake(store, run, lambda records: seen.extend(r["seq"] for r in records), lambda _: None)
    store.go_on.set()
    for seq in range(3):
        intake.keep(frame(seq))
    intake.store()
    assert seen == numbers(store, run) == [0, 1, 2]
    assert [path.stat().st_size for path in (tmp_path / "journal").iterdir()] == [0, 0]
    intake.close()
    assert not list((tmp_path / "journal").iterdir())


def test_what_comes_after_the_end_of_a_run_is_not_part_of_it(store: Slow, tmp_path: Path) -> None:
    run = store.create(Launch(spec="x.py", folder=".", python="python"), None, seed=1).id
    intake = Intake(store, run, lambda _: None, lambda _: None)
    store.go_on.set()
    intake.keep(frame(0))
    intake.close()
    intake.keep(frame(1))  # of a thread that a divergence has not stopped yet
    assert numbers(store, run) == [0]
    assert not list((tmp_path / "journal").iterdir())


def test_a_frame_for_which_there_was_no_room_can_be_written_again(store: Slow, tmp_path: Path) -> None:
    run = store.create(Launch(spec="x.py", folder=".", python="python"), None, seed=1).id
    store.go_on.set()
    journal = Journal(tmp_path, run)
    journal.write(frame(0))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(frame(0).raw) + 5, hard))
    try:
        with pytest.raises(OSError, match="too large"):
            journal.write(frame(1))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    journal.write(frame(1))
    journal.close(keep=True)
    recover(tmp_path, store)
    assert numbers(store, run) == [0, 1]


def test_what_no_store_takes_is_put_aside_and_keeps_nobody_from_the_rest(
    store: Slow, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    launch = Launch(spec="x.py", folder=".", python="python")
    bad, good = (store.create(launch, None, seed=1).id for _ in range(2))
    store.go_on.set()
    for run, told in ((bad, {"kind": "colour"}), (good, {"kind": "noted"})):
        (made,) = read_frames(pack("records", {"records": [{**told, "seq": 0, "at": 1.0}]}))
        journal = Journal(tmp_path, run)
        journal.write(made)
        journal.close(keep=True)
    for _ in range(2):  # nor does it in the next server
        recover(tmp_path, store)
        assert (numbers(store, bad), numbers(store, good)) == ([], [0])
        assert sorted(path.name for path in (tmp_path / "journal").iterdir())[:1] == [f"aside-{bad}"]
    assert f"some of {bad} cannot be stored" in caplog.text


def test_an_error_of_the_storing_reaches_who_keeps_the_next_frame_and_loses_none(store: Slow, tmp_path: Path) -> None:
    run = store.create(Launch(spec="x.py", folder=".", python="python"), None, seed=1).id
    intake = Intake(store, run, lambda _: None, lambda _: None)
    store.broken = ValueError("a record that no store takes")
    intake.keep(frame(0))
    assert store.asked.wait(WAIT)
    store.go_on.set()
    with pytest.raises(ValueError, match="no store takes"):
        while True:  # until the other thread has come that far
            intake.keep(frame(1))
    with pytest.raises(ValueError, match="no store takes"):
        intake.store()
    intake.close()
    other = Store(tmp_path)
    recover(tmp_path, other)
    assert numbers(other, run) in ([0], [0, 1])
    other.close()
