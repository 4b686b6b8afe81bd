"""Runs over HTTP: start, fork, read, compare, describe, rename, delete."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path

import pytest

from outtake.core.runs import Fork, Launch
from outtake.server.models.comparing import Difference
from outtake.server.models.describing import Description
from outtake.server.models.edits import MocksRead
from outtake.server.models.errors import Problem
from outtake.server.models.records import Body, Picked, RecordPage, RecordsOutline
from outtake.server.models.runs import Console, RunBranch, RunInfo, RunSummary
from outtake.service.rpc_client import open_service
from outtake.store import Store
from tests.server.conftest import Client, Document, Server
from tests.server.fitting import fits


def test_a_run_is_started_and_read(server: Server, tmp_path: Path) -> None:
    run = server.client.post("/api/runs", {"spec": "writer.py:main", "input": "tides", "name": "first"}, status=201)
    fits(RunInfo, run)
    assert (run["run"], run["status"], run["live"], run["folder"]) == ("r1", "starting", True, str(tmp_path))
    found = server.ended("r1")
    fits(RunInfo, found)
    assert (found["status"], found["input"], found["name"]) == ("completed", "tides", "first")
    assert (found["executed"]["model"], found["executed"]["tool"], found["executed"]["agent"]) == (4, 2, 2)
    told = server.service.info("r1")
    assert found == {name: told[name] for name in found}


def test_the_demo_is_started_wherever_outtake_is_installed(server: Server, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    run = server.client.post("/api/demo", {"python": str(bare / "bin" / "python")}, status=201)
    fits(RunInfo, run)
    assert (run["spec"], run["name"], run["expected"]) == ("plain_team.py:team", "demo", "519")
    found = server.ended(run["run"])
    assert (found["status"], found["outcome"]) == ("completed", "failed")
    assert found["output"].endswith("FINAL ANSWER: 525")
    started = server.client.post("/api/demo", {}, status=201)  # with what the server runs on
    assert server.ended(started["run"])["outcome"] == "failed"


def test_what_the_demo_cannot_do_is_told(server: Server) -> None:
    assert "no interpreter" in server.client.ask("POST", "/api/demo", {"python": "/nowhere"}).error["message"]


def test_runs_are_listed_with_short_texts(server: Server) -> None:
    for text in ("x" * 1000, None):
        server.client.post("/api/runs", {"spec": "writer.py:main", "input": text}, status=201)
    runs = server.client.get("/api/runs")
    fits(list[RunSummary], runs)
    assert [run["run"] for run in runs] == ["r1", "r2"]
    assert len(runs[0]["input"]) == 200
    server.ended("r1")
    server.ended("r2")


def test_a_list_says_what_runs_did_and_whether_they_are_right(server: Server) -> None:
    client = server.client
    asked = {"spec": "writer.py:main", "input": "tides"}
    right = server.ended(client.post("/api/runs", asked, status=201)["run"])
    said = right["output"][0]
    for expected in (said.upper(), "another answer"):
        server.ended(client.post("/api/runs", {**asked, "expected": expected}, status=201)["run"])
    server.ended(client.post("/api/runs/r2/fork", {"at": 0}, status=201)["run"])
    runs = client.get("/api/runs")
    fits(list[RunSummary], runs)
    assert [run["outcome"] for run in runs] == [None, "passed", "failed", "passed"]
    assert [run["expected"] for run in runs] == [None, said.upper(), "another answer", said.upper()]
    for run in runs:
        info = client.get(f"/api/runs/{run['run']}")
        assert run["calls"] == info["executed"]
        shared = ("tokens", "cost", "seconds", "outcome", "expected", "imported")
        assert {name: run[name] for name in shared} == {name: info[name] for name in shared}
    assert {run["run"]: run["outcome"] for run in client.get("/api/tree")} == {r["run"]: r["outcome"] for r in runs}
    assert "expected" in client.ask("POST", "/api/runs", {**asked, "expected": " "}).error["message"]


def test_a_list_is_made_without_reading_records(server: Server) -> None:
    """Figures are there once they were counted; nothing that is listed has been read for it."""
    store = server.service.store
    launch = Launch(spec="writer.py:main", folder=str(server.service.folder), python="python")
    run = store.create(launch, None, seed=1, status="lost").id
    store.append(run, [{"kind": "invocation_ended", "seq": 0, "at": 1.0, "call": "model", "tokens_in": 3}])
    (listed,) = server.client.get("/api/runs")
    fits(RunSummary, listed)
    assert (listed["records"], listed["calls"], listed["tokens"]) == (1, None, None)
    assert server.client.get("/api/runs/r1")["executed"]["model"] == 1
    (listed,) = server.client.get("/api/runs")
    assert (listed["calls"]["model"], listed["tokens"]["input"]) == (1, 3)


def test_records_come_in_pages(client: Client, recorded: Document) -> None:
    total, seen = recorded["records"], []
    after, more = -1, True
    while more:
        page = client.get(f"/api/runs/r1/records?after={after}&limit=5")
        fits(RecordPage, page)
        assert (page["total"], len(page["records"]) <= 5) == (total, True)
        seen += page["records"]
        after, more = seen[-1]["seq"], page["more"]
    assert [record["seq"] for record in seen] == list(range(total))
    assert client.get("/api/runs/r1/records?after=3&before=6")["records"] == seen[4:6]
    assert client.get(f"/api/runs/r1/records?after={total}")["records"] == []


def test_records_are_narrowed_by_kind_and_component(client: Client, recorded: Document) -> None:
    models = client.get("/api/runs/r1/records?kind=model")["records"]
    assert {record["call"] for record in models} == {"model"}
    path = "main/writer/look"
    looks = client.get(f"/api/runs/r1/records?component={path}&kind=invocation_started")["records"]
    assert [record["component"] for record in looks] == [path] * recorded["executed"]["tool"]


def test_records_are_picked_by_number_with_a_glance(client: Client, recorded: Document) -> None:
    picked = client.get("/api/runs/r1/pick?seqs=3,0,1,3,99999")
    fits(Picked, picked)
    assert [record["seq"] for record in picked["records"]] == [0, 1, 3]
    picked = client.get(f"/api/runs/r1/pick?seqs={','.join(map(str, range(recorded['records'])))}")
    hashes = {record["hash"] for record in picked["records"] if record.get("hash")}
    assert picked["glances"].keys() == hashes
    assert {"text", "json"} <= {seen["form"] for seen in picked["glances"].values()}
    refused = client.ask("GET", "/api/runs/r1/pick?seqs=1,x")
    assert refused.status == 400
    assert "seqs=3,4,17" in refused.json["error"]["message"]


def test_the_outline_has_every_record(client: Client, recorded: Document) -> None:
    total = recorded["records"]
    whole = client.get("/api/runs/r1/outline")
    fits(RecordsOutline, whole)
    assert (whole["first"], whole["count"], whole["total"]) == (0, total, total)
    part = client.get("/api/runs/r1/outline?after=2&limit=3")
    assert (part["first"], part["count"]) == (3, 3)
    assert part["columns"]["kind"] == whole["columns"]["kind"][3:6]


def test_bodies_come_on_demand(client: Client, recorded: Document) -> None:
    bare = client.get("/api/runs/r1/records")["records"]
    full = client.get("/api/runs/r1/records?bodies=true")
    fits(RecordPage, full)
    for small, large in zip(bare, full["records"], strict=True):
        assert small.items() <= large.items()
        if small.get("hash"):
            reply = client.ask("GET", f"/api/bodies/{small['hash']}")
            fits(Body, reply.json)
            assert "immutable" in reply.headers["Cache-Control"]
            assert reply.json["value"] in [large.get(name) for name in ("input", "output", "error", "body")]
    assert recorded["output"] in [record.get("output") for record in full["records"]]


def test_what_was_printed(client: Client, recorded: Document) -> None:
    console = client.get(f"/api/runs/{recorded['run']}/console")
    fits(Console, console)
    assert "".join(part["text"] for part in console["parts"]) == "hello from the program\n"
    last = console["parts"][-1]["n"]
    assert client.get(f"/api/runs/r1/console?after={last}")["parts"] == []


def test_a_fork_with_an_edit_and_its_difference(server: Server, recorded: Document) -> None:
    client = server.client
    looked = client.get("/api/runs/r1/records?kind=tool")["records"][0]["seq"]
    edit = {"op": "mock_output", "seq": looked, "value": {"what": "else"}}
    fork = client.post("/api/runs/r1/fork", {"edits": [edit]}, status=201)
    fits(RunInfo, fork)
    assert (fork["parent"], fork["cut"]) == ("r1", looked)
    found = server.ended(fork["run"])
    assert (found["status"], found["output"] == recorded["output"]) == (
        "completed",
        True,
    )  # only the first draft differs
    difference = client.get(f"/api/diff?a=r1&b={fork['run']}")
    fits(Difference, difference)
    assert (difference["shared"], difference["first"]["a"]["component"]) == (looked, "main/writer/look")
    assert [d["run"] for d in (difference["a"], difference["b"])] == ["r1", fork["run"]]
    assert difference["alike"] is None
    alike = client.get(f"/api/diff?a=r1&b={fork['run']}&alike=true")["alike"]
    assert len(alike) == difference["same"]
    assert len([a for a, _ in alike if a < looked]) == difference["changes"][0]["alike"]


def test_a_file_of_mocks_is_read_as_edits(server: Server) -> None:
    entry = {"tool": "look", "nth": 2, "raise": "the site is down"}
    told = server.client.post("/api/mocks", {"document": {"mocks": [entry], "live": ["writer", 7]}})
    fits(MocksRead, told)
    edit = {"op": "raise", "call": "tool", "component": "look", "occurrence": 2, "value": "the site is down"}
    assert (told["edits"], told["live"]) == ([edit, {"op": "execute", "seq": 7}], ["writer"])
    refused = server.client.post("/api/mocks", {"document": [{"tool": "look"}]}, status=400)
    assert refused["error"]["message"].startswith("the file, mock 1 says what it answers")


def test_a_fork_of_a_fork_is_in_the_tree(server: Server, recorded: Document) -> None:
    client = server.client
    for run in ("r1", "r2", "r1"):
        server.ended(client.post(f"/api/runs/{run}/fork", {"at": 3}, status=201)["run"])
    client.post("/api/runs", {"spec": "writer.py:main"}, status=201)
    tree = client.get("/api/tree")
    fits(list[RunBranch], tree)
    assert [(run["run"], run["depth"]) for run in tree] == [("r1", 0), ("r2", 1), ("r3", 2), ("r4", 1), ("r5", 0)]
    assert client.get("/api/runs/r3/tree") == tree[:4]
    assert server.ended("r5")["output"] == recorded["output"]


def test_a_tree_may_be_deep(server: Server) -> None:
    store = server.service.store
    launch = Launch(spec="writer.py:main", folder=str(server.service.folder), python="python")
    parent = store.create(launch, None, seed=1, status="completed")
    for _ in range(300):
        parent = store.create(launch, Fork(parent=parent.id, cut=0), seed=1, status="completed")
    assert [run["depth"] for run in server.client.get("/api/tree")] == list(range(301))
    assert server.client.ask("GET", "/").status == 200


def test_a_target_is_described(server: Server) -> None:
    found = server.client.post("/api/describe", {"spec": "writer.py:main"})
    fits(Description, found)
    described = {part["path"]: (part["kind"], part["doc"]) for part in found["components"]}
    assert described["writer"] == ("agent", "Writes what it is told to.")
    assert server.client.get("/api/runs") == []
    assert server.client.post("/api/runs", {"spec": "writer.py:main"}, status=201)["run"] == "r1"
    server.ended("r1")


def test_what_was_looked_at_when_a_server_was_killed_is_gone_when_the_next_one_starts(tmp_path: Path) -> None:
    store = Store(tmp_path)
    launch = Launch(spec="writer.py:main", folder=str(tmp_path), python="python")
    made = [store.create(launch, None, seed=1, listed=listed).id for listed in (False, True, False, True)]
    assert (made, [run.id for run in store.runs()]) == (["r-1", "r1", "r-2", "r2"], ["r1", "r2"])
    assert [run.id for run in store.runs(listed=False)] == ["r-2", "r-1"]
    store.close()
    with contextlib.closing(open_service(tmp_path)) as service:
        assert [run["run"] for run in service.runs()] == ["r1", "r2"]
        assert service.store.runs(listed=False) == []


def test_a_run_is_called_something_else(server: Server, recorded: Document) -> None:
    path = f"/api/runs/{recorded['run']}"
    assert server.client.ask("PATCH", path, {"name": " the wrong\nturn "}).json["name"] == "the wrong turn"
    assert [run["name"] for run in server.client.get("/api/runs")] == ["the wrong turn"]
    refused = server.client.ask("PATCH", path, {"name": "x" * 201})
    assert (refused.status, "up to 200 characters" in refused.error["message"]) == (400, True)
    assert server.client.ask("PATCH", "/api/runs/r9", {"name": "x"}).status == 404
    assert server.client.ask("PATCH", path, {"name": ""}).json["name"] == ""


def test_a_run_is_deleted_when_nothing_needs_it(server: Server, recorded: Document) -> None:
    server.ended(server.client.post("/api/runs/r1/fork", {"at": 0}, status=201)["run"])
    reply = server.client.ask("DELETE", f"/api/runs/{recorded['run']}")
    assert (reply.status, "r2" in reply.error["message"]) == (409, True)
    assert server.client.ask("DELETE", "/api/runs/r2").json["deleted"]
    told = server.client.ask("DELETE", "/api/runs/r1").json
    assert (told["run"], told["deleted"]) == ("r1", True)
    assert (told["texts"] > 0, told["stays"]) == (True, []), "nothing else refers to its texts"
    assert server.client.get("/api/runs") == []
    told = server.client.post("/api/vacuum", {})
    assert told["after"] <= told["before"]


def test_much_is_sent_compressed_to_who_takes_that(server: Server) -> None:
    store = server.service.store
    run = store.create(Launch(spec="a.py:b", folder=".", python=""), None, seed=1, status="completed").id
    store.append(run, [{"kind": "noted", "seq": n, "at": float(n), "type": "t" * 50} for n in range(1000)])
    path = f"/api/runs/{run}/records?limit=1000"
    packed = server.client.ask("GET", path, headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert len(packed.body) < len(server.client.ask("GET", path).body) / 5
    assert (
        server.client.ask("GET", "/api/runs", headers={"Accept-Encoding": "gzip"}).headers["Content-Encoding"] is None
    )


def test_what_is_no_valid_unicode_is_shown_and_exported(server: Server) -> None:
    client = server.client
    client.post("/api/runs", {"spec": "half.py:main"}, status=201)
    assert server.ended("r1")["output"] == "half \udcff"
    with client.listen("/api/runs/r1/events") as reader:
        reader.rest()
    full = client.get("/api/runs/r1/records?bodies=1")["records"]
    assert {"text": "half \udcff"} in [record.get("input") for record in full]
    assert "half ?" in client.ask("GET", "/plain").text
    exported = client.ask("GET", "/api/runs/r1/export").body
    assert client.ask("POST", "/api/import", exported).status == 201
    assert client.get("/api/runs/r2")["output"] == "half \udcff"


WRONG = [
    ("GET", "/api/nothing", None, 404, "Not Found"),
    ("PUT", "/api/runs", {}, 405, "Method Not Allowed"),
    ("GET", "/api/runs/r7", None, 404, "there is no run r7"),
    ("GET", "/api/runs/poem", None, 404, "runs are called r1, r2"),
    ("GET", "/api/runs/r999999999999999", None, 404, "there is no run"),
    ("GET", "/api/runs/r" + "9" * 40, None, 422, "path.run"),
    ("GET", "/api/runs/r1/records?after=x", None, 422, "query.after"),
    ("GET", "/api/runs/r1/records?after=99999999999999999999", None, 422, "query.after"),
    ("GET", "/api/runs/r1/records?limit=0", None, 422, "query.limit"),
    ("GET", "/api/runs/r1/records?kind=poem", None, 400, "known: run_started"),
    ("GET", "/api/bodies/poem", None, 404, "there is no body poem"),
    ("GET", "/api/bodies/00ff", None, 404, "there is no body 00ff"),
    ("GET", "/api/diff?a=r1", None, 422, "query.b"),
    ("GET", "/api/diff?a=r1&b=r8", None, 404, "r8"),
    ("POST", "/api/runs", b"{", 422, "body"),
    ("POST", "/api/runs", {}, 422, "body.spec"),
    ("POST", "/api/runs", {"spec": "writer.py:main", "breakpoint": "x"}, 422, "body.breakpoint: Extra inputs"),
    ("POST", "/api/runs", {"spec": "nothing.py:main"}, 400, "there is no file nothing.py"),
    ("POST", "/api/runs", {"spec": "writer.py:main", "breakpoints": ["poem:x"]}, 400, "unknown field 'poem'"),
    ("POST", "/api/runs", {"spec": "writer.py:main", "python": "no/python"}, 400, "no interpreter no/python"),
    ("POST", "/api/runs/r1/fork", {"at": 999}, 400, "a cut is"),
    ("POST", "/api/runs/r1/fork", {"at": -1}, 422, "body.at"),
    ("POST", "/api/runs/r1/fork", {"edits": [{"op": "poem"}]}, 422, "'replace_message'"),
    ("POST", "/api/runs/r1/fork", {"edits": [{"op": "drop"}]}, 400, "by seq, or by component"),
    ("POST", "/api/runs/r1/fork", {"reuse": "some"}, 422, "'matching'"),
    ("POST", "/api/runs/r1/step", {}, 409, "r1 is not running (completed)"),
    ("POST", "/api/describe", {"spec": "writer.py:poem"}, 400, "poem"),
]


@pytest.mark.usefixtures("recorded")
def test_what_cannot_be_is_said_clearly(client: Client) -> None:
    for method, path, body, status, message in WRONG:
        reply = client.ask(method, path, body)
        fits(Problem, reply.json)
        assert (reply.status, message in reply.error["message"]) == (status, True), (path, body, reply.text)
    assert [run["run"] for run in client.get("/api/runs")] == ["r1"]
