"""What is said about runs, over HTTP: it is kept beside the log, and an outcome follows from it."""

from __future__ import annotations

from typing import get_args

import pytest

from outtake.core.annotations import KINDS
from outtake.server.models.annotating import Annotation, AnnotationKind, Annotations
from outtake.server.models.errors import Problem
from tests.server.conftest import Document, Server
from tests.server.fitting import fits


def say(server: Server, run: str, kind: str, text: str = "", **fields: object) -> Document:
    made: Document = server.client.post(
        f"/api/runs/{run}/annotations", {"kind": kind, "text": text, **fields}, status=201
    )
    fits(Annotation, made)
    return made


def said(server: Server, run: str) -> list[Document]:
    found = server.client.get(f"/api/runs/{run}/annotations")
    fits(Annotations, found)
    return list(found["annotations"])


def outcomes(server: Server) -> list[str | None]:
    return [run["outcome"] for run in server.client.get("/api/runs")]


@pytest.mark.usefixtures("recorded")
def test_what_is_said_is_kept_beside_the_log(server: Server) -> None:
    before = server.client.get("/api/runs/r1/records?bodies=1")
    comment = say(server, "r1", "feedback", "too long", seq=3)
    cause = say(server, "r1", "finding", "looked too late", seq=5, author="me", data={"component": "main/writer"})
    assert said(server, "r1") == [comment, cause]
    assert (comment["run"], comment["seq"], comment["author"], cause["author"]) == ("r1", 3, "user", "me")
    changed = server.client.ask("PATCH", f"/api/runs/r1/annotations/{comment['id']}", {"text": "much too long"}).json
    fits(Annotation, changed)
    assert changed == {**comment, "text": "much too long"}
    gone = server.client.ask("DELETE", f"/api/runs/r1/annotations/{cause['id']}").json
    assert gone == {"run": "r1", "id": cause["id"], "removed": True}
    assert said(server, "r1") == [changed]
    assert server.client.get("/api/runs/r1/records?bodies=1") == before


def test_a_fork_shows_what_was_said_of_the_records_that_it_shares(server: Server, recorded: Document) -> None:
    for run in ("r1", "r2"):
        server.ended(server.client.post(f"/api/runs/{run}/fork", {"at": 6 if run == "r1" else 9}, status=201)["run"])
    shared, late = say(server, "r1", "finding", "shared", seq=5), say(server, "r1", "finding", "late", seq=8)
    whole, own = say(server, "r1", "feedback", "of the run"), say(server, "r2", "finding", "own", seq=8)
    assert said(server, "r1") == [shared, late, whole]
    assert said(server, "r2") == [shared, own]
    assert said(server, "r3") == [shared, own]
    refused = server.client.ask("DELETE", f"/api/runs/r2/annotations/{shared['id']}")
    assert (refused.status, "one of r1" in refused.error["message"]) == (404, True)
    assert recorded["records"] > 9


def test_an_outcome_follows_from_what_is_said(server: Server, recorded: Document) -> None:
    server.ended(server.client.post("/api/runs/r1/fork", {"at": 3}, status=201)["run"])
    assert outcomes(server) == [None, None]
    right = say(server, "r1", "expectation", recorded["output"][0])
    assert outcomes(server) == ["passed", "passed"]
    say(server, "r2", "expectation", "something else")
    assert outcomes(server) == ["passed", "failed"]
    say(server, "r1", "verdict", "it rhymes badly", data={"passed": False, "score": 0.2})
    assert outcomes(server) == ["failed", "failed"]
    verdict = say(server, "r2", "verdict", data={"passed": True})
    assert outcomes(server) == ["failed", "passed"]
    server.client.ask("PATCH", f"/api/runs/r2/annotations/{verdict['id']}", {"data": {"passed": False}})
    assert outcomes(server) == ["failed", "failed"]
    server.client.ask("DELETE", f"/api/runs/r2/annotations/{verdict['id']}")
    say(server, "r1", "verdict", "it need not rhyme", data={"passed": True})
    assert outcomes(server) == ["passed", "failed"]
    assert said(server, "r1")[0] == right


def test_a_verdict_on_a_record_is_not_one_on_the_run(server: Server, recorded: Document) -> None:
    say(server, "r1", "verdict", data={"passed": False}, seq=2)
    assert outcomes(server) == [None]
    assert server.client.get("/api/runs/r1")["output"] == recorded["output"]


@pytest.mark.usefixtures("recorded")
def test_who_follows_the_list_sees_a_new_outcome(server: Server) -> None:
    with server.client.listen("/api/events") as reader:
        assert reader.frame()[0]["run"]["outcome"] is None
        say(server, "r1", "verdict", data={"passed": True})
        assert reader.frame()[0]["run"]["outcome"] == "passed"


def test_who_follows_a_run_sees_what_is_expected_of_it(server: Server) -> None:
    server.client.post("/api/runs", {"spec": "writer.py:main", "pause": True}, status=201)
    server.held("r1")
    with server.client.listen("/api/runs/r1/events") as reader:
        reader.until(status="held")
        say(server, "r1", "expectation", "a poem")
        assert reader.until(expected="a poem")["outcome"] is None
        server.client.post("/api/runs/r1/stop")
        reader.until(status="stopped")


def test_what_was_said_goes_with_the_run(server: Server, recorded: Document) -> None:
    server.ended(server.client.post("/api/runs/r1/fork", {"at": 6}, status=201)["run"])
    say(server, "r1", "expectation", recorded["output"][0])
    say(server, "r1", "finding", "of a shared record", seq=5, author="me", data={"component": "main"})
    say(server, "r2", "feedback", "well done")
    before = said(server, "r2")
    file = server.client.ask("GET", "/api/runs/r2/export").body
    brought = server.client.ask("POST", "/api/import", file).json
    assert (brought["run"], brought["runs"]) == ("r4", {"r1": "r3", "r2": "r4"})
    kept = ("seq", "kind", "author", "text", "data", "created")
    assert [[a[name] for name in kept] for a in said(server, "r4")] == [[a[name] for name in kept] for a in before]
    assert outcomes(server) == ["passed"] * 4
    for run in ("r2", "r1"):
        assert server.client.ask("DELETE", f"/api/runs/{run}").status == 200
    assert len(said(server, "r3")) == 2


WRONG = [
    ("POST", "/r1/annotations", {"kind": "poem"}, 422, "'expectation'"),
    ("POST", "/r1/annotations", {"kind": "feedback"}, 400, "cannot be empty"),
    ("POST", "/r1/annotations", {"kind": "finding", "text": " "}, 400, "cannot be empty"),
    ("POST", "/r1/annotations", {"kind": "expectation", "text": ""}, 400, "cannot be empty"),
    ("POST", "/r1/annotations", {"kind": "expectation", "text": "x", "seq": 1}, 400, "as a whole"),
    ("POST", "/r1/annotations", {"kind": "verdict"}, 400, '{"passed": true}'),
    ("POST", "/r1/annotations", {"kind": "verdict", "data": {"passed": True, "score": "high"}}, 400, "is a number"),
    ("POST", "/r1/annotations", {"kind": "feedback", "text": "x", "author": ""}, 400, "author"),
    ("POST", "/r1/annotations", {"kind": "feedback", "text": "x", "seq": 999}, 400, "it has records 0 to"),
    ("POST", "/r1/annotations", {"kind": "feedback", "text": "x", "seq": -1}, 422, "body.seq"),
    ("POST", "/r9/annotations", {"kind": "feedback", "text": "x"}, 404, "there is no run r9"),
    ("GET", "/r9/annotations", None, 404, "there is no run r9"),
    ("PATCH", "/r1/annotations/1", {"text": ""}, 400, "cannot be empty"),
    ("PATCH", "/r1/annotations/7", {"text": "x"}, 404, "r1 has no annotation 7"),
    ("PATCH", "/r1/annotations/1", {"seq": 3}, 422, "body.seq"),
    ("DELETE", "/r1/annotations/7", None, 404, "r1 has no annotation 7"),
    ("DELETE", f"/r1/annotations/{'9' * 30}", None, 422, "path.id"),
]


@pytest.mark.usefixtures("recorded")
def test_what_cannot_be_said_is_refused_clearly(server: Server) -> None:
    kept = say(server, "r1", "feedback", "fine")
    for method, path, body, status, message in WRONG:
        reply = server.client.ask(method, "/api/runs" + path, body)
        fits(Problem, reply.json)
        assert (reply.status, message in reply.error["message"]) == (status, True), (path, body, reply.text)
    assert said(server, "r1") == [kept]


def test_the_kinds_are_those_of_the_core() -> None:
    assert get_args(AnnotationKind) == KINDS
