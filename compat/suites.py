"""A framework's own tests: plainly, and under Outtake.  What passes plainly has to pass there."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from outtake.service.service import Service

BOUND = 3600.0
"""Seconds for one execution of a suite."""
_FAULT = "a fault of Outtake's probe"


@dataclass(frozen=True)
class Under:
    """What became of a suite under Outtake."""

    results: Mapping[str, str]
    records: int
    """So many that all of it was seen: a probe that has given up lets every test pass."""
    faults: Sequence[str]
    """Lines in which the probe tells of its own."""


def compare(places: Sequence[Path], python: str, arguments: Sequence[str], *, as_json: bool) -> int:
    """Print what passes plainly and not under Outtake; 1 where there is something."""
    with tempfile.TemporaryDirectory(prefix="outtake-compat-", ignore_cleanup_errors=True) as scratch:
        folder = Path(scratch)
        tests = [str(place.absolute()) for place in places]
        plain = _plainly(folder, python, [*tests, *arguments])
        under = _under(folder, python, [*tests, *arguments])
    passed = {name for name, result in plain.items() if result == "passed"}
    if not passed:
        raise SystemExit(f"no test passes plainly ({len(plain)} were found); try: {python} -m pytest {' '.join(tests)}")
    lost = sorted(name for name in passed if under.results.get(name) != "passed")
    if as_json:
        told = {"passed": len(passed), "kept": len(passed) - len(lost), "lost": lost}
        print(json.dumps({**told, "records": under.records, "faults": under.faults}))
    else:
        for name in lost:
            print(f"{under.results.get(name, 'not run'):8} {name}")
        for line in under.faults:
            print(line)
        kept = f"{len(passed) - len(lost)} of them under Outtake, {under.records} records"
        print(f"{len(passed)} tests pass plainly, {kept}, {len(under.faults)} faults of the probe")
    return 1 if lost or under.faults else 0


def _plainly(folder: Path, python: str, arguments: Sequence[str]) -> Mapping[str, str]:
    told = folder / "plain.xml"
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={told}", *arguments]
    subprocess.run(command, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, timeout=BOUND, check=False)
    return _results(told)


def _under(folder: Path, python: str, arguments: Sequence[str]) -> Under:
    told = folder / "under.xml"
    service = Service(folder / "store")
    try:
        run = service.run(
            "-m pytest",
            args=["-q", "-p", "no:cacheprovider", f"--junitxml={told}", *arguments],
            python=python,
            folder=str(folder),
            env=dict(os.environ),
            headless=True,
        )["run"]
        info = service.wait(run, timeout=BOUND)
        printed = "".join(part["text"] for part in service.console(run)["parts"])
    finally:
        service.close()
    return Under(_results(told), info["records"], [line for line in printed.splitlines() if _FAULT in line])


def _results(told: Path) -> Mapping[str, str]:
    """What became of each test, by its name."""
    if not told.exists():
        raise SystemExit("pytest has written no results: try it plainly first")
    found: dict[str, str] = {}
    for case in ET.parse(told).getroot().iter("testcase"):
        kinds = {child.tag for child in case}
        result = next((kind for kind in ("failure", "error", "skipped") if kind in kinds), "passed")
        found[f"{case.get('classname')}::{case.get('name')}"] = result
    return found
