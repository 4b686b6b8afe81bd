"""Notebooks as text: code cells, their lines, and what only IPython understands."""

from __future__ import annotations

import ast
import json

import pytest

from outtake_probe import notebooks

CELLS: list[tuple[str, object]] = [
    ("markdown", ["# A heading\n", "with text"]),
    ("code", ["a = 1\n", "b = '''\n", "%not magic\n", "'''\n"]),
    ("code", "%matplotlib inline\nif a:\n    !ls\nfiles = !ls\nlen?"),
    ("code", ["%%bash\n", "if x; then\n"]),
    ("code", ""),
    ("raw", "raw"),
    ("code", "def last():\n    return await_me"),
]


def notebook(cells: list[tuple[str, object]]) -> bytes:
    made = [{"cell_type": kind, "source": source, "outputs": [{"text": "x"}]} for kind, source in cells]
    return json.dumps({"cells": made, "nbformat": 4}).encode()


def test_the_lines_of_cells_are_those_of_the_text() -> None:
    data = notebook(CELLS)
    lines = notebooks.text(data).decode().splitlines()
    for cell in notebooks.cells(data):
        assert lines[cell.line - 2] == f"# In [{cell.number}]"
    last = notebooks.cells(data)[-1]
    assert (last.number, lines[last.line - 1]) == (5, "def last():")


def test_the_text_is_python_whatever_the_cells_say() -> None:
    tree = ast.parse(notebooks.text(notebook(CELLS)))
    assert [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)] == ["last"]


def test_what_only_ipython_understands_is_told() -> None:
    assert [cell.magic for cell in notebooks.cells(notebook(CELLS))] == ["", "%matplotlib inline", "%%bash", "", ""]


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"worksheets": []}', b'{"cells": 1}', b"\xff"])
def test_what_is_no_notebook_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        notebooks.text(data)


def test_odd_cells_are_left_out() -> None:
    data = json.dumps({"cells": [1, None, {"cell_type": "code"}, {"cell_type": "code", "source": [1, "x"]}]}).encode()
    assert [cell.source for cell in notebooks.cells(data)] == ["", "1x"]
