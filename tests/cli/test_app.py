"""The command as a whole: what it offers, what it loads, what it says about itself."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.cli.conftest import Cli

COMMANDS = (
    *("run", "runs", "tree", "show", "fork", "diff", "describe", "pending", "step", "next", "out", "continue"),
    *("pause", "stop", "break", "edit", "drop", "send", "debug", "serve", "demo", "export", "import"),
)
OPTIONS = {
    "run": ("--input", "--input-file", "--headless", "--pause", "--break", "--python", "--set"),
    "show": ("--after", "--bodies", "--kind", "--component"),
    "fork": ("--at", "--edit", "--reuse", "--live", "--repeat", "--headless"),
    "serve": ("--port", "--host", "--no-browser"),
    "demo": ("--headless", "--python", "--model"),
    "export": ("-o",),
}


def test_the_help_lists_every_command(cli: Cli) -> None:
    text = cli("--help").ok().out
    for name in COMMANDS:
        assert f"\n  {name} " in text


def test_no_arguments_show_the_help(cli: Cli) -> None:
    done = cli()
    assert "Usage: outtake" in done.out + done.err


HELPS = """
import contextlib, io, json
from outtake.cli import main
helps = {}
for name in %r:
    with contextlib.redirect_stdout(io.StringIO()) as text:
        main([name, "--help"])
    helps[name] = text.getvalue()
print(json.dumps(helps))
"""


def test_every_command_takes_json_and_store_and_its_own_options(cli: Cli) -> None:
    program = HELPS % (COMMANDS,)
    done = subprocess.run([sys.executable, "-c", program], env=cli.env, capture_output=True, text=True, check=True)
    helps = json.loads(done.stdout)
    for name in COMMANDS:
        for option in ("--json", "--store", *OPTIONS.get(name, ())):
            assert option in helps[name], (name, option)


def test_the_version(cli: Cli) -> None:
    assert cli("--version").ok().out.startswith("outtake ")


HEAVY = ("sqlalchemy", "fastapi", "prompt_toolkit", "pydantic")


def test_help_waits_for_nothing_heavy(cli: Cli) -> None:
    program = f"import sys; from outtake.cli import main; main(['--help']); print(*sys.modules.keys() & {set(HEAVY)!r})"
    done = subprocess.run([sys.executable, "-c", program], env=cli.env, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "", done.stdout


def test_an_unknown_command_is_named(cli: Cli) -> None:
    done = cli("rnu")
    assert done.code == 2
    assert "rnu" in done.err
    assert "outtake --help" in done.err
