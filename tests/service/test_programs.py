"""The look through a folder: the examples, and folders that nobody would like to look through."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from outtake.service import WrongUse, programs
from outtake.service.programs import suggestion

EXAMPLES = Path(__file__).parents[2] / "examples"
HARMFUL = "open(__file__ + '.ran', 'w')\ndef main(text: str): ...\n"


def specs(folder: Path) -> list[str]:
    return [str(one["spec"]) for one in programs.programs(str(folder))["programs"]]


def test_the_examples_are_found_and_their_helpers_are_not() -> None:
    told = programs.programs(str(EXAMPLES))
    found = {one["spec"]: (one["kind"], one["framework"]) for one in told["programs"]}
    assert found == {
        "essays_langgraph.py:grading": ("graph", "LangGraph"),
        "essays_llamaindex.py:grading": ("workflow", "LlamaIndex"),
        "essays_plain.py:grading": ("function", ""),
        "plagiarism_llamaindex.py:checking": ("workflow", "LlamaIndex"),
        "universities_langgraph.py:recommending": ("graph", "LangGraph"),
        "universities_llamaindex.py:recommending": ("workflow", "LlamaIndex"),
    }
    assert (told["unread"], told["stopped"], told["more"]) == ([], "", 0)
    inputs = {one["spec"]: one["input"] for one in told["programs"]}
    assert list(inputs["universities_llamaindex.py:recommending"]["schema"]["properties"]) == ["wish"]


def test_nothing_is_executed(tmp_path: Path) -> None:
    (tmp_path / "harm.py").write_text(HARMFUL)
    assert specs(tmp_path) == ["harm.py:main"]
    assert sorted(os.listdir(tmp_path)) == ["harm.py"]


def test_what_is_not_understood_is_named_and_the_rest_found(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_bytes("# -*- coding: latin-1 -*-\ndef main(text='é'): ...".encode("latin-1"))
    (tmp_path / "bom.py").write_bytes(b"\xef\xbb\xbfdef start(): ...")
    (tmp_path / "broken.py").write_text("def main(:\n")
    (tmp_path / "wide.py").write_bytes("def main(): ...".encode("utf-16"))
    (tmp_path / "nul.py").write_bytes(b"x = 1\x00")
    (tmp_path / "unknown.py").write_bytes(b"# coding: klingon\n")
    (tmp_path / "nested.py").write_text("x = " + "(" * 5000 + ")" * 5000)
    (tmp_path / "minus.py").write_text("x = " + "-" * 50_000 + "1")
    (tmp_path / "chain.py").write_text("x = a" + ".b" * 50_000)
    (tmp_path / "huge.py").write_bytes(b"#" * (programs.LARGEST_FILE + 1))
    (tmp_path / "book.ipynb").write_text('{"cells": [{"cell_type": "code", "source": ["1"]}], "nbformat": 4}')
    (tmp_path / "bad.ipynb").write_text("[" * 100_000)
    told = programs.programs(str(tmp_path))
    assert [one["spec"] for one in told["programs"]] == ["bom.py:start", "good.py:main", "book.ipynb"]
    unread = {one["file"]: one["reason"] for one in told["unread"]}
    assert {"broken.py", "wide.py", "nul.py", "unknown.py", "nested.py", "huge.py", "bad.ipynb"} <= set(unread)
    assert unread["broken.py"].startswith("line 1: ")
    assert "larger than" in unread["huge.py"]
    (good,) = (one for one in told["programs"] if one["file"] == "good.py")
    assert good["input"]["schema"]["properties"]["text"]["default"] == "é"


def test_links_environments_and_hidden_folders_are_passed_over(tmp_path: Path) -> None:
    for folder in ("src/inner", ".hidden", "node_modules/x", "mine/lib/site", "tests"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "tool.py").write_text(HARMFUL)
    (tmp_path / "mine" / "pyvenv.cfg").write_text("")
    (tmp_path / "src" / "loop").symlink_to(tmp_path)
    (tmp_path / "away.py").symlink_to(EXAMPLES / "essays_plain.py")
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "folder.py").mkdir()
    assert specs(tmp_path) == ["src/inner/tool.py:main", "tests/tool.py:main"]


def test_a_look_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(5):
        (tmp_path / f"m{n}.py").write_text("def main(): ...")
    monkeypatch.setattr(programs, "MOST_FILES", 3)
    told = programs.programs(str(tmp_path))
    assert (told["files"], told["stopped"]) == (3, "there are more than 3 files")
    monkeypatch.setattr(programs, "LONGEST_LOOK", -1.0)
    assert programs.programs(str(tmp_path))["files"] == 0
    monkeypatch.setattr(programs, "LONGEST_LOOK", 60.0)
    monkeypatch.setattr(programs, "MOST_BYTES", 20)
    assert programs.programs(str(tmp_path))["files"] == 2


def test_a_folder_that_is_not_there() -> None:
    with pytest.raises(WrongUse, match="is not there"):
        programs.programs("/nowhere/at/all")
    assert suggestion("/nowhere/at/all") == ""
