"""Programs without a function to call: modules that are run, and notebooks."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli

ENVS = os.environ.get("OUTTAKE_ENVS")
HELPER = """
import outtake

@outtake.model
def ask(prompt):
    return prompt.upper()
"""
MAIN = """
import sys
from package.helper import ask

if __name__ == "__main__":
    print(__package__, sys.argv[1:], ask("a"))
    sys.exit(int(sys.argv[-1]))
"""
POET = """
import outtake

@outtake.model
def ask(prompt):
    return prompt.upper()

def main(topic):
    return ask(f"Write one short line about the {topic}.")
"""


def package(cli: Cli) -> None:
    (cli.folder / "package").mkdir()
    cli.write("package/__init__.py", "")
    cli.write("package/helper.py", HELPER)
    cli.write("package/__main__.py", MAIN)
    cli.write("package/other.py", "import sys; sys.exit('went wrong')")


def test_a_module_is_run_as_python_does(cli: Cli) -> None:
    package(cli)
    done = cli("run", "-m", "package", "one", "--json", "--", "--two", "0").ok().document
    assert done["output"] == {"exit_code": 0, "output": "package ['one', '--two', '0'] A"}
    assert done["executed"]["model"] == 1
    again = cli("fork", "r1", "--at", str(done["records"]), "--headless", "--json").ok().document
    assert (again["output"], again["executed"]["model"]) == (done["output"], 0)
    assert [file["path"] for file in cli("code", "r1", "--json").ok().document["files"]] == [
        "package/__init__.py",
        "package/__main__.py",
        "package/helper.py",
    ]


def test_a_module_that_fails_says_how(cli: Cli) -> None:
    package(cli)
    assert cli("run", "-m", "package", "7").code == 1
    done = cli("run", "-m", "package.other")
    assert done.code == 1
    assert "went wrong" in done.out


@pytest.mark.parametrize(
    ("name", "reason"), [("nothing.here", "there is no module nothing.here"), ("bare", "package without a __main__")]
)
def test_a_module_that_is_not_there_is_told(cli: Cli, name: str, reason: str) -> None:
    (cli.folder / "bare").mkdir()
    cli.write("bare/__init__.py", "")
    done = cli("run", "-m", name)
    assert done.code == 2
    assert reason in done.err


def test_nothing_to_run_is_told(cli: Cli) -> None:
    assert "script.py, notebook.ipynb or -m pkg.module" in cli("run").err


# -- notebooks -------------------------------------------------------------------------------------------------------

ASK = "import outtake\n\n@outtake.model\nasync def ask(prompt):\n    return prompt.upper()\n"
CELLS = [ASK, "a = await ask('b')\na", "print(a)\nawait ask(a + 'c')"]


def notebook(cli: Cli, *cells: str) -> None:
    made: list[dict[str, Any]] = [{"cell_type": "markdown", "source": "words"}]
    made += [{"cell_type": "code", "source": cell, "outputs": []} for cell in cells]
    cli.write("notes.ipynb", json.dumps({"cells": made, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}))


def start_of(cli: Cli, cell: int) -> int:
    records = cli("show", "r1", "--json").ok().documents
    starts = [r for r in records if r["kind"] == "invocation_started"]
    return next(int(r["seq"]) for r in starts if r["component"] == f"notes/cell {cell}")


def test_each_cell_of_a_notebook_is_a_step(cli: Cli) -> None:
    notebook(cli, *CELLS)
    done = cli("run", "notes.ipynb", "--json").ok().document
    assert done["output"] == {"exit_code": 0, "output": "'B'\nB\n'BC'"}
    assert done["executed"] | {"step": 3, "model": 2} == done["executed"]
    records = cli("show", "r1", "--json", "--bodies").ok().documents
    steps = [r for r in records if r["kind"] == "invocation_started" and r["call"] == "step"]
    assert [(r["component"], r["input"]["source"]) for r in steps] == [
        (f"notes/cell {number}", source) for number, source in enumerate(CELLS, 1)
    ]
    again = cli("fork", "r1", "--at", str(done["records"]), "--headless", "--json").ok().document
    assert (again["output"], again["executed"]["model"]) == (done["output"], 0)


def test_a_cell_is_edited_in_a_fork(cli: Cli) -> None:
    notebook(cli, *CELLS)
    cli("run", "notes.ipynb").ok()
    edit = {"op": "replace_input", "seq": start_of(cli, 3), "value": {"cell": 3, "source": "print(a * 2)"}}
    done = cli("fork", "r1", "--edit", json.dumps(edit), "--headless", "--json").ok().document
    assert done["output"]["output"] == "'B'\nBB"
    assert done["executed"]["model"] == 0


def test_an_edited_cell_is_changed_code(cli: Cli) -> None:
    notebook(cli, ASK, "await ask('b')", "await ask('c')")
    cli("run", "notes.ipynb").ok()
    edit = {
        "op": "replace_input",
        "seq": start_of(cli, 1),
        "value": {"cell": 1, "source": ASK.replace("upper", "title")},
    }
    done = cli("fork", "r1", "--edit", json.dumps(edit), "--headless", "--json").ok().document
    assert done["executed"]["model"] == 2


def test_a_mended_cell_is_executed_after_the_cut(cli: Cli) -> None:
    notebook(cli, ASK, "await ask('b')", "await ask('c')")
    cli("run", "notes.ipynb").ok()
    at = start_of(cli, 3)
    notebook(cli, ASK.replace("upper()", "upper() + '!'"), "await ask('b')", "await ask('c')")
    done = cli("fork", "r1", "--at", str(at), "--headless", "--json").ok().document
    assert done["output"]["output"] == "'B'\n'C!'"
    told = cli("code", "r2", "--json").ok().document
    assert told["files"][0]["path"] == "notes.ipynb"
    assert [(each["component"], each["files"]) for each in told["stale"]] == [("notes/cell 2/ask", ["notes.ipynb"])]


def test_a_function_takes_several_arguments_by_their_names(cli: Cli) -> None:
    cli.write("verse.py", POET.replace("def main(topic)", "def main(topic, lines, *, style='plain')"))
    done = cli("run", "verse.py:main", "--input", '{"topic": "sea", "lines": 2}', "--json").ok().document
    assert done["output"] == "WRITE ONE SHORT LINE ABOUT THE SEA."
    edit = {"op": "replace_input", "seq": 1, "value": {"input": {"topic": "moon", "lines": 1, "style": "odd"}}}
    edited = cli("fork", "r1", "--edit", json.dumps(edit), "--headless", "--json").ok().document
    assert edited["output"] == "WRITE ONE SHORT LINE ABOUT THE MOON."
    for given, says in {
        "sea": "main takes the arguments topic, lines, style; give an object with these names as the input",
        '{"topic": "sea"}': "main: missing a required argument: 'lines'; it takes topic, lines, style",
        '{"topic": "sea", "lines": 1, "rhyme": true}': "main: got an unexpected keyword argument 'rhyme'",
    }.items():
        assert says in cli("run", "verse.py:main", "--input", given).err
    assert "give it with --input: an object with these names" in cli("run", "verse.py:main").err


def test_a_mended_prompt_is_shown_with_what_it_was(cli: Cli) -> None:
    cli.write("poet.py", POET)
    cli("run", "poet.py:main", "--input", "sea").ok()
    cli.write("poet.py", POET.replace("short line", "long line"))
    told = cli("code", "r1").ok().out
    assert "prompt    of main/ask (#2), in poet.py" in told
    assert "was     Write one short line about the sea." in told
    assert "now     Write one long line about the ...." in told
    assert "outtake fork r1 --at 2 executes all of it" in told


def test_a_notebook_that_fails_names_its_line(cli: Cli) -> None:
    notebook(cli, "a = 1", "def f():\n    return a / 0\nf()")
    done = cli("run", "notes.ipynb")
    assert done.code == 1
    assert "ZeroDivisionError" in done.out + done.err
    records = cli("show", "r1", "--json", "--bodies").ok().documents
    ends = [r for r in records if r["kind"] == "invocation_ended"]
    error = next(r["error"] for r in ends if r["component"] == "notes/cell 2")
    assert "return a / 0" in json.dumps(error)


@pytest.mark.parametrize(
    ("text", "reason"), [("{}", "no notebook of format 4"), ("no JSON", "cannot be read"), ("", "cannot be read")]
)
def test_what_is_no_notebook_is_refused(cli: Cli, text: str, reason: str) -> None:
    cli.write("notes.ipynb", text)
    done = cli("run", "notes.ipynb")
    assert done.code == 2
    assert reason in done.err


def test_magics_without_ipython_are_refused(cli: Cli) -> None:
    notebook(cli, "a = 1", "%time a")
    done = cli("run", "notes.ipynb")
    assert done.code == 2
    assert "cell 2 of notes.ipynb says '%time a': that needs IPython" in done.err


@pytest.mark.skipif(ENVS is None, reason="needs an environment with IPython")
def test_magics_and_results_are_those_of_ipython(cli: Cli) -> None:
    notebook(cli, ASK, "words = !echo from the shell\nwords", "%pwd\nawait ask(words[0])", "_ + Out[3]")
    python = str(Path(ENVS or "", "state", "bin", "python"))
    done = cli("run", "notes.ipynb", "--python", python, "--json").ok().document
    assert "Out[2]: ['from the shell']" in done["output"]["output"]
    assert "Out[4]: 'FROM THE SHELLFROM THE SHELL'" in done["output"]["output"]
    again = cli("fork", "r1", "--at", str(done["records"]), "--headless", "--json").ok().document
    assert (again["output"], again["executed"]["model"]) == (done["output"], 0)
