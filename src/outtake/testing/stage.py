"""The helper of every program of the suite: it counts what is really called, and gives answers that stand for it.

A copy of this file lies beside each program, which imports it as `stage`.  It needs the standard library only.  An
answer is a hash of what was asked, so that any error in what a program was told changes everything after it.
"""

import asyncio
import hashlib
import inspect
import json
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

CALLS = "calls.txt"
"""What was really called, one JSON list ``[kind, what was asked]`` a line."""
PROCESS = "process.txt"
"""Number of the process of the last program that was to `linger`."""
POINT = "point.json"
"""Where the suite wants the program to stop or to die, see `outtake.testing.points`."""
LIMIT = 0.1
"""Seconds after which a program takes back what has not been answered."""
SLOW = 60.0
"""Seconds that a slow tool would take."""
ALLOWED = 4.0
"""Seconds that a framework allows a step; without a debugger it takes a fraction of them."""
LATER = 1.0
"""Seconds after which another part of a program answers."""
REQUESTS = ("birds", "fish", "bees")
"""What is asked for at the same time."""
PIECES = 4
"""In how many pieces a streamed answer comes."""
SECRET = "sk-conformance-0123456789abcdef"
SECRET_VARIABLE = "CONFORMANCE_API_KEY"
BROKEN = "broken on purpose"
"""What the error of the program `failing` says."""

_lock = threading.Lock()


def opening(topic: str) -> str:
    """The first question of a program."""
    return f"tell me about {topic}"


def answer(asked: str) -> str:
    """What every model and every tool answers."""
    return "says " + hashlib.sha256(asked.encode()).hexdigest()[:12]


def pieces(text: str) -> list[str]:
    """A text in `PIECES` pieces."""
    size = -(-len(text) // PIECES)
    return [text[at : at + size] for at in range(0, len(text), size)]


def secrets() -> list[str]:
    """What must never be seen outside of the program: a key of a known form, and the value of a variable."""
    return [SECRET, os.environ.get(SECRET_VARIABLE, "")]


def tell(name: str) -> None:
    """Print in the ways that programs print."""
    print(f"{name}: ", end="")  # noqa: T201  that is its purpose
    sys.stdout.write("begins\n")
    sys.stdout.writelines([f"{name} ", "goes on\n"])
    print(f"{name} fears the worst", file=sys.stderr)  # noqa: T201
    logging.getLogger(name).warning("%s warns", name)


def later(tell: Callable[[str], object]) -> None:
    """Call `tell` with a word, in a thread of its own, when any look at the program has seen that it waits."""
    timer = threading.Timer(LATER, tell, ["later"])
    timer.daemon = True
    timer.start()


async def alater() -> str:
    """The same word, on the loop."""
    heard: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_later(LATER, heard.set_result, "later")
    return await heard


def called(kind: str, asked: str) -> str:
    """A model or a tool was really called; returns its answer.  It may block: see `acalled`."""
    with _lock:
        with open(CALLS, "a", encoding="utf-8") as file:
            file.write(json.dumps([kind, asked]) + "\n")
        with open(CALLS, encoding="utf-8") as file:
            number = len(file.readlines())
    _stop_at(number)
    return answer(asked)


async def acalled(kind: str, asked: str) -> str:
    """`called`, without blocking the loop."""
    return await asyncio.to_thread(called, kind, asked)


async def aslowly(kind: str, asked: str) -> str:
    """`acalled`, by something that takes too long."""
    told = await acalled(kind, asked)
    await asyncio.sleep(SLOW)
    return told


def in_time(tell: Callable[[], object]) -> None:
    """Call `tell` in a thread of its own that sleeps `LIMIT` first."""
    threading.Thread(target=_after_a_sleep, args=(tell,)).start()


def _after_a_sleep(tell: Callable[[], object]) -> None:
    time.sleep(LIMIT)
    tell()


def at_once(handle: Callable[[str], Any]) -> None:
    """Call `handle` with each of `REQUESTS`, all at the same time: on one loop, or in threads."""
    if inspect.iscoroutinefunction(handle):
        asyncio.run(_gathered(handle))
        return
    with ThreadPoolExecutor(len(REQUESTS)) as pool:
        for future in [pool.submit(handle, topic) for topic in REQUESTS]:
            future.result()


async def _gathered(handle: Callable[[str], Any]) -> None:
    await asyncio.gather(*map(handle, REQUESTS))


def linger() -> None:
    """Leave behind what programs leave behind: an open pool, a thread that never ends, one that waits for the end."""
    with open(PROCESS, "w", encoding="utf-8") as file:
        file.write(str(os.getpid()))
    ThreadPoolExecutor().submit(os.getpid)
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    threading.Thread(target=threading.main_thread().join).start()


def _stop_at(number: int) -> None:
    if not os.path.exists(POINT):
        return
    with open(POINT, encoding="utf-8") as file:
        point = json.load(file)
    if point["at"] != number:
        return
    os.unlink(POINT)
    if "port" not in point:
        os.kill(os.getpid(), signal.SIGKILL)
    with socket.create_connection(("127.0.0.1", point["port"])) as waiting:
        waiting.recv(1)
