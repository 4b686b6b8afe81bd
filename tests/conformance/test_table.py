"""The table in the docs is what the recorded results say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from outtake.testing.promises import promises
from outtake.testing.table import NoMarkers, main, markdown, replaced

ROOT = Path(__file__).resolve().parent.parent.parent
RESULTS = Path(__file__).with_name("results.json")
REPORT = {
    "target": "Theirs",
    "python": "3.12.1",
    "versions": {"theirs": "1.2"},
    "outcomes": [
        {"promise": "hold-model", "result": "kept", "reason": ""},
        {"promise": "hold-tool", "result": "not offered", "reason": "no tools"},
        {"promise": "pause", "result": "broken", "reason": "it went on"},
    ],
}


def test_the_committed_table_is_what_the_results_say() -> None:
    text = (ROOT / "docs" / "targets.md").read_text("utf-8")
    table = markdown(json.loads(RESULTS.read_text("utf-8")))
    assert replaced(text, table) == text, "make it again: python -m outtake.testing.table"


def test_a_table_says_what_is_kept_broken_and_not_offered() -> None:
    table = markdown([REPORT])
    assert "Theirs<br>1.2" in table
    assert "| A model call is held before it goes out. | ✓ |" in table
    assert "| A tool call is held before it goes out. | - |" in table
    assert "| A pause takes hold at the very next gate. | ✗ |" in table
    assert "- Theirs, pause: it went on\n" in f"{table}\n"


def test_only_what_is_between_the_markers_is_replaced(tmp_path: Path) -> None:
    results, page, other = tmp_path / "results.json", tmp_path / "page.md", tmp_path / "other.md"
    results.write_text(json.dumps([REPORT]))
    page.write_text("before\n<!-- targets -->stale<!-- /targets -->\nafter\n")
    other.write_text("no table")
    assert main([str(results), str(page), str(other)]) == 0
    text = page.read_text("utf-8")
    assert text.startswith("before\n<!-- targets -->\n\n| ")
    assert text.endswith("\n\n<!-- /targets -->\nafter\n")
    assert "stale" not in text
    assert other.read_text() == "no table"
    with pytest.raises(NoMarkers):
        replaced("no table", "table")


def test_every_promise_has_a_name_and_a_sentence_of_its_own() -> None:
    for values in ([p.name for p in promises], [p.sentence for p in promises]):
        assert len(values) == len(set(values))
    assert all(p.sentence.endswith(".") for p in promises)
