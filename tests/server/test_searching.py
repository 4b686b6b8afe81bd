"""Search over HTTP: where a run says something, while it goes on and when it has ended."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from outtake.server.models.errors import Problem
from outtake.server.models.searching import SearchResult
from tests.server.conftest import Client, Document, Server
from tests.server.fitting import fits


def test_what_a_model_said_is_found_where_it_said_it_and_where_it_went(server: Server, recorded: Document) -> None:
    asked = server.client.get("/api/runs/r1/records?kind=model&bodies=1")["records"]
    answer = next(record for record in asked if "output" in record)
    found = server.client.get(f"/api/runs/r1/search?text={quote(answer['output'].upper())}")
    fits(SearchResult, found)
    first, *others = found["found"]
    assert (first["seq"], first["first"], first["where"]) == (answer["seq"], True, "output")
    assert (first["said"], first["component"]) == (answer["output"], answer["component"])
    assert {"input", "output"} >= {passage["where"] for passage in others}
    assert found["total"] == len(found["found"]) > found["firsts"] == sum(p["first"] for p in found["found"])
    assert recorded["run"] == found["run"]


def test_hits_come_in_pages(client: Client, recorded: Document) -> None:
    every = client.get("/api/runs/r1/search?text=writer")
    assert (every["more"], {passage["where"] for passage in every["found"]} >= {"component"}) == (False, True)
    page = client.get("/api/runs/r1/search?text=writer&limit=2")
    rest = client.get(f"/api/runs/r1/search?text=writer&after={page['found'][-1]['seq']}")
    assert page["more"]
    assert page["found"] + rest["found"] == every["found"]
    assert page["total"] == rest["total"] == every["total"] <= recorded["records"]
    news = client.get("/api/runs/r1/search?text=writer&first=true")
    assert news["found"] == [passage for passage in every["found"] if passage["first"]]


def test_a_live_run_is_searched_as_far_as_it_has_come(server: Server) -> None:
    run = server.client.post("/api/runs", {"spec": "writer.py:main", "pause": True}, status=201)["run"]
    server.held(run)
    before = server.client.get(f"/api/runs/{run}/search?text=said")
    server.client.post(f"/api/runs/{run}/continue")
    server.ended(run)
    after = server.client.get(f"/api/runs/{run}/search?text=said")
    assert (before["total"], after["total"] > 0) == (0, True)


@pytest.mark.parametrize(
    ("asked", "status", "told"),
    [
        ("text=", 400, "not empty"),
        ("text=%20%0a", 400, "not empty"),
        ("text=a%00b", 400, "null character"),
        pytest.param(f"text={'a' * 1001}", 400, "1,001 characters", id="long"),
        ("", 422, "text"),
        ("text=a&limit=0", 422, "limit"),
    ],
)
def test_what_cannot_be_searched_for_is_said(
    client: Client, recorded: Document, asked: str, status: int, told: str
) -> None:
    reply = client.ask("GET", f"/api/runs/{recorded['run']}/search?{asked}")
    assert reply.status == status
    fits(Problem, reply.json)
    assert told in reply.error["message"]


def test_there_is_no_search_in_a_run_that_is_not_there(client: Client) -> None:
    assert client.ask("GET", "/api/runs/r9/search?text=a").status == 404
