"""The daily loop: mend the code, fork, and see what became of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from outtake.service.errors import WrongUse
from outtake.service.service import Document, Service

WAIT = 30.0
HELPERS = "LIMIT = 3\n\ndef check(n):\n    if n > LIMIT:\n        raise ValueError(f'{n} is too much')\n    return n\n"
BOOM = """
import outtake
from helpers import check

def happened(what):
    with open("calls.txt", "a") as file:
        file.write(what + "\\n")

@outtake.tool(effects="read")
def look(n):
    happened("look")
    return n + 1

@outtake.model
def ask(prompt):
    happened("ask")
    return prompt.upper()

@outtake.tool
def double(n):
    happened("double")
    return 2 * check(n)

@outtake.step(effects="pure")
def twice(n):
    try:
        return double(n)
    except ValueError:
        return "failed"

@outtake.tool(effects="irreversible")
def pay(n):
    happened("pay")
    raise RuntimeError("no money")

def main(topic):
    found = look(4)
    said = ask(topic)
    return [double(found), said]

def inside(topic):
    return [ask(topic), twice(look(4))]

def paid(topic):
    ask(topic)
    return pay(1)
"""


@pytest.fixture
def program(service: Service, tmp_path: Path) -> Path:
    (tmp_path / "boom.py").write_text(BOOM)
    (tmp_path / "helpers.py").write_text(HELPERS)
    return tmp_path


def ended(service: Service, started: Document) -> Document:
    return service.wait(started["run"], timeout=WAIT)


def run(service: Service, function: str = "main") -> Document:
    return ended(service, service.run(f"boom.py:{function}", input="a", has_input=True, headless=True))


def fork(service: Service, run: str, at: int, **how: object) -> Document:
    return ended(service, service.fork(run, at=at, headless=True, **how))  # type: ignore[arg-type]


def seq_of(service: Service, run: str, component: str, kind: str = "invocation_started") -> int:
    found: int = next(r["seq"] for r in service.show(run, kind=kind) if r["component"] == component)
    return found


def called(program: Path) -> list[str]:
    """What the program has really called since this was asked last."""
    file = program / "calls.txt"
    lines = file.read_text().split() if file.exists() else []
    file.unlink(missing_ok=True)
    return lines


def mend(program: Path, file: str, old: str, new: str) -> None:
    text = (program / file).read_text()
    assert old in text
    (program / file).write_text(text.replace(old, new))


def test_a_failure_is_tried_again_after_the_cut_and_served_before_it(service: Service, program: Path) -> None:
    failed = run(service)
    assert failed["error"]["message"] == "5 is too much"
    called(program)
    again = fork(service, "r1", seq_of(service, "r1", "main/ask"))
    assert (again["status"], called(program)) == ("failed", ["double"])
    assert [line["reason"] for line in service.report("r2")["lines"] if line["reason"]] == ["failure"]
    before = fork(service, "r1", seq_of(service, "r1", "main/double", "invocation_ended") + 1)
    assert (before["status"], called(program)) == ("failed", [])


def test_failures_are_served_where_that_is_asked_for(service: Service, program: Path) -> None:
    run(service)
    called(program)
    served = fork(service, "r1", 3, serve_failures=True)
    assert (served["error"]["message"], called(program)) == ("5 is too much", [])
    assert service.report("r2")["counts"]["executed"].get("tool", 0) == 0


@pytest.mark.parametrize(
    ("file", "old", "new"), [("helpers.py", "LIMIT = 3", "LIMIT = 30"), ("boom.py", "2 * check(n)", "2 * n")]
)
def test_mended_code_is_executed_and_what_did_not_change_is_served(
    service: Service, program: Path, file: str, old: str, new: str
) -> None:
    run(service)
    called(program)
    mend(program, file, old, new)
    now = {each["path"]: each["since_run"] for each in service.code("r1")["files"]}
    assert now == {"boom.py": "same", "helpers.py": "same"} | {file: "changed"}
    mended = fork(service, "r1", 3)
    assert (mended["output"], called(program)) == ([10, "A"], ["double"])
    code = service.code("r2")
    assert code["stale"] == []
    assert {each["path"]: each["since_parent"] for each in code["files"]}[file] == "changed"
    assert [each["path"] for each in service.diff("r1", "r2")["files"]] == [file]


def test_a_result_of_changed_code_is_not_served_and_the_write_is_a_new_act(service: Service, program: Path) -> None:
    mend(program, "helpers.py", "LIMIT = 3", "LIMIT = 30")
    assert run(service)["output"] == [10, "A"]
    called(program)
    mend(program, "helpers.py", "return n\n", "return n + 1\n")
    mended = fork(service, "r1", 3)
    assert (mended["output"], called(program)) == ([12, "A"], ["double"])
    assert [line["reason"] for line in service.report("r2")["lines"] if line["reason"]] == ["code"]


def test_before_the_cut_the_record_holds_and_that_is_reported_once(service: Service, program: Path) -> None:
    run(service)
    called(program)
    mend(program, "boom.py", "return n + 1", "return n - 1")
    mend(program, "helpers.py", "LIMIT = 3", "LIMIT = 30")
    mended = fork(service, "r1", seq_of(service, "r1", "main/ask"))
    assert (mended["output"], called(program)) == ([10, "A"], ["double"])
    assert service.code("r2")["stale"] == [{"component": "main/look", "call": "tool", "files": ["boom.py"]}]
    notes = [r for r in service.show("r2", kind="noted") if r["type"] == "code_changed"]
    assert [note["seq"] for note in notes] == [mended["cut"]]
    earlier = ended(service, service.fork("r1", live=["main/look"], headless=True))
    assert (earlier["output"], called(program)) == ([6, "A"], ["look", "double"])


def test_a_step_is_not_served_as_a_whole_where_a_call_inside_failed_or_changed(service: Service, program: Path) -> None:
    assert run(service, "inside")["output"] == ["A", "failed"]
    called(program)
    assert fork(service, "r1", 2, serve_failures=True)["output"] == ["A", "failed"]
    assert called(program) == []
    mend(program, "helpers.py", "LIMIT = 3", "LIMIT = 30")
    assert fork(service, "r1", 2)["output"] == ["A", 10]
    assert called(program) == ["double"]
    mend(program, "boom.py", "2 * check(n)", "3 * check(n)")
    assert fork(service, "r3", 2)["output"] == ["A", 15]
    assert called(program) == ["double"]


def test_a_failed_irreversible_call_is_not_made_again_without_a_word(service: Service, program: Path) -> None:
    run(service, "paid")
    called(program)
    refused = fork(service, "r1", 2)
    assert "irreversible" in refused["error"]["message"]
    assert called(program) == []
    assert fork(service, "r1", 2, repeat="run")["error"]["message"] == "no money"
    assert called(program) == ["pay"]


def test_a_mock_holds_whatever_becomes_of_the_code(service: Service, program: Path) -> None:
    run(service)
    mock = {"op": "raise", "component": "main/double", "value": "mocked"}
    assert fork(service, "r1", 3, edits=[mock])["error"]["message"] == "mocked"
    mend(program, "helpers.py", "LIMIT = 3", "LIMIT = 30")
    called(program)
    assert fork(service, "r2", 3)["error"]["message"] == "mocked"
    assert called(program) == []


def test_a_removed_file_is_gone_and_an_export_says_what_was_imported(service: Service, program: Path) -> None:
    run(service)
    service.export("r1", "r1.outtake")
    brought = service.import_("r1.outtake")["run"]
    (program / "helpers.py").unlink()
    for each in ("r1", brought):
        states = {file["path"]: file["since_run"] for file in service.code(each)["files"]}
        assert states == {"boom.py": "same", "helpers.py": "gone"}
    with pytest.raises(WrongUse):
        service.fork("r1", reuse="unknown")
    service.delete("r1")
    assert [r["run"] for r in service.runs()] == [brought]


def test_a_run_names_the_components_whose_code_is_another_one_now(service: Service, program: Path) -> None:
    made = run(service)
    assert service.code(made["run"])["renewed"] == []
    (program / "boom.py").write_text("# nothing that matters\n" + BOOM)
    assert service.code(made["run"])["renewed"] == []
    (program / "helpers.py").write_text(HELPERS.replace("LIMIT = 3", "LIMIT = 9"))
    told = service.code(made["run"])
    assert told["folder"] == str(program)
    (double,) = told["renewed"]
    assert (double["component"], double["call"], double["files"]) == ("main/double", "tool", ["boom.py"])
    fork = ended(service, service.fork(made["run"], at=double["seq"], headless=True))
    assert fork["status"] == "completed"  # the failure was not served, and the new code knows better
    assert (fork["executed"]["tool"], fork["reused"]["tool"]) == (1, 1)


def test_a_changed_prompt_is_named_with_the_call_that_was_told_it(service: Service, program: Path) -> None:
    text = BOOM.replace("said = ask(topic)", 'said = ask(f"Write about {topic}, in one short line.")')
    (program / "boom.py").write_text(text.replace("double(found)", "found"))
    made = run(service)
    (program / "boom.py").write_text(text.replace("double(found)", "(found)"))
    assert service.code(made["run"])["prompts"] == []
    (program / "boom.py").write_text(
        text.replace("double(found)", "found").replace("in one short line", "in one long line")
    )
    told = service.code(made["run"])
    assert told["renewed"] == []
    (prompt,) = told["prompts"]
    assert prompt == {
        "component": "main/ask",
        "seq": seq_of(service, made["run"], "main/ask"),
        "file": "boom.py",
        "was": "Write about a, in one short line.",
        "now": "Write about ..., in one long line.",
    }
    fork = ended(service, service.fork(made["run"], at=prompt["seq"], headless=True))
    assert fork["output"] == [5, "WRITE ABOUT A, IN ONE LONG LINE."]
    assert (fork["executed"]["model"], fork["reused"]["tool"]) == (1, 1)


def test_changed_files_are_executed_from_the_start_where_nothing_tells_what_they_concern(
    service: Service, program: Path
) -> None:
    made = run(service, "inside")
    (program / "boom.py").write_text(BOOM.replace("return [ask(topic)", 'return [ask("Rome")'))
    told = service.code(made["run"])
    assert (told["renewed"], told["prompts"]) == ([], [])
    fork = ended(service, service.fork(made["run"], at=0, headless=True))
    assert fork["output"][0] == "ROME"
    assert (fork["executed"]["model"], fork["reused"]["tool"]) == (1, 1)
