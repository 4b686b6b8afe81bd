"""Seams: a module is ready before its import has ended, if it has what is needed."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from outtake_probe.targets.toolkit.seams import is_ready

MODULE = """
from outtake_probe.targets.toolkit.seams import is_ready
seen = [is_ready(__name__, "first"), is_ready(__name__, "last")]
first = 1
seen += [is_ready(__name__, "first"), is_ready(__name__, "last")]
last = 2
"""


def test_a_module_is_ready_once_it_has_what_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "seam_of_test.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    made = importlib.import_module("seam_of_test")
    assert made.seen == [False, False, True, False]
    assert is_ready("seam_of_test", "last")
    del sys.modules["seam_of_test"]


def test_a_module_that_will_never_have_it_is_ready() -> None:
    assert is_ready("json", "no_such_name")
    assert is_ready("__main__", "no_such_name")
