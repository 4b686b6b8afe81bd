"""`outtake serve` owns the store; every other command goes through it."""

from __future__ import annotations

import json
import re
import urllib.request

import pytest

from tests.cli.conftest import PROGRAM, Cli, Going


@pytest.fixture
def served(cli: Cli) -> Going:
    return cli.start("serve", "--no-browser", "--port", "0")


def test_serve_prints_the_address_and_ends_by_ctrl_c(cli: Cli, served: Going) -> None:
    url = served.expect(r"http://127\.0\.0\.1:\d+/\?token=\S+").group()
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with browser.open(url, timeout=20) as page:
        assert page.status == 200
    served.interrupt()
    assert served.ends().code == 0


def test_a_port_in_use_and_a_second_owner_are_refused(cli: Cli, served: Going) -> None:
    port = re.sub(r".*:(\d+)/.*", r"\1", served.expect(r"http://\S+").group())
    second = cli("serve", "--no-browser")
    assert second.code == 2
    assert "another process owns the store" in second.err
    taken = cli("serve", "--no-browser", "--port", port, "--store", "other")
    assert taken.code == 2
    assert f"port {port} of 127.0.0.1 is in use" in taken.err


def test_commands_go_through_the_owner(cli: Cli) -> None:
    with cli.start("serve", "--no-browser", "--port", "0", "--json") as served:
        served.expect("url")
        assert "token" in json.loads(served.out)["url"]
        cli.write("program.py", PROGRAM + "\n\ndef where():\n    import os\n    return os.environ['FROM_THE_SHELL']\n")
        cli.env["FROM_THE_SHELL"] = "this one"
        assert cli.run("program.py:where")["output"] == "this one"
        shown = cli("run", "program.py:main").ok()
        assert "▸ agent writer" in shown.out
        assert "hello from the program" in shown.out
        held = cli("run", "program.py:main", "--headless", "--json", "--break", "tool:look").ok().document
        assert held["status"] == "held"
        assert cli("pending", held["run"], "--json").ok().document["held"][0]["component"] == "main/writer/look"
        assert cli("continue", held["run"], "--json").ok().document["run"] == held["run"]
        done = cli("debug", held["run"], stdin="clear\nc\nq\n").ok()
        assert "completed" in done.out
        failed = cli("run", "program.py:nothing")
        assert failed.code == 2
        assert "has no 'nothing'" in failed.err
        fork = cli("fork", "r2", "--at", "5", "--headless", "--json").ok().document
        assert not any(fork["executed"].values())
