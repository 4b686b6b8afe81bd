"""The adapter of the documentation does what the documentation says, in a process of its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from outtake.service.rpc_client import open_service
from outtake_probe.records import Json

DOCS = Path(__file__).parents[2] / "docs" / "targets-writing.md"
TOY = """
class Worker:
    def __init__(self, name):
        self.name = name

    def work(self, task):
        return f"{self.name} did {task}"


class Crew:
    def __init__(self, workers):
        self.workers = workers

    def run(self, task):
        return [worker.work(task) for worker in self.workers]
"""
PROGRAM = """
import toy

def get_crew():
    return toy.Crew([toy.Worker("ann"), toy.Worker("bob")])
"""
ENTRY = "[outtake.targets]\ntoy = outtake_toy:toy\n"
METADATA = "Metadata-Version: 2.1\nName: outtake-toy\nVersion: 1\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program's folder with the framework, and the package of its adapter."""
    blocks = re.findall(r"```python\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    (adapter,) = (block for block in blocks if "ToyAdapter" in block)
    assert adapter.count("\n") < 100
    (tmp_path / "toy.py").write_text(TOY)
    (tmp_path / "outtake_toy.py").write_text(adapter)
    (tmp_path / "prog.py").write_text(PROGRAM)
    info = tmp_path / "outtake_toy-1.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text(ENTRY)
    (info / "METADATA").write_text(METADATA)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    return tmp_path


def test_the_adapter_of_the_documentation_works(folder: Path) -> None:
    service = open_service(folder / ".outtake")
    try:
        run = service.run("prog.py:get_crew", input="the dishes", headless=True)["run"]
        ended = service.wait(run, timeout=30)
        assert (ended["status"], ended["output"]) == ("completed", ["ann did the dishes", "bob did the dishes"])
        log = list(service.show(run, bodies=True))
        starts = [r for r in log if r["kind"] == "invocation_started" and r["call"] == "agent"]
        assert [r["component"] for r in starts] == ["crew/ann", "crew/bob"]
        edits: list[Json] = [{"op": "replace_input", "seq": starts[0]["seq"], "value": {"task": "the floor"}}]
        fork = service.fork(run, at=starts[0]["seq"], edits=edits, headless=True)["run"]
        assert service.wait(fork, timeout=30)["output"] == ["ann did the floor", "bob did the dishes"]
        mock: list[Json] = [{"op": "mock_output", "seq": starts[1]["seq"], "value": "nothing"}]
        mocked = service.fork(run, at=starts[1]["seq"], edits=mock, headless=True)["run"]
        assert service.wait(mocked, timeout=30)["output"] == ["ann did the dishes", "nothing"]
    finally:
        service.close()
