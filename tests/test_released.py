"""What released versions wrote stays readable: stores, the logs in them, and exports; see docs/formats.md."""

from __future__ import annotations

import json
import sqlite3
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from outtake.service import WrongUse
from outtake.service.rpc_client import open_service
from outtake.service.service import Document, Service
from outtake.store import NewerFormat, Store
from outtake.store.private import DATABASE
from outtake_probe.records import Json
from tests.released.recording import EXPECTED, EXPORT, FORMATS, PLACE, PYTHON, WAIT, shown

SAMPLES = sorted((Path(__file__).parent / "released").glob("*.zip"))
RUN, FORK, LOG = range(3)
"""The runs of a sample, in their order."""


def expected(sample: Path) -> Json:
    with zipfile.ZipFile(sample) as file:
        return json.loads(file.read(EXPECTED))


@pytest.fixture(params=SAMPLES, ids=lambda sample: sample.stem)
def sample(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what a released version left there, its program as well."""
    with zipfile.ZipFile(request.param) as file:
        file.extractall(tmp_path)
    with sqlite3.connect(tmp_path / DATABASE) as connection:
        for old, new in ((PYTHON, sys.executable), (PLACE, str(tmp_path))):
            connection.execute("UPDATE runs SET launch = replace(launch, ?, ?)", (old, new))
    connection.close()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def service(sample: Path) -> Iterator[Service]:
    made = open_service(sample)
    yield made
    made.close()


@pytest.fixture
def told(sample: Path) -> dict[str, Json]:
    """What the runs of the sample showed when it was recorded."""
    runs: dict[str, Json] = json.loads((sample / EXPECTED).read_text("utf-8"))["runs"]
    return runs


def through_json(value: Json) -> Json:
    return json.loads(json.dumps(value))


@pytest.mark.parametrize("which", FORMATS)
def test_each_number_of_each_format_has_a_sample(which: str) -> None:
    numbers = {expected(sample)["formats"][which] for sample in SAMPLES}
    assert numbers == set(range(1, FORMATS[which] + 1)), "record one: python -m tests.released.recording VERSION"


def test_every_run_of_a_released_store_shows_what_it_showed(service: Service, told: dict[str, Json]) -> None:
    assert {run["run"] for run in service.runs()} == set(told)
    for name, run in told.items():
        assert through_json(shown(service, name)) == run
    assert service.search(next(iter(told)), "birds")["found"]
    assert service.diff(list(told)[RUN], list(told)[FORK])["changes"]


def test_a_released_store_is_read_where_it_must_not_be_written(sample: Path, told: dict[str, Json]) -> None:
    store = Store(sample, writable=False)
    try:
        for name, run in told.items():
            assert [record["kind"] for record in store.records(name)] == [record["kind"] for record in run["records"]]
    finally:
        store.close()


@pytest.mark.parametrize("which", [RUN, FORK], ids=["run", "fork"])
def test_runs_of_a_released_store_are_forked_and_nothing_is_called_again(
    service: Service, sample: Path, told: dict[str, Json], which: int
) -> None:
    name, run = list(told.items())[which]
    for cut in (1, len(run["records"]) // 2, len(run["records"])):
        fork = forked(service, name, at=cut, repeat="serve", serve_failures=True)
        assert (fork["status"], fork["output"], fork["error"]) == ("completed", run["output"], None)
        assert not any(fork["executed"][kind] for kind in ("model", "tool"))
    assert not (sample / "calls.txt").exists()


def test_a_fork_with_an_edit_executes_what_the_edit_touched(
    service: Service, sample: Path, told: dict[str, Json]
) -> None:
    name, run = next(iter(told.items()))
    last = [r for r in run["records"] if r["kind"] == "invocation_started" and r["component"] == "main/writer/tell"][-1]
    edit = {"op": "replace_input", "seq": last["seq"], "value": {"prompt": "something else"}}
    fork = forked(service, name, edits=[edit], repeat="serve", serve_failures=True)
    assert (fork["status"], fork["executed"]["model"], fork["executed"]["tool"]) == ("completed", 1, 0)
    assert (sample / "calls.txt").read_text("utf-8") == "tell something else\n"
    assert fork["output"][0] == run["output"][0]
    assert fork["output"][1] != run["output"][1]


def test_an_imported_log_of_a_released_store_says_why_it_cannot_be_forked(
    service: Service, told: dict[str, Json]
) -> None:
    with pytest.raises(WrongUse, match="no program behind it"):
        service.fork(list(told)[LOG])


def test_a_released_export_is_read_and_forked(service: Service, sample: Path, told: dict[str, Json]) -> None:
    before = list(told)
    named = service.import_(str(sample / EXPORT))["runs"]
    assert list(named) == before[: FORK + 1]
    for old, new in named.items():
        assert through_json(shown(service, new)) == {**told[old], "printed": []}  # an export has no console
    fork = forked(service, named[before[FORK]], repeat="serve", serve_failures=True, trust=True)
    assert (fork["status"], fork["output"]) == ("completed", told[before[FORK]]["output"])
    assert not (sample / "calls.txt").exists()


def test_a_store_of_a_number_to_come_is_refused_and_left_as_it_is(sample: Path) -> None:
    with sqlite3.connect(sample / DATABASE) as connection:
        connection.execute("UPDATE meta SET value = ? WHERE key = 'format'", (str(FORMATS["store"] + 1),))
        connection.execute("DROP TABLE files")  # what that number may do without
    connection.close()
    before = (sample / DATABASE).read_bytes()
    with pytest.raises(NewerFormat, match="Install a newer Outtake"):
        Store(sample)
    assert (sample / DATABASE).read_bytes() == before


def forked(service: Service, run: str, **options: Json) -> Document:
    made = service.fork(run, headless=True, **options)
    return service.wait(made["run"], timeout=WAIT)
