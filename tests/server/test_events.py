"""Events: pushed as they happen, resumed, and bounded; nobody who hangs up leaves anything behind."""

from __future__ import annotations

import base64
import os
import socket
import threading
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from outtake.core.runs import Fork, Launch
from outtake.server.event_feed import BATCH, BEHIND, RunSource
from outtake.server.models.events import ListEvent, RunEvent
from outtake.service import Service
from tests.server.conftest import BOUND, Document, Server
from tests.server.fitting import fits

LAUNCH = Launch(spec="writer.py:main", folder=".", python="")


def stored(service: Service, count: int, start: int = 0, fork: Fork | None = None, **fields: Any) -> str:
    """A run that has ended, with records that nobody made."""
    run = service.store.create(LAUNCH, fork, seed=1, status="completed").id
    told = [{"kind": "noted", "seq": n, "at": float(n), **fields} for n in range(start, count)]
    for first in range(0, len(told), 5000):
        service.store.append(run, told[first : first + 5000])
    return run


def test_a_run_is_followed_from_its_first_record_to_its_end(server: Server) -> None:
    with server.client.listen("/api/events"):
        run = server.client.post("/api/runs", {"spec": "writer.py:main"}, status=201)["run"]
    with server.client.listen(f"/api/runs/{run}/events") as reader:
        events = reader.rest()
        assert (reader.socket.close_code, reader.socket.close_reason) == (1000, "there is no more to come")
    fits(list[RunEvent], events)
    assert reader.records() == server.client.get(f"/api/runs/{run}/records")["records"]
    assert "".join(e["part"]["text"] for e in events if e["type"] == "console") == "hello from the program\n"
    last, info = reader.state(), server.ended(run)
    assert last == {name: info[name] for name in last}


def test_events_come_in_arrays(server: Server) -> None:
    run = stored(server.service, 2500)
    with server.client.listen(f"/api/runs/{run}/events") as reader:
        reader.rest()
    assert [record["seq"] for record in reader.records()] == list(range(2500))
    assert reader.frames == 3 == -(-2500 // BATCH)


def test_a_reader_resumes_where_it_was(server: Server) -> None:
    server.client.post("/api/runs", {"spec": "writer.py:main", "pause": True}, status=201)
    records: list[Document] = []
    part = -1
    for _ in range(100):  # hang up at every hold
        last = records[-1]["seq"] if records else -1
        with server.client.listen(f"/api/runs/r1/events?after={last}&console={part}") as reader:
            live = (
                reader.until()["live"] if not server.service.info("r1")["held"] else reader.until(status="held")["live"]
            )
            if live:
                server.client.ask("POST", "/api/runs/r1/step", {})
            else:
                reader.rest()
        records += reader.records()
        part = max([part, *(event["part"]["n"] for event in reader.seen if event["type"] == "console")])
        if not live:
            break
    assert records == server.client.get("/api/runs/r1/records")["records"]
    assert part == 0


def test_the_same_events_come_as_an_ordinary_answer(server: Server, recorded: Document) -> None:
    events = server.client.get("/api/runs/r1/events?after=5")
    fits(list[RunEvent], events)
    assert [e["record"]["seq"] for e in events if e["type"] == "record"] == list(range(6, recorded["records"]))
    runs = server.client.get("/api/events")
    fits(list[ListEvent], runs)
    assert [event["run"]["run"] for event in runs] == ["r1"]


def test_an_idle_run_sends_nothing(server: Server) -> None:
    server.client.post("/api/runs", {"spec": "writer.py:main", "pause": True}, status=201)
    server.held("r1")
    with server.client.listen("/api/runs/r1/events") as reader, server.client.listen("/api/events") as runs:
        reader.until(status="held")
        runs.frame()
        for silent in (reader, runs):
            with pytest.raises(TimeoutError):
                silent.frame(timeout=0.3)
        server.client.post("/api/runs/r1/stop")
        reader.until(status="stopped")


def test_who_is_far_behind_is_told_what_to_fetch(server: Server) -> None:
    total = BEHIND + 10
    run = stored(server.service, total)
    with server.client.listen(f"/api/runs/{run}/events?after=4") as reader:
        (gap, state) = reader.rest()
    assert gap == {"type": "gap", "after": 4, "upto": total - 1}
    assert state["state"]["records"] == total
    fits(list[RunEvent], reader.seen)
    page = server.client.get(f"/api/runs/{run}/records?after={gap['after']}&limit=10000")
    assert [record["seq"] for record in page["records"]] == list(range(5, 5 + 10_000))


def test_a_reader_goes_on_from_the_present_after_a_gap(server: Server) -> None:
    run = stored(server.service, BEHIND + 10)
    source = RunSource(server.service, run)
    assert [event["type"] for event in source.news()] == ["gap", "state"]
    server.service.store.append(run, [{"kind": "noted", "seq": BEHIND + 10, "at": 1.0}])
    assert [event["type"] for event in source.news()] == ["record", "state"]


def test_a_reader_is_told_what_a_replay_has_taken_back(server: Server) -> None:
    parent = stored(server.service, 10)
    fork = stored(server.service, 0, fork=Fork(parent=parent, cut=8))
    source = RunSource(server.service, fork)
    assert [event["record"]["seq"] for event in source.news() if event["type"] == "record"] == list(range(8))
    server.service.store.recut(fork, 5)
    server.service.store.append(fork, [{"kind": "noted", "seq": 5, "at": 1.0, "type": "new"}])
    gap, record, _ = source.news()
    assert gap == {"type": "gap", "after": 4, "upto": 4}
    assert (record["record"]["seq"], record["record"]["type"]) == (5, "new")


def test_a_reader_that_knows_more_than_there_is_is_told(server: Server) -> None:
    run = stored(server.service, 3)
    with server.client.listen(f"/api/runs/{run}/events?after=50") as reader:
        assert reader.rest()[0] == {"type": "gap", "after": 2, "upto": 2}


def test_the_list_of_runs_is_followed(server: Server, recorded: Document) -> None:
    with server.client.listen("/api/events") as reader:
        assert [event["run"]["run"] for event in reader.frame()] == [recorded["run"]]
        server.client.post("/api/runs", {"spec": "writer.py:main"}, status=201)
        statuses: list[str] = []
        while "completed" not in statuses:
            statuses += [event["run"]["status"] for event in reader.frame() if event["run"]["run"] == "r2"]
        assert statuses[0] in ("starting", "running")
        server.client.ask("DELETE", "/api/runs/r2")
        while reader.seen[-1] != {"type": "deleted", "run": "r2"}:
            reader.frame()
    fits(list[ListEvent], reader.seen)


def test_a_program_that_is_killed_is_seen_by_who_follows(server: Server) -> None:
    (server.service.folder.parent / "dies.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    with server.client.listen("/api/events") as runs:
        run = server.client.post("/api/runs", {"spec": "dies.py"}, status=201)["run"]
        with server.client.listen(f"/api/runs/{run}/events") as reader:
            reader.rest()
        assert reader.state()["status"] == "failed"
        while not (runs.seen and runs.seen[-1]["run"]["status"] == "failed"):
            runs.frame()


def test_an_unknown_run_cannot_be_followed(server: Server) -> None:
    for path, status in (("/api/runs/r9/events", 404), ("/api/runs/r9/events?after=x", 403)):
        with pytest.raises(InvalidStatus) as refused, server.client.listen(path):
            pass
        assert refused.value.response.status_code == status


def test_who_hangs_up_leaves_nothing_behind(server: Server) -> None:
    server.client.post("/api/runs", {"spec": "writer.py:main", "pause": True}, status=201)
    server.held("r1")
    for path in ("/api/runs/r1/events", "/api/events"):
        for _ in range(5):
            with server.client.listen(path) as reader:
                reader.frame()
    assert_no_readers()


def test_a_reader_that_stalls_and_dies_leaves_nothing_behind(server: Server) -> None:
    run = stored(
        server.service, BEHIND - 1, type="t" * 4000
    )  # far more than what fits into the buffers of a connection
    line = socket.create_connection(("127.0.0.1", server.place.port), BOUND)
    key = base64.b64encode(os.urandom(16)).decode()
    told = [
        f"GET /api/runs/{run}/events HTTP/1.1",
        f"Host: 127.0.0.1:{server.place.port}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {key}",
        "Sec-WebSocket-Version: 13",
        f"Authorization: Bearer {server.keys.token}",
    ]
    line.sendall(("\r\n".join(told) + "\r\n\r\n").encode())
    assert line.recv(12) == b"HTTP/1.1 101"
    assert server.client.get("/api/runs")  # it keeps nobody else waiting
    assert readers()
    line.close()
    assert_no_readers()


def readers() -> list[threading.Thread]:
    """The threads that serve readers."""
    return [thread for thread in threading.enumerate() if thread.name == "outtake-push"]


def assert_no_readers() -> None:
    for thread in readers():
        thread.join(BOUND)
    assert not readers()


def test_what_changed_of_the_code_is_told_when_a_file_is_saved(server: Server, tmp_path: Path) -> None:
    run = server.client.post("/api/runs", {"spec": "writer.py:main"}, status=201)["run"]
    with server.client.listen(f"/api/runs/{run}/events") as reader:
        reader.rest()
    file = tmp_path / "writer.py"
    text = file.read_text()
    with server.client.listen(f"/api/runs/{run}/code") as reader:
        told = (code for _ in count() for code in reader.frame())
        now = (code["files"][0]["since_run"] for code in told)
        first = next(told)
        assert first == server.client.get(f"/api/runs/{run}/code")
        assert [(each["path"], each["since_run"]) for each in first["files"]] == [("writer.py", "same")]
        file.write_text(text + "\nANOTHER = 1\n")
        assert "changed" in now
        beside = file.with_suffix(".saved")  # as editors do that write another file first
        beside.write_text(text)
        beside.replace(file)
        assert first in told
        file.unlink()
        assert "gone" in now
    with pytest.raises(InvalidStatus), server.client.listen("/api/runs/nobody/code"):
        pass


def test_what_is_imported_has_no_files_to_watch(server: Server) -> None:
    run = stored(server.service, 3)
    with server.client.listen(f"/api/runs/{run}/code") as reader:
        (only,) = reader.rest()
        assert only["files"] == []
