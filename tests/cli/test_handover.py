"""Several commands in one folder, and nobody serves: the first that ends leaves the others' runs alone."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from tests.cli.conftest import Cli, Going

GATED = """
import os, time
import outtake

@outtake.tool(effects="irreversible")
def pay(what):
    with open("calls.txt", "a") as file:
        file.write(what + "\\n")
    return what

def main(name):
    pay(name + " first")
    while not os.path.exists("go " + name):
        time.sleep(0.01)
    pay(name + " then")
    return name
"""


@contextlib.contextmanager
def three(cli: Cli) -> Iterator[list[Going]]:
    """Three runs that go on, each with its command; the first one's owns the store."""
    cli.write("gated.py", GATED)
    with contextlib.ExitStack() as stack:
        commands = []
        for name in "abc":
            commands.append(stack.enter_context(cli.start("run", "gated.py:main", "--input", name)))
            commands[-1].expect(rf"pay.*{name} first")
        yield commands


def go(cli: Cli, name: str) -> None:
    (cli.folder / f"go {name}").touch()


def ended(cli: Cli) -> dict[str, str]:
    return {run["run"]: run["status"] for run in cli("runs", "--json").documents}


def paid(cli: Cli) -> list[str]:
    return sorted((cli.folder / "calls.txt").read_text().splitlines())


def test_the_command_that_ends_first_leaves_the_store_to_the_others(cli: Cli) -> None:
    with three(cli) as (first, second, third):
        go(cli, "a")
        done = first.ends()
        assert done.code == 0, done
        assert "not ended: r2, r3" in done.err
        go(cli, "c")
        assert third.ends().code == 0
        go(cli, "b")
        assert second.ends().code == 0
    assert ended(cli) == {"r1": "completed", "r2": "completed", "r3": "completed"}
    assert paid(cli) == sorted(f"{name} {when}" for name in "abc" for when in ("first", "then"))


def test_ctrl_c_ends_the_run_of_one_command_only(cli: Cli) -> None:
    with three(cli) as (first, second, third):
        first.interrupt()
        assert first.ends().code == 4
        second.interrupt()
        assert second.ends().code == 4
        go(cli, "c")
        assert third.ends().code == 0
    assert ended(cli) == {"r1": "stopped", "r2": "stopped", "r3": "completed"}


def test_the_runs_of_others_survive_a_killed_command_and_nobody_runs_beside_its_own(cli: Cli) -> None:
    with three(cli) as (first, second, third):
        first.kill()
        go(cli, "b")
        go(cli, "c")
        assert (second.ends().code, third.ends().code) == (0, 0)
        refused = cli("fork", "r1", "--at", "4", "--headless", "--json")
        assert refused.code == 2, refused
        assert "lives" in refused.document["error"]["message"]
        assert set(ended(cli)) == {"r1", "r2", "r3"}
    assert paid(cli) == ["a first", "b first", "b then", "c first", "c then"]
