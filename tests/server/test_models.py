"""The types of the API say what the service's documents say, and the checked-in document says what the types say."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any, get_args

import pytest

from outtake.core.runs import State
from outtake.engine.plans import REPEATS, REUSES
from outtake.server import openapi
from outtake.server.models import edits, errors, records, runs
from outtake.service.errors import KINDS as ERRORS
from outtake.service.steering import STEPS
from outtake_probe import edits as probe_edits
from outtake_probe import records as probe

ROOT = Path(__file__).resolve().parents[2]
BODIES = {"input", "output", "error", "body"}


def test_the_checked_in_document_is_what_the_code_says() -> None:
    told = (ROOT / openapi.CHECKED_IN).read_text("utf-8")
    assert told == openapi.document(), (
        f"{openapi.CHECKED_IN} is not what the code says any more: run `python -m outtake.server.openapi` in the "
        "environment of scripts/test, and commit what it wrote"
    )


def test_records_are_told_apart_by_their_kind() -> None:
    document = json.loads(openapi.document())
    assert document["openapi"].startswith("3.1")
    item = document["components"]["schemas"]["RecordPage"]["properties"]["records"]["items"]
    assert (item["discriminator"]["propertyName"], set(item["discriminator"]["mapping"])) == ("kind", set(probe.KINDS))
    assert document["components"]["schemas"]["RecordEvent"]["properties"]["record"].items() >= item.items()


@pytest.mark.parametrize("kind", probe.KINDS)
def test_a_record_has_the_fields_and_defaults_of_the_log(kind: str) -> None:
    logged = {
        field.name: None if field.default is dataclasses.MISSING else (field.default,)
        for field in dataclasses.fields(probe.KINDS[kind])
        if field.name != "body"
    }
    found = {
        name: None if field.is_required() else (tuple(default) if isinstance(default, list) else default,)
        for name, field in records.MODELS[kind].model_fields.items()
        if name not in {"kind", "hash", *BODIES}
        for default in (field.get_default(call_default_factory=True),)
    }
    assert found == logged


def test_the_words_are_those_of_the_core() -> None:
    assert get_args(runs.State) == get_args(State)
    assert get_args(runs.Reuse) == REUSES
    assert get_args(runs.Repeat) == REPEATS
    assert get_args(edits.Op) == probe_edits.OPS
    assert set(edits.Edit.model_fields) == set(probe_edits.FIELDS)
    assert get_args(records.CallKind) == probe.CALL_KINDS
    paths = json.loads(openapi.document())["paths"]
    assert all(f"/api/runs/{{run}}/{verb}" in paths for verb in STEPS)
    assert set(ERRORS) <= set(get_args(errors.Error.model_fields["code"].annotation))


def test_a_slim_record_leaves_out_what_goes_without_saying() -> None:
    full = {"seq": 3, "kind": "invocation_started", "component": "main/ask", "invocation": 3, "parent": 1}
    rest: dict[str, Any] = {
        "message": None,
        "caused_by": [],
        "at": 1.5,
        "call": "model",
        "effects": None,
        "type": "",
        "edited": False,
    }
    found = records.slim({**full, **rest, "hash": "ab", "digest": "ab"})
    assert found == {**full, "at": 1.5, "call": "model", "hash": "ab"}
    assert records.slim({**full, **rest, "hash": "ab", "digest": "cd"})["digest"] == "cd"
