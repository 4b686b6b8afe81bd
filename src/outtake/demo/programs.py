"""The demo's two programs, AutoGen's team and the one in plain Python, and which of them an interpreter can run."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
NAME = "demo"
MODEL_VARIABLE = "OUTTAKE_DEMO_MODEL"
NEEDED = ("autogen_agentchat", "autogen_core", "autogen_ext")
GET_AUTOGEN = "pip install 'outtake[demo]' (in a checkout, scripts/demo sets everything up)"


@dataclass(frozen=True)
class Program:
    """A target of the demo, and the interpreter that it runs in."""

    spec: str
    python: str


AUTOGEN, PLAIN = "team.py:get_team", "plain_team.py:team"
FRAMEWORKS = {AUTOGEN: "AutoGen", PLAIN: "plain Python"}
"""What each of them is written in, by spec."""


def choose(pythons: Sequence[str]) -> Program:
    """AutoGen's team in the first of these interpreters that has AutoGen, else the plain team in the last.

    Raises `OSError` if one cannot be started.
    """
    for python in pythons:
        if has_autogen(python):
            return Program(AUTOGEN, python)
    return Program(PLAIN, pythons[-1])


def has_autogen(python: str) -> bool:
    """Whether an interpreter would find AutoGen's packages; nothing of them is imported."""
    code = f"import importlib.util as u, sys; sys.exit(any(u.find_spec(n) is None for n in {NEEDED!r}))"
    return subprocess.run([python, "-c", code], capture_output=True, check=False).returncode == 0
