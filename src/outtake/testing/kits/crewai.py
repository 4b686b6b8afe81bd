"""CrewAI: crews whose agents ask a scripted model and use tools, and flows around them."""

from __future__ import annotations

from outtake.testing.kit import Kit, Scene, Setting

MODEL = '''
from crewai import BaseLLM
from stage import called

os.environ["CREWAI_STORAGE_DIR"] = os.path.abspath("storage")

class Scripted(BaseLLM):
    """Answers with a hash of what it is told; calls the first tool that it has, once."""

    def call(self, messages, tools=None, callbacks=None, available_functions=None, **kwargs):
        if isinstance(messages, str):
            messages = [{"role": "user", "content": messages}]
        told = " ".join(str(message.get("content")) for message in messages)
        answer = called("model", told)
        self._track_token_usage_internal({"prompt_tokens": 7, "completion_tokens": 3})
        if tools and not any(message.get("role") == "tool" for message in messages):
            function = tools[0]["function"]
            arguments = json.dumps({name: answer for name in function["parameters"]["properties"]})
            named = {"name": function["name"], "arguments": arguments}
            return [{"id": f"call {len(messages)}", "type": "function", "function": named}]
        return answer

    async def acall(self, messages, tools=None, callbacks=None, available_functions=None, **kwargs):
        return await asyncio.to_thread(self.call, messages, tools, callbacks, available_functions, **kwargs)

    def supports_function_calling(self):
        return True

    def get_context_window_size(self):
        return 100000
'''.replace("\nfrom crewai", "\nimport asyncio\nimport json\nimport os\nfrom crewai", 1)

_HEAD = """
from crewai import Agent, Crew, Process, Task
from crewai.flow.flow import Flow, and_, listen, or_, router, start
from crewai.tools import tool
from pydantic import BaseModel
from model import Scripted
from stage import BROKEN, called, opening, secrets, tell

llm = Scripted(model="scripted")

def agent(role, goal="Help.", **kwargs):
    return Agent(role=role, goal=goal, backstory="You help.", llm=llm, max_retry_limit=0, **kwargs)

class Topic(BaseModel):
    topic: str = ""
"""

CHAT = (
    _HEAD
    + """
@tool
def look(what: str) -> str:
    '''Look at something.'''
    return called("tool", f"look at {what}")

class Chat(Flow[Topic]):
    @start()
    def gather(self):
        reader = agent("reader", goal=opening("{topic}"), tools=[look])
        task = Task(description="Read.", expected_output="A text.", agent=reader, name="read")
        return Crew(agents=[reader], tasks=[task]).kickoff(inputs={"topic": self.state.topic}).raw

    @listen(gather)
    def finish(self, found):
        writer = agent("writer")
        task = Task(description=f"finish {found}", expected_output="A text.", agent=writer, name="write")
        return Crew(agents=[writer], tasks=[task]).kickoff().raw

def main():
    return Chat()
"""
)

_BOTH = (
    _HEAD
    + """
@tool
def look(what: str) -> str:
    '''Look at something.'''
    tell("tool")
    return called("tool", what)

class Said(BaseModel):
    left: str = ""
    right: str = ""

def ask(role, words):
    return agent(role).kickoff(words).raw
"""
)

PARALLEL = (
    _BOTH
    + """
class Both(Flow[Said]):
    @start()
    def one(self):
        self.state.left = ask("first", "left")

    @start()
    def other(self):
        return ask("second", "right")

    @listen(other)
    def more(self, said):
        self.state.right = ask("second", f"again {said}")

    @listen(and_(one, more))
    def join(self):
        return sorted([self.state.left, self.state.right])

def main():
    return Both()
"""
)

FAILING = (
    _HEAD
    + """
@tool
def look(what: str) -> str:
    '''Look at something.'''
    called("tool", what)
    raise LookupError(BROKEN)

class Failing(Flow[Topic]):
    @start()
    def only(self):
        try:
            return look.run(what=opening(self.state.topic))
        except LookupError as error:
            return llm.call(f"what about {error}")

def main():
    return Failing()
"""
)

SETTING = (
    _HEAD
    + """
def main():
    ann = agent("ann")
    tasks = [Task(description=f"{text} {{topic}}", expected_output="A text.", agent=ann) for text in ("Read", "Write")]
    return Crew(agents=[ann], tasks=tasks)
"""
)

SHARED = (
    _HEAD
    + """
SHELF = []

@tool
def put(what: str) -> list:
    '''Put something on the shelf.'''
    called("tool", f"put {what}")
    SHELF.append(what)
    return list(SHELF)

class Shared(Flow):
    @start()
    def fill(self):
        for word in ("one", "two"):
            put.run(what=word)
        return "three"

    @listen(fill)
    def add(self, word):
        return put.run(what=word)

def main():
    return Shared()
"""
)

MEMORY = (
    _HEAD
    + """
HEARD = []

@tool
def helper(what: str) -> str:
    '''Ask the helper.'''
    HEARD.append({"role": "user", "content": what})
    said = agent("helper").kickoff(list(HEARD)).raw
    HEARD.append({"role": "assistant", "content": said})
    return said

class Uses(Flow):
    @start()
    def first(self):
        return [helper.run(what="one")]

    @listen(first)
    def second(self, said):
        return [*said, helper.run(what="two")]

    @listen(second)
    def third(self, said):
        return [*said, helper.run(what="three")]

def main():
    return Uses()
"""
)

READING = (
    _HEAD
    + """
class Reading(Flow):
    @start()
    def write(self):
        self.state["note"] = llm.call("write")

    @listen(write)
    def read(self):
        self.state["seen"] = llm.call(f"read {self.state['note']}")

    @listen(read)
    def other(self):
        return [self.state["seen"], llm.call("the same")]

def main():
    return Reading()
"""
)

PRINTING = (
    _BOTH
    + """
class Both(Flow[Said]):
    @start()
    def one(self):
        tell("left")
        self.state.left = llm.call("left")
        tell("the end of left")

    @listen(one)
    def other(self):
        tell("right")
        self.state.right = look.run(what=llm.call("right"))
        tell("the end of right")

    @listen(other)
    def join(self):
        tell("join")
        return sorted([self.state.left, self.state.right])

def main():
    tell("main")
    return Both(suppress_flow_events=True)  # which CrewAI draws on the console, in a thread of its own
"""
)

ASKING = (
    _HEAD
    + """
class Told(Flow):
    @start()
    def listen_to(self):
        return self.ask("Which birds?")

    @listen(listen_to)
    def answer(self, word):
        return llm.call(f"what of {word}")

def main():
    return Told()
"""
)

AWAITING = (
    _HEAD
    + """
from stage import alater

class Told(Flow):
    @start()
    async def listen_to(self):
        return llm.call(f"what of {await alater()}")

def main():
    return Told()
"""
)

CANCELLING = (
    _HEAD
    + """
import asyncio
from stage import LIMIT, aslowly

@tool
async def look(what: str) -> str:
    '''Look at something.'''
    return await aslowly("tool", what)

class Limited(Flow):
    @start()
    async def only(self):
        try:
            return await asyncio.wait_for(look.arun(what="one"), LIMIT)
        except asyncio.TimeoutError:
            return llm.call("instead of one")

class Slow(Flow):
    @start()
    async def only(self):
        return await look.arun(what="two")

async def main():
    got = [await Limited().kickoff_async()]
    slow = asyncio.create_task(Slow().kickoff_async())
    await asyncio.sleep(LIMIT)
    slow.cancel()
    return [*got, llm.call("instead of the rest")]
"""
)

TIMING = (
    _HEAD
    + """
import threading
from stage import in_time

class Busy(Flow):
    @start()
    def work(self):
        stop, rounds = threading.Event(), 0
        in_time(stop.set)
        while not stop.is_set():
            llm.call(f"round {rounds}")
            rounds += 1
        return llm.call(f"after {rounds} rounds")

def main():
    return Busy()
"""
)

LIMITED = (
    _HEAD
    + """
from stage import ALLOWED

def main():
    ann = agent("ann", max_execution_time=int(ALLOWED))
    return Crew(agents=[ann], tasks=[Task(description="in time", expected_output="A text.", agent=ann)])
"""
)

REQUESTS = (
    CHAT
    + """
import outtake
from stage import at_once

@outtake.run
async def handle(topic: str) -> str:
    return await Chat().kickoff_async(inputs={"topic": topic})

if __name__ == "__main__":
    at_once(handle)
"""
)

SECRET = (
    _HEAD
    + """
class Secret(Flow):
    @start()
    def only(self):
        told = secrets()
        print("the keys are", *told)
        client = Scripted(model="scripted", api_key=told[0])
        return [client.call(f"keep {' and '.join(told)}"), *told]

def main():
    return Secret()
"""
)

_PROGRAMS: dict[Scene, str] = {
    "chat": CHAT,
    "parallel": PARALLEL,
    "failing": FAILING,
    "setting": SETTING,
    "shared": SHARED,
    "memory": MEMORY,
    "reading": READING,
    "printing": PRINTING,
    "asking": ASKING,
    "awaiting": AWAITING,
    "cancelling": CANCELLING,
    "timing": TIMING,
    "limited": LIMITED,
    "requests": REQUESTS,
    "secret": SECRET,
}


def _kit(name: str, environment: str) -> Kit:
    return Kit(
        name=name,
        adapter="outtake_probe.targets.crewai",
        packages=["crewai"],
        environment=environment,
        programs=_PROGRAMS,
        files={"model.py": MODEL, "outtake.toml": '[state]\nput = "shelf"\n'},
        tokens=(7, 3),
        setting=Setting(component="crew/ann", key="goal", value="Talk like a pirate."),
    )


KIT = _kit("CrewAI", "crewai")
OLDEST = _kit("CrewAI, oldest", "crewai-oldest")
