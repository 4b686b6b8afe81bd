"""Logs of Inspect as runs: one for each sample, from JSON and from an archive."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from outtake.service import WrongUse
from outtake.service.rpc_client import open_service
from outtake_probe.records import Json
from tests.importers.reading import calls, found, guesses, outline, recorded, sample

LOG: Json = json.loads(sample("inspect.json"))


def archive(log: Json, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """The same log as a ``.eval`` file."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", compression) as file:
        file.writestr("_journal/start.json", json.dumps({"eval": log["eval"], "plan": log["plan"]}))
        for one in log["samples"]:
            file.writestr(f"samples/{one['id']}_epoch_{one['epoch']}.json", json.dumps(one))
        file.writestr("header.json", json.dumps({key: value for key, value in log.items() if key != "samples"}))
    return held.getvalue()


def test_a_sample_is_a_run_of_its_events() -> None:
    what = found(sample("inspect.json"))
    first, second = recorded(what)
    assert (what.importer.name, what.recognised) == ("Inspect", "an evaluation with 2 samples")
    agent = "capitals/react"
    assert outline(first) == [
        "flow of capitals",
        f"agent of {agent} in capitals",
        f"model of {agent}/openai-gpt-4o in {agent}",
        f"end of {agent}/openai-gpt-4o in {agent}",
        f"tool of {agent}/tools/search in {agent}",
        f"end of {agent}/tools/search in {agent}",
        f"info {agent} in {agent}",
        f"end of {agent} in capitals",
        "end of capitals",
    ]
    (model,) = calls(first, "model")
    assert [said["role"] for said in model["input"]["messages"]] == ["system", "user"]
    assert (model["input"]["temperature"], model["input"]["tools"][0]["function"]["name"]) == (0.0, "search")
    assert model["output"]["choices"][0]["message"]["tool_calls"][0]["function"]["name"] == "search"
    assert (model["tokens"], model["seconds"]) == ((30, 8), 2.0)
    (tool,) = calls(first, "tool")
    assert (tool["input"], tool["output"], tool["seconds"]) == ({"q": "France"}, "a long text", 1.0)
    assert [(note.kind, note.text) for note in first.notes] == [
        ("expectation", "Paris"),
        ("verdict", "match: I (not Paris)"),
        ("feedback", "length: 0.5"),
    ]
    assert (what.logs[0].name, what.logs[0].output) == ("fr (1)", "Lyon")
    assert (what.logs[1].input, what.logs[1].output) == ("What is the capital of Italy?", "Rome")
    assert not second.timed
    (search,) = calls(second, "tool")
    assert search["output"] == "Rome"
    assert any("no events" in guess for guess in guesses(what))


def test_an_archive_is_the_same_runs(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(archive(LOG))
    (tmp_path / "log.json").write_bytes(sample("inspect.json"))
    service = open_service(tmp_path / ".outtake")
    try:
        told = service.import_(str(tmp_path / "log"))
        assert (told["log"], told["recognised"]) == ("Inspect", "an archive with 2 samples of an evaluation")
        assert told["runs"] == {"log: fr (1)": "r1", "log: it (1)": "r2"}
        service.import_(str(tmp_path / "log.json"))
        for one, other in (("r1", "r3"), ("r2", "r4")):
            assert service.diff(one, other)["changes"] == []
        assert service.info("r1")["outcome"] == "failed"
        assert service.info("r1")["expected"] == "Paris"
    finally:
        service.close()


def bomb() -> bytes:
    return archive({**LOG, "samples": [{**LOG["samples"][0], "input": "x" * (100 << 20)}]})


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (bomb(), "unpacks to"),
        (archive({**LOG, "samples": []}), "no samples"),
        (archive(LOG)[:-30], "damaged"),
        (archive(LOG, zipfile.ZIP_BZIP2), "packed by a method"),
        (
            archive({**LOG, "samples": [{**LOG["samples"][0], "input": json.loads("[" * 600 + "]" * 600)}]}),
            "levels deep",
        ),
    ],
)
def test_a_damaged_archive_is_refused_whole(data: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(data)
    service = open_service(tmp_path / ".outtake")
    try:
        with pytest.raises(WrongUse, match=said):
            service.import_(str(tmp_path / "log"))
        assert service.runs() == []
    finally:
        service.close()
