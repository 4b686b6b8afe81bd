"""Why a run came out wrong: what was said instead, where that began, and the path to it."""

from __future__ import annotations

from typing import Any

import pytest

from outtake.core.provenance import Explanation
from outtake.core.provenance.explaining import wrong_part
from outtake_probe.records import Json
from tests.core.stories import Script

QUESTION = "How many at bats had the Yankee with the most walks in 1977?"


@pytest.mark.parametrize(
    ("said", "expected", "wrong"),
    [
        ("525", "519", "525"),
        ("The Yankee had 525 at bats in 1977.", "519", "525"),
        ("He had 12 walks and 525 at bats.", "519", "525"),
        ("He had 1,200.50 dollars", "1300", "1,200.50"),
        ("Reggie Jackson", "Roy White", "Reggie Jackson"),
        ("in 1977", "519", "in 1977"),
        ("a long story " * 20, "Roy White", None),
        ("", "519", None),
    ],
)
def test_the_wrong_words_of_an_answer(said: str, expected: str, wrong: str | None) -> None:
    assert wrong_part(said, expected, QUESTION) == wrong


def team(page: str = "Reggie Jackson: 525 at bats", **told: Any) -> tuple[Script, dict[str, int]]:
    """A model decides to look at a page, a tool gives it, another model answers with what it says."""
    script = Script()
    script.add("run_started", QUESTION)
    flow = script.start("team", QUESTION, "flow")
    surfer = script.start("team/surfer", {"asked": "Look for the most famous name"}, "agent", parent=flow)
    decide = script.start("team/surfer/model", {"prompt": QUESTION}, "model", parent=surfer)
    decided = script.end(decide, {"click": "Reggie Jackson, 1977"})
    click = script.start("team/surfer/click", {"link": "Reggie Jackson, 1977"}, "tool", parent=surfer)
    seen = script.end(click, {"page": page})
    script.records[seen] |= told
    report = script.end(surfer, f"I found: {page}")
    write = script.start("team/writer", {"prompt": f"Answer from: I found: {page}"}, "model", parent=flow)
    written = script.end(write, "He had 525 at bats. FINAL ANSWER: 525")
    ended = script.end(flow, "He had 525 at bats. FINAL ANSWER: 525")
    script.add("run_ended", "He had 525 at bats. FINAL ANSWER: 525")
    return script, {"decided": decided, "seen": seen, "report": report, "written": written, "ended": ended}


def explained(script: Script, output: Json, expected: str) -> Explanation:
    return script.provenance.explain().answer(output, expected)


def test_the_path_goes_from_the_decision_over_the_tool_to_the_answer() -> None:
    script, at = team()
    why = explained(script, "He had 525 at bats. FINAL ANSWER: 525", "519")
    assert (why.said, why.first, why.origin) == ("525", at["seen"], "tool")
    path = [step.seq for step in why.path]
    assert path == sorted(set(path))
    assert {at["decided"], at["seen"], at["written"]} <= set(path)
    says = {step.seq for step in why.path if step.says}
    assert at["seen"] in says and at["written"] in says and at["decided"] not in says


def test_what_no_record_said_before_a_model_said_first() -> None:
    script, at = team("Roy White: 519 at bats")
    why = explained(script, "He had 525 at bats. FINAL ANSWER: 525", "519")
    assert (why.first, why.origin) == (at["written"], "model")
    assert at["seen"] in {step.seq for step in why.path}


def conversation(pages: list[str], plans: list[str], stated: str) -> tuple[Script, list[int], list[int], int]:
    """A log without calls: a surfer tells of pages, the orchestrator notes plans, and at last its answer."""
    script = Script()
    script.add("run_started", QUESTION)
    flow = script.start("team", QUESTION, "flow")
    told = []
    for page in pages:
        turn = script.start("team/surfer", None, "agent", parent=flow)
        told.append(script.message("team/surfer", "team", {"content": page}, parent=turn))
        script.end(turn, page)
    heard = script.start("team/boss", {"messages": pages}, "agent", parent=flow)
    script.end(heard, None)
    noted = []
    for plan in plans:
        turn = script.start("team/boss", None, "agent", parent=flow)
        noted.append(script.add("noted", plan, component="team/boss", type="thought", parent=turn))
        script.end(turn, None)
    turn = script.start("team/boss", None, "agent", parent=flow)
    last = script.add("noted", f"FINAL ANSWER: {stated}", component="team/boss", type="termination", parent=turn)
    script.end(turn, None)
    script.end(flow, stated)
    script.add("run_ended", stated)
    return script, told, noted, last


def test_the_path_goes_through_the_plans_that_carried_the_number() -> None:
    pages = ["Sold 12/23/24: $445,000, 1 bd", "Nothing was found"]
    plans = ["A guess: it is around $445,000 to $555,000", "Ask the office", "It might still be $445,000"]
    script, told, noted, last = conversation(pages, plans, "445000")
    script.add("noted", "445000", component="team", type="stdout")  # what is printed only repeats it
    why = explained(script, "445000", "1010000")
    assert (why.said, why.first, why.origin) == ("445000", told[0], "agent")
    assert [step.seq for step in why.path if step.says] == [
        told[0],
        noted[0],
        noted[2],
        last,
        script.records[-2]["seq"],
    ]
    assert all(step.says for step in why.path if step.seq > told[0])


def test_a_note_of_what_a_model_said_just_before_is_no_other_step() -> None:
    script, at = team()
    surfer = script.records[at["report"]]["invocation"]
    script.records.insert(at["report"], {**script.records[at["seen"]], "kind": "noted", "type": "log", "call": None})
    for seq, record in enumerate(script.records):
        script.records[seq] = {**record, "seq": seq}
    assert script.records[at["report"]]["parent"] == surfer
    path = explained(script, "He had 525 at bats. FINAL ANSWER: 525", "519").path
    assert at["report"] not in [step.seq for step in path]


def test_a_small_number_is_first_said_where_the_answer_is_stated() -> None:
    pages = ["Retrieved May 5, 2024. The list has 10 films", "There are 5 pages"]
    script, _, _, last = conversation(pages, ["1. Look. 5. Count them"], "5")
    why = explained(script, "5", "6")
    assert (why.first, [step.seq for step in why.path if step.says]) == (last, [last, len(script.records) - 1])


def test_what_a_person_gave_is_said_to_be_theirs() -> None:
    script, at = team(how="mocked")
    why = explained(script, "He had 525 at bats. FINAL ANSWER: 525", "519")
    assert (why.first, why.origin) == (at["seen"], "person")


def test_an_answer_whose_wrong_words_cannot_be_told_has_a_path_to_the_last_model() -> None:
    script, at = team()
    why = explained(script, "word " * 50, "Roy White")
    assert (why.said, why.first, why.origin) == (None, None, None)
    assert why.path[-1].seq == at["written"]


def test_a_failed_run_leads_to_where_its_error_came_up() -> None:
    script = Script()
    script.add("run_started", QUESTION)
    flow = script.start("main", QUESTION, "flow")
    ask = script.start("main/model", {"prompt": QUESTION}, "model", parent=flow)
    script.end(ask, "look at page 311")
    look = script.start("main/look", {"page": "page 311"}, "tool", parent=flow)
    error = {"$type": "exception", "class": "builtins:LookupError", "message": "no page 311"}
    raised = script.end(look, error, failed=True)
    script.end(flow, error, failed=True)
    script.add("run_ended", error, status="failed")
    why = script.provenance.explain().failure(error)
    assert (why.said, why.first, why.origin) == ("LookupError: no page 311", raised, "error")
    assert why.path[-1].seq == raised
    assert {ask + 1, raised} <= {step.seq for step in why.path}


def test_a_run_without_records_is_explained_by_nothing() -> None:
    assert explained(Script(), "525", "519") == Explanation("525")
