"""The hooks are put in place while the framework is imported, whichever part of it comes first."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("workflows")

PROBE = """
from functools import partial
from outtake_probe.bodies import Bodies
from outtake_probe.session import Session
from outtake_probe.targets import BUILT_IN, when_imported

session = Session(Bodies())
entry = next(entry for entry in BUILT_IN if entry.name == "llamaindex")
when_imported(entry.triggers, lambda: entry.load().install(session))
{imports}
from workflows.plugins.basic import BasicRuntime
assert hasattr(BasicRuntime.register, "__outtake_wrapped__"), "workflows"
{more}
session.recorder.close()
"""
CORE = """
from llama_index.core.llms.mock import MockLLM
assert hasattr(MockLLM.complete, "__outtake_wrapped__"), "models"
"""


@pytest.mark.parametrize("imports", ["import workflows", "from workflows.events import StopEvent"])
def test_workflows_alone(imports: str) -> None:
    _run(imports, "")


@pytest.mark.parametrize("imports", ["import llama_index.core", "import llama_index.core.workflow", "import workflows"])
def test_with_llama_index_core(imports: str) -> None:
    pytest.importorskip("llama_index.core")
    _run(imports, CORE)


def _run(imports: str, more: str) -> None:
    program = PROBE.format(imports=imports, more=more)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
