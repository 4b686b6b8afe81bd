"""Finalizers run wherever garbage is collected: inside the probe, too, and in its own threads."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from outtake.service.service import Service
from tests.service.targets import write

WAIT = 60.0
OBJECTS = 200
PROGRAM = """
import asyncio, gc, threading
import outtake

gone = 0

@outtake.tool(effects="read")
def look(n):
    return n + 1

@outtake.tool(effects="read")
async def alook(n):
    await asyncio.sleep(0)
    return n + 1

@outtake.model
def words(n):
    for each in range(n):
        yield str(each)

class Garbage:
    def __init__(self):
        self.itself = self
    def __del__(self):
        global gone
        gone += 1
        FINALIZER

def work(base):
    for n in range(OBJECTS):
        Garbage()
        look(base + n)
        print("seen", n)

async def awork(base):
    for n in range(OBJECTS):
        Garbage()
        await alook(base + n)

async def both():
    await asyncio.gather(*(awork(base) for base in (10_000, 20_000)))

def main():
    usual = gc.get_threshold()
    gc.set_threshold(7, 2, 2)
    threads = [threading.Thread(target=work, args=(base,)) for base in (30_000, 40_000)]
    for thread in threads:
        thread.start()
    asyncio.run(both())
    for thread in threads:
        thread.join()
    gc.set_threshold(*usual)
    gc.collect()
    return gone
""".replace("OBJECTS", str(OBJECTS))
FINALIZERS = {
    "a call": "look(gone)",
    "a call or a print": "look(gone) if gone % 3 else print('gone', gone)",
    "a stream that is closed": "self.left.close()",
}
LEFT = ("self.itself = self", "self.itself = self\n        self.left = words(3)\n        next(self.left)")


@pytest.mark.parametrize("finalizer", FINALIZERS)
def test_what_a_finalizer_does_stops_nobody(service: Service, tmp_path: Path, finalizer: str) -> None:
    program = PROGRAM.replace("FINALIZER", FINALIZERS[finalizer])
    write(tmp_path, program.replace(*LEFT) if "stream" in finalizer else program)
    run = service.run("program.py:main", headless=True)["run"]
    ended = service.wait(run, timeout=WAIT)
    assert (ended["status"], ended["output"]) == ("completed", 4 * OBJECTS)
    log = list(service.show(run))
    assert [r["seq"] for r in log] == list(range(len(log)))
    started = [r for r in log if r["kind"] == "invocation_started"]
    assert [r["invocation"] for r in started] == [r["seq"] for r in started]
    ends = Counter(r["invocation"] for r in log if r["kind"] == "invocation_ended")
    assert set(ends) == {r["seq"] for r in started}
    assert set(ends.values()) == {1}
