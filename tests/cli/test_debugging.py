"""The prompt: scripted through a pipe, and typed at a terminal."""

from __future__ import annotations

from tests.cli.conftest import Cli, Done
from tests.cli.terminal import CTRL_C, Typist, terminal
from tests.cli.test_running import ENDLESS

STUCK = """
import threading
import outtake

@outtake.model
def think(n):
    threading.Event().wait()

def main():
    return think(1)
"""


def debug(cli: Cli, *lines: str, target: str = "program.py:main") -> Done:
    cli.write("program.py")
    return cli("debug", target, stdin="\n".join(lines) + "\n")


def test_stepping_through_a_program(cli: Cli) -> None:
    done = debug(cli, "step", "where", "next", "", "continue", "quit")
    assert done.code == 0
    said = done.out.split("(r1) ")
    assert "hold 1  flow main  about to run" in said[0]
    assert "hold 2  agent main/writer  about to run" in said[1]
    assert "1 flow main" in said[2]
    assert "hold 3  agent main/writer" in said[3]
    assert "r1 completed" in said[4]
    assert "it has ended" in done.out


def test_a_program_is_changed_on_its_way(cli: Cli) -> None:
    done = debug(cli, "b model:ask", "c", 'edit {"prompt": "changed"}', "print", "mock made up", "clear", "c", "q").out
    assert "1  on   model:ask" in done
    assert "replace_input main/writer/ask" in done
    assert 'prompt": "more on said' in done
    assert "given by you  made up" in done
    assert "r1 completed" in done


def test_leaving_ends_a_run_that_was_started_here(cli: Cli) -> None:
    assert debug(cli, "step", "quit").code == 4
    assert cli("info", "r1", "--json").document["status"] == "stopped"
    assert debug(cli, "step").code == 4


def test_mistakes_are_explained_and_cost_nothing(cli: Cli) -> None:
    done = debug(
        cli,
        "jump",
        "b colour:red",
        "edit",
        "print hold:7",
        "raise",
        "until x",
        "send writer hi",
        "help step",
        "h",
        "c",
        "q",
    )
    assert done.code == 0, done
    for said in (
        "unknown command 'jump'",
        "unknown field 'colour'",
        "edit [MESSAGE|hold:N] VALUE",
        "there is no hold 7; held: hold:1",
        "raise [hold:N] TEXT",
        "until MESSAGE",
        "the target has no queue",
        "step [hold:N] (s)",
        "take a message out",
    ):
        assert said in done.out, said


def test_an_ended_run_is_looked_at_and_forked(cli: Cli) -> None:
    cli.run()
    done = cli("debug", "r1", stdin="show 15\nstep\nfork 8\nnext\nc\ndiff\nquit\n").ok()
    assert "r1 completed" in done.out
    assert "r1 is not running" in done.out
    assert "r2 is a fork of r1 at 8" in done.out
    assert "replaying 8 records of r1" in done.out
    assert "r2 completed" in done.out
    assert "nothing differs" in done.out


def test_attaching_to_a_run_of_another_process(cli: Cli) -> None:
    cli.write("program.py")
    with cli.start("run", "program.py:main", "--pause") as going:
        going.expect("answer with")
        done = cli("debug", "r1", stdin="step\nbreak tool:look\nq\n").ok()
        assert "hold 2  agent main/writer" in done.out
        assert cli("pending", "r1", "--json").document["held"][0]["hold"] == 2
        cli("continue", "r1").ok()
        going.expect("hold 3 .*look")
        cli("stop", "r1").ok()
        assert going.ends().code == 4


def test_debug_has_no_json_form(cli: Cli) -> None:
    cli.write("program.py")
    done = cli("debug", "program.py:main", "--json")
    assert done.code == 2
    assert "no JSON form" in done.document["error"]["message"]


@terminal
def test_at_a_terminal_what_is_held_opens_the_prompt(cli: Cli) -> None:
    cli.write("program.py")
    with Typist(cli, "run", "program.py:main", "--break", "tool:look") as typist:
        typist.expect(r"hold 1 .*look")
        typist.expect(r"\(r1\)")
        typist.types("whe\t")
        typist.expect("where")
        typist.types("\r")
        typist.expect("1 flow main")
        typist.types("mock typed\r")
        typist.expect("hold 2 .*look")
        typist.types("c\r")
        typist.expect("r1 .*completed")
        assert typist.ends() == 0
        assert "\x1b[" in typist.seen
    assert "where" in (cli.folder / ".outtake" / "history").read_text("utf-8")


@terminal
def test_ctrl_c_at_a_terminal_pauses_and_opens_the_prompt(cli: Cli) -> None:
    cli.write("endless.py", ENDLESS)
    with Typist(cli, "run", "endless.py:main") as typist:
        typist.expect("model think")
        typist.types(CTRL_C)
        typist.expect("pausing")
        typist.expect("hold 1 .*think.*about to run")
        typist.expect(r"\(r1\)")
        typist.types("step\r")
        typist.expect("hold 2 .*think")
        typist.types("quit\r")
        typist.expect("r1 .*stopped")
        assert typist.ends() == 4


@terminal
def test_ctrl_c_again_opens_the_prompt_while_a_call_takes_long(cli: Cli) -> None:
    cli.write("stuck.py", STUCK)
    with Typist(cli, "run", "stuck.py:main") as typist:
        typist.expect("model think")
        typist.types(CTRL_C)
        typist.expect("pausing")
        typist.types(CTRL_C)
        typist.expect(r"\(r1\)")
        typist.types("stop\r")
        typist.expect("r1 .*stopped")
        assert typist.ends() == 4
