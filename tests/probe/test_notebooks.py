"""Notebooks as text: code cells, their lines, and what only IPython understands."""

from __future__ import annotations

import ast
import json

import pytest

from outtake_probe import notebooks
from outtake_probe.code_hash import OwnCode
from outtake_probe.own_files import OwnFiles

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
    assert (last.number, lines[last.line - 1]) == (4, "def last():")


def test_the_text_is_python_whatever_the_cells_say() -> None:
    tree = ast.parse(notebooks.text(notebook(CELLS)))
    assert [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)] == ["last"]


def test_what_only_ipython_understands_is_told() -> None:
    assert [cell.magic for cell in notebooks.cells(notebook(CELLS))] == ["", "%matplotlib inline", "%%bash", ""]


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"worksheets": []}', b'{"cells": 1}', b"\xff"])
def test_what_is_no_notebook_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        notebooks.text(data)


def test_odd_cells_are_left_out() -> None:
    data = json.dumps({"cells": [1, None, {"cell_type": "code"}, {"cell_type": "code", "source": [1, "x"]}]}).encode()
    assert [(cell.number, cell.source) for cell in notebooks.cells(data)] == [(1, "1x")]


def test_empty_cells_have_no_number_as_in_ipython() -> None:
    data = notebook([("code", ""), ("code", [" \n", "\n"]), ("code", "a = 1"), ("code", ""), ("code", "a")])
    assert [(cell.number, cell.source) for cell in notebooks.cells(data)] == [(1, "a = 1"), (2, "a")]


def test_cells_are_a_file_that_grows_and_changes() -> None:
    file = notebooks.CellFile()
    assert [
        file.put(0, 3, "a = 1\nb = 2"),
        file.put(1, 4, "%%bash\nls"),
        file.put(2, 5, "c =\n%pwd"),
        file.put(0, 3, "a"),
    ]
    assert not file.put(1, 4, "%%bash\nls")
    assert file.text.decode() == "# In [3]\na\n# In [4]\n# %%bash\n# ls\n# In [5]\n# c =\n# %pwd\n"
    assert [file.line(index) for index in range(len(file))] == [2, 4, 7]


def test_code_of_cells_is_what_they_say_by_now() -> None:
    own = OwnFiles(".", ["."])
    code, path = OwnCode(own), own.path("(cells)")
    own.given(path, b"def g():\n    return 1\ndef f():\n    return g()\n")
    code.forget(path)
    namespace: dict[str, object] = {}
    exec(compile(own.text(path) or b"", "<ipython-input-3>", "exec"), namespace)
    code.compiled_as("<ipython-input-3>", path)
    before = code.of([namespace["f"]])
    assert before.functions == ("(cells):f",)
    own.given(path, b"def g():\n    return 2\ndef f():\n    return g()\n")
    code.forget(path)
    after = code.of([namespace["f"]])
    assert (after.functions, after.fingerprint) != (before.functions, before.fingerprint)
    assert own.hashes == {}
