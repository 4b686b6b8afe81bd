"""Steering over HTTP: stepping, answers to what is held, the queue, breakpoints, and two at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from outtake.server.models.describing import Description
from outtake.server.models.runs import RunState
from outtake.server.models.steering import Breakpoints, Done, Pending
from tests.server.conftest import Client, Document, Server
from tests.server.fitting import fits


@pytest.fixture
def paused(server: Server) -> Document:
    """The writer, held at its first gate."""
    run = server.client.post("/api/runs", {"spec": "writer.py:main", "pause": True}, status=201)
    return server.held(run["run"])


@pytest.fixture
def mail(server: Server) -> list[int]:
    """Numbers of four letters that are queued; the program is held just before it reads them."""
    asked = {"spec": "mail.py:main", "breakpoints": ["step:open"]}
    server.held(server.client.post("/api/runs", asked, status=201)["run"])
    return [letter["seq"] for letter in server.client.get("/api/runs/r1/pending")["queued"]]


def at(state: Document) -> list[tuple[str, str]]:
    return [(hold["component"], hold["when"]) for hold in state["held"]]


def test_stepping_goes_in_over_and_out(server: Server, paused: Document) -> None:
    assert at(paused) == [("main", "before")]
    for verb, where in (
        ("step", "main/writer"),
        ("step", "main/writer/ask"),
        ("step", "main/writer/look"),
        ("next", "main/writer"),
        ("step", "main/writer/ask"),
    ):
        fits(RunState, server.client.post(f"/api/runs/r1/{verb}", {}))
        assert at(server.held("r1")) == [(where, "before")]
    server.client.post("/api/runs/r1/out")
    assert at(server.held("r1")) == [("main/writer", "after")]
    server.client.post("/api/runs/r1/continue")
    assert server.ended("r1")["status"] == "completed"


def test_what_is_held_is_pending_with_its_value(server: Server, paused: Document) -> None:
    server.client.post("/api/runs/r1/step", {"hold": paused["held"][0]["hold"]})
    server.held("r1")
    pending = server.client.get("/api/runs/r1/pending")
    fits(Pending, pending)
    (held,) = pending["held"]
    assert (held["component"], held["call"], held["value"]) == ("main/writer", "agent", {"task": "a poem"})
    server.client.post("/api/runs/r1/stop")
    assert server.ended("r1")["status"] == "stopped"


def test_an_input_is_changed_and_a_result_served(server: Server) -> None:
    asked = {"spec": "writer.py:main", "breakpoints": ["agent:writer", "tool:look"]}
    server.client.post("/api/runs", asked, status=201)
    server.held("r1")
    server.client.post("/api/runs/r1/release", {"value": {"task": "a song"}})
    server.service.wait("r1", ["held"])
    assert at(server.held("r1")) == [("main/writer/look", "before")]
    fits(RunState, server.client.post("/api/runs/r1/release", {"verb": "serve", "value": "mocked"}))
    assert at(server.held("r1")) == [("main/writer", "before")]
    server.client.post("/api/runs/r1/release")
    server.held("r1")
    served = {"verb": "serve", "failed": True, "value": "no such thing"}
    server.client.post("/api/runs/r1/release", served)
    run = server.ended("r1")
    assert (run["status"], run["mocked"]["tool"]) == ("failed", 2)
    assert "no such thing" in run["error"]["message"]


def test_pause_takes_hold_of_a_running_program(server: Server, mail: list[int]) -> None:
    server.client.post("/api/runs/r1/pause")
    server.client.post("/api/runs/r1/release")
    assert at(server.held("r1")) == [("reader", "before")]
    server.client.post("/api/runs/r1/continue")
    assert server.ended("r1")["output"] == [f"calm: letter {n}" for n in range(len(mail))]


def test_breakpoints_are_added_switched_and_removed(server: Server, paused: Document) -> None:
    client, path = server.client, f"/api/runs/{paused['run']}/breakpoints"
    client.post(path, {"condition": "tool:look"}, status=201)
    found = client.post(path, {"condition": "model:ask and hit>=2"}, status=201)
    fits(Breakpoints, found)
    assert [(b["id"], b["text"], b["enabled"]) for b in found["breakpoints"]] == [
        (1, "tool:look", True),
        (2, "model:ask and hit>=2", True),
    ]
    assert client.ask("PATCH", f"{path}/1", {"enabled": False}).json["breakpoints"][0]["enabled"] is False
    assert client.ask("PATCH", f"{path}/1", {"enabled": True}).json["breakpoints"][0]["enabled"] is True
    assert [b["id"] for b in client.ask("DELETE", f"{path}/2").json["breakpoints"]] == [1]
    assert client.get(path)["breakpoints"] == [{"id": 1, "text": "tool:look", "enabled": True}]
    assert client.ask("DELETE", f"{path}/7").status == 404
    reply = client.ask("POST", path, {"condition": "colour:red"})
    assert (reply.status, "known: agent" in reply.error["message"]) == (400, True)
    client.post("/api/runs/r1/continue")
    assert at(server.held("r1")) == [("main/writer/look", "before")]


def test_the_queue_is_changed(server: Server, mail: list[int]) -> None:
    client, (first, second, third, fourth) = server.client, mail
    for command, body in (
        ("edit", {"message": second, "value": "another letter"}),
        ("drop", {"message": third}),
        ("move", {"message": fourth, "before": first}),
        ("send", {"component": "reader", "type": "Letter", "value": "an extra letter"}),
        ("configure", {"component": "reader", "key": "manner", "value": "wild"}),
    ):
        done = client.post(f"/api/runs/r1/{command}", body)
        fits(Done, done)
        assert client.get(f"/api/runs/r1/records?after={done['seq'] - 1}&limit=1")["records"][0]["seq"] == done["seq"]
    pending = client.get("/api/runs/r1/pending")
    fits(Pending, pending)
    assert [letter["body"] for letter in pending["queued"]] == [
        "letter 3",
        "letter 0",
        "another letter",
        "an extra letter",
    ]
    client.post("/api/runs/r1/continue")
    assert server.ended("r1")["output"] == [
        "wild: letter 3",
        "wild: letter 0",
        "wild: another letter",
        "wild: an extra letter",
    ]


def test_it_runs_to_a_message(server: Server, mail: list[int]) -> None:
    server.client.post("/api/runs/r1/run-to", {"message": mail[2]})
    state = server.held("r1")
    assert [hold["message"] for hold in state["held"]] == [mail[2]]
    server.client.post("/api/runs/r1/stop")


def test_a_live_target_is_described(server: Server, mail: list[int]) -> None:
    server.client.post("/api/runs/r1/configure", {"component": "reader", "key": "manner", "value": "wild"})
    found = server.client.get("/api/runs/r1/describe")
    fits(Description, found)
    assert found["components"][0]["config"] == {"manner": "wild"}
    assert found["components"][0]["schema"] == {"manner": {"type": "string"}}
    assert len(mail) == 4


REFUSED: list[tuple[str, Any, int, str]] = [
    ("edit", {"message": 999, "value": "x"}, 422, "no letter 999"),
    ("edit", {"message": 2}, 422, "body.value"),
    ("drop", {"message": 999}, 422, "no letter 999"),
    ("send", {"component": "poet", "value": "x"}, 422, "known: reader"),
    ("configure", {"component": "reader", "key": "hat", "value": 1}, 422, "has no hat"),
    ("release", {"hold": 999}, 404, "has no hold 999; held: 1"),
    ("release", {"verb": "sing"}, 422, "'proceed'"),
    ("step", {"hold": 999}, 404, "has no hold 999"),
]


def test_what_the_target_does_not_accept_is_said_with_its_schema(server: Server, mail: list[int]) -> None:
    for command, body, status, message in REFUSED:
        reply = server.client.ask("POST", f"/api/runs/r1/{command}", body)
        assert (reply.status, message in reply.error["message"]) == (status, True), (command, reply.text)
    reply = server.client.ask("POST", "/api/runs/r1/edit", {"message": mail[0], "value": 7})
    assert (reply.error["code"], reply.error["schema"]) == ("bad_body", {"type": "string"})


def test_two_who_step_at_once_do_not_break_the_run(server: Server, paused: Document) -> None:
    assert at(paused)

    def step_to_the_end(client: Client) -> set[int]:
        seen = set()
        while server.service.wait("r1", ["held"], 10.0)["live"]:
            seen.add(client.ask("POST", "/api/runs/r1/step", {}).status)
        return seen

    listen = server.client.listen
    with ThreadPoolExecutor(2) as pool, listen("/api/runs/r1/events") as one, listen("/api/runs/r1/events") as other:
        answers = set().union(*pool.map(step_to_the_end, [server.client, server.client]))
        one.rest()
        other.rest()
    assert 200 in answers
    assert answers <= {200, 404, 409, 422}
    assert server.ended("r1")["status"] == "completed"
    assert one.records() == other.records()
    assert [record["seq"] for record in one.records()] == list(range(server.ended("r1")["records"]))


def test_what_one_does_the_other_sees(server: Server, paused: Document) -> None:
    with server.client.listen("/api/runs/r1/events") as other:
        other.until(status="held")
        first = paused["held"][0]["hold"]
        server.client.post("/api/runs/r1/step", {"hold": first})
        while other.until(status="held")["held"][0]["hold"] == first:
            continue
        reply = server.client.ask("POST", "/api/runs/r1/release", {"hold": first})
        assert (reply.status, reply.error["code"]) == (404, "not_found")
        server.client.post("/api/runs/r1/continue")
        other.rest()
    assert other.state()["status"] == "completed"


def test_of_a_run_that_has_ended_nothing_is_pending(server: Server, recorded: Document) -> None:
    pending = server.client.get("/api/runs/r1/pending")
    fits(Pending, pending)
    assert (pending["status"], pending["held"], pending["queued"]) == ("completed", [], [])
    assert server.client.get("/api/runs/r1/breakpoints")["breakpoints"] == []
