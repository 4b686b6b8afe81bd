"""Adapters: their hooks are put when the framework's modules are there, once, and all of them are taken out again."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any

import pytest

from outtake_probe.bodies import Bodies
from outtake_probe.session import Session
from outtake_probe.targets.toolkit.adapter import Adapter
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.seams import Seam


class Crew:
    def work(self) -> str:
        return "plain"


def _hook(state: list[str], patches: Patches) -> Sequence[str]:
    state.append("hooked")
    patches.wrap(Crew, "work", lambda method: lambda self: f"hooked {method(self)}")
    return [] if hasattr(sys.modules["toy_of_test"], "Worker") else ["workers are not seen"]


class Toy(Adapter[list[str]]):
    name = "toy"
    capabilities = ()
    seams = (
        Seam("toy_of_test", "Crew", _hook),
        Seam("toy_of_test.more", "Extra", lambda state, patches: ["extras are not seen"]),
    )

    def __init__(self) -> None:
        super().__init__()
        self.ended: list[list[str]] = []

    def begin(self, session: Session, missing: list[str]) -> list[str]:
        return []

    def end(self, state: list[str]) -> None:
        self.ended.append([*state, Crew().work()])


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session(Bodies(None))
    yield made
    made.close()


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    module: Any = ModuleType("toy_of_test")
    module.Crew, module.Worker = Crew, object
    monkeypatch.setitem(sys.modules, "toy_of_test", module)
    yield module


def test_hooks_are_put_once_and_more_of_them_when_more_is_imported(
    session: Session, toy: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter = Toy()
    assert [adapter.install(session), adapter.install(session)] == [[], []]
    assert Crew().work() == "hooked plain"
    monkeypatch.setitem(sys.modules, "toy_of_test.more", ModuleType("toy_of_test.more"))
    assert adapter.install(session) == ["extras are not seen"]
    assert adapter.installed is not None
    assert (adapter.installed.state, adapter.installed.missing) == (["hooked"], ["extras are not seen"])
    adapter.remove()
    assert Crew().work() == "plain"


def test_nothing_is_put_before_the_framework_is_there(session: Session) -> None:
    adapter = Toy()
    assert adapter.install(session) == []
    assert Crew().work() == "plain"
    adapter.remove()


def test_what_a_version_lacks_is_told(session: Session, toy: Any) -> None:
    del toy.Worker
    adapter = Toy()
    assert adapter.install(session) == ["workers are not seen"]
    adapter.remove()


def test_what_it_took_is_released_before_its_hooks_are_gone(session: Session, toy: ModuleType) -> None:
    adapter = Toy()
    adapter.install(session)
    adapter.remove()
    adapter.remove()
    assert adapter.ended == [["hooked", "hooked plain"]]
    assert adapter.installed is None


def test_another_session_gets_hooks_of_its_own(session: Session, toy: ModuleType) -> None:
    adapter, other = Toy(), Session(Bodies(None))
    adapter.install(session)
    adapter.install(other)
    assert adapter.installed is not None
    assert (adapter.installed.session, Crew().work(), len(adapter.ended)) == (other, "hooked plain", 1)
    adapter.remove()
    other.close()
    assert Crew().work() == "plain"


def test_what_others_have_wrapped_since_stays() -> None:
    class Worker(Crew):
        def work(self) -> str:
            return "plain"

    patches = Patches()
    patches.wrap(Worker, "work", lambda method: lambda self: f"hooked {method(self)}")
    ours = Worker.work
    Worker.work = lambda self: f"wrapped {ours(self)}"  # type: ignore[method-assign]
    patches.undo()
    assert Worker().work() == "wrapped hooked plain"
