"""Seams: a module is ready before its import has ended, if it has what is needed."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.seams import Seam, deferred

MODULE = """
from tests.probe.toolkit.test_seams import seam
def ready():
    return [seam("first").is_ready, seam("last").is_ready]
seen = ready()
first = 1
seen += ready()
last = 2
"""


def seam(needed: str, module: str = "seam_of_test", *, required: bool = False) -> Seam[None]:
    return Seam(module, needed, lambda state, patches: (), required)


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "seam_of_test.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("seam_of_test", None)


def test_it_is_ready_once_its_module_has_what_is_needed(module: None) -> None:
    assert not seam("first").is_ready
    made = importlib.import_module("seam_of_test")
    assert made.seen == [False, False, True, False]
    assert seam("last").is_ready


def test_one_whose_module_will_never_have_it_is_ready_unless_that_is_required() -> None:
    assert seam("no_such_name", "json").is_ready
    assert seam("no_such_name", "__main__").is_ready
    assert not seam("no_such_name", "json", required=True).is_ready


def hook(state: str, patches: Patches) -> list[str]:
    return [f"{state} is lost"]


def test_a_part_of_an_adapter_is_imported_when_its_hook_is_put() -> None:
    assert deferred(__name__, "hook")("it", Patches()) == ["it is lost"]
    late = deferred("no_such_module_of_test", "hook")
    with pytest.raises(ModuleNotFoundError):
        late("it", Patches())
