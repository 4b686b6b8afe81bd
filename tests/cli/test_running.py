"""`outtake run`: the document, the transcript, the input, the exit code."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Cli

KINDS = {"model", "tool", "step", "agent"}


def test_a_headless_run_prints_one_document(cli: Cli) -> None:
    done = cli.cold("run", cli.write("program.py") + ":main", "--headless", "--json", "--input", "a song").ok()
    run = done.document
    assert run["run"] == "r1"
    assert run["status"] == "completed"
    assert run["error"] is None
    assert run["parent"] is None
    assert run["records"] == 20
    assert run["output"][0].startswith("said ")
    assert run["executed"].keys() >= KINDS
    assert run["reused"].keys() >= KINDS
    assert run["executed"]["model"] == 4
    assert run["executed"]["tool"] == 2
    assert run["executed"]["agent"] == 2
    assert not any(run["reused"].values())


def test_json_may_stand_before_the_command(cli: Cli) -> None:
    cli.write("program.py")
    assert cli("--json", "run", "program.py:main", "--headless").document["status"] == "completed"


def test_the_transcript_says_who_did_what(cli: Cli) -> None:
    done = cli.cold("run", cli.write("program.py") + ":main", "--input", "a song").ok()
    assert "\x1b" not in done.out
    lines = [line.rstrip() for line in done.out.splitlines()]
    assert any(line.endswith('2   ▸ agent writer  task="a song"') for line in lines)
    assert any('▸ model ask  prompt="a song"' in line for line in lines)
    assert any("◂ ask" in line and "said" in line for line in lines)
    assert any("│ hello from the program" in line for line in lines)
    assert "r1 completed" in done.out
    assert "executed  4 model calls, 2 tool calls, 2 agent turns" in done.out
    assert "outtake fork r1 --at" in done.out


LONG = """
import outtake

@outtake.model
def recite():
    return "\\n".join(f"line {n} of the poem" for n in range(200))

def main():
    return len(recite())
"""


def test_long_bodies_are_folded_and_the_way_to_the_rest_works(cli: Cli) -> None:
    done = cli("run", cli.write("long.py", LONG) + ":main").ok()
    (more,) = (line for line in done.out.splitlines() if "more characters" in line)
    assert "line 150" not in done.out
    command = more.partition("outtake ")[2].split()
    assert "line 199 of the poem" in cli(*command).ok().out


NOISY = """
import os, sys

def main():
    os.write(1, bytes(range(256)) + b"\\n")
    print("\\x1b[31mred\\x1b[0m \\x1b]0;title\\x07", file=sys.stderr)
    for n in range(3000):
        print(n)
    return "done"
"""


def test_what_a_program_prints_cannot_steer_the_terminal(cli: Cli) -> None:
    done = cli("run", cli.write("noisy.py", NOISY) + ":main").ok()
    assert "\x1b" not in done.out
    assert "│ 2999" in done.out
    assert "output    done" in done.out


# -- input -----------------------------------------------------------------------------------------------------------

ECHO = """
def main(given):
    return given
"""


INPUTS = {"hello": "hello", '{"a": [1]}': {"a": [1]}, "[1, 2]": [1, 2], "12": "12", "{no json": "{no json"}


def test_input_is_text_or_a_json_object(cli: Cli) -> None:
    spec = cli.write("echo.py", ECHO) + ":main"
    done = [cli("run", spec, "--headless", "--json", "--input", text) for text in INPUTS]
    assert [one.document["output"] for one in done] == list(INPUTS.values())


def test_input_comes_from_a_file_or_standard_input(cli: Cli) -> None:
    spec = cli.write("echo.py", ECHO) + ":main"
    (cli.folder / "in.txt").write_text("from a file", "utf-8")
    assert cli.run(spec, "--input-file", "in.txt")["output"] == "from a file"
    done = cli("run", spec, "--headless", "--json", "--input-file", "-", stdin='{"from": "stdin"}')
    assert done.document["output"] == {"from": "stdin"}


SCRIPT = """
import sys
name = input("who? ")
print("hello", name, sys.argv[1:])
sys.exit(int(sys.argv[1]))
"""


def test_a_script_gets_its_arguments_and_what_is_piped_in(cli: Cli) -> None:
    done = cli("run", cli.write("script.py", SCRIPT), "--headless", "--json", "0", "x", stdin="Ada\n").ok()
    assert done.document["output"]["exit_code"] == 0
    assert done.document["output"]["output"].endswith("hello Ada ['0', 'x']")
    failed = cli("run", "script.py", "--headless", "--json", "3", stdin="Ada\n")
    assert failed.code == 1


# -- exit codes ------------------------------------------------------------------------------------------------------

FAILING = """
import outtake

@outtake.tool
def divide(a, b):
    return a / b

def main():
    return divide(1, 0)
"""


def test_a_failed_target_exits_1_and_says_why(cli: Cli) -> None:
    spec = cli.write("failing.py", FAILING) + ":main"
    document = cli("run", spec, "--headless", "--json")
    assert document.code == 1
    assert document.document["status"] == "failed"
    assert document.document["error"]["message"] == "division by zero"
    text = cli("run", spec)
    assert text.code == 1
    assert "ZeroDivisionError: division by zero" in text.out
    assert "return a / b" in text.out


SPECS = {
    "nothing.py:main": "there is no file nothing.py",
    "program.py:nothing": "has no 'nothing'; it has ask, look, writer, main",
    "program": "module needs its factory",
    "no_such_module:main": "there is no module no_such_module",
    "echo.py:main": "takes an input (given); give it with --input",
}


def test_a_bad_spec_exits_2_and_says_the_way_out(cli: Cli) -> None:
    cli.write("program.py")
    cli.write("echo.py", ECHO)
    for spec, said in SPECS.items():
        text, document = cli("run", spec), cli("run", spec, "--headless", "--json")
        assert (text.code, document.code) == (2, 2)
        assert said in text.err
        assert "Traceback" not in text.err
        assert said in document.document["error"]["message"]
        assert document.err == ""


def test_what_is_found_in_the_folder_is_offered_where_no_target_is_named(cli: Cli) -> None:
    cli.write("echo.py", ECHO)
    for spec in ([], ["nothing.py:main"]):
        done = cli("run", *spec)
        assert done.code == 2
        assert "found here: echo.py:main" in " ".join(done.err.split())


def test_a_held_headless_run_exits_0_and_stays_held(cli: Cli) -> None:
    cli.write("program.py")
    done = cli("run", "program.py:main", "--headless", "--json", "--break", "tool:look").ok()
    assert done.document["status"] == "held"
    assert done.document["held"][0]["component"] == "main/writer/look"
    assert cli("info", "r1", "--json").document["status"] == "held"


ENDLESS = """
import time
import outtake

@outtake.model
def think(n):
    time.sleep(0.01)
    return n

def main():
    n = 0
    while True:
        n = think(n + 1)
"""


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["text", "json"])
def test_ctrl_c_stops_the_run_and_exits_4(cli: Cli, options: tuple[str, ...]) -> None:
    cli.write("endless.py", ENDLESS)
    with cli.start("run", "endless.py:main", *options) as going:
        if options:
            wait_for_records(cli, "r1")
        else:
            going.expect("think")
        going.interrupt()
        done = going.ends()
    assert done.code == 4, done
    if options:
        assert done.document["status"] == "stopped"
    assert cli("info", "r1", "--json").document["status"] == "stopped"


def wait_for_records(cli: Cli, run: str) -> None:
    """Until a run, in whatever process, has been seen to do something."""
    for _ in range(40):
        found = [r for r in cli("runs", "--json").documents if r["run"] == run and r["records"] > 3]
        if found:
            return
    raise AssertionError(f"{run} does nothing")


def test_a_killed_command_loses_no_record_and_the_run_can_go_on(cli: Cli) -> None:
    cli.write("endless.py", ENDLESS)
    with cli.start("run", "endless.py:main") as going:
        going.expect(r"^ *9 ")
        going.kill()
    state = cli("info", "r1", "--json").ok().document
    assert state["status"] == "lost"
    assert state["records"] >= 9


def test_options_that_make_no_sense_are_refused(cli: Cli) -> None:
    cli.write("program.py")
    options = {
        ("--set", "temperature"): "say COMPONENT.KEY=VALUE",
        ("--input-file", "nothing.txt"): "nothing.txt cannot be read",
        ("--python", "no/python"): "there is no interpreter no/python",
        ("--break", "colour:red"): "unknown field 'colour'",
        ("--input", "a", "--input-file", "b"): "use one of them",
    }
    cli.refuses([(["run", "program.py:main", *given], said) for given, said in options.items()])
    assert not cli("runs", "--json").documents
