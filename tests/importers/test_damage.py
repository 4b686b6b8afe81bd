"""Whatever a file holds, it is read or refused in words, whole or not at all, and never raises anything else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outtake.importers import BadLog
from outtake.importers.registry import Unknown, known
from outtake.service import WrongUse
from outtake.service.rpc_client import open_service
from outtake_probe.records import Json
from tests.importers.mutations import broken, damaged
from tests.importers.reading import SAMPLES, found, recorded
from tests.importers.test_inspect import LOG, archive
from tests.importers.test_otlp import OTLP, as_protobuf, framed

NAMES = sorted(path.name for path in SAMPLES.iterdir())
patient = settings(deadline=None, max_examples=100, suppress_health_check=list(HealthCheck))


def documents(data: bytes) -> list[Json] | None:
    """The JSON documents of a sample: one, or one a line."""
    try:
        return [json.loads(data)]
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in data.splitlines() if line.strip()]
    except ValueError:
        return None


JSON_NAMES = [name for name in NAMES if documents((SAMPLES / name).read_bytes()) is not None]


def survives(data: bytes) -> None:
    try:
        recorded(found(data))
    except (BadLog, Unknown) as error:
        assert str(error)


def test_every_importer_has_a_sample() -> None:
    names = {found((SAMPLES / name).read_bytes()).importer.name for name in NAMES}
    assert names == {importer.name for importer in known()}


@pytest.mark.parametrize("name", JSON_NAMES)
def test_damaged_documents_are_read_or_refused(name: str) -> None:
    whole = documents((SAMPLES / name).read_bytes())
    assert whole is not None

    @patient
    @given(damaged(whole), st.booleans())
    def check(made: list[Json], by_lines: bool) -> None:
        survives("\n".join(json.dumps(one) for one in made).encode() if by_lines else json.dumps(made[:1]).encode())
        survives(json.dumps(made[0] if made else None).encode())

    check()


@pytest.mark.parametrize("name", NAMES)
def test_damaged_bytes_are_read_or_refused(name: str) -> None:
    data = (SAMPLES / name).read_bytes()

    @patient
    @given(broken(data))
    def check(made: bytes) -> None:
        survives(made)

    check()


@pytest.mark.parametrize("name", NAMES)
def test_a_damaged_file_is_kept_whole_or_not_at_all(name: str, tmp_path: Path) -> None:
    data = (SAMPLES / name).read_bytes()
    held = documents(data)
    files = broken(data) if held is None else broken(data) | damaged(held).map(lambda made: json.dumps(made).encode())
    file = tmp_path / "a-file"
    service = open_service(tmp_path / ".outtake")

    @settings(patient, max_examples=25)
    @given(files)
    def check(made: bytes) -> None:
        file.write_bytes(made)
        before = len(service.runs())
        try:
            told = service.import_(str(file))
        except WrongUse as error:
            assert "nothing was imported" in str(error)
            assert str(file.name) in str(error)
            assert len(service.runs()) == before
            return
        assert len(service.runs()) == before + len(told["runs"])
        for run in told["runs"].values():
            assert service.info(run)["imported"]
            json.dumps(list(service.show(run, bodies=True)), allow_nan=False)

    try:
        check()
    finally:
        service.close()


PACKED = {"spans.pb": as_protobuf(OTLP), "spans-framed.pb": framed(as_protobuf(OTLP)), "log.eval": archive(LOG)}


@pytest.mark.parametrize("name", PACKED)
def test_damaged_files_that_are_no_text_are_kept_whole_or_not_at_all(name: str, tmp_path: Path) -> None:
    file = tmp_path / "a-file"
    service = open_service(tmp_path / ".outtake")

    @settings(patient, max_examples=60)
    @given(broken(PACKED[name]))
    def check(made: bytes) -> None:
        file.write_bytes(made)
        before = len(service.runs())
        try:
            told = service.import_(str(file))
        except WrongUse as error:
            assert "nothing was imported" in str(error)
            assert len(service.runs()) == before
            return
        assert len(service.runs()) == before + len(told["runs"])

    try:
        check()
    finally:
        service.close()
