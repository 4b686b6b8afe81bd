"""One kill after another: reads lines `KIND SEED`, answers each with what came of it as a line of JSON.

The owners of the store are forks of this process, which has imported everything and has no threads; the debugged
program is a process of its own, as ever.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import select
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from outtake.cli import main as command
from outtake.service.rpc_client import open_service
from outtake.service.service import Service

WAIT = 60.0
EARLY = 0.1
"""The part of the kills that come while the process starts."""
LIVES = 3
"""Forks of forks after which a run that has not completed counts as not gone on with."""
TOOLS = {"ask": "model", "look": "read", "save": "write", "pay": "irreversible"}
ROUNDS = 8
PROGRAM = f"""
import os, time
import outtake

def happened(what):
    file = os.open("calls.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(file, (what + "\\n").encode())
    os.close(file)
    time.sleep(0.004)
    return what

@outtake.model
def ask(n):
    return happened(f"ask {{n}}")

@outtake.tool(effects="read")
def look(n):
    return happened(f"look {{n}}")

@outtake.tool(effects="write")
def save(n):
    return happened(f"save {{n}}")

@outtake.tool(effects="irreversible")
def pay(n):
    return happened(f"pay {{n}}")

def attempt(tool, n):
    try:
        tool(n)
    except Exception as error:
        if "may have happened" not in str(error):
            raise
        return 1
    return 0

def main():
    refused = 0
    for n in range({ROUNDS}):
        ask(n)
        look(n)
        refused += attempt(save, n)
        refused += attempt(pay, n)
    return refused
"""
"""Whatever it calls it says in a file of its own, before anything else; what the debugger refuses it counts."""
EXPECTED = len(TOOLS) * ROUNDS


class Child:
    """A fork of this process that does one thing; lines that it writes can be read here."""

    def __init__(self, act: Callable[[int], None]) -> None:
        self._read, write = os.pipe()
        self.pid = os.fork()
        self._left = b""
        if self.pid == 0:
            os.close(self._read)
            status = 1
            with contextlib.suppress(BaseException):
                act(write)
                status = 0
            os._exit(status)
        os.close(write)

    def line(self) -> str | None:
        """The next line, or None when there is none any more."""
        until = time.monotonic() + WAIT
        while b"\n" not in self._left:
            if not select.select([self._read], [], [], max(0.0, until - time.monotonic()))[0]:
                raise TimeoutError(f"nothing was said for {WAIT:.0f} s")
            found = os.read(self._read, 65536)
            if not found:
                return None
            self._left += found
        line, _, self._left = self._left.partition(b"\n")
        return line.decode()

    def ends(self) -> list[str]:
        """The rest of its lines; it has ended then."""
        lines = []
        while (line := self.line()) is not None:
            lines.append(line)
        os.close(self._read)
        os.waitpid(self.pid, 0)
        return lines

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)


def say(write: int, **told: Any) -> None:
    os.write(write, (json.dumps(told) + "\n").encode())


def own(write: int) -> None:
    """Own the store, run the program to its end, and say how many records a reader sees as they come."""
    service = open_service(Path(".outtake"))
    run = service.run("program.py:main", headless=True)
    say(write, pid=service.info(run["run"])["pid"])
    for event in service.follow(run["run"]):
        say(write, records=len(event["records"]) and event["records"][-1]["seq"] + 1)
    go_on(service, write)


def succeed(write: int) -> None:
    """Be the next owner."""
    go_on(open_service(Path(".outtake")), write)


def go_on(service: Service, write: int) -> None:
    """See the run to its end, in a fork where its process has died; say what became of it."""
    first = service.info("r1")["status"]
    done = service.wait("r1", timeout=WAIT)
    last = completed(service, done)
    started: Counter[str] = Counter()
    for run in service.runs():
        cut = run["cut"] or 0
        for record in service.show(run["run"], after=cut - 1, bodies=True, kind="invocation_started"):
            if record["component"].rpartition("/")[2] in TOOLS:
                started[f"{record['component'].rpartition('/')[2]} {record['input']['n']}"] += 1
    seqs = [record["seq"] for record in service.show("r1")]
    service.close()
    say(
        write,
        first=first,
        status=done["status"],
        end=last["status"],
        error=last["error"],
        output=last["output"],
        records=done["records"],
        shown=len(seqs),
        whole=seqs == list(range(done["records"])),
        started=dict(started),
    )


def completed(service: Service, last: dict[str, Any]) -> dict[str, Any]:
    """Go on from the end of what has died, also of forks that died with an earlier owner, until one completes."""
    for _ in range(LIVES):
        if last["status"] == "completed":
            break
        made = [run["run"] for run in service.runs() if run["parent"] == last["run"]]
        last = service.wait(made[0] if made else service.fork(last["run"], headless=True)["run"], timeout=WAIT)
    return last


def fork_at_once(records: int) -> Callable[[int], None]:
    """What the docs say: go on from the end of the record."""

    def act(write: int) -> None:
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nothing, number)
        code = command(["fork", "r1", "--at", str(records), "--headless", "--json"])
        say(write, code=code)

    return act


def trial(kind: str, seed: int) -> dict[str, Any]:
    """Kill at a moment that `seed` chooses, go on, and count."""
    chance = random.Random(f"{kind} {seed}")
    owner = Child(own)
    process = json.loads(owner.line() or "{}").get("pid")
    until_moment(chance)
    victims = {"process": [process], "owner": [owner.pid], "both": [owner.pid, process], "owner then fork": [owner.pid]}
    order = chance.sample(victims[kind], len(victims[kind]))
    for victim in order:
        with contextlib.suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
        if kind == "both":
            time.sleep(chance.uniform(0, 0.02))
    told = [json.loads(line) for line in owner.ends()]
    seen = max((line.get("records", 0) for line in told if "end" not in line), default=0)
    forked = None
    if kind == "owner then fork" and "end" not in told[-1:]:
        forked = json.loads((Child(fork_at_once(seen)).ends() or ["{}"])[-1]).get("code")
    ended = next((line for line in told if "end" in line), None)
    if ended is None:
        lines = Child(succeed).ends()
        ended = json.loads(lines[-1]) if lines else {}
    return {"kind": kind, "seed": seed, "seen": seen, "forked": forked, **ended, "made": calls()}


def until_moment(chance: random.Random) -> None:
    """Wait for a moment while the process starts, or just after one of its calls."""
    if chance.random() < EARLY:
        time.sleep(chance.uniform(0, 0.2))
        return
    number, until = chance.randrange(EXPECTED), time.monotonic() + WAIT
    while sum(calls().values()) <= number and time.monotonic() < until:
        time.sleep(0.001)
    time.sleep(chance.uniform(0, 0.01))


def calls() -> dict[str, int]:
    file = Path("calls.txt")
    return dict(Counter(file.read_text("utf-8").splitlines())) if file.exists() else {}


def main() -> None:
    """Answer what is asked, each in a folder of its own."""
    for line in sys.stdin:
        kind, _, seed = line.strip().rpartition(" ")
        folder = tempfile.mkdtemp(prefix="outtake-kills-")
        os.chdir(folder)
        Path("program.py").write_text(PROGRAM, "utf-8")
        try:
            result = trial(kind, int(seed))
        except (OSError, ValueError) as error:
            result = {"kind": kind, "seed": int(seed), "broken": f"{type(error).__name__}: {error}"}
        print(json.dumps(result), flush=True)
        os.chdir("/")
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
