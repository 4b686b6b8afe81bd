"""Plain Python with decorators again: coroutines, tasks, methods and async generators."""

from __future__ import annotations

from outtake.testing.kit import Kit, Scene
from outtake.testing.kits.plain import CAPABILITIES

CHAT = """
import outtake
from stage import acalled, opening

@outtake.model
async def ask(prompt):
    return await acalled("model", prompt)

class Desk:
    @outtake.tool
    async def look(self, what):
        return await acalled("tool", f"look at {what}")

    @outtake.step
    async def gather(self, topic):
        return await self.look(await ask(opening(topic)))

@outtake.agent
async def writer(topic):
    return await ask(f"finish {await Desk().gather(topic)}")

async def main(topic):
    return await writer(topic)
"""

PARALLEL = """
import asyncio
import outtake
from stage import acalled

@outtake.model
async def ask(prompt):
    return await acalled("model", prompt)

async def right():
    return await ask(f"again {await ask('right')}")

async def main():
    return await asyncio.gather(ask("left"), right())
"""

FAILING = """
import outtake
from stage import BROKEN, acalled, opening

@outtake.model
async def ask(prompt):
    return await acalled("model", prompt)

@outtake.tool
async def look(what):
    await acalled("tool", what)
    raise LookupError(BROKEN)

async def main(topic):
    try:
        return await look(opening(topic))
    except LookupError as error:
        return await ask(f"what about {error}")
"""

STREAM = """
import outtake
from stage import acalled, opening, pieces

@outtake.model
async def ask(prompt):
    for piece in pieces(await acalled("model", prompt)):
        yield piece

@outtake.agent
async def teller(topic):
    async for piece in ask(opening(topic)):
        yield piece

async def main(topic):
    got = [piece async for piece in teller(topic)]
    return {"pieces": len(got), "text": "".join(got)}
"""

SECRET = """
import outtake
from stage import acalled, secrets

@outtake.model
async def ask(prompt, api_key):
    return await acalled("model", prompt)

async def main():
    told = secrets()
    print("the keys are", *told)
    return [await ask(f"keep {' and '.join(told)}", api_key=told[0]), *told]
"""

SHARED = """
import outtake
from stage import acalled

SHELF = []

@outtake.tool(state="shelf")
async def put(what):
    await acalled("tool", f"put {what}")
    SHELF.append(what)
    return list(SHELF)

async def main():
    for word in ("one", "two"):
        await put(word)
    return await put("three")
"""

MEMORY = """
import outtake
from stage import acalled

@outtake.model
async def ask(prompt):
    return await acalled("model", prompt)

class Helper:
    def __init__(self):
        self.said = []

    @outtake.tool
    async def helper(self, what):
        self.said.append(what)
        self.said.append(await ask(" ".join(self.said)))
        return self.said[-1]

async def main():
    desk = Helper()
    return [await desk.helper(what) for what in ("one", "two", "three")]
"""

PRINTING = """
import asyncio
import outtake
from stage import acalled, tell

@outtake.model
async def ask(prompt):
    tell(f"model for {prompt}")
    yield await acalled("model", prompt)
    tell(f"the end of model for {prompt}")

@outtake.tool
async def look(what):
    await asyncio.to_thread(tell, "tool")
    return await acalled("tool", what)

@outtake.step(effects="read")
async def gather(what):
    tell(f"step for {what}")
    found = await look("".join([piece async for piece in ask(what)]))
    tell(f"the end of step for {what}")
    return found

async def main():
    tell("main")
    return await asyncio.gather(*map(gather, ("one", "two", "three")))
"""

ASKING = """
import outtake
from stage import acalled

@outtake.model
async def ask(prompt):
    return await acalled("model", prompt)

async def main():
    return await ask(f"what of {input('Which birds? ')}")
"""

AWAITING = """
import outtake
from stage import acalled, alater

@outtake.model
async def ask(prompt):
    return await acalled("model", prompt)

async def main():
    return await ask(f"what of {await alater()}")
"""

CANCELLING = """
import asyncio
import outtake
from stage import LIMIT, SLOW, acalled, aslowly, pieces

@outtake.model
async def ask(prompt):
    return await acalled("model", prompt)

@outtake.model
async def tell(prompt):
    for piece in pieces(await acalled("model", prompt)):
        yield piece
    await asyncio.sleep(SLOW)

@outtake.tool
async def look(what):
    return await aslowly("tool", what)

async def read(into):
    async for piece in tell("a stream"):
        into.append(piece)

async def main():
    got = []
    for name in ("one", "two"):
        try:
            await asyncio.wait_for(look(name), LIMIT)
        except asyncio.TimeoutError:
            got.append(await ask(f"instead of {name}"))
    try:
        await asyncio.wait_for(read(got), LIMIT)
    except asyncio.TimeoutError:
        got.append(await ask("instead of the rest"))
    tasks = [asyncio.create_task(ask("quick")), asyncio.create_task(look("slow"))]
    done, rest = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)
    return [*got, *(task.result() for task in done)]
"""

TIMING = """
import asyncio
import outtake
from stage import LIMIT, acalled

@outtake.model
async def ask(prompt):
    return await acalled("model", prompt)

async def work(stop):
    rounds = 0
    while not stop:
        await ask(f"round {rounds}")
        rounds += 1
    return rounds

async def main():
    stop = []
    asyncio.get_running_loop().call_later(LIMIT, stop.append, True)
    task = asyncio.create_task(work(stop))
    looks = 0
    while not task.done():
        looks += 1
        await asyncio.sleep(0.01)
    return await ask(f"after {task.result()} rounds and {looks} looks")
"""

REQUESTS = (
    CHAT
    + """
from stage import at_once

@outtake.run
async def handle(topic):
    return await main(topic)

if __name__ == "__main__":
    at_once(handle)
"""
)

PROGRAMS: dict[Scene, str] = {
    "chat": CHAT,
    "parallel": PARALLEL,
    "failing": FAILING,
    "stream": STREAM,
    "shared": SHARED,
    "memory": MEMORY,
    "printing": PRINTING,
    "asking": ASKING,
    "awaiting": AWAITING,
    "cancelling": CANCELLING,
    "timing": TIMING,
    "requests": REQUESTS,
    "secret": SECRET,
}

KIT = Kit(name="plain Python, async", programs=PROGRAMS, capabilities=CAPABILITIES)
