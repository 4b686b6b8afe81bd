"""Programs that do what programs should not, plainly and under Outtake: they print the same and end the same.

Each is then forked, unedited, at its start, in its middle and at its end: the fork loads, and ends as its parent did.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from attacks.result import Result, Size
from outtake.service.rpc_client import open_service
from outtake.service.service import Document, Service

BOUND = 60.0
START = """
import os, sys, threading, time
import outtake

@outtake.tool(effects="read")
def look(value=None, *more):
    return value

@outtake.model
def ask(prompt):
    return "answer to " + str(prompt)[:50]

"""
PROGRAMS: dict[str, str] = {
    "an exception that holds itself": """
class Odd(Exception):
    pass
try:
    odd = Odd("self"); odd.args = (odd,); odd.me = odd; odd.__cause__ = odd
    @outtake.tool
    def fails(): raise odd
    fails()
except Odd as error:
    print(error is odd)
""",
    "an integer of 10,000 digits": "print(look(7 ** 11_834) == 7 ** 11_834, ask(1))",
    "an object that lies about its class": """
class Liar:
    @property
    def __class__(self): raise RuntimeError("no")
print(type(look(Liar())).__name__, ask(2))
""",
    "an object none of whose attributes can be read": """
class Shut:
    def __getattribute__(self, name): raise RuntimeError(name)
shut = Shut()
print(look(shut) is shut, ask(3))
""",
    "a mapping without end": """
class Endless(dict):
    def items(self):
        n = 0
        while True:
            n += 1
            yield n, n
    def __iter__(self): return (n for n, _ in self.items())
print(type(look(Endless())).__name__, ask(4))
""",
    "a value without end": """
value = []
for _ in range(60): value = [value, value]
print(look(value) is value, ask(5))
""",
    "depth": """
value = 0
for _ in range(100_000): value = [value]
print(look(value) is value, ask(6))
""",
    "a text of lone surrogates and zeros": r"print(look('\ud800\x00\u202e' * 9) == '\ud800\x00\u202e' * 9)",
    "a flood of output": "print(look(1)); print('x' * 200 + '\\n', end=''); sys.stdout.write('y' * 3_000_000 + '\\n')",
    "an exit": "print(look(1)); sys.exit(7)",
    "an exit with words": "print(look(1)); sys.exit('no more')",
    "an exit in a thread": """
def talk():
    look(1); sys.exit(3)
t = threading.Thread(target=talk); t.start(); t.join(); print(look(2))
""",
    "a child that is forked and returns": """
child = os.fork()
if child == 0:
    look("in the child"); print("child", flush=True)
else:
    os.waitpid(child, 0); print(look("in the parent"))
""",
    "a child that is forked and leaves": """
child = os.fork()
if child == 0:
    look("in the child"); os._exit(0)
print(os.waitpid(child, 0)[1], look("in the parent"))
""",
    "a daemon thread that is left behind": """
def forever():
    ask("from the thread"); begun.set(); time.sleep(1e6)
begun = threading.Event()
threading.Thread(target=forever, daemon=True).start(); begun.wait(); print(ask("done"))
""",
    "a pool that is never closed": """
from concurrent.futures import ThreadPoolExecutor
pool = ThreadPoolExecutor(3)
print(sorted(pool.map(ask, range(3))))
""",
    "a thread that goes on": """
def late():
    time.sleep(0.05); print(ask("late"), flush=True)
threading.Thread(target=late).start(); print(ask("early"), flush=True)
""",
    "tasks that are cancelled": """
import asyncio
@outtake.tool
async def slow(n): await asyncio.sleep(60)
async def main():
    tasks = [asyncio.create_task(slow(n)) for n in range(4)]
    await asyncio.sleep(0.01)
    tasks[0].cancel()
    return ask("done")
print(asyncio.run(main()))
""",
    "a signal handler that raises": """
import signal
class Bell(Exception): pass
armed = False
def ring(*_):
    if armed: raise Bell
signal.signal(signal.SIGALRM, ring)
for n in range(60):
    try:
        armed = True
        signal.setitimer(signal.ITIMER_REAL, 0.0004 + n % 20 * 0.0003)
        look([n, list(range(50))])
        armed = False
    except Bell: pass
armed = False
signal.setitimer(signal.ITIMER_REAL, 0)
print(ask("last"))
""",
    "recursion without end": """
def down(): return down()
try: down()
except RecursionError: print(ask("back"))
""",
    "a folder that is left and a file that is gone": """
os.chdir("/"); os.unlink(__file__); print(ask("here"))
""",
    "builtins that are replaced": """
import builtins, json
json.dumps = lambda *a, **k: 1 / 0
builtins.repr = lambda value: 1 / 0
print(look({"a": 1}), ask(1))
""",
    "a closed standard output": "print(look(1)); sys.stdout.close(); ask(2)",
    "an error that is the program's": "look(1); ask(2); raise ValueError('mine')",
    "a generator that is left in its middle": """
@outtake.model
def pieces():
    yield from "abcdef"
for piece in pieces():
    if piece == "c": break
print(piece, ask(1))
""",
    "an interrupt": "look(1); raise KeyboardInterrupt",
}
REPLAYED_LIVE = frozenset({"a signal handler that raises", "a folder that is left and a file that is gone"})
"""Programs whose forks meet another world: they are only to load and to end."""


def attack(size: Size) -> Result:
    """Run each program plainly, under Outtake, and in three forks."""
    result = Result("hostile_programs", {"programs": 0, "forks": 0})
    names = list(PROGRAMS) if size == "full" else list(PROGRAMS)[::4]
    with tempfile.TemporaryDirectory(prefix="outtake-attack-") as folder:
        service = open_service(Path(folder, ".outtake"))
        try:
            for number, name in enumerate(names):
                _try(service, Path(folder, f"program{number}"), name, result)
        finally:
            service.close()
    return result


def _try(service: Service, folder: Path, name: str, result: Result) -> None:
    folder.mkdir()
    result.count("programs")
    code, printed = _plainly(folder, name)
    run = _ended(service, service.run(_written(folder, name), folder=str(folder), headless=True))
    told = "".join(part["text"] for part in service.console(run["run"])["parts"] if part["stream"] == 1)
    if run["status"] not in ("completed", "failed"):
        result.fail(f"{name}: {run['status']}, plainly {code}")
        return
    if (run["status"] == "completed") != (code == 0):
        result.fail(f"{name}: {run['status']} ({run['error']}), plainly {code}")
    if _brief(told) != _brief(printed):
        result.fail(f"{name}: printed {_brief(told)!r}, plainly {_brief(printed)!r}")
    if [record["seq"] for record in service.show(run["run"])] != list(range(run["records"])):
        result.fail(f"{name}: records are missing")
    for at in sorted({1, run["records"] // 2, run["records"] - 1}):
        _written(folder, name)
        result.count("forks")
        fork = _ended(service, service.fork(run["run"], at=at, headless=True, repeat="run", serve_failures=True))
        if fork["status"] != run["status"] and name not in REPLAYED_LIVE:
            result.fail(f"{name}: the fork at {at} ended as {fork['status']} ({fork['difference'] or fork['error']})")
        if fork["live"]:
            result.fail(f"{name}: the fork at {at} does not end")


def _written(folder: Path, name: str) -> str:
    (folder / "program.py").write_text(START + PROGRAMS[name], "utf-8")
    return "program.py"


def _plainly(folder: Path, name: str) -> tuple[int, str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(
        [sys.executable, _written(folder, name)],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=BOUND,
        check=False,
    )
    return done.returncode, done.stdout.decode("utf-8", "backslashreplace")


def _ended(service: Service, started: Document) -> Document:
    return service.wait(started["run"], timeout=BOUND)


def _brief(text: str) -> str:
    return text if len(text) < 400 else f"{text[:100]}…{text[-100:]} ({len(text)})"
