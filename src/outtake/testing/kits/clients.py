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

MEMORY = """
import outtake
from model import ask

def make_helper():
    said = []

    @outtake.tool
    def helper(what):
        said.append(what)
        said.append(ask("\\n".join(said)))
        return said[-1]

    return helper

def main():
    helper = make_helper()
    return [helper(what) for what in ("one", "two", "three")]
"""

PRINTING = """
import outtake
from model import ask
from stage import opening, tell

@outtake.tool
def look(what):
    tell("tool")
    found = ask(opening(what))
    tell("the end of tool")
    return found

def main():
    tell("main")
    return [look(what) for what in ("one", "two")]
"""

ASKING = """
from model import ask

def main():
    return ask(f"what of {input('Which birds? ')}")
"""

AWAITING = """
from model import aask
from stage import alater

async def main():
    return await aask(f"what of {await alater()}")
"""

CANCELLING = """
import asyncio
from model import aask, stream
from stage import LIMIT

async def read(into):
    async for piece in stream("slowly: a stream"):
        into.append(piece)

async def main():
    got = []
    for word in ("one", "two"):
        try:
            got.append(await asyncio.wait_for(aask(f"slowly: {word}"), LIMIT))
        except asyncio.TimeoutError:
            got.append(await aask(f"instead of {word}"))
    try:
        await asyncio.wait_for(read(got), LIMIT)
    except asyncio.TimeoutError:
        got.append(await aask("instead of the rest"))
    return got
"""

TIMING = """
import asyncio
from model import aask
from stage import LIMIT

async def main():
    stop = []
    asyncio.get_running_loop().call_later(LIMIT, stop.append, True)
    rounds = 0
    while not stop:
        await aask(f"round {rounds}")
        rounds += 1
    return await aask(f"after {rounds} rounds")
"""

REQUESTS = """
import asyncio
import outtake
from model import aask
from stage import at_once, opening

@outtake.run
async def handle(topic):
    return await aask(f"finish {await aask(opening(topic))}")

if __name__ == "__main__":
    at_once(handle)
"""

PROGRAMS: dict[Scene, str] = {
    "chat": CHAT,
    "parallel": PARALLEL,
    "failing": FAILING,
    "stream": STREAM,
    "memory": MEMORY,
    "printing": PRINTING,
    "asking": ASKING,
    "awaiting": AWAITING,
    "cancelling": CANCELLING,
    "timing": TIMING,
    "requests": REQUESTS,
    "secret": SECRET,
}
