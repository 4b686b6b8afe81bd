"""What came in a file is not started unasked: a person is shown the command, a script has to say so."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Cli
from tests.cli.terminal import Typist, terminal


@pytest.fixture
def imported(cli: Cli) -> str:
    """A run that came in a file."""
    cli.write("program.py")
    for command in (["run", "program.py:main", "--headless"], ["export", "r1", "-o", "f"], ["import", "f"]):
        assert cli(*command).code == 0
    return "r2"


def test_a_script_has_to_say_so(cli: Cli, imported: str) -> None:
    for command in (["fork", imported, "--at", "3", "--headless"], ["describe", imported, "--build"]):
        refused = cli(*command)
        assert refused.code == 2
        assert "came in a file" in refused.err
        assert "--trust" in refused.err
        assert cli(*command, "--trust").code == 0
    assert cli("fork", "r3", "--at", "3", "--headless").code == 0


@terminal
def test_a_person_is_asked(cli: Cli, imported: str) -> None:
    for answer, code in (("n", 4), ("y", 0)):
        with Typist(cli, "fork", imported, "--at", "3") as typist:
            typist.expect("program.py:main.* in ")
            typist.expect("Start it?")
            typist.types(f"{answer}\r")
            if answer == "y":
                typist.expect("completed")
            assert typist.ends() == code
