"""The adapters' own tests, each in the environment of its framework: frameworks exclude each other in one."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ENVS = os.environ.get("OUTTAKE_ENVS")
SUITES = [
    ("autogen", ["tests/targets/autogen"]),
    ("crewai", ["tests/targets/crewai"]),
    ("crewai-oldest", ["tests/targets/crewai"]),
    ("llamaindex", ["tests/targets/llamaindex"]),
    ("llamaindex-oldest", ["tests/targets/llamaindex"]),
    ("langgraph", ["tests/targets/langchain", "tests/targets/langgraph"]),
    ("langgraph-oldest", ["tests/targets/langchain", "tests/targets/langgraph"]),
    ("openai-agents", ["tests/targets/openai_agents"]),
    ("openai-agents-oldest", ["tests/targets/openai_agents"]),
    ("pydantic-ai", ["tests/targets/pydantic_ai"]),
    ("pydantic-ai-oldest", ["tests/targets/pydantic_ai"]),
    ("openai1", ["tests/targets/openai", "tests/targets/stainless"]),
    ("openai2", ["tests/targets/openai", "tests/targets/stainless"]),
    ("openai3", ["tests/targets/openai", "tests/targets/stainless"]),
    ("anthropic", ["tests/targets/anthropic", "tests/targets/stainless"]),
]


@pytest.mark.skipif(ENVS is None, reason="OUTTAKE_ENVS names no folder of target environments; scripts/test makes them")
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("environment", "folders"), SUITES, ids=[name for name, _ in SUITES])
def test_the_adapter_in_the_environment_of_its_framework(environment: str, folders: list[str]) -> None:
    python = Path(ENVS or "", environment, "bin", "python")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))}
    done = subprocess.run(
        [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", *folders],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=880,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert " passed" in done.stdout.splitlines()[-1]
