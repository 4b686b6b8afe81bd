"""Plain Python with decorators: functions, generators and threads; and the same with coroutines."""

from __future__ import annotations

from outtake.testing.kit import Kit, Scene
from outtake_probe.targets.base import Capability

CAPABILITIES: tuple[Capability, ...] = (
    "hold:agent",
    "hold:step",
    "hold:model",
    "hold:tool",
    "edit",
    "mock",
    "drop",
    "state",
)

CHAT = """
import outtake
from stage import called, opening

@outtake.model
def ask(prompt):
    return called("model", prompt)

@outtake.tool
def look(what):
    return called("tool", f"look at {what}")

@outtake.step
def gather(topic):
    return look(ask(opening(topic)))

@outtake.agent
def writer(topic):
    return ask(f"finish {gather(topic)}")

def main(topic):
    return writer(topic)
"""

PARALLEL = """
from concurrent.futures import ThreadPoolExecutor
import outtake
from stage import called

@outtake.model
def ask(prompt):
    return called("model", prompt)

def main():
    with ThreadPoolExecutor(2) as pool:
        left = pool.submit(ask, "left")
        right = pool.submit(lambda: ask(f"again {ask('right')}"))
        return [left.result(), right.result()]
"""

FAILING = """
import outtake
from stage import BROKEN, called, opening

@outtake.model
def ask(prompt):
    return called("model", prompt)

@outtake.tool
def look(what):
    called("tool", what)
    raise LookupError(BROKEN)

def main(topic):
    try:
        return look(opening(topic))
    except LookupError as error:
        return ask(f"what about {error}")
"""

STREAM = """
import outtake
from stage import called, opening, pieces

@outtake.model
def ask(prompt):
    yield from pieces(called("model", prompt))

@outtake.agent
def teller(topic):
    yield from ask(opening(topic))

def main(topic):
    got = list(teller(topic))
    return {"pieces": len(got), "text": "".join(got)}
"""

SECRET = """
import outtake
from stage import called, secrets

@outtake.model
def ask(prompt, api_key):
    return called("model", prompt)

def main():
    told = secrets()
    print("the keys are", *told)
    return [ask(f"keep {' and '.join(told)}", api_key=told[0]), *told]
"""

SHARED = """
import outtake
from stage import called

SHELF = []

@outtake.tool(state="shelf")
def put(what):
    called("tool", f"put {what}")
    SHELF.append(what)
    return list(SHELF)

def main():
    for word in ("one", "two"):
        put(word)
    return put("three")
"""

MEMORY = """
import outtake
from stage import called

@outtake.model
def ask(prompt):
    return called("model", prompt)

def make_helper():
    said = []

    @outtake.tool
    def helper(what):
        said.append(what)
        said.append(ask(" ".join(said)))
        return said[-1]

    return helper

def main():
    helper = make_helper()
    return [helper(what) for what in ("one", "two", "three")]
"""

READING = """
import outtake
from stage import called

NOTES = []

@outtake.model
def ask(prompt):
    return called("model", prompt)

@outtake.step
def write():
    NOTES.append(ask("write"))

@outtake.step
def read():
    return ask(f"read {NOTES[-1]}")

@outtake.step
def other():
    return ask("the same")

def main():
    write()
    return [read(), other()]
"""

PRINTING = """
import outtake
from stage import called, tell

@outtake.model
def ask(prompt):
    tell("model")
    yield called("model", prompt)
    tell("the end of model")

@outtake.tool
def look(what):
    tell("tool")
    return called("tool", what)

@outtake.step(effects="read")
def gather(what):
    tell("step")
    found = look("".join(ask(what)))
    tell("the end of step")
    return found

def main():
    tell("main")
    return [gather(what) for what in ("one", "two")]
"""

ASKING = """
import outtake
from stage import called

@outtake.model
def ask(prompt):
    return called("model", prompt)

def main():
    return ask(f"what of {input('Which birds? ')}")
"""

AWAITING = """
import queue
import outtake
from stage import called, later

@outtake.model
def ask(prompt):
    return called("model", prompt)

def main():
    told = queue.Queue()
    later(told.put)
    return ask(f"what of {told.get()}")
"""

TIMING = """
import threading
import outtake
from stage import called, in_time

@outtake.model
def ask(prompt):
    return called("model", prompt)

def main():
    stop = threading.Event()
    in_time(stop.set)
    rounds = 0
    while not stop.is_set():
        ask(f"round {rounds}")
        rounds += 1
    return ask(f"after {rounds} rounds")
"""

REQUESTS = (
    CHAT
    + """
from stage import at_once

@outtake.run
def handle(topic):
    return main(topic)

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
    "reading": READING,
    "printing": PRINTING,
    "asking": ASKING,
    "awaiting": AWAITING,
    "timing": TIMING,
    "requests": REQUESTS,
    "secret": SECRET,
}

KIT = Kit(name="plain Python", programs=PROGRAMS, capabilities=CAPABILITIES)
