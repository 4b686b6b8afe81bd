"""The table of what works where, made of recorded results: ``python -m outtake.testing.table RESULTS [FILE ...]``.

The results are what ``python -m outtake.testing --json`` printed.  In each file, what stands between the markers is
replaced; files without markers stay as they are.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from outtake.testing.promises import promises
from outtake_probe.records import Json

BEGIN, END = "<!-- targets -->", "<!-- /targets -->"
MARKS = {"kept": "✓", "broken": "✗", "not offered": "-"}
RESULTS = Path("tests/conformance/results.json")
FILES = (Path("docs/targets.md"),)


class NoMarkers(Exception):
    """A text without the place for the table."""


def markdown(reports: Sequence[Json]) -> str:
    """The table of these reports, and what is to be known of every promise that is not kept."""
    heads = [_head(report) for report in reports]
    lines = [_row(["", *heads]), _row(["---", *[":-:"] * len(heads)])]
    group = ""
    for promise in promises:
        if promise.group != group:
            group = promise.group
            lines.append(_row([f"**{group}**", *[""] * len(heads)]))
        lines.append(_row([promise.sentence, *[_mark(report, promise.name) for report in reports]]))
    return "\n".join([*lines, "", _legend(reports)])


def replaced(text: str, table: str) -> str:
    """The text with the table between its markers.  Raises `NoMarkers`."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise NoMarkers(f"there is no {BEGIN} ... {END}")
    return f"{before}{BEGIN}\n\n{table}\n\n{END}{after}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _head(report: Json) -> str:
    """The target with the versions that were asked."""
    versions = sorted(set(report["versions"].values())) or [f"Python {report['python']}"]
    return f"{report['target']}<br>{', '.join(versions)}"


def _mark(report: Json, promise: str) -> str:
    found = {outcome["promise"]: outcome["result"] for outcome in report["outcomes"]}
    return MARKS[found[promise]] if promise in found else ""


def _legend(reports: Sequence[Json]) -> str:
    legend = "✓ kept, - not offered by the target"
    broken = [
        f"- {report['target']}, {outcome['promise']}: {outcome['reason']}"
        for report in reports
        for outcome in report["outcomes"]
        if outcome["result"] == "broken"
    ]
    return "\n".join([f"{legend}, ✗ declared, and broken today:", "", *broken]) if broken else f"{legend}."


def main(args: Sequence[str]) -> int:
    results, *files = [Path(arg) for arg in args] or [RESULTS, *FILES]
    table = markdown(json.loads(results.read_text("utf-8")))
    for file in files:
        text = file.read_text("utf-8")
        if BEGIN in text:
            file.write_text(replaced(text, table), "utf-8")
            sys.stderr.write(f"{file}: the table is up to date\n")
        else:
            sys.stderr.write(f"{file}: has no {BEGIN}, left as it is\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
