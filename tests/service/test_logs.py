"""Logs of other programs become runs: what was said, by whom, what is known of them; and that they cannot be run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outtake.core.runs import count
from outtake.importers import BadLog, Source, who_and_when
from outtake.importers.recording import Recorded, record
from outtake.service import WrongUse
from outtake.service.errors import NotFound
from outtake.service.service import Document, Service
from outtake_probe.bodies import resolve
from outtake_probe.records import Json, from_json

MAGENTIC: Document = {
    "question": "How tall is the tower?",
    "ground_truth": "324 metres",
    "is_corrected": False,
    "question_ID": "q7",
    "level": 2,
    "mistake_agent": "Websurfer",
    "mistake_step": "4",
    "mistake_reason": "It took the wrong tower.",
    "history": [
        {"role": "human", "content": "How tall is the tower, in metres?"},
        {"role": "Orchestrator (thought)", "content": "A plan"},
        {"role": "Orchestrator (-> WebSurfer)", "content": "Look it up"},
        {"role": "Orchestrator (thought)", "content": "Next speaker WebSurfer"},
        {"role": "WebSurfer", "content": "The tower has 333 metres"},
        {"role": "Orchestrator (thought)", "content": "Request satisfied."},
        {
            "role": "Orchestrator (termination condition)",
            "content": "No agent selected.\nFINAL ANSWER: 333\nSCENARIO.PY COMPLETE !#!#\nRUN.SH COMPLETE !#!#",
        },
    ],
}
AG2: Document = {
    "question": "What is 2 + 2?",
    "ground_truth": "4",
    "is_correct": False,
    "level": "1",
    "mistake_agent": "Maths_Expert",
    "mistake_step": "2",
    "mistake_reason": "It guessed.",
    "system_prompt": {"Maths_Expert": "You add.", "Computer_terminal": ""},
    "history": [
        {"name": "Maths_Expert", "role": "assistant", "content": "You are given a task"},
        {"name": "Computer_terminal", "role": "user", "content": "There is no code from the last 1 message"},
        {"name": "Maths_Expert", "role": "assistant", "content": "It is 5"},
        {"name": "Maths_Expert", "role": "assistant", "content": "TERMINATE"},
    ],
}


def imported(service: Service, tmp_path: Path, log: Json, name: str = "log.json") -> Document:
    (tmp_path / name).write_text(json.dumps(log), "utf-8")
    told = service.import_(str(tmp_path / name))
    assert told["runs"] == {name: told["run"]}
    return service.info(told["run"])


def outline(service: Service, run: str) -> list[tuple[str, ...]]:
    """Kind, component, and whatever else tells a record from its neighbours."""
    return [
        (r["kind"], r["component"], r.get("recipient", "") or r.get("type", ""))
        for r in service.show(run)
        if r["kind"] not in ("run_started", "run_ended")
    ]


def test_a_magentic_one_log_is_a_run(service: Service, tmp_path: Path) -> None:
    run = imported(service, tmp_path, MAGENTIC)
    assert (run["status"], run["imported"], run["live"], run["name"]) == ("completed", True, False, "log.json")
    assert (run["input"], run["output"], run["expected"], run["outcome"]) == (
        "How tall is the tower?",
        "333",
        "324 metres",
        "failed",
    )
    assert run["calls"] == {"model": 0, "tool": 0, "step": 0, "agent": 3, "task": 0}
    lead, surfer = "team/Orchestrator", "team/WebSurfer"
    assert outline(service, run["run"]) == [
        ("noted", "", "imported"),
        ("invocation_started", "team", ""),
        ("message_queued", "user", "team"),
        ("invocation_started", lead, ""),
        ("noted", lead, "thought"),
        ("message_queued", lead, surfer),
        ("noted", lead, "thought"),
        ("invocation_ended", lead, ""),
        ("invocation_started", surfer, ""),
        ("message_queued", surfer, "team"),
        ("invocation_ended", surfer, ""),
        ("invocation_started", lead, ""),
        ("noted", lead, "thought"),
        ("noted", lead, "termination condition"),
        ("invocation_ended", lead, ""),
        ("invocation_ended", "team", ""),
    ]
    shown = list(service.show(run["run"], bodies=True))
    assert shown[1]["body"] == {
        "question_ID": "q7",
        "level": 2,
        "log": "Who&When",
        "recognised": "a question, its history and a label",
        "guessed": run["guessed"],
    }
    turn = next(r for r in shown if r["kind"] == "invocation_started" and r["component"] == surfer)
    asked = next(r for r in shown if r.get("recipient") == surfer)
    heard = [MAGENTIC["history"][0], MAGENTIC["history"][2]]
    assert (turn["message"], turn["caused_by"], turn["input"]) == (asked["seq"], [3, asked["seq"]], {"messages": heard})
    ended = next(r for r in shown if r["kind"] == "invocation_ended" and r["component"] == surfer)
    assert (ended["output"], ended["seconds"]) == ("The tower has 333 metres", 0.0)
    assert (run["timed"], run["ended"]) == (False, run["created"])
    assert any("consecutive entries" in guess for guess in run["guessed"])


def test_the_label_is_said_about_the_run_and_is_not_in_its_log(service: Service, tmp_path: Path) -> None:
    run = imported(service, tmp_path, MAGENTIC)["run"]
    expectation, verdict, finding = service.annotations(run)["annotations"]
    assert {a["author"] for a in (expectation, verdict, finding)} == {"who&when"}
    assert (expectation["kind"], expectation["text"]) == ("expectation", "324 metres")
    assert (verdict["kind"], verdict["data"]) == ("verdict", {"passed": False})
    assert (finding["kind"], finding["text"]) == ("finding", "It took the wrong tower.")
    assert finding["data"] == {"agent": "Websurfer", "step": 4, "component": "team/WebSurfer"}
    (record,) = service.show(run, after=finding["seq"] - 1, limit=1, bodies=True)
    assert (record["kind"], record["body"]) == ("message_queued", MAGENTIC["history"][4])
    told = json.dumps(list(service.show(run, bodies=True)))
    assert not any(word in told for word in ("324 metres", "wrong tower", "mistake"))


def test_an_ag2_log_is_a_run(service: Service, tmp_path: Path) -> None:
    run = imported(service, tmp_path, AG2)
    assert (run["input"], run["output"], run["outcome"], run["calls"]["agent"]) == (
        "What is 2 + 2?",
        "It is 5",
        "failed",
        4,
    )
    sent = [(r["component"], r["recipient"]) for r in service.show(run["run"], kind="message_queued")]
    expert, terminal = "team/Maths_Expert", "team/Computer_terminal"
    assert sent == [("user", "team"), (expert, "team"), (terminal, "team"), (expert, "team"), (expert, "team")]
    launch = service.store.run(run["run"]).launch
    assert launch.config[f"{expert}.system_prompt"] == "You add."
    (finding,) = [a for a in service.annotations(run["run"])["annotations"] if a["kind"] == "finding"]
    assert next(service.show(run["run"], after=finding["seq"] - 1, bodies=True))["body"] == AG2["history"][2]


def test_what_is_imported_can_be_read_compared_and_exported_but_not_run(service: Service, tmp_path: Path) -> None:
    run, other = (imported(service, tmp_path, log)["run"] for log in (MAGENTIC, AG2))
    acts: tuple[Callable[[], object], ...] = (
        lambda: service.fork(run),
        lambda: service.fork(run, at=3, edits=[{"op": "drop", "seq": 3}]),
        lambda: service.control(run, "step"),
        lambda: service.pending(run),
        lambda: service.send(run, "team/WebSurfer", "go on"),
        lambda: service.configure(run, "team/WebSurfer", "x", 1),
    )
    for act in acts:
        with pytest.raises(WrongUse, match=r"r1 was read from a log of Who&When.*can be read, searched, compared"):
            act()
    assert service.diff(run, other)["same"] == 0
    assert service.trace(run)["total"] > 3
    assert service.why(run, text="333 metres")["first"] is not None
    assert service.report(run)["counts"]["executed"] == {"flow": 1, "agent": 3}
    service.export(run, str(tmp_path / "again.outtake"))
    again = service.import_(str(tmp_path / "again.outtake"))["run"]
    assert list(service.show(again, bodies=True)) == list(service.show(run, bodies=True))
    with pytest.raises(WrongUse, match="r3 was read from a log of Who&When"):
        service.fork(again)
    assert service.info(again)["outcome"] == "failed"
    assert service.delete(again)["deleted"]


BAD: list[tuple[Json, str]] = [
    (7, "holds nothing that is known. Tried were: Who&When"),
    ([], "holds nothing that is known. Tried were: Who&When"),
    ({"question": "x"}, "holds nothing that is known. Tried were: Who&When"),
    (
        {**AG2, "history": []},
        r"log.json looks like a log of Who&When \(a question, its history and a label\), but its history",
    ),
    (
        {**AG2, "history": "x"},
        r"log.json looks like a log of Who&When \(a question, its history and a label\), but its history",
    ),
    ({**AG2, "question": 7}, "its question is no text"),
    ({**AG2, "history": [{"role": "x"}]}, "entry 0 of its history has no content"),
    ({**AG2, "history": [{"role": "x", "content": ""}, {"content": "y"}]}, "entry 1 of its history does not say who"),
]


@pytest.mark.parametrize(("log", "told"), BAD)
def test_another_file_is_refused_with_what_is_expected(service: Service, tmp_path: Path, log: Json, told: str) -> None:
    with pytest.raises(WrongUse, match=told) as refused:
        imported(service, tmp_path, log)
    assert "nothing was imported" in str(refused.value)
    assert service.runs() == []


@pytest.mark.parametrize("text", ["", "nothing", "{", "[" * 100_000, '{"question": NaN}', '"\xff'])
def test_what_is_no_json_is_refused_with_what_is_expected(service: Service, tmp_path: Path, text: str) -> None:
    (tmp_path / "log.json").write_text(text, "latin-1")
    with pytest.raises(WrongUse, match="nothing was imported") as refused:
        service.import_(str(tmp_path / "log.json"))
    assert "mistake_step" in str(refused.value)
    with pytest.raises(NotFound, match="there is no file"):
        service.import_(str(tmp_path / "none.json"))


names = st.sampled_from(["A", "B", "C d", "x/y"])
roles = st.one_of(
    names,
    st.just("human"),
    st.builds("{} (thought)".format, names),
    st.builds("{} (-> {})".format, names, names),
)
entries = st.one_of(
    st.builds(lambda role, content: {"role": role, "content": content}, roles, st.text(max_size=300)),
    st.builds(lambda name, content: {"name": name, "role": "user", "content": content}, names, st.text(max_size=300)),
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def read(log: Json) -> tuple[Recorded, list[Document]]:
    """The log, and its records with their bodies."""
    made = record(who_and_when.log(log), 1000.0, {})
    nodes = dict(made.nodes)
    return made, [{**r, "value": resolve(r["body"], nodes.__getitem__)} for r in made.records]


@given(st.lists(entries, min_size=1, max_size=25), st.integers(-3, 30))
def test_nothing_of_a_conversation_is_lost_or_made_up(history: list[Document], step: int) -> None:
    made, records = read({**AG2, "history": history, "mistake_step": step})
    said = [r for r in records if r["kind"] in ("message_queued", "noted")][1:]
    asked = any(entry.get("role") == "human" for entry in history)
    told = [r["value"] if r["kind"] == "message_queued" else {"content": r["value"]} for r in said]
    if not asked:
        assert told.pop(0) == {"role": "user", "content": AG2["question"]}
    assert [t["content"] for t in told] == [entry["content"] for entry in history]
    for number, one in enumerate(records):
        assert one["seq"] == number
        assert all(cause < number for cause in one.get("caused_by", ()))
        from_json({name: value for name, value in one.items() if name != "value"})
    started = [r["seq"] for r in records if r["kind"] == "invocation_started"]
    assert sorted(r["invocation"] for r in records if r["kind"] == "invocation_ended") == started
    assert {r["at"] for r in records} == {1000.0}
    assert not made.timed
    finding = next(note for note in made.notes if note.kind == "finding")
    assert (finding.seq is not None) == (0 <= step < len(history))
    if finding.seq is not None:
        place = records[finding.seq]
        content = place["value"]["content"] if place["kind"] == "message_queued" else place["value"]
        assert content == history[step]["content"]
    turns = Counter(r["component"] for r in records if r["kind"] == "invocation_ended" and r["call"] == "agent")
    counted = count((from_json(dict(r)) for r in made.records), 0)
    assert counted.executed["agent"] == sum(turns.values())


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from([*AG2]), anything), st.lists(entries | anything, max_size=4))
def test_whatever_a_file_holds_it_is_read_or_refused(changes: Document, history: list[Any]) -> None:
    log = {**AG2, "history": history, **changes}
    assert who_and_when.recognise(Source(json.dumps(log).encode()))
    try:
        record(who_and_when.log(log), 0.0, {})
    except BadLog as error:
        assert str(error)
