"""What a target is made of: asked of a live program, kept at its end, shared by forks, shown by records, built anew."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from outtake.core.runs import Launch
from outtake.server.models.describing import Description
from tests.server.conftest import Document, Server
from tests.server.fitting import fits
from tests.server.test_files import rewritten


def test_what_a_program_said_is_kept_when_it_has_ended(server: Server) -> None:
    run = server.client.post("/api/runs", {"spec": "mail.py:main", "breakpoints": ["step:main/open"]}, status=201)[
        "run"
    ]
    server.held(run)
    live = server.client.get(f"/api/runs/{run}/describe")
    server.client.post(f"/api/runs/{run}/configure", {"component": "reader", "key": "manner", "value": "wild"})
    server.client.post(f"/api/runs/{run}/continue")
    server.ended(run)
    kept = server.client.get(f"/api/runs/{run}/describe")
    for found in (live, kept):
        fits(Description, found)
    assert (live["source"], kept["source"], kept["told_by"]) == ("live", "kept", run)
    before, after = (found["components"][0] for found in (live, kept))
    assert (before["config"], before["calls"]) == ({"manner": "calm"}, None)
    assert (after["config"], after["calls"]) == ({"manner": "wild"}, 4)
    assert after["schema"] == before["schema"]
    assert {"main/open", "main"} <= {part["path"] for part in kept["components"]}
    assert kept["edges"] == live["edges"]


def test_a_program_without_a_graph_is_shown_by_its_records_with_what_its_functions_say(
    server: Server, recorded: Document
) -> None:
    found = server.client.get("/api/runs/r1/describe")
    fits(Description, found)
    parts = {part["path"]: part for part in found["components"]}
    assert (found["source"], set(parts)) == (
        "kept",
        {"main", "main/writer", "main/writer/ask", "main/writer/look", "main/writer/look/ask"},
    )
    assert parts["main/writer"]["doc"] == "Writes what it is told to."
    assert (parts["main/writer/look"]["effects"], parts["main/writer/look"]["calls"]) == ("read", 2)
    assert {"source": "main/writer", "target": "main/writer/look", "label": "calls"} in found["edges"]
    assert recorded["status"] == "completed"


def test_a_live_program_that_says_nothing_yet_is_shown_by_its_records(server: Server) -> None:
    run = server.client.post("/api/runs", {"spec": "writer.py:main", "pause": True}, status=201)["run"]
    server.held(run)
    found = server.client.get(f"/api/runs/{run}/describe")
    fits(Description, found)
    assert (found["source"], found["components"]) == ("records", [])
    server.client.post(f"/api/runs/{run}/continue")
    server.ended(run)


def test_forks_and_parents_share_what_was_said(server: Server, recorded: Document) -> None:
    fork = server.client.post("/api/runs/r1/fork", {"at": 5}, status=201)["run"]
    server.ended(fork)
    store = server.service.store
    said = store.description("r1")
    assert store.description(fork) == said
    store.delete(fork)
    other = store.create(store.run("r1").launch, None, seed=1, status="completed").id
    assert server.client.get(f"/api/runs/{other}/describe")["source"] == "records"
    quiet = server.client.post("/api/runs/r1/fork", {"at": 5, "pause": True}, status=201)["run"]
    server.held(quiet)
    server.service.store.change(quiet, status="lost")
    found = server.client.get(f"/api/runs/{quiet}/describe")
    assert (found["source"], found["told_by"]) == ("kept", "r1")
    assert recorded["run"] == "r1"


def test_it_travels_with_the_run(server: Server, recorded: Document) -> None:
    exported = server.client.ask("GET", "/api/runs/r1/export").body
    imported = server.client.ask("POST", "/api/import", exported).json["run"]
    here, there = (server.client.get(f"/api/runs/{run}/describe") for run in ("r1", imported))
    assert there == {**here, "told_by": imported}
    assert recorded["run"] == "r1"


def test_a_file_that_lacks_what_the_program_said_is_refused(server: Server, recorded: Document) -> None:
    exported = server.client.ask("GET", "/api/runs/r1/export").body
    for lacking in ("00" * 16, "poem", 7, ["a"]):
        changed = rewritten(exported, "manifest.json", partial(_describing, description=lacking))
        reply = server.client.ask("POST", "/api/import", changed)
        assert (reply.status, "nothing was imported" in reply.error["message"]) == (400, True), reply.text
    assert [run["run"] for run in server.client.get("/api/runs")] == [recorded["run"]]


def _describing(manifest: Document, description: Any) -> Document:
    return {**manifest, "runs": [{**manifest["runs"][0], "description": description}]}


def test_the_target_is_built_only_when_that_is_asked_for(server: Server, recorded: Document, tmp_path: Path) -> None:
    (tmp_path / "writer.py").write_text((tmp_path / "writer.py").read_text("utf-8").replace("Writes", "Sings"), "utf-8")
    built = server.client.post("/api/runs/r1/describe")
    fits(Description, built)
    docs = {part["path"]: part["doc"] for part in built["components"]}
    assert (built["source"], docs["main/writer"]) == ("built", "Sings what it is told to.")
    kept = server.client.get("/api/runs/r1/describe")
    assert "Writes what it is told to." in {part["doc"] for part in kept["components"]}
    (tmp_path / "writer.py").unlink()
    reply = server.client.ask("POST", "/api/runs/r1/describe")
    assert (reply.status, "there is no file writer.py" in reply.error["message"]) == (400, True)
    assert [run["run"] for run in server.client.get("/api/runs")] == [recorded["run"]]


def test_of_an_imported_log_the_records_tell(server: Server) -> None:
    launch = Launch(spec="", folder="", python="", config={"team/a.system_prompt": "Be brief."}, imported="Who&When")
    store = server.service.store
    run = store.create(launch, None, seed=1, status="completed").id
    store.append(run, [{"kind": "message_queued", "seq": 0, "at": 1.0, "component": "team/a", "recipient": "team/b"}])
    found = server.client.get(f"/api/runs/{run}/describe")
    fits(Description, found)
    assert (found["source"], [(part["path"], part["config"]) for part in found["components"]]) == (
        "records",
        [("team/a", {"system_prompt": "Be brief."}), ("team/b", {})],
    )
    reply = server.client.ask("POST", f"/api/runs/{run}/describe")
    assert (reply.status, "no program behind it" in reply.error["message"]) == (400, True)
