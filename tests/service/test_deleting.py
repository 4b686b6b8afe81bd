"""What is deleted is gone from the file, and what others share is not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from outtake.service import Service
from outtake.service.errors import Conflict
from outtake.store import tables
from tests.service.targets import write
from tests.service.test_service import finished

SHARED = "what every run says in the same words " * 40
PROGRAM = """
import outtake

@outtake.tool(effects="pure")
def look(text):
    return {"said": text, "same": %r}

def main(input):
    return look(input)
"""


def _text(n: int) -> str:
    return f"the text that only run {n} has, " * 40


def _run(service: Service, n: int) -> str:
    done = finished(service, service.run("program.py:main", input=_text(n), has_input=True, headless=True))
    assert done["status"] == "completed"
    return str(done["run"])


def _names(service: Service) -> set[str]:
    with service.store.reading() as connection:
        return {row.hash.hex() for row in connection.execute(tables.bodies.select())}


def test_a_deleted_run_takes_the_texts_with_it_that_no_other_run_refers_to(service: Service, tmp_path: Path) -> None:
    write(tmp_path, PROGRAM % SHARED)
    first, second = _run(service, 1), _run(service, 2)
    both = _names(service)
    told = service.delete(first)
    assert told["texts"] > 0
    assert any("other runs" in each for each in told["stays"])
    left = _names(service)
    assert left < both
    assert service.info(second)["output"] == {"said": _text(2), "same": SHARED}
    for record in service.store.records(second):
        if record.get("body"):
            service.store.body(record["body"])
    assert service.delete(second)["stays"] == []
    assert _names(service) == set(), "nothing is left once nobody refers to it"


def test_deleted_text_stands_in_no_file_of_the_store(service: Service, tmp_path: Path) -> None:
    write(tmp_path, "def main(input):\n    print(input)\n    return {'said': input}\n")
    word = "unmistakable-7731"
    done = finished(service, service.run("program.py:main", input=word, has_input=True, headless=True))
    kept = finished(service, service.run("program.py:main", input="other", has_input=True, headless=True))
    service.delete(done["run"])
    service.vacuum()
    for file in (tmp_path / ".outtake").rglob("*"):
        if file.is_file():
            assert word.encode() not in file.read_bytes(), file
    assert service.info(kept["run"])["output"] == {"said": "other"}


def test_vacuum_gives_the_space_back(service: Service, tmp_path: Path) -> None:
    write(tmp_path, "import os\ndef main():\n    return os.urandom(400_000).hex()\n")
    done = finished(service, service.run("program.py:main", headless=True))
    service.delete(done["run"])
    told = service.vacuum()
    assert told["after"] < told["before"] - 300_000
    assert told["after"] == service.store.size()


def test_nothing_is_swept_while_a_run_is_recorded(service: Service, tmp_path: Path) -> None:
    write(tmp_path, PROGRAM % SHARED)
    first = _run(service, 1)
    live = service.run("program.py:main", input=_text(1), has_input=True, pause=True)
    assert service.wait(live["run"], ["held"], 20)["status"] == "held"
    told = service.delete(first)
    assert told["texts"] == 0
    assert live["run"] in told["stays"][0]
    assert "vacuum" in told["stays"][0]
    with pytest.raises(Conflict, match=live["run"]):
        service.vacuum()
    service.control(live["run"], "continue")
    assert finished(service, live)["output"] == {"said": _text(1), "same": SHARED}
    service.vacuum()
    assert service.info(live["run"])["output"] == {"said": _text(1), "same": SHARED}
    assert os.path.exists(service.store.path)
