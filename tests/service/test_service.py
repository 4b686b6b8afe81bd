"""Real processes under the service: run, fork, hold, edit, effects, divergence, bad targets."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from outtake.core.runs import Segment
from outtake.service import WrongUse
from outtake.service.errors import Conflict, NotFound
from outtake.service.service import Document, Service
from tests.service.targets import WRITER, calls, write

WAIT = 30.0


def finished(service: Service, run: Document) -> Document:
    return service.wait(run["run"], timeout=WAIT)


def record(service: Service, folder: Path, text: str = WRITER) -> Document:
    write(folder, text)
    return finished(service, service.run("program.py:main", headless=True))


def seqs(service: Service, run: str, kind: str, component: str) -> list[int]:
    return [r["seq"] for r in service.show(run, kind=kind) if r["component"].endswith(component)]


def test_a_run_is_recorded_and_a_fork_anywhere_calls_nothing(service: Service, tmp_path: Path) -> None:
    run = record(service, tmp_path)
    assert run["status"] == "completed"
    assert run["executed"] == {"model": 6, "tool": 7, "step": 0, "agent": 3, "task": 0}
    before = calls(tmp_path)
    for cut in (0, 1, 7, run["records"] - 1, run["records"]):
        fork = finished(service, service.fork(run["run"], at=cut, headless=True))
        assert (fork["status"], fork["output"]) == ("completed", run["output"]), fork["error"]
        assert not any(fork["executed"][kind] for kind in ("model", "tool"))
    assert calls(tmp_path) == before


def test_the_parent_stays_as_it_is_and_a_fork_stores_only_its_own(service: Service, tmp_path: Path) -> None:
    run = record(service, tmp_path)
    before = list(service.show(run["run"], bodies=True))
    at = seqs(service, run["run"], "invocation_started", "look")[1]
    fork = finished(
        service,
        service.fork(run["run"], edits=[{"op": "mock_output", "seq": at, "value": {"found": "new"}}], headless=True),
    )
    assert fork["cut"] == at
    assert list(service.show(run["run"], bodies=True)) == before
    own = list(service.store._segment(Segment(fork["run"], 0, None), None, None))
    assert [r["seq"] for r in own] == list(range(at, fork["records"]))
    assert fork["output"] != run["output"]


def test_an_edit_executes_only_what_it_changes(service: Service, tmp_path: Path) -> None:
    run = record(service, tmp_path)
    before = calls(tmp_path)
    at = seqs(service, run["run"], "invocation_started", "look")[1]
    edit = {"op": "mock_output", "seq": at, "value": {"found": "new"}}
    fork = finished(service, service.fork(run["run"], edits=[edit], headless=True))
    assert fork["status"] == "completed"
    assert calls(tmp_path)[len(before) :] == ["save new", "ask finish new"]
    assert fork["mocked"]["tool"] == 1


@pytest.mark.parametrize(("repeat", "expected"), [("serve", 0), ("run", 3)])
def test_what_changes_the_world_does_not_happen_twice_unasked(
    service: Service, tmp_path: Path, repeat: str, expected: int
) -> None:
    run = record(service, tmp_path)
    before = calls(tmp_path)
    fork = finished(service, service.fork(run["run"], at=2, reuse="prefix", repeat=repeat, headless=True))
    assert fork["status"] == "completed"
    again = calls(tmp_path)[len(before) :]
    assert sum(call.startswith("save") for call in again) == expected
    assert sum(call.startswith("ask") for call in again) == 6


def test_an_irreversible_call_with_a_new_input_is_refused_when_nobody_can_be_asked(
    service: Service, tmp_path: Path
) -> None:
    run = record(service, tmp_path)
    at = seqs(service, run["run"], "invocation_started", "ask")[-1]
    edit = {"op": "mock_output", "seq": at, "value": "another ending"}
    fork = finished(service, service.fork(run["run"], edits=[edit], headless=True))
    assert fork["status"] == "failed"
    assert "irreversible" in fork["error"]["message"]
    assert "send another ending" not in calls(tmp_path)


def test_an_irreversible_call_asks_and_obeys(service: Service, tmp_path: Path) -> None:
    run = record(service, tmp_path)
    at = seqs(service, run["run"], "invocation_started", "ask")[-1]
    edit = {"op": "mock_output", "seq": at, "value": "another ending"}
    fork = service.fork(run["run"], edits=[edit])
    held = service.wait(fork["run"], until=["held"], timeout=WAIT)["held"]
    assert held[0]["component"] == "main/send"
    service.release(fork["run"], held[0]["hold"], {"verb": "serve", "value": "not sent"})
    assert finished(service, fork)["status"] == "completed"
    assert "send another ending" not in calls(tmp_path)


def test_pause_step_and_edit_what_is_held(service: Service, tmp_path: Path) -> None:
    write(tmp_path)
    run = service.run("program.py:main", pause=True)["run"]
    seen = []
    for _ in range(3):
        held = service.wait(run, until=["held"], timeout=WAIT)["held"]
        seen.append(held[0]["component"])
        service.control(run, "step")
        live = service._live[run]
        assert live.wait(lambda r, h=held: h[0]["hold"] not in r.holds, WAIT)  # type: ignore[misc]
    assert seen == ["main", "main/writer", "main/writer/ask"]
    held = service.wait(run, until=["held"], timeout=WAIT)["held"]
    assert held[0]["component"] == "main/writer/look"
    service.release(run, None, {"verb": "proceed", "value": {"what": "edited"}, "edited": True})
    service.wait(run, until=["held"], timeout=WAIT)
    service.control(run, "continue")
    assert service.wait(run, timeout=WAIT)["status"] == "completed"
    assert "look edited" in calls(tmp_path)


def test_what_is_set_is_given_when_the_hold_is_let_go(service: Service, tmp_path: Path) -> None:
    write(tmp_path)
    run = service.run("program.py:main", breakpoints=["tool:look"])["run"]
    held = service.wait(run, until=["held"], timeout=WAIT)["held"]
    hold = held[0]["hold"]
    told = service.set_answer(run, hold, {"verb": "serve", "value": {"found": "mine"}})
    assert told["status"] == "held"
    assert told["held"][0]["set"]
    assert "given" not in told["held"][0]
    assert service.pending(run)["held"][0]["given"] == {"verb": "serve", "value": {"found": "mine"}, "failed": False}
    told = service.set_answer(run, hold, {"verb": "proceed"})
    assert not told["held"][0]["set"]
    assert service.pending(run)["held"][0]["given"] is None
    service.set_answer(run, hold, {"verb": "proceed", "value": {"what": "edited"}, "edited": True})
    for breakpoint in service.breakpoints(run)["breakpoints"]:
        service.change_breakpoint(run, breakpoint["id"], enabled=False)
    service.control(run, "next")
    held = service.wait(run, until=["held"], timeout=WAIT)["held"]
    assert not held[0]["set"]
    service.control(run, "continue")
    assert service.wait(run, timeout=WAIT)["status"] == "completed"
    assert "look edited" in calls(tmp_path)


def test_next_steps_over_and_out_holds_the_result(service: Service, tmp_path: Path) -> None:
    write(tmp_path)
    run = service.run("program.py:main", breakpoints=["agent:writer"])["run"]
    held = service.wait(run, until=["held"], timeout=WAIT)["held"][0]
    service.control(run, "next")
    live = service._live[run]
    assert live.wait(lambda r: bool(r.holds) and held["hold"] not in r.holds, WAIT)
    second = service.info(run)["held"][0]
    assert (second["component"], second["when"]) == ("main/writer", "before")
    service.control(run, "step")
    assert live.wait(lambda r: bool(r.holds) and second["hold"] not in r.holds, WAIT)
    inside = service.info(run)["held"][0]
    assert inside["component"] == "main/writer/ask"
    service.control(run, "out")
    assert live.wait(lambda r: bool(r.holds) and inside["hold"] not in r.holds, WAIT)
    result = service.info(run)["held"][0]
    assert (result["component"], result["when"], result["reason"]) == ("main/writer", "after", "step out")
    service.control(run, "continue")
    assert live.wait(lambda r: bool(r.holds) and result["hold"] not in r.holds, WAIT)
    service.change_breakpoint(run, 1, remove=True)
    service.control(run, "continue")
    assert service.wait(run, timeout=WAIT)["status"] == "completed"


def test_a_result_is_edited_where_it_comes_back(service: Service, tmp_path: Path) -> None:
    write(tmp_path)
    run = service.run("program.py:main", breakpoints=['tool:look and output~"."'])["run"]
    service.wait(run, until=["held"], timeout=WAIT)
    service.change_breakpoint(run, 1, remove=True)
    service.release(run, None, {"verb": "serve", "value": {"found": "mine"}})
    done = service.wait(run, timeout=WAIT)
    assert done["status"] == "completed", done["error"]
    assert "save mine" in calls(tmp_path)
    before = calls(tmp_path)
    fork = finished(service, service.fork(run, headless=True))
    assert (fork["status"], fork["output"]) == ("completed", done["output"])
    assert calls(tmp_path) == before


def test_a_changed_program_diverges(service: Service, tmp_path: Path) -> None:
    run = record(service, tmp_path)
    write(tmp_path, WRITER.replace('"write about "', '"tell about "'))
    before = calls(tmp_path)
    fork = finished(service, service.fork(run["run"], headless=True))
    assert fork["status"] == "diverged"
    assert "main/writer/ask" in fork["error"]["difference"]
    assert calls(tmp_path) == before


def test_a_diverged_replay_goes_on_live_when_the_user_says_so(service: Service, tmp_path: Path) -> None:
    run = record(service, tmp_path)
    write(tmp_path, WRITER.replace('"finish "', '"end "'))
    fork = service.fork(run["run"], repeat="run")["run"]
    held = service.wait(fork, until=["held"], timeout=WAIT)["held"]
    assert held[0]["when"] == "diverged"
    service.release(fork, held[0]["hold"], {"verb": "proceed"})
    done = service.wait(fork, timeout=WAIT)
    assert done["status"] == "completed", done["error"]
    assert done["cut"] < run["records"]
    assert any(call.startswith("ask end") for call in calls(tmp_path))
    assert [r["seq"] for r in service.show(fork)] == list(range(done["records"]))


def test_errors_are_recorded_with_frames_and_served_again(service: Service, tmp_path: Path) -> None:
    text = (
        WRITER
        + """
class Broken(Exception):
    pass

@outtake.tool(effects="read")
def breaks(x):
    happened("breaks")
    doubled = x * 2
    raise Broken("no " + x)

def main(topic="x"):
    try:
        breaks("way")
    except Broken as error:
        return f"caught {error}"
"""
    )
    run = record(service, tmp_path, text)
    assert run["output"] == "caught no way"
    failed = next(r for r in service.show(run["run"], bodies=True, kind="tool") if r.get("failed"))
    assert failed["error"]["frames"][-1]["locals"]["doubled"] == "'wayway'"
    fork = finished(service, service.fork(run["run"], headless=True))
    assert (fork["output"], calls(tmp_path)) == ("caught no way", ["breaks"])


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("nothing.py:main", "no file nothing.py"),
        ("program.py:nothing", "no 'nothing'"),
        ("program", "needs its factory"),
        ("no.such.module:main", "no module no.such.module"),
        ("program.py:VALUE", "no target adapter knows"),
    ],
)
def test_bad_specs_say_what_is_wrong(service: Service, tmp_path: Path, spec: str, words: str) -> None:
    write(tmp_path, WRITER + "\nVALUE = 3\n")
    try:
        done = finished(service, service.run(spec, headless=True))
    except WrongUse as error:
        assert words in str(error)
        return
    assert done["status"] == "failed"
    assert words in done["error"]["message"]


def test_bad_forks_say_what_is_possible(service: Service, tmp_path: Path) -> None:
    run = record(service, tmp_path)["run"]
    bad: list[tuple[Document, str]] = [
        ({"at": 9999}, "records 0 to"),
        ({"at": 1, "edits": [{"op": "explode"}]}, "known: replace_message"),
        ({"at": 1, "edits": [{"op": "drop", "seq": 1, "what": 2}]}, "known: op"),
        ({"at": 5, "edits": [{"op": "mock_output", "seq": 3, "value": 1}]}, "before the cut"),
        ({"at": 1, "reuse": "sometimes"}, "matching, prefix, none"),
    ]
    for options, words in bad:
        with pytest.raises(WrongUse, match=words):
            service.fork(run, **options)
    with pytest.raises(NotFound, match="no run r99"):
        service.fork("r99")
    with pytest.raises(Conflict, match="not running"):
        service.pending(run)


OPAQUE = """
import outtake
class Receipt:
    pass
@outtake.tool(effects="irreversible")
def pay(amount):
    with open("calls.txt", "a") as file:
        file.write(f"pay {amount}\\n")
    return Receipt()
@outtake.model
def ask(prompt):
    return prompt.upper()
def main():
    pay(7)
    return ask("thanks")
"""


def test_what_no_record_can_bring_back_is_not_done_twice_in_silence(service: Service, tmp_path: Path) -> None:
    run = record(service, tmp_path, OPAQUE)
    assert calls(tmp_path) == ["pay 7"]
    fork = finished(service, service.fork(run["run"], at=4, headless=True))
    assert fork["status"] == "failed"
    assert "irreversible" in fork["error"]["message"]
    assert calls(tmp_path) == ["pay 7"]
    asked = service.fork(run["run"], at=4)["run"]
    assert service.wait(asked, until=["held"], timeout=WAIT)["held"][0]["component"] == "main/pay"
    service.control(asked, "stop")


def test_edits_that_could_never_apply_are_refused(service: Service, tmp_path: Path) -> None:
    run = record(service, tmp_path)["run"]
    with pytest.raises(WrongUse, match="no component 'nobody'; it has main"):
        service.fork(run, at=3, edits=[{"op": "raise", "component": "nobody", "value": "x"}])
    with pytest.raises(WrongUse, match="no component 'nobody'"):
        service.fork(run, at=3, live=["nobody"])
    inject = {"op": "inject", "component": "main/writer", "value": "hello"}
    done = finished(service, service.fork(run, at=3, edits=[inject], headless=True))
    assert done["status"] == "failed"
    assert "takes no messages" in done["error"]["message"]


def test_a_failure_before_the_cut_is_named(service: Service, tmp_path: Path) -> None:
    run = record(service, tmp_path)
    write(tmp_path, WRITER.replace("def main(", "def main(needed=1):\n    raise KeyError('MY_TOKEN')\ndef other("))
    fork = finished(service, service.fork(run["run"], headless=True))
    assert fork["status"] == "diverged"
    assert "MY_TOKEN" in fork["error"]["difference"]


def test_secrets_stop_in_the_debugged_process(service: Service, tmp_path: Path) -> None:
    secret = "tok_" + "1234567890"
    write(tmp_path, "import os\ndef main():\n    print(os.environ['MY_TOKEN'])\n    return os.environ['MY_TOKEN']\n")
    import_env = {**os.environ, "MY_TOKEN": secret}
    done = finished(service, service.run("program.py:main", headless=True, env=import_env))
    assert done["output"] == "[redacted]"
    for file in (tmp_path / ".outtake").rglob("*"):
        if file.is_file() and file.suffix != ".sock":
            assert secret.encode() not in file.read_bytes(), file
    assert (tmp_path / ".outtake" / "outtake.db").stat().st_mode & 0o077 == 0
