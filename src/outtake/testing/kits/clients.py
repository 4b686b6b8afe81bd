"""The programs of the client libraries; what they ask through differs by library, and lies beside them as `model`.

`model` has a function `ask(prompt)` and a coroutine function `aask(prompt)`, which give the answer, `stream(prompt)`,
which yields its pieces asynchronously, `Refused`, the error of a refused request, and `keep(secret, prompt)`.
"""

from __future__ import annotations

from outtake.testing.kit import Scene

CHAT = """
from model import ask
from stage import opening

def main(topic):
    return ask(f"finish {ask(opening(topic))}")
"""

PARALLEL = """
import asyncio
from model import aask

async def right():
    return await aask(f"again {await aask('right')}")

async def main():
    return await asyncio.gather(aask("left"), right())
"""

FAILING = """
from model import Refused, ask

def main(topic):
    try:
        return ask(f"please fail at {topic}")
    except Refused as error:
        return ask(f"what about {error}")
"""

STREAM = """
from model import stream
from stage import opening

async def main(topic):
    got = [piece async for piece in stream(opening(topic))]
    return {"pieces": len(got), "text": "".join(got)}
"""

SECRET = """
from model import keep
from stage import secrets

def main():
    told = secrets()
    print("the keys are", *told)
    return [keep(told[0], f"keep {' and '.join(told)}"), *told]
"""

PROGRAMS: dict[Scene, str] = {
    "chat": CHAT,
    "parallel": PARALLEL,
    "failing": FAILING,
    "stream": STREAM,
    "secret": SECRET,
}
