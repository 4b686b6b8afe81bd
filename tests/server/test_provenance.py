"""Provenance over HTTP: why a record says what it says, where a text has been, what a change reaches."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from outtake.server.models.errors import Problem
from outtake.server.models.provenance import Affected, Explanation, Why
from tests.server.conftest import Client, Document, Server
from tests.server.fitting import fits


def test_what_led_to_a_record(server: Server, recorded: Document) -> None:
    last = recorded["records"] - 1
    found = server.client.get(f"/api/runs/r1/why?seq={last}")
    fits(Why, found)
    assert found == server.service.why("r1", last)
    assert found["chain"][0]["seq"] == last
    assert "main/writer/ask" in {link["component"] for link in found["chain"]}
    few = server.client.get(f"/api/runs/r1/why?seq={last}&limit=2")
    assert (few["chain"][0]["seq"], len(few["chain"]), few["more"] > 0) == (last, 2, True)


def test_the_hands_of_a_text(client: Client, recorded: Document) -> None:
    asked = client.get("/api/runs/r1/records?kind=model&bodies=1")["records"]
    said = next(record["output"] for record in asked if "output" in record)
    found = client.get(f"/api/runs/r1/why?text={quote(said.upper())}")
    fits(Why, found)
    first, *others = found["hands"]
    assert (first["seq"], first["match"]["said"], first["match"]["form"]) == (found["first"], said, "other case")
    assert first["source"] is None
    assert all(hand["source"] is not None for hand in others if hand["role"] == "input")
    assert recorded["run"] == found["run"]


def test_what_a_change_reaches(client: Client, recorded: Document) -> None:
    starts = [r for r in client.get("/api/runs/r1/records")["records"] if r["kind"] == "invocation_started"]
    found = client.get(f"/api/runs/r1/affects?seq={starts[-1]['seq']}")
    fits(Affected, found)
    assert starts[-1]["seq"] in [part["seq"] for part in found["could"]]
    every = client.get("/api/runs/r1/affects?seq=0")
    assert [part["seq"] for part in every["could"]] == [r["seq"] for r in starts]
    assert (every["share"], every["calls"]["all"]) == (
        1.0,
        recorded["executed"]["model"] + recorded["executed"]["tool"],
    )


@pytest.mark.usefixtures("recorded")
def test_a_wrong_answer_is_explained(client: Client) -> None:
    found = client.get("/api/runs/r1/explanation")
    fits(Explanation, found)
    assert (found["outcome"], found["path"]) == (None, [])
    client.post("/api/runs/r1/annotations", {"kind": "expectation", "text": "nothing that it says"}, status=201)
    found = client.get("/api/runs/r1/explanation")
    fits(Explanation, found)
    assert (found["outcome"], found["expected"]) == ("failed", "nothing that it says")
    assert [step["seq"] for step in found["path"]] == sorted({step["seq"] for step in found["path"]})
    assert found["path"]


WRONG = [
    ("why", 400, "say what to explain"),
    ("why?seq=999", 404, "r1 has no record 999"),
    ("why?seq=x", 422, "query.seq"),
    ("why?text=%20", 400, "an empty text"),
    ("why?text=nowhere%20at%20all", 404, "appears nowhere in r1; tried"),
    ("affects", 422, "query.seq"),
    ("affects?seq=999", 404, "r1 has no record 999"),
]


@pytest.mark.usefixtures("recorded")
def test_what_cannot_be_is_said_clearly(client: Client) -> None:
    for path, status, message in WRONG:
        reply = client.ask("GET", f"/api/runs/r1/{path}")
        fits(Problem, reply.json)
        assert (reply.status, message in reply.error["message"]) == (status, True), (path, reply.text)
