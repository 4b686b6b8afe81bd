"""Sessions in forks: what a session returned in the recorded run is what the fork sees, whatever its file holds now."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("agents.run_internal")

from agents import Agent, Runner, SQLiteSession

from outtake_probe.records import Json
from tests.targets.openai_agents.debugging import fork, mock, output, record, started
from tests.targets.openai_agents.programs import CALLS, Hashing

STORED: dict[str, list[Any]] = {}


class Plain:
    """A session of the program's own: it has the methods, and none of the SDK's classes."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.session_settings = None
        self.items = STORED.setdefault(session_id, [])

    async def get_items(self, limit: int | None = None) -> list[Any]:
        CALLS["get"] += 1
        return list(self.items if limit is None else self.items[-limit:])

    async def add_items(self, items: list[Any]) -> None:
        CALLS["add"] += 1
        self.items.extend(items)

    async def pop_item(self) -> Any:
        return self.items.pop() if self.items else None

    async def clear_session(self) -> None:
        self.items.clear()


def _file(folder: Path) -> Callable[[], Any]:
    return lambda: SQLiteSession("talk", folder / "talk.sqlite")


def _own(folder: Path) -> Callable[[], Any]:
    return lambda: Plain(str(folder))


kinds = pytest.mark.parametrize("kind", [_file, _own])


async def _talk(make: Callable[[], Any], runs: int = 2) -> Json:
    ann = Agent("ann", instructions="Talk.", model=Hashing())
    return [(await Runner.run(ann, f"question {n}", session=make())).final_output for n in range(runs)]


@kinds
def test_a_fork_finds_the_session_as_its_parent_did(kind: Callable[[Path], Callable[[], Any]], tmp_path: Path) -> None:
    def program() -> Any:
        return _talk(kind(tmp_path))

    before = record(program)
    parent = record(program)
    assert parent.output != before.output  # it began with what was said before
    for reuse in ("matching", "prefix"):
        for cut in range(1, len(parent.records) + 1, 3):
            CALLS.clear()
            again = record(program, parent=parent, cut=cut, reuse=reuse)
            assert (again.status, again.output) == ("completed", parent.output)
            assert not {"add", "get", *(["model"] if reuse == "matching" else [])} & set(CALLS)


@kinds
def test_what_is_said_in_a_fork_stays_there(kind: Callable[[Path], Callable[[], Any]], tmp_path: Path) -> None:
    def program() -> Any:
        return _talk(kind(tmp_path))

    parent = record(program)
    first = started(parent, kind="model")[0]
    changed = fork(program, parent, [mock(first, "EDITED")])
    assert changed.output[0] == "EDITED"
    told = changed.body(started(changed, kind="model")[1].body)["messages"]
    assert [str(item["content"]) for item in told if "EDITED" in str(item)]
    plain = record(lambda: _items(kind(tmp_path)()))
    assert "EDITED" not in str(plain.output)
    assert len(plain.output) == 4


async def _items(session: Any) -> Json:
    return await session.get_items()


def test_what_a_session_held_is_shown_and_mocked(tmp_path: Path) -> None:
    def program() -> Any:
        return _talk(_file(tmp_path), 1)

    record(program)
    parent = record(program)
    (read,) = started(parent, "session/talk", "step")
    held = output(parent, read)
    assert [item["role"] for item in held] == ["user", "assistant"]
    changed = fork(program, parent, [mock(read, [{"role": "user", "content": "something else"}])])
    told = changed.body(started(changed, kind="model")[0].body)["messages"]
    assert [item["content"] for item in told] == ["something else", "question 0"]


def test_items_are_taken_out_and_cleared_in_a_fork(tmp_path: Path) -> None:
    async def program() -> Json:
        session = SQLiteSession("talk", tmp_path / "talk.sqlite")
        ann = Agent("ann", model=Hashing())
        await Runner.run(ann, "one", session=session)
        popped = await session.pop_item()
        left = len(await session.get_items())
        second = await Runner.run(ann, "two", session=session)
        last = await session.get_items(limit=1)
        await session.clear_session()
        return [bool(popped), left, second.final_output, len(last), await session.get_items()]

    parent = record(program)
    assert parent.output[1:2] == [1]
    assert fork(program, parent).output == parent.output
    assert record(program, parent=parent, cut=2, reuse="prefix").output == parent.output
