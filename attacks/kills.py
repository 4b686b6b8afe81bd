"""Kills the debugged process, the owner of its store, both, or the owner with a fork at once, at random moments.

The program has tools of every kind of effect and writes down, outside of the debugger, what it really calls.  Nothing
that changes the world may happen twice unasked, and no record that a reader saw may be gone.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from attacks._killing import EXPECTED, ROUNDS, TOOLS
from attacks.result import Result, Size

KINDS = ("process", "owner", "both", "owner then fork")
TRIALS = {"short": 3, "full": 300}
"""Kills of each kind."""
LIMIT = 3000.0
"""Seconds after which no more trials are begun."""
AT_ONCE = 3
CHANGES = ("save", "pay")
"""Tools whose calls must not be made twice."""


def attack(size: Size) -> Result:
    """Kill, go on, count."""
    result = Result("kills")
    asked: queue.SimpleQueue[tuple[str, int]] = queue.SimpleQueue()
    for seed in range(TRIALS[size]):
        for kind in KINDS:
            asked.put((kind, seed))
    found: list[dict[str, Any]] = []
    until = time.monotonic() + LIMIT
    threads = [threading.Thread(target=_work, args=(asked, found, until)) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name in ("doubled calls", "lost records", "lost calls", "unended", "asked"):
        result.count(name, 0)
    for trial in found:
        _judge(result, trial)
    return result


def _work(asked: queue.SimpleQueue[tuple[str, int]], found: list[dict[str, Any]], until: float) -> None:
    """One worker; it and its kills share nothing with the others."""
    path = os.pathsep.join([str(Path(__file__).parent.parent), *(p for p in sys.path if p)])
    command = [sys.executable, "-m", "attacks._killing"]
    env = {**os.environ, "PYTHONPATH": path}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env) as worker:
        if worker.stdin is None or worker.stdout is None:
            return
        while time.monotonic() < until:
            try:
                kind, seed = asked.get_nowait()
            except queue.Empty:
                break
            worker.stdin.write(f"{kind} {seed}\n")
            worker.stdin.flush()
            line = worker.stdout.readline()
            found.append(json.loads(line) if line else {"kind": kind, "seed": seed, "broken": "the worker ended"})
            if not line:
                break
        worker.stdin.close()


def _judge(result: Result, trial: dict[str, Any]) -> None:
    kind, name = trial["kind"], f"{trial['kind']} {trial['seed']}"
    result.count(f"kills: {kind}")
    if "broken" in trial or "end" not in trial:
        result.fail(f"{name}: {trial.get('broken', 'nobody could go on')}")
        return
    made, started = trial["made"], trial["started"]
    doubled = {call: number for call, number in made.items() if call.split()[0] in CHANGES and number > 1}
    result.count("doubled calls", len(doubled))
    result.count("made again: pure or read", sum(n - 1 for call, n in made.items() if call not in doubled and n > 1))
    unknown = [call for call in made if call not in started]
    result.count("lost calls", len(unknown))
    result.count("lost records", max(0, trial["seen"] - trial["records"]) + (not trial["whole"]))
    result.count("asked", trial["output"] if isinstance(trial["output"], int) else 0)
    if trial["forked"] is not None:
        result.count(f"fork at once: exit code {trial['forked']}")
    if trial["status"] != "completed":
        result.count("gone on with in a fork")
    missing = EXPECTED - len(made) - (trial["output"] or 0)
    result.count("unended", trial["end"] != "completed")
    for what, value in (("doubled", doubled), ("unknown to the record", unknown)):
        if value:
            result.fail(f"{name}: {what}: {value}")
    if trial["seen"] > trial["records"] or not trial["whole"]:
        result.fail(f"{name}: {trial['seen']} records were seen, {trial['records']} are there, {trial['shown']} shown")
    if trial["end"] != "completed" or missing > 0:
        result.fail(f"{name}: {trial['end']} ({trial['error']}), {len(made)} of {len(TOOLS) * ROUNDS} calls made")
