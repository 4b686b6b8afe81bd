"""Which importer reads a file: those of Outtake, those of others, and what is said when none does."""

from __future__ import annotations

import json
import re
import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from types import ModuleType

import pytest

from outtake.importers import BadLog, Importer, registry
from tests.importers.reading import found, outline, recorded, sample

GUIDE = Path(__file__).parent.parent.parent / "docs" / "importing.md"
DIARY = {
    "kind": "diary",
    "question": "Is it warm?",
    "answer": "Yes.",
    "entries": [{"who": "ann", "tool": "weather", "given": {}, "gave": "24"}, {"who": "ann", "text": "Yes."}],
}


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> str:
    """The importer of the guide, in a package of its own."""
    code = re.findall(r"```python\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)[0]
    assert len(code.splitlines()) < 40
    module = ModuleType("my_diary")
    exec(code, vars(module))
    monkeypatch.setitem(sys.modules, "my_diary", module)
    return "my_diary:IMPORTER"


def entered(monkeypatch: pytest.MonkeyPatch, **points: str) -> None:
    """Other packages name these importers."""
    all_points = EntryPoints(EntryPoint(name, value, registry.GROUP) for name, value in points.items())
    monkeypatch.setattr(registry, "entry_points", lambda group: all_points.select(group=group))


def test_an_importer_of_another_package_is_asked(monkeypatch: pytest.MonkeyPatch, example: str) -> None:
    entered(monkeypatch, diary=example)
    what = found(json.dumps(DIARY).encode())
    (made,) = recorded(what)
    assert (what.importer.name, what.recognised) == ("diaries", "a diary with entries")
    assert outline(made)[1:4] == [
        "agent of team/ann in team",
        "tool of team/ann/tools/weather in team/ann",
        "end of team/ann/tools/weather in team/ann",
    ]
    with pytest.raises(BadLog, match=r"looks like a log of diaries .*but its entries are no list"):
        found(b'{"kind": "diary"}')


def test_importers_that_cannot_be_loaded_are_named_and_do_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    entered(monkeypatch, broken="no_such_package:IMPORTER", wrong="json:loads")
    assert found(sample("messages.json")).importer.name == "chat messages"
    with pytest.raises(registry.Unknown) as refused:
        found(b'{"title": "Roses"}')
    told = str(refused.value)
    assert "broken (it cannot be loaded: ModuleNotFoundError" in told
    assert "wrong (json:loads is no outtake.importers.Importer)" in told


def test_every_importer_that_comes_with_outtake_is_in_the_guide() -> None:
    guide = GUIDE.read_text("utf-8")
    names = [importer.name for importer in registry.known()]
    assert len(names) == len(set(names)) == 13
    for importer in registry.known():
        assert isinstance(importer, Importer)
        word = importer.name.split()[0].removesuffix("'s")
        assert word.casefold() in guide.casefold(), importer.name


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "a-file is no export of Outtake, and is empty"),
        (b"\xff\xfe\x00", "is no text"),
        (b"Roses are red", r"is no JSON \(line 1, column 1\)"),
        (b'{"a": 1}\n{"b"', "is no JSON from line 2 on"),
        (b"[" * 100_000, "is nested too deeply"),
        (b"[" * 500 + b"]" * 500, "is nested more than 200 levels deep"),
        (b'{"title": "Roses"}', "holds nothing that is known"),
        (b"9" * 5000, "is no JSON that is read"),
    ],
)
def test_an_unknown_file_is_refused_with_what_it_is_and_what_was_tried(data: bytes, told: str) -> None:
    with pytest.raises(registry.Unknown, match=told) as refused:
        found(data)
    for importer in registry.known():
        assert importer.name in str(refused.value)


def test_a_file_of_too_many_runs_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "RUNS", 2)
    line = json.dumps({"messages": [{"role": "user", "content": "Hi"}]})
    with pytest.raises(BadLog, match="it holds 3 runs; up to 2 are read"):
        found("\n".join([line] * 3).encode())
