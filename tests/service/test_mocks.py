"""Mocks that are declared up front, for a run and for a fork, and the report of what became of each invocation."""

from __future__ import annotations

from pathlib import Path

import pytest

from outtake.service import WrongUse
from outtake.service.mocks import mock, read_mocks
from outtake.service.service import Document, Service
from outtake_probe.records import Json
from tests.service.targets import calls, write

WAIT = 30.0
MARKS = """
import hashlib, outtake

def happened(what):
    with open("calls.txt", "a") as file:
        file.write(what + "\\n")

@outtake.model
def ask(essay):
    happened("ask " + essay)
    return len(essay) * 1.5

@outtake.step(effects="read")
def ingest(name):
    happened("ingest " + name)
    return {"student": name, "essay": name * 3}

@outtake.step(effects="pure")
def assess(page):
    happened("assess " + page["student"])
    return ask(page["essay"])

@outtake.step(effects="pure")
def average(marks):
    happened("average")
    return sum(marks) / len(marks)

@outtake.tool(effects="irreversible")
def publish(mark):
    happened("publish")
    return f"published {mark}"

def main():
    return publish(average([assess(ingest(name)) for name in ("Ann", "Bo", "Cy")]))
"""


def _ended(service: Service, started: Document) -> Document:
    done = service.wait(started["run"], timeout=WAIT)
    assert done["status"] == "completed", done["error"]
    return done


def _lines(service: Service, run: str) -> list[tuple[str, str, int]]:
    found = service.report(run)["lines"]
    return [(line["fate"], line["component"].removeprefix("main/"), line["occurrence"]) for line in found]


def test_one_mock_of_one_invocation_executes_what_follows_from_it(service: Service, tmp_path: Path) -> None:
    write(tmp_path, MARKS)
    run = _ended(service, service.run("program.py:main", headless=True))
    (tmp_path / "calls.txt").unlink()
    edits = read_mocks([{"step": "assess", "where": {"page": {"student": "Bo"}}, "output": 100.0}]).edits
    fork = _ended(service, service.fork(run["run"], edits=edits, repeat="run", headless=True))
    assert calls(tmp_path) == ["average", "publish"]
    assert fork["output"] == f"published {(13.5 + 100 + 9) / 3}"
    assert _lines(service, fork["run"]) == [
        ("executed", "main", 1),
        ("served", "ingest", 1),
        ("served", "assess", 1),
        ("served", "assess/ask", 1),
        ("served", "ingest", 2),
        ("mocked", "assess", 2),
        ("served", "ingest", 3),
        ("served", "assess", 3),
        ("served", "assess/ask", 2),
        ("executed", "average", 1),
        ("executed", "publish", 1),
        ("not reached", "assess/ask", 3),
    ]


def test_what_is_saved_is_what_the_parent_spent(service: Service, tmp_path: Path) -> None:
    write(tmp_path, MARKS)
    run = _ended(service, service.run("program.py:main", headless=True))
    fork = _ended(service, service.fork(run["run"], at=0, headless=True))
    ended = [r for r in service.show(run["run"], kind="invocation_ended") if not r["component"].endswith("/ask")]
    spent = sum(r["seconds"] for r in ended if r["component"] != "main")
    saved = service.report(fork["run"])["saved"]
    assert saved["calls"] == {"model": 3, "tool": 1}
    assert saved["seconds"] == pytest.approx(spent)
    again = _ended(service, service.fork(fork["run"], at=0, headless=True))
    assert service.report(again["run"])["saved"]["seconds"] == pytest.approx(spent)


def test_mocks_of_a_run_hold_from_its_start_and_in_its_forks(service: Service, tmp_path: Path) -> None:
    write(tmp_path, MARKS)
    mocks = [
        {"step": "ingest", "nth": 2, "output": {"student": "Di", "essay": "x"}},
        {"tool": "publish", "output": "no"},
    ]
    run = _ended(service, service.run("program.py:main", edits=read_mocks(mocks).edits, headless=True))
    assert "publish" not in calls(tmp_path)
    assert "assess Di" in calls(tmp_path)
    (tmp_path / "calls.txt").unlink()
    fork = _ended(service, service.fork(run["run"], live=["average"], headless=True))
    assert (fork["output"], calls(tmp_path)) == ("no", ["average"])
    assert service.report(fork["run"])["unused"] == []


def test_a_mock_that_raises_fails_the_step(service: Service, tmp_path: Path) -> None:
    write(tmp_path, MARKS)
    edits = read_mocks([{"step": "assess", "raise": "the model is down"}]).edits
    run = service.wait(service.run("program.py:main", edits=edits, headless=True)["run"], timeout=WAIT)
    assert run["status"] == "failed"
    assert run["error"]["message"] == "the model is down"


def test_any_set_is_mocked_or_live_whatever_its_position(service: Service, tmp_path: Path) -> None:
    write(tmp_path, MARKS)
    run = _ended(service, service.run("program.py:main", headless=True))
    starts = [r["seq"] for r in service.show(run["run"], kind="invocation_started") if r["component"] == "main/ingest"]
    (tmp_path / "calls.txt").unlink()
    found = read_mocks({"mocks": [{"seq": starts[2], "output": {"student": "Ed", "essay": ""}}], "live": [starts[0]]})
    fork = _ended(service, service.fork(run["run"], edits=found.edits, live=found.live, headless=True, repeat="run"))
    assert calls(tmp_path) == ["ingest Ann", "assess Ed", "ask ", "average", "publish"]
    assert fork["cut"] == starts[0]


def test_what_no_mock_met_is_reported(service: Service, tmp_path: Path) -> None:
    write(tmp_path, MARKS)
    run = _ended(service, service.run("program.py:main", headless=True))
    edits = read_mocks([{"step": "assess", "where": {"page": {"student": "Zoe"}}, "output": 1}]).edits
    fork = _ended(service, service.fork(run["run"], edits=edits, headless=True))
    assert service.report(fork["run"])["unused"] == list(edits)


def test_a_mock_for_an_unknown_step_is_refused(service: Service, tmp_path: Path) -> None:
    write(tmp_path, MARKS)
    run = _ended(service, service.run("program.py:main", headless=True))
    with pytest.raises(WrongUse, match=r"has no component 'asses'; it has main, main/assess"):
        service.fork(run["run"], edits=[mock({"step": "asses", "output": 1})], headless=True)


@pytest.mark.parametrize(
    ("document", "says"),
    [
        (3, 'is an object with "mocks"'),
        ({"mock": []}, 'is an object with "mocks"'),
        ([{"step": "a"}], "mock 1 says what it answers: output, or raise"),
        ([{"step": "a", "output": 1, "raise": "x"}], "says what it answers"),
        ([{"output": 1}], "says what it is for in one of: component, step"),
        ([{"step": "a", "tool": "b", "output": 1}], "says what it is for in one of"),
        ([{"step": "a", "out": 1}], "unknown field 'out'; known: component, step"),
        ([{"step": "a", "where": {"$like": 1}, "output": 1}], r"mock 1: where: unknown operator '\$like'"),
        ([{"step": "a", "nth": "x", "output": 1}], "occurrence is a number from 1"),
        ([{"step": "a", "raise": 3}], "raise needs the error's message as a text"),
        ({"live": [None]}, "live names components or numbers of records"),
    ],
)
def test_a_document_that_says_nothing_clear_is_refused(document: Json, says: str) -> None:
    with pytest.raises(WrongUse, match=says):
        read_mocks(document)


def test_a_step_whose_code_changed_is_executed_and_what_follows(service: Service, tmp_path: Path) -> None:
    write(tmp_path, MARKS)
    run = _ended(service, service.run("program.py:main", headless=True))
    (tmp_path / "calls.txt").unlink()
    write(tmp_path, MARKS.replace("sum(marks) / len(marks)", "max(marks)"))
    at = next(r["seq"] for r in service.show(run["run"], kind="step") if r["component"] == "main/average")
    fork = _ended(service, service.fork(run["run"], at=at, repeat="run", headless=True))
    assert (fork["output"], calls(tmp_path)) == ("published 13.5", ["average", "publish"])
