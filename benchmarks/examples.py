"""The share of invocations that a fork of each example executes again after its edit: prints a JSON object."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from outtake.service.mocks import read_mocks
from outtake.service.rpc_client import open_service
from outtake.service.service import Service
from outtake_probe.records import Json

EXAMPLES = Path(__file__).parent.parent / "examples"
WAIT = 120.0
CRITERIA = {"fees": 0.1, "class size": 0.1, "mountains": 0.0, "jobs": 0.9}
MATCHES = {"source": "Rivers and their towns", "matches": []}


@dataclass(frozen=True)
class Example:
    """A program, and a mock of one of its steps."""

    spec: str
    environment: str
    mock: Mapping[str, Json]


EXAMPLE_EDITS = (
    Example("plagiarism_llamaindex.py:checking", "llamaindex", {"step": "identify", "nth": 1, "output": MATCHES}),
    Example(
        "universities_llamaindex.py:recommending", "llamaindex", {"step": "criteria", "output": {"criteria": CRITERIA}}
    ),
    Example(
        "universities_langgraph.py:recommending", "langgraph", {"step": "criteria", "output": {"criteria": CRITERIA}}
    ),
    *(
        Example(f"essays_{name}.py:grading", environment, json.loads(mocks.read_text("utf-8"))["mocks"][0])
        for name, environment in (("llamaindex", "llamaindex"), ("langgraph", "langgraph"), ("plain", ""))
        for mocks in [EXAMPLES / "data" / "essays" / f"mocks_{name}.json"]
    ),
)


def main() -> dict[str, dict[str, float]]:
    with tempfile.TemporaryDirectory(prefix="outtake-bench-") as folder:
        service = open_service(Path(folder, ".outtake"))
        try:
            return {example.spec: measure(service, example) for example in EXAMPLE_EDITS}
        finally:
            service.close()


def measure(service: Service, example: Example) -> dict[str, float]:
    """Invocations and seconds of a full run, and of the fork with the mock."""
    envs = os.environ.get("OUTTAKE_ENVS", "")
    python = str(Path(envs, example.environment, "bin", "python")) if example.environment else None
    started = service.run(example.spec, folder=str(EXAMPLES), python=python, headless=True)
    run = service.wait(started["run"], timeout=WAIT)
    began = time.perf_counter()
    fork = service.fork(run["run"], edits=read_mocks([example.mock]).edits, headless=True)
    done = service.wait(fork["run"], timeout=WAIT)
    seconds = time.perf_counter() - began
    if (run["status"], done["status"]) != ("completed", "completed"):
        raise RuntimeError(f"{example.spec}: {run['error']} {done['error']}")
    found = service.report(done["run"])
    everything = sum(n for kind, n in service.report(run["run"])["counts"]["executed"].items() if kind != "flow")
    again = sum(n for kind, n in found["counts"]["executed"].items() if kind != "flow")
    return {
        "invocations": everything,
        "executed_again": again,
        "share": round(again / everything, 3),
        "run_seconds": round(run["ended"] - run["created"], 3),
        "fork_seconds": round(seconds, 3),
    }


if __name__ == "__main__":
    print(json.dumps(main()))
    sys.exit(0)
