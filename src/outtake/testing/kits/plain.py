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

PROGRAMS: dict[Scene, str] = {
    "chat": CHAT,
    "parallel": PARALLEL,
    "failing": FAILING,
    "stream": STREAM,
    "secret": SECRET,
}

KIT = Kit(name="plain Python", programs=PROGRAMS, capabilities=CAPABILITIES)
