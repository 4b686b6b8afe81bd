"""Every figure of the design's budgets, side by side in one run; one JSON document on standard output.

    python -m benchmarks [--messages 50 200 800] [--rounds 3] [--python PATH]

Each round measures the plain program, the program under Outtake, and the policy of saving all state before every
message, one after the other; ratios are those of the medians.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
Figures = dict[str, float]


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def last_line(*command: str) -> Figures:
    """What a measurement printed."""
    done = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    found: Figures = json.loads(done.stdout.splitlines()[-1])
    return found


def medians(rounds: list[Figures]) -> Figures:
    return {name: statistics.median(r[name] for r in rounds) for name in rounds[0]}


def measure(python: str, messages: int, rounds: int) -> dict[str, Figures]:
    """The three policies for one length of chat."""
    found: dict[str, list[Figures]] = {"plain": [], "outtake": [], "save_state": []}
    for number in range(rounds):
        say(f"{messages} messages, round {number + 1} of {rounds}")
        found["plain"].append(last_line(python, str(HERE / "chat.py"), str(messages)))
        found["outtake"].append(last_line(sys.executable, "-m", "benchmarks.worker", python, str(messages)))
        if number == 0:  # it takes as long as all the others together
            found["save_state"].append(last_line(python, str(HERE / "chat.py"), str(messages), "save_state"))
    figures = {name: medians(rows) for name, rows in found.items()}
    figures["ratios"] = ratios(figures)
    return figures


def ratios(figures: dict[str, Figures]) -> Figures:
    plain, ours, theirs = figures["plain"], figures["outtake"], figures["save_state"]
    return {
        "time_outtake_to_plain": ours["seconds"] / plain["seconds"],
        "time_save_state_to_plain": theirs["seconds"] / plain["seconds"],
        "bytes_save_state_to_outtake": theirs["bytes"] / ours["bytes"],
        "bytes_per_message": ours["bytes"] / plain["messages"],
        "memory_over_plain_mb": (ours["peak_process"] + ours["peak_server"] - plain["peak"]) / 1e6,
        "memory_save_state_over_plain_mb": (theirs["peak"] - plain["peak"]) / 1e6,
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__.partition("\n")[0])
    parser.add_argument("--messages", type=int, nargs="+", default=[50, 200, 800])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--python", default=default_python(), help="interpreter of an environment with AutoGen")
    given = parser.parse_args()
    began = time.time()
    document = {
        "machine": {"python": platform.python_version(), "cores": os.cpu_count(), "system": platform.system()},
        "chat": {str(n): measure(given.python, n, given.rounds) for n in given.messages},
        "ingest": last_line(sys.executable, "-m", "benchmarks.ingest"),
    }
    document["seconds"] = round(time.time() - began, 1)
    print(json.dumps(document, indent=2))


def default_python() -> str:
    envs = os.environ.get("OUTTAKE_ENVS")
    return str(Path(envs, "autogen", "bin", "python")) if envs else sys.executable


if __name__ == "__main__":
    main()
