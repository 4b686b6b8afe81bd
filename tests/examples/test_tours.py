"""The tours of the examples work as written, and print what the page shows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_readme import SHOWN, blocks, plain

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "examples.md"
ENVS = os.environ.get("OUTTAKE_ENVS")
TOURS = dict(re.findall(r"<!-- tour (\w+) -->(.*?)<!-- /tour -->", PAGE.read_text("utf-8"), re.DOTALL))


def typed(folder: Path, code: str) -> str:
    """What the commands print, typed one after the other in a folder that looks like a checkout."""
    commands, scripts = folder / ".venv" / "bin", folder / "scripts"
    for made in (commands, scripts):
        made.mkdir(parents=True)
    (commands / "outtake").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m outtake "$@"\n')
    (scripts / "env").write_text(f'#!/bin/sh\necho "{ENVS}/$1/bin/python"\n')  # what it does once all is installed
    for script in (commands / "outtake", scripts / "env"):
        script.chmod(0o755)
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns(".outtake", "__pycache__"))
    (folder / "tour.sh").write_text(code, "utf-8")
    ran = subprocess.run(
        ["sh", "-e", "tour.sh"],
        cwd=folder,
        env={**os.environ, "COLUMNS": "200"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr
    return ran.stdout


def unnumbered(line: str) -> str:
    """A line without times and numbers of records: parallel steps come in the order in which they are done."""
    return re.sub(r"^ *\d+ +|(?<=record )\d+|  \(saved TIME\)", "", plain(line)).strip()


@pytest.mark.skipif(ENVS is None, reason="OUTTAKE_ENVS names no folder of target environments; scripts/test makes them")
@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", TOURS)
def test_the_tour_prints_what_it_shows(tmp_path: Path, name: str) -> None:
    prelude = blocks(PAGE.read_text("utf-8").partition("<!-- tour")[0], "sh")
    printed = {
        unnumbered(line) for line in typed(tmp_path, "\n".join([*prelude, *blocks(TOURS[name], "sh")])).splitlines()
    }
    told = [line for block in SHOWN.findall(TOURS[name]) for line in block.splitlines()]
    assert told
    assert [line for line in told if unnumbered(line) not in printed] == []


def test_there_is_a_tour_of_each_example() -> None:
    assert set(TOURS) == {"essays", "universities", "plagiarism"}
