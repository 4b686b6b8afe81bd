"""The demo's target runs where it would for a user: in an environment of its own that has AutoGen and no Outtake."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TEAM = HERE.parents[1] / "src" / "outtake" / "demo" / "team.py"

# Runs a script in the AutoGen environment with arguments and extra environment variables; gives what it prints.
Run = Callable[..., str]


@pytest.fixture(scope="session")
def autogen_python() -> Path:
    envs = os.environ.get("OUTTAKE_ENVS")
    if not envs:
        pytest.skip("OUTTAKE_ENVS is not set: it names the folder of target environments that scripts/test builds")
    folder, name = ("Scripts", "python.exe") if sys.platform == "win32" else ("bin", "python")
    return Path(envs, "autogen", folder, name)


@pytest.fixture
def run(autogen_python: Path, tmp_path: Path) -> Run:
    def run(script: Path, *arguments: str, environ: Mapping[str, str] | None = None) -> str:
        # Nothing of the tests' own environment that could change the demo, and no Outtake to import.
        inherited = {key: value for key, value in os.environ.items() if not key.startswith(("OUTTAKE_", "PYTHON"))}
        done = subprocess.run(
            [autogen_python, script, *arguments],
            capture_output=True,
            check=False,
            cwd=tmp_path,
            encoding="utf-8",
            env={**inherited, "PYTHONUTF8": "1", **(environ or {})},
            timeout=60,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run
