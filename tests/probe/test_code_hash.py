"""Fingerprints of the program's own functions: another one when what a function does may be another."""

from __future__ import annotations

import importlib.util
import sys
import threading
import types
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outtake_probe.code_hash import NO_CODE, Code, OwnCode
from outtake_probe.own_files import OwnFiles

HELPERS = """
RATE = 3
OTHER = 1

def twice(x):
    return x * 2

def unused(x):
    return x

class Base:
    def deep(self):
        return 1
"""
PROGRAM = """
import functools
import json
import helpers as h
from helpers import Base, twice

WORDS = {"a", "b"}

def kept(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args)
    return wrapper

def near(x):
    return x in WORDS

def other(x):
    return json.dumps(x)

@kept
def tool(x, y=1):
    # a comment
    return near(x), twice(y), h.RATE

class K(Base):
    def used(self):
        return self.helped() + self.deep()

    def helped(self):
        return 1

    def alone(self):
        return 2

def make(limit):
    FACTOR = 2
    def inner(x):
        return beside(x) * FACTOR
    def beside(x):
        return x + 1
    return inner

run = lambda x: near(x)
"""
Load = Callable[..., tuple[types.ModuleType, OwnCode]]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    """Writes the program with some texts replaced, imports it anew, and gives it with what knows its code."""
    monkeypatch.syspath_prepend(tmp_path)

    def loaded(*replaced: tuple[str, str], name: str = "program") -> tuple[types.ModuleType, OwnCode]:
        for file, text in (("helpers.py", HELPERS), (f"{name}.py", PROGRAM)):
            for old, new in replaced:
                text = text.replace(old, new)
            (tmp_path / file).write_text(text)
        sys.modules.pop("helpers", None)
        importlib.invalidate_caches()
        sys.dont_write_bytecode = True
        spec = importlib.util.spec_from_file_location(name, tmp_path / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module, OwnCode(OwnFiles(str(tmp_path), [str(tmp_path)]))

    yield loaded
    sys.modules.pop("helpers", None)


def tool(module: types.ModuleType, code: OwnCode) -> Code:
    return code.of([module.tool])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return near(x), twice(y), h.RATE", "return near(x), twice(y), h.RATE, 1"),
        ("y=1", "y=2"),
        ('{"a", "b"}', '{"a", "c"}'),
        ("return x in WORDS", "return x not in WORDS"),
        ("return x * 2", "return x * 3"),
        ("RATE = 3", "RATE = 4"),
        ("return f(*args)", "return f(*args) or None"),
        ("@kept\n", ""),
    ],
)
def test_what_a_function_says_and_names_counts(load: Load, old: str, new: str) -> None:
    before = tool(*load())
    assert before.functions == ("program.py:tool",)
    assert tool(*load((old, new))).fingerprint != before.fingerprint


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# a comment", "# another\n    # one"),
        ("return json.dumps(x)", "return json.dumps([x])"),
        ("def unused(x):\n    return x", "def unused(x):\n    return 0"),
        ("OTHER = 1", "OTHER = 2"),
        ("import functools", "\n\n\nimport functools"),
        ("return 2", "return 3"),
    ],
)
def test_what_it_does_not_name_does_not_count_nor_does_its_place(load: Load, old: str, new: str) -> None:
    assert tool(*load()) == tool(*load((old, new)))


@pytest.mark.parametrize(("old", "counts"), [("return 1\n\n    def alone", True), ("return 2", False)])
def test_a_method_names_those_of_its_own_class(load: Load, old: str, counts: bool) -> None:
    def method(module: types.ModuleType, code: OwnCode) -> Code:
        return code.of([module.K().used])

    before = method(*load())
    assert before.functions == ("program.py:K.used",)
    assert (method(*load((old, old.replace("return", "return 0 +")))) != before) is counts


def test_an_inherited_method_counts(load: Load) -> None:
    before = load()[1].now(("program.py:K.used",))
    assert (
        load(("def deep(self):\n        return 1", "def deep(self):\n        return 9"))[1].now(("program.py:K.used",))
        != before
    )


@pytest.mark.parametrize("old", ["beside(x) * FACTOR", "FACTOR = 2", "return x + 1"])
def test_a_function_in_a_function_names_what_stands_around_it(load: Load, old: str) -> None:
    def inner(module: types.ModuleType, code: OwnCode) -> Code:
        return code.of([module.make(1)])

    before = inner(*load())
    assert before.functions == ("program.py:make.<locals>.inner",)
    assert inner(*load((old, old + " + 1"))) != before


def test_a_lambda_is_a_function(load: Load) -> None:
    def made(module: types.ModuleType, code: OwnCode) -> Code:
        return code.of([module.run])

    assert made(*load()) != made(*load(("return x in WORDS", "return x not in WORDS")))


def test_the_code_of_a_recorded_function_is_told_without_executing_it(load: Load, tmp_path: Path) -> None:
    module, code = load()
    now = OwnCode(OwnFiles(str(tmp_path), [str(tmp_path)])).now(("program.py:tool",))
    assert now == tool(module, code).fingerprint
    (tmp_path / "program.py").write_text("raise SystemExit(1)\n")
    assert OwnCode(OwnFiles(str(tmp_path), [str(tmp_path)])).now(("program.py:tool",)) != now
    (tmp_path / "program.py").write_text("def (:\n")
    assert OwnCode(OwnFiles(str(tmp_path), [str(tmp_path)])).now(("program.py:tool",)) != now


def test_what_is_not_the_program_s_own_has_no_code(load: Load) -> None:
    _, code = load()
    assert code.of([len, Path.exists, pytest.raises, None, 3]) == NO_CODE


def test_a_file_that_changes_after_its_import_is_known_as_it_was_imported(load: Load, tmp_path: Path) -> None:
    module, _ = load()
    files = OwnFiles(str(tmp_path), [str(tmp_path)])
    told: dict[str, str] = {}
    files.on_import = told.__setitem__
    files.imported(str(tmp_path / "program.py"), (tmp_path / "program.py").read_bytes())
    before = OwnCode(files).of([module.tool])
    (tmp_path / "program.py").write_text(PROGRAM.replace("y=1", "y=7"))
    assert OwnCode(files).of([module.tool]) == before
    assert told == files.hashes
    assert list(told) == ["program.py"]


def test_threads_that_parse_at_once_all_get_the_same(load: Load, tmp_path: Path) -> None:
    load()
    (tmp_path / "big.py").write_text("".join(f"def f{n}():\n    return [{n}, f{n - 1}()]\n" for n in range(1, 400)))
    found: list[str] = []

    def fingerprint() -> None:
        found.append(OwnCode(OwnFiles(str(tmp_path), [str(tmp_path)])).now(("big.py:f399",)))

    threads = [threading.Thread(target=fingerprint) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1


@given(st.text(alphabet="abdefg(): \n'\"=+\\\t0", max_size=80))
def test_any_text_of_a_file_has_a_fingerprint(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.getbasetemp() / "any"
    folder.mkdir(exist_ok=True)
    (folder / "any.py").write_text(text)
    code = OwnCode(OwnFiles(str(folder), [str(folder)]))
    assert len(code.now(("any.py:a", "any.py:b.d"))) == 16
