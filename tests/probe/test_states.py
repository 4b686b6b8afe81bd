"""States outside the process: a shell, a connection, a kernel are brought to where the record left them."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from outtake_probe.conditions import Breakpoint
from outtake_probe.decorators import agent, model, step, tool
from outtake_probe.edits import Edit
from outtake_probe.gate.decision import PROCEED, Answer, Stance
from outtake_probe.records import InvocationEnded, InvocationStarted, Json, Noted, StateRestored
from outtake_probe.session import Session
from outtake_probe.states.declared import holders, state
from tests.probe.inprocess import Log, execute


class Shell:
    """A long-lived shell: where it is and what it knows is nowhere else."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(["/bin/sh"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, command: str) -> str:
        given, taken = self._process.stdin, self._process.stdout
        assert given is not None
        assert taken is not None
        given.write(f"{command}\necho; echo END\n")
        given.flush()
        lines = list(iter(taken.readline, "END\n"))
        return "".join(lines).strip()

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


@contextmanager
def shell() -> Iterator[Shell]:
    made = Shell()
    try:
        yield made
    finally:
        made.close()


def steps(log: Log) -> list[tuple[str, str, bool]]:
    """The steps that restored states: of which, how, and whether that gave what is recorded."""
    return [(r.state, r.how, r.same) for r in log.records if isinstance(r, StateRestored)]


def asked(log: Log, component: str) -> list[int]:
    return [r.seq for r in log.records if isinstance(r, InvocationStarted) and r.component.endswith(component)]


def fork(program: Callable[[], Any], parent: Log, answer: Json, **options: Any) -> Log:
    """A fork at the first question to the model, which gets another answer."""
    options.setdefault("repeat", "run")
    at = asked(parent, "think")[0]
    return execute(program, parent=parent, cut=at, edits=[Edit(op="mock_output", seq=at, value=answer)], **options)


@pytest.fixture
def in_shell(tmp_path: Path) -> Callable[[], Any]:
    """Goes somewhere in a shell, asks a model what to run there, and looks where it is."""

    def program() -> Any:
        with shell() as made:

            @tool(state="shell")
            def run(command: str) -> str:
                return made.run(command)

            @model
            def think(prompt: str) -> str:
                return "pwd"

            run(f"cd {tmp_path}")
            run("NAME=wren")
            return [run(think("what next")), run("echo $NAME")]

    return program


def test_a_live_call_finds_the_shell_where_the_record_left_it(in_shell: Callable[[], Any], tmp_path: Path) -> None:
    parent = execute(in_shell)
    assert parent.output == [str(tmp_path), "wren"]
    assert steps(parent) == []
    changed = fork(in_shell, parent, "pwd; echo I am $NAME")
    assert changed.output == [f"{tmp_path}\nI am wren", "wren"]
    assert steps(changed) == [("shell", "repeated", True)] * 2


def test_nothing_is_executed_again_for_what_stays_served(in_shell: Callable[[], Any]) -> None:
    parent = execute(in_shell)
    for cut in range(len(parent.records) + 1):
        again = execute(in_shell, parent=parent, cut=cut, repeat="serve")
        assert again.output == parent.output
        assert steps(again) == []
        assert not again.executed("tool") or cut > asked(parent, "run")[0]


def test_a_fork_of_a_fork_finds_what_the_fork_did(in_shell: Callable[[], Any]) -> None:
    first = fork(in_shell, execute(in_shell), "NAME=owl")
    assert first.output == ["", "owl"], "the question after it was recorded with another shell, and is asked again"
    last = asked(first, "run")[-1]
    edits = [Edit(op="replace_input", seq=last, value={"command": "echo now $NAME; pwd"})]
    second = execute(in_shell, parent=first, cut=last, edits=edits, repeat="run")
    assert second.output[1].startswith("now owl\n")
    assert [how for _, how, _ in steps(second)][-3:] == ["repeated"] * 3


def test_what_found_another_state_is_not_served(in_shell: Callable[[], Any], tmp_path: Path) -> None:
    parent = execute(in_shell)
    ends = [r for r in fork(in_shell, parent, "NAME=owl; pwd").records if isinstance(r, InvocationEnded)]
    assert [r.how for r in ends if r.component.endswith("run")] == ["executed"] * 4, "none but the prefix is shared"


def test_what_only_reads_is_executed_again_unasked_and_leaves_the_rest_served() -> None:
    looked: list[str] = []

    def program() -> Any:
        @tool(state="page", effects="read")
        def look(what: str) -> str:
            looked.append(what)
            return f"{what} {len(what)}"

        @model
        def think(prompt: str) -> str:
            return "b"

        return [look("a"), look(think("?")), look("c")]

    parent = execute(program)
    looked.clear()
    changed = fork(program, parent, "bb", repeat="serve")
    assert looked == ["a", "bb"]
    assert changed.output == ["a 1", "bb 2", "c 1"]


def test_differences_from_the_record_are_written_down() -> None:
    time = iter(range(100))

    def program() -> Any:
        @tool(state="clock", effects="read")
        def look(what: str) -> str:
            if what == "fail":
                raise LookupError(f"gone at {next(time)}")
            return f"{what} at {next(time)}"

        @model
        def think(prompt: str) -> str:
            return "b"

        @step
        def tried() -> str:
            try:
                return look("fail")
            except LookupError:
                return "failed"

        return [look("a"), tried(), look(think("?"))]

    changed = fork(program, execute(program), "bb")
    told = [r for r in changed.records if isinstance(r, StateRestored)]
    assert [(r.number, r.total, r.same, r.failed) for r in told] == [(1, 2, False, False), (2, 2, False, True)]
    assert changed.body(told[0].was) == "a at 0"
    assert changed.body(told[0].body) == "a at 3"
    assert changed.output[0] == "a at 0", "what is served stays served"


# -- questions -------------------------------------------------------------------------------------------------------


def answering(*answers: Answer) -> tuple[list[dict[str, Json]], Callable[[Session, dict[str, Json]], None]]:
    held: list[dict[str, Json]] = []
    given = iter(answers)

    def on_held(session: Session, fields: dict[str, Json]) -> None:
        held.append(fields)
        session.release(fields["hold"], next(given))

    return held, on_held


def test_calls_that_change_the_world_are_executed_again_after_a_question(in_shell: Callable[[], Any]) -> None:
    held, on_held = answering(PROCEED)
    changed = fork(in_shell, execute(in_shell), "echo $NAME", repeat="ask", on_held=on_held)
    assert changed.output[0] == "wren"
    assert held[0]["offers"] == ["proceed", "skip", "mock_output"]
    assert "2 times main/run (write)" in held[0]["reason"]
    assert [call["component"] for call in held[0]["restores"]["calls"]] == ["main/run"] * 2


def test_restoring_can_be_skipped_or_the_call_mocked(in_shell: Callable[[], Any]) -> None:
    parent = execute(in_shell)
    _, on_held = answering(Answer("skip"), *[PROCEED] * 5)
    skipped = fork(in_shell, parent, "echo [$NAME]", repeat="ask", on_held=on_held)
    assert skipped.output == ["[]", ""]
    assert steps(skipped) == [("shell", "skipped", False)] * 2
    _, on_held = answering(Answer("serve", "mocked", edited=True), *[PROCEED] * 5)
    mocked = fork(in_shell, parent, "echo $NAME", repeat="ask", on_held=on_held)
    assert mocked.output == ["mocked", "wren"]
    assert len(steps(mocked)) == 2, "restored for the next call: a mock does nothing outside"


def test_a_pause_holds_between_two_calls_so_that_the_rest_can_be_skipped(in_shell: Callable[[], Any]) -> None:
    parent = execute(in_shell)
    held: list[str] = []

    def on_held(session: Session, fields: dict[str, Json]) -> None:
        held.append(fields["reason"])
        if "steps are done" in fields["reason"]:
            session.set_stance(Stance())
            session.release(fields["hold"], Answer("skip"))
        else:
            session.set_stance(Stance(paused=True))
            session.release(fields["hold"], PROCEED)

    changed = fork(in_shell, parent, "echo $NAME.", repeat="ask", on_held=on_held)
    assert held[1].endswith("1 of 2 steps are done")
    assert changed.output[0] == "."
    assert steps(changed) == [("shell", "repeated", True), ("shell", "skipped", False)]


def test_where_nobody_can_be_asked_the_call_is_refused(in_shell: Callable[[], Any]) -> None:
    refused = fork(in_shell, execute(in_shell), "echo $NAME", repeat="serve")
    assert refused.status == "failed"
    assert "needs the state shell" in refused.output["message"]
    assert "--repeat run" in refused.output["message"]
    assert steps(refused) == []


# -- nested and parallel ---------------------------------------------------------------------------------------------


def test_what_is_around_calls_of_a_state_is_executed_with_them_served(tmp_path: Path) -> None:
    ran: list[str] = []

    def program() -> Any:
        with shell() as made:

            @tool(state="shell", effects="read")
            def run(command: str) -> str:
                ran.append(command)
                return made.run(command)

            @model
            def think(prompt: str) -> str:
                return "pwd"

            @step(effects="pure")
            def prepare() -> str:
                return run(f"cd {tmp_path}")

            @tool
            def helper() -> str:
                return run("NAME=owl")

            @agent
            def worker() -> str:
                prepare()
                helper()
                return run(think("?"))

            return worker()

    parent = execute(program)
    ran.clear()
    changed = fork(program, parent, "echo $NAME; pwd", repeat="serve")
    assert changed.output == f"owl\n{tmp_path}"
    assert ran == [f"cd {tmp_path}", "NAME=owl", "echo $NAME; pwd"]


def test_a_call_that_calls_others_is_executed_as_a_whole_with_models_served() -> None:
    count: list[str] = []

    def program() -> Any:
        page: list[str] = []

        @model
        def ask(prompt: str) -> str:
            count.append("model")
            return prompt.upper()

        @model
        def think(prompt: str) -> str:
            return "x"

        @tool(state="page")
        def click(what: str) -> str:
            page.append(what)
            return "-".join(page)

        @tool(state="page")
        def browse(what: str) -> str:
            return click(ask(what))

        browse("a")
        click("b")
        return click(think("?"))

    parent = execute(program)
    count.clear()
    changed = fork(program, parent, "c")
    assert changed.output == "A-b-c"
    assert steps(changed) == [("page", "repeated", True)] * 2
    assert count == []


def test_parallel_calls_wait_for_one_that_restores() -> None:
    done: list[str] = []

    def program() -> Any:
        page: list[str] = []

        @tool(state="page")
        def go(where: str) -> str:
            done.append(where)
            page.append(where)
            return where

        @model
        def think(prompt: str) -> str:
            return "x"

        for place in "abc":
            go(place)
        said = think("?")
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(go, [f"{said}{n}" for n in range(4)]))
        return page[:3]

    parent = execute(program)
    done.clear()
    changed = fork(program, parent, "y")
    assert changed.output == ["a", "b", "c"]
    assert sorted(done[3:]) == ["y0", "y1", "y2", "y3"]
    assert len(steps(changed)) == 3


def test_coroutines_streams_and_functions_are_executed_as_they_were() -> None:
    def program() -> Any:
        page: list[str] = []

        @tool(state="page")
        async def go(where: str) -> str:
            await asyncio.sleep(0)
            page.append(where)
            return where

        @tool(state="page")
        def press(key: str) -> str:
            page.append(key)
            return key

        @tool(state="page")
        def each(keys: str) -> Iterator[str]:
            for key in keys:
                page.append(key)
                yield key

        @tool(state="page")
        async def aeach(keys: str) -> Any:
            for key in keys:
                page.append(key)
                yield key

        @model
        async def think(prompt: str) -> str:
            return "x"

        async def run() -> Any:
            await go("a")
            await asyncio.to_thread(press, "b")
            press("c")
            list(each("de"))
            [key async for key in aeach("fg")]
            said = await think("?")
            await go(said)
            await asyncio.to_thread(press, "z")
            return "".join(page)

        return asyncio.run(run())

    parent = execute(program)
    assert parent.output == "abcdefgxz"
    changed = fork(program, parent, "y")
    assert changed.output == "abcdefgyz"
    assert steps(changed) == [("page", "repeated", True)] * 5


def test_a_function_in_a_thread_brings_back_what_ran_on_the_loop() -> None:
    def program() -> Any:
        page: list[str] = []

        @tool(state="page")
        async def go(where: str) -> str:
            page.append(where)
            return where

        @tool(state="page")
        def press(key: str) -> str:
            page.append(key)
            return "".join(page)

        @model
        async def think(prompt: str) -> str:
            return "x"

        async def run() -> Any:
            await go("a")
            return await asyncio.to_thread(press, await think("?"))

        return asyncio.run(run())

    assert fork(program, execute(program), "y").output == "ay"


# -- saved states ----------------------------------------------------------------------------------------------------


class Notebook:
    """Keeps notes in memory and in a folder, and can save both."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lines: list[str] = []
        self.loads = 0

    def save_state(self) -> Json:
        return {"lines": list(self.lines), "raw": b"\x00", "folder": self.folder}

    def load_state(self, saved: Json) -> None:
        self.loads += 1
        self.lines = list(saved["lines"])
        self.folder = saved["folder"]

    @tool
    def note(self, text: str) -> str:
        self.lines.append(text)
        (self.folder / text).write_text(text * 2)
        return text

    @tool(effects="read")
    def read(self, text: str) -> Json:
        return [self.lines, (self.folder / text).read_text()]


@pytest.fixture
def books(tmp_path: Path) -> Iterator[tuple[Callable[[], Any], list[Notebook]]]:
    made: list[Notebook] = []

    def program() -> Any:
        folder = tmp_path / str(len(made))
        folder.mkdir()
        book = Notebook(folder)
        made.append(book)

        @model
        def think(prompt: str) -> str:
            return "a"

        book.note("a")
        book.note("b")
        return book.read(think("?"))

    yield program, made
    holders.clear()


def test_what_an_object_saved_last_is_loaded_instead(books: tuple[Callable[[], Any], list[Notebook]]) -> None:
    program, made = books
    parent = execute(program)
    changed = fork(program, parent, "b", repeat="serve")
    assert changed.output == [["a", "b"], "bb"]
    assert steps(changed) == [("notebook", "loaded", True)]
    assert made[-1].loads == 1
    assert not (made[-1].folder / "none").exists()


def test_a_state_that_cannot_be_loaded_is_restored_by_its_calls(
    books: tuple[Callable[[], Any], list[Notebook]], monkeypatch: pytest.MonkeyPatch
) -> None:
    program, _ = books
    parent = execute(program)

    def load_state(self: Notebook, saved: Json) -> None:
        raise OSError("no room")

    monkeypatch.setattr(Notebook, "load_state", load_state)
    changed = fork(program, parent, "b")
    assert changed.output == [["a", "b"], "bb"]
    assert [how for _, how, _ in steps(changed)] == ["loaded", "repeated", "repeated"]
    assert steps(changed)[0] == ("notebook", "loaded", False)


def test_a_state_that_cannot_be_saved_is_told_once(tmp_path: Path) -> None:
    class Holder:
        def save_state(self) -> Json:
            return object()

        async def load_state(self, saved: Json) -> None:
            raise AssertionError

    def program() -> Any:
        state("thing", Holder())

        @tool(state="thing")
        def go(where: str) -> str:
            return where

        return [go("a"), go("b")]

    told = [r for r in execute(program).records if isinstance(r, Noted)]
    holders.clear()
    assert [r.type for r in told] == ["state"]


def test_coroutines_save_and_load() -> None:
    class Page:
        url = ""

        async def save_state(self) -> Json:
            await asyncio.sleep(0)
            return {"url": self.url}

        async def load_state(self, saved: Json) -> None:
            await asyncio.sleep(0)
            self.url = saved["url"]

    def program() -> Any:
        page = Page()

        @tool
        async def go(url: str) -> str:
            page.url = page.url + url
            return page.url

        @model
        async def think(prompt: str) -> str:
            return "x"

        async def run() -> Any:
            await go("a")
            return await go(await think("?"))

        return asyncio.run(run())

    changed = fork(program, execute(program), "b", repeat="serve")
    assert changed.output == "ab"
    assert steps(changed) == [("page", "loaded", True)]


def test_an_object_without_both_methods_holds_no_state() -> None:
    with pytest.raises(TypeError, match="has no save_state"):
        state("thing", object())


# -- a connection ----------------------------------------------------------------------------------------------------


def test_rows_of_a_connection_in_memory_are_there() -> None:
    def program() -> Any:
        connection = sqlite3.connect(":memory:")

        @tool(state="database")
        def query(sql: str) -> Json:
            return [list(row) for row in connection.execute(sql)]

        @model
        def think(prompt: str) -> str:
            return "select name from birds"

        query("create table birds (name text)")
        query("insert into birds values ('wren'), ('owl')")
        query("delete from birds where name = 'owl'")
        return query(think("?"))

    parent = execute(program)
    changed = fork(program, parent, "select upper(name), (select count(*) from birds) from birds")
    assert changed.output == [["WREN", 1]]
    assert steps(changed) == [("database", "repeated", True)] * 3


def test_breakpoints_hold_before_anything_is_restored(in_shell: Callable[[], Any]) -> None:
    held, on_held = answering(*[PROCEED] * 9)
    stance = Stance(breakpoints=[Breakpoint('tool:run and text~"wren here"', 1)])
    changed = fork(in_shell, execute(in_shell), "echo $NAME here # wren here", stance=stance, on_held=on_held)
    assert changed.output[0] == "wren here"
    assert len(steps(changed)) == 2
    assert held[0]["reason"].startswith("breakpoint")
