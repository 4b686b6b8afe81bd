"""The targets that come with Outtake keep their promises, and the recorded results say what came out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from outtake.testing import Promise, promises
from outtake.testing.built_in import kits
from outtake_probe.records import Json
from tests.conformance.conftest import Runs

RESULTS = Path(__file__).with_name("results.json")
RECORD = "python -m outtake.testing --json > tests/conformance/results.json && python -m outtake.testing.table"


def _recorded() -> dict[tuple[str, str], Json]:
    reports = json.loads(RESULTS.read_text("utf-8"))
    return {(r["target"], outcome["promise"]): outcome for r in reports for outcome in r["outcomes"]}


RECORDED = _recorded()


def _case(target: str, promise: Promise) -> object:
    """A promise that is recorded as broken is expected to be: mending it asks for new results."""
    found = RECORDED.get((target, promise.name), {})
    broken = found.get("result") == "broken"
    marks = [pytest.mark.xfail(reason=found["reason"], raises=AssertionError, strict=True)] if broken else []
    return pytest.param(target, promise, id=f"{target.replace(' ', '-')}-{promise}", marks=marks)


@pytest.mark.timeout(400)  # others of the target come first, where one was selected alone
@pytest.mark.parametrize(("target", "promise"), [_case(kit.name, p) for kit in kits for p in promises])
def test_promise(runs: Runs, target: str, promise: Promise) -> None:
    outcome = runs.outcome(target, promise.name)
    outcome.require()
    recorded = RECORDED.get((target, promise.name), {}).get("result", "nothing")
    assert outcome.result == recorded, f"the recorded results say {recorded}; record them again: {RECORD}"
