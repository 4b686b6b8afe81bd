"""A state outside the process, seen from the service and the command line: declared by pattern, asked for, told."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from rich.console import Console

from outtake.cli.outcome import print_outcome
from outtake.cli.render_hold import ways_out
from outtake.cli.reporting import print_report
from outtake.cli.transcript import Transcript, bodies
from outtake.service.errors import WrongUse
from outtake.service.rpc_server import Document
from outtake.service.service import Service

PROGRAM = """
import os
import outtake

PAGE = []

@outtake.tool
def go(where):
    PAGE.append(where)
    return f"{where} for {os.getpid()}" if where == "b" else where

@outtake.model
def think(prompt):
    return "c"

def main():
    go("a")
    go("b")
    go(think("what next"))
    return PAGE[-3:]
"""
BOUND = 60.0


@pytest.fixture
def parent(service: Service, tmp_path: Path) -> Document:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "outtake.toml").write_text('[state]\ngo = "page"\n')
    made = service.run("program.py:main", headless=True, python=sys.executable)
    return service.wait(made["run"], timeout=BOUND)


def question(service: Service, parent: Document) -> int:
    starts = service.show(parent["run"], kind="invocation_started")
    return next(int(r["seq"]) for r in starts if r["component"] == "main/think")


def test_a_person_is_asked_and_every_difference_is_told(service: Service, parent: Document) -> None:
    at = question(service, parent)
    edit = {"op": "mock_output", "seq": at, "value": "d"}
    fork = service.fork(parent["run"], at=at, edits=[edit])
    held = service.wait(fork["run"], until=["held"], timeout=BOUND)["held"]
    assert held[0]["offers"] == ["proceed", "skip", "mock_output"]
    assert held[0]["restores"]["state"] == "page"
    assert f"outtake edit {fork['run']} hold:1 --skip" in ways_out(fork["run"], held)
    service.release(fork["run"])
    ended = service.wait(fork["run"], timeout=BOUND)
    assert ended["output"][0] == "a"
    assert ended["output"][2] == "d"
    assert ended["restored"] == [{"state": "page", "loaded": 0, "repeated": 2, "skipped": 0, "different": 1}]
    out = io.StringIO()
    console = Console(file=out, width=200)
    print_outcome(console, ended)
    report = service.report(fork["run"])
    print_report(console, report)
    Transcript(console, fork["run"], bodies(service)).records(service.show(fork["run"], after=at))
    told = out.getvalue()
    assert "restored  page: 2 calls executed again  1 step differed from the record" in told
    assert "main/go of record" in told
    assert "page 2/2  again main/go of record" in told
    assert "differs from the record" in told
    assert [step["same"] for step in report["restored"]] == [True, False]


def test_a_state_is_left_as_it_is_when_the_person_says_so(service: Service, parent: Document) -> None:
    at = question(service, parent)
    fork = service.fork(parent["run"], at=at, edits=[{"op": "mock_output", "seq": at, "value": "d"}])
    service.wait(fork["run"], until=["held"], timeout=BOUND)
    service.release(fork["run"], answer={"verb": "skip"})
    ended = service.wait(fork["run"], timeout=BOUND)
    assert ended["output"] == ["d"]
    assert ended["restored"] == [{"state": "page", "loaded": 0, "repeated": 0, "skipped": 2, "different": 2}]


def test_unattended_a_call_is_refused_rather_than_made_in_the_wrong_place(service: Service, parent: Document) -> None:
    at = question(service, parent)
    edits = [{"op": "mock_output", "seq": at, "value": "d"}]
    fork = service.fork(parent["run"], at=at, edits=edits, headless=True)
    ended = service.wait(fork["run"], timeout=BOUND)
    assert ended["status"] == "failed"
    assert "main/go needs the state page" in ended["error"]["message"]
    assert "--repeat run" in ended["error"]["message"]


def test_the_name_of_a_state_is_a_text(service: Service, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "outtake.toml").write_text("[state]\ngo = true\n")
    with pytest.raises(WrongUse, match="the state of 'go' is a name"):
        service.run("program.py:main", headless=True, python=sys.executable)


NOTES = """
import outtake

class Notes:
    def __init__(self):
        self.lines = []

    def save_state(self):
        return {"lines": list(self.lines)}

    def load_state(self, saved):
        self.lines = list(saved["lines"])

notes = Notes()
outtake.state("notes", notes)

@outtake.tool(state="notes")
def note(text):
    notes.lines.append(text)
    return len(notes.lines)

def main(topic):
    return [note(topic), note("more"), note("last")]
"""


def test_an_export_has_the_states_that_were_saved(service: Service, tmp_path: Path) -> None:
    (tmp_path / "notes.py").write_text(NOTES)
    service.wait(service.run("notes.py:main", input="a", has_input=True, headless=True)["run"], timeout=30.0)
    service.export("r1", "r1.outtake")
    service.delete("r1")
    brought = service.import_("r1.outtake")["run"]
    last = [r["seq"] for r in service.show(brought, kind="tool") if r["kind"] == "invocation_started"][-1]
    edit = {"op": "replace_input", "seq": last, "value": {"text": "other"}}
    fork = service.fork(brought, edits=[edit], headless=True, trust=True)["run"]
    done = service.wait(fork, timeout=30.0)
    assert (done["status"], done["output"]) == ("completed", [1, 2, 3]), done["error"]
    assert done["restored"] == [{"state": "notes", "loaded": 1, "repeated": 0, "skipped": 0, "different": 0}]
