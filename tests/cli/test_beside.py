"""A run in the browser: the command that conducts it serves the pages, or says who does."""

from __future__ import annotations

import json
import re
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli, Going
from tests.cli.terminal import CTRL_C, Typist, terminal

ADDRESS = r"http://127\.0\.0\.1:\d+/runs/r\d+\?token=\S+"
FAILING = "def main():\n    raise ValueError('no')\n"


class Visitor:
    """A browser that follows the way in, and reads as the page does."""

    def __init__(self, address: str) -> None:
        with urllib.request.urlopen(address, timeout=20) as page:
            self.page, _, fragment = page.geturl().partition("#")
        self._token = fragment.removeprefix("token=")

    def get(self, path: str) -> Any:
        headers = {"Authorization": f"Bearer {self._token}"}
        request = urllib.request.Request(re.sub(r"(?<=\d)/.*", path, self.page), headers=headers)
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)


def shown(going: Going, *, news: bool = False) -> str:
    """The address of the run, once that is said."""
    return going.expect(ADDRESS, news=news).group()


def let_go(cli: Cli) -> None:
    """Let it run to its end, from another terminal."""
    cli("break", "r1", "--remove", "1").ok()
    cli("continue", "r1").ok()


@pytest.fixture
def screen(cli: Cli) -> Path:
    """A screen, and a browser that writes down what it is to open."""
    browser, opened = cli.folder / "browser", cli.folder / "opened"
    browser.write_text(f'#!/bin/sh\necho "$1" >> "{opened}"\n')
    browser.chmod(0o755)
    cli.env |= {"DISPLAY": ":99", "BROWSER": str(browser)}
    return opened


def test_the_run_stays_in_the_browser_until_ctrl_c(cli: Cli) -> None:
    cli.write("program.py")
    with cli.start("run", "program.py:main", "--ui") as going:
        address = shown(going)
        going.expect("r1 completed")
        assert going.expect("stays open at").string.count(address) == 1
        visitor = Visitor(address)
        assert visitor.page == address.partition("?")[0]
        assert visitor.get("/api/runs/r1")["status"] == "completed"
        assert cli("runs", "--json").document["run"] == "r1"  # through the owner
        going.interrupt()
        assert going.ends().code == 0


def test_what_is_held_can_be_answered_from_elsewhere(cli: Cli) -> None:
    cli.write("program.py")
    with cli.start("run", "program.py:main", "--ui", "--json", "--break", "tool:look") as going:
        visitor = Visitor(shown(going, news=True))
        cli("wait", "r1", "--held").ok()
        assert visitor.get("/api/runs/r1")["status"] == "held"
        let_go(cli)
        document = json.loads(going.expect(r"^\{.*").string)
        assert (document["run"], document["status"]) == ("r1", "completed")
        going.expect("stays open at", news=True)
        going.interrupt()
        done = going.ends()
    assert (done.code, len(done.out.splitlines())) == (0, 1)  # everything else is news


def test_a_run_that_fails_stays_too_and_tells_by_the_exit_code(cli: Cli) -> None:
    with cli.start("run", f"{cli.write('failing.py', FAILING)}:main", "--ui") as going:
        going.expect("stays open at")
        going.interrupt()
        assert going.ends().code == 1


def test_ctrl_c_ends_the_run_and_its_pages(cli: Cli) -> None:
    cli.write("program.py")
    with cli.start("run", "program.py:main", "--ui", "--pause") as going:
        going.expect("hold 1")
        going.interrupt()
        assert going.ends().code == 4
    assert "stays open" not in going.out


def test_where_somebody_else_serves_that_address_is_said(cli: Cli) -> None:
    cli.write("program.py")
    with cli.start("serve", "--no-browser", "--port", "0") as served:
        place = served.expect(r"http://\S+").group()
        done = cli("run", "program.py:main", "--ui").ok()
        assert f"in the browser: {place.replace('/?', '/runs/r1?')}" in done.out
        done = cli("run", "program.py:main").ok()
        assert f"browser   {place.replace('/?', '/runs/r2?')}" in done.out


def test_where_the_owner_serves_nothing_there_is_no_browser(cli: Cli) -> None:
    cli.write("program.py")
    with cli.start("run", "program.py:main", "--pause") as going:
        going.expect("hold 1")
        refused = cli("run", "program.py:main", "--ui")
        assert (refused.code, "serves no pages" in refused.err) == (2, True)


def test_without_it_one_line_says_how_to_get_it(cli: Cli) -> None:
    cli.write("program.py")
    assert "browser   outtake serve\n" in cli("run", "program.py:main").ok().out
    told = cli("run", "program.py:main", "--store", "my store").ok().out
    assert "browser   outtake serve --store 'my store'" in told
    assert "outtake serve" not in cli("run", "program.py:main", "--headless").ok().out


def test_nobody_watches_and_somebody_does_is_refused(cli: Cli) -> None:
    cli.write("program.py")
    cli.refuses([(["run", "program.py:main", "--ui", "--headless"], "--headless says that nobody watches")])


@terminal
def test_at_a_terminal_with_a_screen_the_run_is_opened(cli: Cli, screen: Path) -> None:
    cli.write("program.py")
    with Typist(cli, "run", "program.py:main", "--break", "tool:look") as typist:
        typist.expect(f"in the browser: {ADDRESS}")
        typist.expect("hold 1")
        let_go(cli)
        typist.expect("r1 completed")
        typist.expect(f"stays open at {ADDRESS}")
        typist.types(CTRL_C)
        assert typist.ends() == 0
    (opened,) = screen.read_text().splitlines()
    assert re.fullmatch(ADDRESS, opened)
    assert opened not in typist.seen  # a code for one visit: who reads the browser's command line cannot use it


@terminal
@pytest.mark.parametrize("option", ["--no-ui", "--headless"])
def test_at_a_terminal_it_can_be_left_out(cli: Cli, screen: Path, option: str) -> None:
    cli.write("program.py")
    with Typist(cli, "run", "program.py:main", option) as typist:
        typist.expect("r1 completed")
        assert typist.ends() == 0
    assert not screen.exists()
    assert "http://" not in typist.seen
