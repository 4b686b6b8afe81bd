"""The demo's team in plain Python: a program of its own, with the story of the one in AutoGen."""

import os
import subprocess
import sys
from pathlib import Path

import outtake
from outtake.demo.programs import AUTOGEN, FOLDER, PLAIN, choose

from .conftest import TEAM, Run


def plain() -> str:
    """What the script prints, outside of the debugger."""
    environ = {**os.environ, "PYTHONPATH": str(Path(outtake.__file__).parent.parent)}
    done = subprocess.run(
        [sys.executable, FOLDER / "plain_team.py"],
        capture_output=True,
        check=False,
        encoding="utf-8",
        env=environ,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_as_it_stands_the_plain_team_is_wrong_as_well() -> None:
    assert plain().endswith("FINAL ANSWER: 525\n")


def test_both_teams_say_the_same_in_the_end(run: Run) -> None:
    assert run(TEAM).rstrip().endswith(plain().rstrip())


def test_an_interpreter_with_autogen_is_preferred(autogen_python: Path) -> None:
    both = [sys.executable, str(autogen_python)]
    assert (choose(both).spec, choose(both).python) == (AUTOGEN, str(autogen_python))


def test_without_autogen_the_last_interpreter_runs_the_plain_team(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path)], check=True)
    bare = str(tmp_path / "bin" / "python")
    assert choose([bare]).spec == PLAIN
