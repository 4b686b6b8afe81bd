"""What the targets record stays what it was: runs that were recorded before can be forked.  After the promises, so that
what these have recorded is there."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from outtake.testing import Kit, golden
from outtake.testing.built_in import kits
from outtake.testing.golden import Golden, Line
from tests.conformance.conftest import FOLDER, Runs

KIT = next(kit for kit in kits if kit.name == "plain Python")


@pytest.mark.timeout(900)  # all promises of the target may come first
@pytest.mark.parametrize("target", [kit.name for kit in kits])
def test_recorded_scenes_are_the_golden_ones(runs: Runs, target: str) -> None:
    complaint = runs.complaint(target)
    assert not complaint, complaint


def test_each_kit_has_golden_logs_and_no_others_are_kept() -> None:
    files = [golden.file_of(kit, FOLDER) for kit in kits]
    assert len(set(files)) == len(kits)
    assert sorted(FOLDER.iterdir()) == sorted(files)
    for kit in kits:
        assert list(golden.read(kit, FOLDER)[1]) == list(kit.programs)


# -- what is told where they differ ------------------------------------------------------------------------------------

ASKED: Line = ["invocation_started", "model", "main/ask", "aaaa", ""]
LOOKED: Line = ["invocation_started", "tool", "main/look", "bbbb", "", "effects=write"]


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ({"chat": [ASKED, LOOKED]}, []),
        (
            {"chat": [[*ASKED[:3], "cccc", ""], LOOKED]},
            ["chat: invocation_started model of component main/ask: its digest was aaaa, and is cccc"],
        ),
        (
            {"chat": [ASKED, LOOKED[:5]]},
            ["chat: invocation_started tool of component main/look: it was effects=write, and is nothing"],
        ),
        (
            {"chat": [ASKED, [*LOOKED[:2], "main/see", *LOOKED[3:]]]},
            [
                "chat: there is no invocation_started tool main/look bbbb effects=write any more",
                "chat: there is a new invocation_started tool main/see bbbb effects=write",
            ],
        ),
        (
            {"chat": [LOOKED, ASKED]},
            [
                "chat: the order changed: line 0 was invocation_started model main/ask aaaa,"
                " and is invocation_started tool main/look bbbb effects=write"
            ],
        ),
        (
            {"stream": [ASKED]},
            ["chat: no program of the kit is recorded so any more", "stream: is new, and has no golden log"],
        ),
    ],
    ids=["equal", "digest", "flag", "component", "order", "scene"],
)
def test_the_first_differences_are_named(found: Golden, told: list[str]) -> None:
    assert golden.differences({"chat": [ASKED, LOOKED]}, found) == told


def test_not_more_than_a_few_differences_are_told() -> None:
    old = [[*ASKED[:2], f"main/{n}", "aaaa", ""] for n in range(9)]
    told = golden.differences({"chat": old}, {"chat": []})
    assert len(told) == golden.MOST + 1
    assert told[-1] == f"chat: and {9 - golden.MOST} more"


def test_the_complaint_says_what_to_do_and_where_the_logs_were_recorded(tmp_path: Path) -> None:
    golden.write(KIT, {"chat": [ASKED, LOOKED]}, tmp_path)
    assert golden.read(KIT, tmp_path) == (golden.environment(KIT), {"chat": [ASKED, LOOKED]})
    assert golden.complaint(KIT, {"chat": [ASKED, LOOKED]}, tmp_path) == ""
    complaint = golden.complaint(KIT, {"chat": [ASKED]}, tmp_path)
    assert complaint.startswith("runs of plain Python that were recorded before could not be forked any more:\n")
    assert golden.WRITE in complaint
    assert "recorded with" not in complaint
    other: Kit = dataclasses.replace(KIT, packages=["pytest"])
    golden.file_of(KIT, tmp_path).rename(golden.file_of(other, tmp_path))
    assert "they were recorded with" in golden.complaint(other, {"chat": [ASKED]}, tmp_path)
