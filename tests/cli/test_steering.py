"""One process runs a program, another one commands it."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Cli, Going


@pytest.fixture
def paused(cli: Cli) -> Going:
    cli.write("program.py")
    going = cli.start("run", "program.py:main", "--pause")
    going.expect(r"hold 1 .*main .*about to run")
    going.expect("answer with: .*outtake step r1")
    return going


def test_pending_step_next_out_continue(cli: Cli, paused: Going) -> None:
    pending = cli("pending", "r1", "--json").ok().document
    assert pending["status"] == "held"
    assert pending["held"][0]["component"] == "main"
    assert pending["queued"] == []
    assert "hold 1  flow main  about to run" in cli("pending", "r1").ok().out

    stepped = cli("step", "r1", "--json").ok().document
    assert [hold["component"] for hold in stepped["held"]] == ["main/writer"]
    assert "hold 3  model main/writer/ask" in cli("step", "r1").ok().out
    out = cli("out", "r1", "--json").ok().document
    assert [(hold["component"], hold["when"]) for hold in out["held"]] == [("main/writer", "after")]
    assert "main/writer  about to run" in cli("step", "r1").ok().out
    over = cli("next", "r1", "--json").ok().document
    assert over["status"] == "completed"
    assert over["executed"]["model"] == 4

    done = paused.ends()
    assert done.code == 0
    assert "r1 completed" in done.out


def test_a_run_goes_on_to_its_end(cli: Cli, paused: Going) -> None:
    cli("continue", "r1").ok()
    assert cli("wait", "r1").code == 0
    assert paused.ends().code == 0


def test_what_is_held_can_be_given_another_input_output_or_error(cli: Cli, paused: Going) -> None:
    cli("step", "r1").ok()
    cli("edit", "r1", "hold:2", '{"task": "something else"}').ok()
    cli("edit", "r1", "hold:3", "--output", "mocked answer").ok()
    held = cli("pending", "r1", "--json").document["held"]
    assert held[0]["value"] == {"what": "mocked answer"}
    assert cli("edit", "r1", "hold:4", "--raise", "out of order", "--json").document["status"] == "failed"
    assert paused.ends().code == 1
    records = cli.records("r1", "--bodies")
    assert next(r for r in records if r.get("call") == "agent")["input"] == {"task": "something else"}
    assert "out of order" in cli("info", "r1").out


def test_a_bad_value_is_refused_with_what_fits_and_stays_held(cli: Cli, paused: Going) -> None:
    cli("step", "r1").ok()
    done = cli("edit", "r1", "hold:2", '{"colour": "red"}')
    assert done.code == 2
    assert "no argument 'colour'; it takes task" in done.err
    assert cli("pending", "r1", "--json").document["held"][0]["hold"] == 2
    assert cli("edit", "r1", "hold:9", "x").code == 2


def test_breakpoints_are_listed_switched_and_removed(cli: Cli, paused: Going) -> None:
    assert cli("break", "r1", "tool:look and hit>=2", "--json").ok().document["breakpoints"][0]["id"] == 1
    cli("break", "r1", "agent:nobody").ok()
    cli("break", "r1", "--disable", "2").ok()
    assert "2  off  agent:nobody" in cli("break", "r1", "--list").ok().out
    cli("break", "r1", "--remove", "2").ok()
    bad = cli("break", "r1", "colour:red")
    assert bad.code == 2
    assert "known: agent" in bad.err
    cli("continue", "r1").ok()
    paused.expect(r"hold 2 .*look .*breakpoint 1: tool:look and hit>=2")
    records = cli.records("r1")
    assert sum(r["kind"] == "invocation_started" and r.get("call") == "tool" for r in records) == 1
    cli("stop", "r1").ok()
    assert paused.ends().code == 4


def test_a_plain_program_has_no_queue_and_says_so(cli: Cli, paused: Going) -> None:
    for command in (["send", "r1", "writer", "hi"], ["drop", "r1", "5"], ["set", "r1", "writer.model=x"]):
        done = cli(*command)
        assert done.code == 2
        assert "the target has no queue" in done.err


def test_drop_leaves_a_held_call_out(cli: Cli, paused: Going) -> None:
    cli("step", "r1").ok()
    dropped = cli("drop", "r1", "hold:2", "--json").ok().document
    assert dropped["run"] == "r1"
    ended = [r for r in cli.records("r1") if r["kind"] == "invocation_ended"]
    assert ended[0]["how"] == "dropped"


ASKING = """
def main():
    return "hello " + input("who? ")
"""


def test_a_program_that_asks_is_answered_from_elsewhere(cli: Cli) -> None:
    cli.write("asking.py", ASKING)
    done = cli("debug", "asking.py:main", stdin="continue\nedit Ada\nquit\n").ok()
    assert "waits for input" in done.out
    assert "who?" in done.out
    assert "output    hello Ada" in done.out


def test_json_without_headless_waits_for_answers(cli: Cli) -> None:
    cli.write("program.py")
    with cli.start("run", "program.py:main", "--pause", "--json") as going:
        for _ in range(40):
            if cli("runs", "--json").out and cli("wait", "r1", "--held", "--json").document["held"]:
                break
        cli("continue", "r1").ok()
        done = going.ends()
    assert done.document["status"] == "completed"
    assert "outtake step r1" in done.err
