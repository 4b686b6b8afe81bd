"""`outtake fork` and what compares its result: `diff`, `tree`."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from tests.cli.conftest import PROGRAM, Cli
from tests.cli.test_running import ENDLESS


def test_a_fork_without_an_edit_executes_nothing(cli: Cli) -> None:
    run = cli.run()
    done = cli.cold("fork", "r1", "--at", "8", "--headless", "--json").ok().document
    assert done["output"] == run["output"]
    assert done["parent"] == "r1"
    assert not any(done["executed"].values())
    assert done["reused"]["model"] == 4


def test_an_edit_executes_what_it_touches(cli: Cli) -> None:
    cli.run()
    seq = cli.seq("r1", "tool", 2)
    edit = {"op": "mock_output", "seq": seq, "value": {"made": "up"}}
    done = cli("fork", "r1", "--at", str(seq), "--edit", json.dumps(edit), "--headless", "--json").ok().document
    assert done["output"][1] == {"made": "up"}
    assert done["executed"]["model"] == 0
    assert done["mocked"]["tool"] == 1


def test_an_edit_may_lie_in_a_file_and_says_where_to_cut(cli: Cli) -> None:
    cli.run()
    seq = cli.seq("r1", "agent", 2)
    (cli.folder / "edit.json").write_text(json.dumps({"op": "replace_input", "seq": seq, "value": "another"}), "utf-8")
    done = cli("fork", "r1", "--edit", "@edit.json", "--headless", "--json").ok().document
    assert done["cut"] == seq
    assert done["executed"]["model"] == 2
    assert cli.records("r2", "--bodies", "--kind", "agent")[2]["input"] == {"task": "another"}


def test_reuse_prefix_executes_all_after_the_cut(cli: Cli) -> None:
    cli.run()
    seq = str(cli.seq("r1", "agent", 2))
    done = cli("fork", "r1", "--at", seq, "--reuse", "prefix", "--headless", "--json").ok().document
    assert done["executed"]["model"] == 2
    assert done["reused"]["model"] == 2


def test_a_component_can_be_kept_live(cli: Cli) -> None:
    cli.run()
    done = cli("fork", "r1", "--at", "1", "--live", "main/writer/ask", "--headless", "--json").ok().document
    assert done["executed"]["model"] == 2
    assert done["reused"]["model"] == 2


def test_a_fork_that_is_wrong_all_the_same_says_how_far_its_change_went(cli: Cli) -> None:
    cli.run()
    cli("annotate", "r1", "--expect", "519").ok()
    seq = cli.seq("r1", "agent", 2)
    edit = {"op": "replace_input", "seq": seq, "value": "another"}
    done = cli("fork", "r1", "--edit", json.dumps(edit), "--headless").ok()
    assert f"change    The change at #{seq} of r1 was used by 3 calls, first #" in done.out
    idle = {"op": "mock_output", "seq": seq, "value": "nobody reads this"}
    done = cli("fork", "r1", "--edit", json.dumps(idle), "--headless").ok()
    assert "of r1 made no difference: no later call was asked anything else than in r1." in done.out


def test_a_person_reads_what_was_served_and_what_comes_next(cli: Cli) -> None:
    cli.run()
    done = cli("fork", "r1", "--at", "8").ok()
    assert "replaying 8 records of r1" in done.out
    assert "from the record" in done.out
    assert "executed  nothing" in done.out
    assert "served    4 model calls, 2 tool calls, 2 agent turns from the record of r1" in done.out
    assert "outtake diff r1 r2" in done.out


def test_a_changed_program_diverges_and_exits_3(cli: Cli) -> None:
    cli.run()
    cli.write("program.py", PROGRAM.replace("ask(task)", "ask(task + '?')"))
    done = cli("fork", "r1", "--at", "15", "--headless", "--json")
    assert done.code == 3
    assert done.document["status"] == "diverged"
    text = cli("fork", "r1", "--at", "15", "--headless")
    assert text.code == 3
    assert "departs from its record" in text.out


def test_a_lost_run_goes_on_from_its_end(cli: Cli) -> None:
    cli.write("endless.py", ENDLESS.replace("while True:", "while n < 40:"))
    with cli.start("run", "endless.py:main") as going:
        going.expect(r"^ *9 ")
        going.kill()
    records = cli("info", "r1", "--json").document["records"]
    done = cli("fork", "r1", "--at", str(records), "--headless", "--json").ok().document
    assert done["status"] == "completed"
    assert done["executed"]["model"] + done["reused"]["model"] == 40
    assert done["reused"]["model"] >= 3


REFUSALS: Sequence[tuple[Sequence[str], str]] = [
    (["--at", "99"], "a cut is at 0 to 20"),
    ([], "say where to fork r1"),
    (["--at", "x"], "valid integer"),
    (["--at", "1", "--reuse", "some"], "known: matching, prefix, none"),
    (["--at", "1", "--repeat", "some"], "known: ask, serve, run"),
    (["--at", "1", "--edit", "{"], "is no JSON"),
    (["--at", "1", "--edit", "[]"], "JSON object"),
    (["--at", "1", "--edit", '{"op": "explode"}'], "unknown op 'explode'; known: replace_message"),
    (["--at", "1", "--edit", '{"op": "drop", "seq": 77}'], "has no record 77"),
    (["--at", "9", "--edit", '{"op": "drop", "seq": 3}'], "lies before the cut"),
    (["--at", "1", "--edit", '{"op": "replace_message", "seq": 2, "value": 1}'], "replace_input for an invocation"),
    (["--at", "1", "--edit", '{"op": "raise", "seq": 2, "colour": 1}'], "unknown field 'colour'"),
]


def test_a_bad_fork_is_refused_and_nothing_is_made(cli: Cli) -> None:
    cli.run()
    cli.refuses([(["fork", "r1", *options], said) for options, said in REFUSALS])
    assert len(cli("runs", "--json").documents) == 1


# -- comparing -------------------------------------------------------------------------------------------------------


def make_fork(cli: Cli) -> int:
    cli.run()
    seq = cli.seq("r1", "tool", 2)
    edit = {"op": "mock_output", "seq": seq, "value": "made up"}
    cli("fork", "r1", "--edit", json.dumps(edit), "--headless", "--json").ok()
    return seq


def test_diff_names_the_first_difference_first(cli: Cli) -> None:
    seq = make_fork(cli)
    document = cli("diff", "r1", "r2", "--json").ok().document
    assert document["shared"] == seq
    assert document["first"]["a"]["seq"] == seq
    assert document["first"]["a"]["component"] == "main/writer/look"
    text = cli("diff", "r1", "r2").ok().out
    assert text.index("first difference") < text.index("~ tool main/writer/look")
    assert "+made up" in text
    assert f"fork of r1 at {seq}" in text


def test_a_run_does_not_differ_from_itself(cli: Cli) -> None:
    cli.run()
    assert "nothing differs" in cli("diff", "r1", "r1").ok().out


def test_the_tree_shows_forks_below_their_parents(cli: Cli) -> None:
    make_fork(cli)
    (root,) = cli("tree", "--json").ok().documents
    assert [fork["run"] for fork in root["forks"]] == ["r2"]
    assert cli("tree", "r2", "--json").document["run"] == "r1"
    text = cli("tree").ok().out
    assert "r2 completed" in text
    assert "mock_output main/writer/look" in text


KEYED = """
import os
import outtake

@outtake.model
def ask(prompt):
    return "said " + prompt

@outtake.agent
def writer(task):
    {key}
    return ask(task)

def main(task="a poem"):
    {other}
    return writer(ask(task))
"""
NEEDED = 'os.environ["WRITER_KEY"]'
CAUGHT = """try:
        os.environ["WRITER_KEY"]
    except KeyError:
        return ask("which key?")"""


@pytest.mark.parametrize(
    "places", [{"key": NEEDED, "other": "pass"}, {"key": "pass", "other": NEEDED}, {"key": CAUGHT, "other": "pass"}]
)
def test_a_divergence_by_the_programs_own_error_shows_that_error(cli: Cli, places: dict[str, str]) -> None:
    cli.write("program.py", KEYED.format(**places))
    cli.env["WRITER_KEY"] = "there"
    cli.run()
    del cli.env["WRITER_KEY"]
    done = cli("fork", "r1", "--at", str(len(cli.records("r1"))), "--headless")
    assert done.code == 3, done
    lines = [line.strip() for line in done.out.splitlines()]
    (error,) = (n for n, line in enumerate(lines) if line.startswith("error     KeyError"))
    assert "WRITER_KEY" in lines[error]
    assert any("program.py" in line for line in lines[error + 1 : error + 4]), lines
    assert any(line.startswith("diverged  the program departs from its record: record") for line in lines)
    told = cli("info", "r2", "--json").ok().document["error"]
    assert told["cause"]["class"].endswith("KeyError")


STARTS = """
import subprocess
import outtake

@outtake.tool(effects="read")
def look(what):
    subprocess.run(["true", what])
    return what

def main():
    subprocess.run(["true", "one"])
    subprocess.run("true", shell=True)
    return look("a")
"""


def test_the_report_of_a_fork_lists_the_processes_that_it_started(cli: Cli) -> None:
    cli.write("program.py", STARTS)
    done = cli.run()
    assert "started" not in cli("report", "r1").ok().out
    cli("fork", "r1", "--at", str(done["records"]), "--headless").ok()
    told = cli("report", "r2").ok().out
    assert "started   again: true one (main, record" in told
    assert told.count("again: ") == 2
    processes = cli("report", "r2", "--json").ok().document["processes"]
    assert [(each["how"], each["command"], each["again"]) for each in processes] == [
        ("subprocess", ["true", "one"], True),
        ("subprocess", "true", True),
    ]
