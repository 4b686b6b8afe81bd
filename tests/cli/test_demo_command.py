"""`outtake demo`: wrong, edited, right; in an environment that has AutoGen."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.cli.terminal import Typist, terminal


@pytest.fixture(scope="session")
def autogen() -> str:
    """An interpreter that has AutoGen: the one that the test script built, or the one that runs this."""
    built = Path(os.environ.get("OUTTAKE_ENVS", ""), "autogen", "bin", "python")
    python = str(built) if os.environ.get("OUTTAKE_ENVS") and built.exists() else sys.executable
    done = subprocess.run([python, "-c", "import autogen_agentchat"], capture_output=True, check=False)
    if done.returncode != 0:
        pytest.skip("no interpreter with AutoGen here; scripts/test builds one")
    return python


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An interpreter that has nothing but the standard library."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    return str(folder / "bin" / "python")


def answer(run: dict[str, Any]) -> str:
    output = run["output"]
    return str(output["answer"] if isinstance(output, dict) else output).rpartition("FINAL ANSWER: ")[2]


def test_the_demo_does_it_all_by_itself(cli: Cli, autogen: str) -> None:
    told = cli("demo", "--headless", "--json", "--python", autogen).ok().document
    assert told["expected"] == "519"
    assert answer(told["wrong"]) == "525"
    assert answer(told["right"]) == "519"
    assert (told["wrong"]["outcome"], told["right"]["outcome"]) == ("failed", "passed")
    assert told["edit"]["op"] == "replace_message"
    assert told["right"]["parent"] == told["wrong"]["run"]
    assert 0 < told["right"]["executed"]["model"] < told["wrong"]["executed"]["model"]


def test_the_demo_explains_and_its_command_works(cli: Cli, autogen: str) -> None:
    done = cli("demo", "--python", autogen).ok()
    assert len(done.out.splitlines()) == 5
    assert "Five agents (AutoGen, scripted models, offline) are asked: How many at bats" in done.out
    assert "r1 ends with FINAL ANSWER: 525; the right answer is 519" in done.out
    assert "outtake demo --log" in done.out
    found = re.search(r"try: outtake (fork .*)", done.out)
    assert found
    forked = cli(*shlex.split(found.group(1)), "--headless", "--json").ok().document
    assert answer(forked) == "519"


def test_a_real_log_is_imported_once_and_what_is_said_to_try_works(cli: Cli) -> None:
    told = cli("demo", "--log", "--json").ok().document
    assert (told["run"], told["new"], told["expected"], told["output"], told["outcome"]) == (
        "r1",
        True,
        "6",
        "5",
        "failed",
    )
    again = cli("demo", "--log").ok().out
    assert "r1 has its log" in again
    assert "It answered 5; the right answer is 6." in again
    assert told["finding"]["text"] in again
    commands = re.findall(r"^  outtake ((?:show|why|annotate) .*?) +#", again, re.MULTILINE)
    assert len(commands) == 3
    for command in commands:
        assert str(told["finding"]["seq"]) in cli(*shlex.split(command)).ok().out
    assert [run["run"] for run in cli("runs", "--json").ok().documents] == ["r1"]
    cli.refuses([(["demo", "--log", "--headless"], "runs nothing")])


@terminal
def test_at_a_terminal_the_demo_offers_to_make_the_fork(cli: Cli, autogen: str) -> None:
    with Typist(cli, "demo", "--python", autogen) as typist:
        typist.expect("FINAL ANSWER: 525")
        typist.expect("fork it now")
        typist.types("y\r")
        typist.expect(r"replaying \d+ records of r1")
        typist.expect("FINAL ANSWER: 519")
        assert typist.ends() == 0


def test_in_the_browser_the_demo_leaves_the_fork_to_the_person(cli: Cli, autogen: str) -> None:
    with cli.start("demo", "--ui", "--python", autogen) as demo:
        address = demo.expect(r"http://127\.0\.0\.1:\d+/runs/r1\?token=\S+").group()
        command = demo.expect(r"outtake (fork .*)").group(1)
        found = demo.expect(r"In the browser, edit (\d+)").group(1)
        assert f"--at {found} " in command
        demo.expect(f"r1 stays open at {re.escape(address)}")
        forked = cli(*shlex.split(command), "--headless", "--json").ok().document  # by whoever serves the pages
        assert answer(forked) == "519"
        demo.interrupt()
        assert demo.ends().code == 0


def test_without_any_framework_it_is_the_same_story(cli: Cli, bare: str) -> None:
    told = cli("demo", "--headless", "--json", "--python", bare).ok().document
    assert [answer(told["wrong"]), told["wrong"]["outcome"]] == ["525", "failed"]
    assert [answer(told["right"]), told["right"]["outcome"]] == ["519", "passed"]
    assert told["edit"]["value"] == {"instruction": "Sort the table by walks and give at bats of the first row."}
    assert 0 < told["right"]["executed"]["model"] < told["wrong"]["executed"]["model"]
    shown = cli("demo", "--python", bare).ok().out
    assert "Five agents (plain Python, scripted models, offline) are asked" in shown
    found = re.search(r"try: outtake (fork .*)", shown)
    assert found
    assert answer(cli(*shlex.split(found.group(1)), "--headless", "--json").ok().document) == "519"


def test_a_real_model_needs_autogen_and_the_demo_says_how_to_get_it(cli: Cli, bare: str) -> None:
    done = cli("demo", "--headless", "--python", bare, "--model", "openai:some-model")
    assert done.code == 2
    assert "pip install 'outtake[demo]'" in done.err
