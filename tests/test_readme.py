"""The tour of the README works as written, and what the pages name exists."""

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PAGES = [README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"<!-- shown -->\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def tour() -> str:
    found = re.search(r"<!-- tour -->(.*)<!-- /tour -->", README.read_text("utf-8"), re.DOTALL)
    assert found is not None, "the README has no tour"
    return found[1]


def blocks(text: str, language: str) -> list[str]:
    return [code for _, name, code in FENCE.findall(text) if name == language]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the tour's commands print, typed one after the other in a folder that looks like a checkout."""
    envs = os.environ.get("OUTTAKE_ENVS")
    if not envs:
        pytest.skip("OUTTAKE_ENVS is not set: scripts/test sets it, and makes the AutoGen environment")
    folder = tmp_path_factory.mktemp("tour")
    commands = folder / ".venv" / "bin"
    commands.mkdir(parents=True)
    (commands / "outtake").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m outtake "$@"\n')
    (folder / "scripts").mkdir()
    demo = folder / "scripts" / "demo"  # what scripts/demo does once everything is installed
    demo.write_text(f'#!/bin/sh\nexec .venv/bin/outtake demo --python "{envs}/autogen/bin/python" "$@"\n')
    for script in (demo, commands / "outtake"):
        script.chmod(0o755)
    (folder / "tour.sh").write_text("\n".join(blocks(tour(), "sh")), "utf-8")
    ran = subprocess.run(
        ["sh", "-e", "tour.sh"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr
    return ran.stdout


def test_the_tour_turns_525_into_519(shown: str) -> None:
    wrong, _, right = shown.partition("r2  team.py:get_team")
    assert "FINAL ANSWER: 525" in wrong
    assert "FINAL ANSWER: 519" not in wrong
    assert "FINAL ANSWER: 519" in right
    assert "executed  9 model calls, 4 tool calls" in right
    assert "served    7 model calls, 2 tool calls" in right


def test_what_the_tour_shows_is_what_it_prints(shown: str) -> None:
    printed = {plain(line) for line in shown.splitlines()}
    told = [line for block in SHOWN.findall(tour()) for line in block.splitlines()]
    assert len(told) > 20
    assert [line for line in told if plain(line) not in printed] == []


def plain(line: str) -> str:
    """A line without times, durations and the spaces at its end."""
    line = re.sub(r"\b\d\d:\d\d:\d\d\b", "TIME", line)
    return re.sub(r"\b[\d.]+ (ms|s)\b", "TIME", line).rstrip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_and_options_on_the_pages_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    code = "\n".join([*(c for _, _, c in FENCE.findall(text)), *re.findall(r"`([^`\n]+)`", text)])
    commands = known()
    lines = [line.split("#")[0] for line in code.replace("\\|", "|").splitlines()]
    used = [m for line in lines for m in re.finditer(r"(?:^|\s)outtake ([a-z][a-z-]*)(?=\s|$)(.*)", line)]
    assert [m[0] for m in used if m[1] not in commands] == []
    unknown = [(m[0], o) for m in used for o in re.findall(r"(?<=\s)--[a-z-]+", m[2]) if o not in commands[m[1]]]
    assert unknown == []


def test_the_page_of_commands_has_every_command_and_option() -> None:
    text = (ROOT / "docs" / "commands.md").read_text("utf-8")
    commands = known()
    assert [name for name in commands if f"outtake {name}" not in text] == []
    options = {option for name in commands for option in commands[name] if option.startswith("--")}
    assert [option for option in sorted(options) if option not in text] == []
    overview = README.read_text("utf-8")
    assert [name for name in commands if f"`outtake {name}`" not in overview] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    written_elsewhere = {"docs/targets.md", "targets.md"}  # generated
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text("utf-8"))
    missing = [link for link in links if not link.startswith("http") and not (page.parent / link).exists()]
    assert set(missing) <= written_elsewhere


def test_pictures_are_there_and_are_small() -> None:
    text = "\n".join(page.read_text("utf-8") for page in PAGES)
    shown = set(re.findall(r"images/([\w-]+\.png)", text))
    assert shown <= {picture.name for picture in (ROOT / "docs" / "images").glob("*.png")}
    large = [picture.name for picture in (ROOT / "docs" / "images").glob("*.png") if picture.stat().st_size > 250_000]
    assert large == [], "`scripts/screenshots` takes them"


def known() -> dict[str, list[str]]:
    """Every command with its options."""
    group = typer.main.get_command(importlib.import_module("outtake.cli.app").app)
    found = group.commands  # type: ignore[attr-defined]
    return {name: [o for p in made.params for o in p.opts] + ["--help"] for name, made in found.items()}
