"""pydantic-ai: agents with tools, and graphs, on a scripted model; with coroutines, and in threads."""

from __future__ import annotations

from collections.abc import Sequence

from outtake.testing.kit import Kit, Scene, Setting

MODEL = '''
import asyncio
from pydantic_ai import RunContext
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.usage import RequestUsage
from stage import SLOW, acalled, pieces

def said(messages, info):
    """All that a model is told, in order."""
    parts = [part for message in messages for part in message.parts]
    told = [info.instructions, *(getattr(part, "content", "") for part in parts)]
    return " ".join(str(each) for each in told if each)

async def answer(messages, info):
    """A hash of what it is told; calls the first tool that it has, once."""
    told = await acalled("model", said(messages, info))
    used = RequestUsage(input_tokens=7, output_tokens=3)
    if info.function_tools and not any(part.part_kind == "tool-return" for part in messages[-1].parts):
        return ModelResponse(parts=[ToolCallPart(info.function_tools[0].name, {"what": told})], usage=used)
    return ModelResponse(parts=[TextPart(told)], usage=used)

async def tell(messages, info):
    for piece in pieces(await acalled("model", said(messages, info))):
        yield piece

async def hang(messages, info):
    async for piece in tell(messages, info):
        yield piece
        await asyncio.sleep(SLOW)

scripted = FunctionModel(answer)
streaming = FunctionModel(stream_function=tell)
hanging = FunctionModel(stream_function=hang)
'''

CHAT = """
from pydantic_ai import Agent
from pydantic_graph import GraphBuilder
from model import scripted
from stage import acalled, called, opening

writer = Agent(scripted, name="writer", deps_type=str)

@writer.instructions
def begin(ctx) -> str:
    return opening(ctx.deps)

@writer.tool_plain
{async_}def look(what: str) -> str:
    '''Look at something.'''
    return {await_}{called}("tool", f"look at {{what}}")

steps = GraphBuilder(input_type=str, output_type=str, name="seek")

@steps.step
async def gather(ctx) -> str:
    return (await writer.run(deps=ctx.inputs)).output

steps.add(steps.edge_from(steps.start_node).to(gather), steps.edge_from(gather).to(steps.end_node))

{async_}def main(topic):
    return {await_}steps.build().run{sync}(inputs=topic)
"""

PARALLEL = """
import asyncio
from pydantic_graph import GraphBuilder, reduce_list_append
from pydantic_ai import Agent
from model import scripted

agent = Agent(scripted, name="agent")

async def ask(word):
    return (await agent.run(word)).output

def main():
    steps = GraphBuilder(output_type=list, name="flow")

    @steps.step
    async def words(ctx) -> list:
        return ["left", "right"]

    @steps.step
    async def work(ctx) -> str:
        answer = await ask(ctx.inputs)
        return answer if ctx.inputs == "left" else await ask(f"again {{answer}}")

    @steps.step
    async def in_order(ctx) -> list:
        return sorted(ctx.inputs)

    join = steps.join(reduce_list_append, initial_factory=list)
    steps.add(
        steps.edge_from(steps.start_node).to(words),
        steps.edge_from(words).map().to(work),
        steps.edge_from(work).to(join),
        steps.edge_from(join).to(in_order),
        steps.edge_from(in_order).to(steps.end_node),
    )
    return steps.build()
"""

FAILING = """
from pydantic_ai import Agent
from model import scripted
from stage import BROKEN, acalled, called, opening

seeker = Agent(scripted, name="seeker")
writer = Agent(scripted, name="writer")

@writer.tool_plain
{async_}def look(what: str) -> str:
    '''Look at something.'''
    {await_}{called}("tool", what)
    raise LookupError(BROKEN)

{async_}def main(topic):
    try:
        {await_}writer.run{sync}(opening(topic))
    except LookupError as error:
        return ({await_}seeker.run{sync}(f"what about {{error}}")).output
"""

STREAM = """
from pydantic_ai import Agent
from model import streaming
from stage import opening

teller = Agent(streaming, name="teller")

{async_}def main(topic):
    got = []
    {opened} as result:
        {async_}for piece in result.stream_text(delta=True, debounce_by=None):
            got.append(piece)
    return {{"pieces": len(got), "text": "".join(got)}}
"""

SETTING = """
from pydantic_ai import Agent
from model import scripted

ann = Agent(scripted, name="ann", instructions="Be brief.")

{async_}def main(given):
    first = {await_}ann.run{sync}(str(given))
    return ({await_}ann.run{sync}("and again", message_history=first.all_messages())).output
"""

SECRET = """
from pydantic_ai import Agent
from model import scripted
from stage import secrets

{async_}def main():
    told = secrets()
    print("the keys are", *told)
    agent = Agent(scripted, model_settings={{"extra_headers": {{"Authorization": f"Bearer {{told[0]}}"}}}})
    return [({await_}agent.run{sync}(f"keep {{' and '.join(told)}}")).output, *told]
"""

SHARED = """
from pydantic_ai import Agent, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from stage import acalled, called

SHELF = []
WORDS = ["one", "two", "three"]

{async_}def put(what: str) -> list:
    '''Put something on the shelf.'''
    {await_}{called}("tool", f"put {{what}}")
    SHELF.append(what)
    return list(SHELF)

def next_word(messages, info):
    number = sum(part.part_kind == "tool-return" for message in messages for part in message.parts)
    if number < len(WORDS):
        return ModelResponse(parts=[ToolCallPart("put", {{"what": WORDS[number]}})])
    return ModelResponse(parts=[TextPart("done")])

{async_}def main():
    agent = Agent(FunctionModel(next_word), name="agent", tools=[put])
    {await_}agent.run{sync}("fill it")
    return list(SHELF)
"""

MEMORY = """
from pydantic_ai import Agent, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from model import scripted

WORDS = ["one", "two", "three"]
inner = Agent(scripted, name="inner")
remembered = []

async def helper(what: str) -> str:
    '''Ask the helper.'''
    done = await inner.run(what, message_history=list(remembered))
    remembered[:] = done.all_messages()
    return done.output

def next_word(messages, info):
    answers = [part.content for m in messages for part in m.parts if part.part_kind == "tool-return"]
    if len(answers) < len(WORDS):
        return ModelResponse(parts=[ToolCallPart("helper", {{"what": WORDS[len(answers)]}})])
    return ModelResponse(parts=[TextPart(" ".join(answers))])

{async_}def main():
    agent = Agent(FunctionModel(next_word), name="agent", tools=[helper])
    return ({await_}agent.run{sync}("ask for each")).output.split()
"""

READING = """
from dataclasses import dataclass
from pydantic_ai import Agent
from pydantic_graph import GraphBuilder
from model import scripted

agent = Agent(scripted, name="agent")

@dataclass
class State:
    note: str = ""
    seen: str = ""

async def ask(prompt):
    return (await agent.run(prompt)).output

steps = GraphBuilder(state_type=State, output_type=list, name="flow")

@steps.step
async def write(ctx) -> None:
    ctx.state.note = await ask("write")

@steps.step
async def read(ctx) -> None:
    ctx.state.seen = await ask(f"read {{ctx.state.note}}")

@steps.step
async def other(ctx) -> list:
    return [ctx.state.seen, await ask("the same")]

steps.add(
    steps.edge_from(steps.start_node).to(write),
    steps.edge_from(write).to(read),
    steps.edge_from(read).to(other),
    steps.edge_from(other).to(steps.end_node),
)

{async_}def main():
    return {await_}steps.build().run{sync}(state=State())
"""

PRINTING = """
from pydantic_ai import Agent
from pydantic_graph import GraphBuilder, reduce_list_append
from model import scripted
from stage import acalled, called, tell

agent = Agent(scripted, name="agent")

@agent.tool_plain
{async_}def look(what: str) -> str:
    '''Look at something.'''
    tell("tool")
    return {await_}{called}("tool", what)

steps = GraphBuilder(output_type=list, name="flow")

@steps.step
async def words(ctx) -> list:
    return ["left", "right"]

@steps.step
async def work(ctx) -> str:
    tell(f"step for {{ctx.inputs}}")
    answer = (await agent.run(ctx.inputs)).output
    tell(f"the end of step for {{ctx.inputs}}")
    return answer

join = steps.join(reduce_list_append, initial_factory=list)
steps.add(
    steps.edge_from(steps.start_node).to(words),
    steps.edge_from(words).map().to(work),
    steps.edge_from(work).to(join),
    steps.edge_from(join).to(steps.end_node),
)

{async_}def main():
    tell("main")
    return sorted({await_}steps.build().run{sync}())
"""

ASKING = """
from pydantic_ai import Agent, DeferredToolRequests, ModelResponse, TextPart, ToolCallPart, CallDeferred
from pydantic_ai.models.function import FunctionModel
from model import said
from stage import acalled

async def answer(messages, info):
    told = [part.content for m in messages for part in m.parts if part.part_kind == "tool-return"]
    if not told:
        return ModelResponse(parts=[ToolCallPart("ask", {{"question": "Which birds?"}})])
    return ModelResponse(parts=[TextPart(await acalled("model", said(messages, info)))])

def main():
    agent = Agent(FunctionModel(answer), name="agent", instructions="Ask.", output_type=[str, DeferredToolRequests])

    @agent.tool_plain
    def ask(question: str) -> str:
        '''Ask a person.'''
        raise CallDeferred

    return agent
"""

AWAITING = """
import queue
from pydantic_ai import Agent
from model import scripted
from stage import alater, later

agent = Agent(scripted, name="agent")

def wait():
    told = queue.Queue()
    later(told.put)
    return told.get()

{async_}def main():
    word = {later}
    return ({await_}agent.run{sync}(f"what of {{word}}")).output
"""

CANCELLING = """
import asyncio
from pydantic_ai import Agent, ModelRequest, ModelResponse, ToolCallPart
from model import hanging, scripted
from stage import BROKEN, LIMIT, aslowly

asker = Agent(scripted, name="asker")
looker = Agent(scripted, name="looker")
teller = Agent(hanging, name="teller")

@looker.tool_plain
async def look(what: str) -> str:
    '''Look at something.'''
    return await aslowly("tool", what)

def seek(what):
    asked = [ModelRequest.user_text_prompt("look"), ModelResponse(parts=[ToolCallPart("look", {{"what": what}})])]
    return looker.run(message_history=asked)

async def ask(prompt):
    return (await asker.run(prompt)).output

async def broken():
    await ask("broken")
    raise LookupError(BROKEN)

async def main():
    got = []
    try:
        await asyncio.wait_for(seek("one"), LIMIT)
    except asyncio.TimeoutError:
        got.append(await ask("instead of one"))
    slow = asyncio.create_task(seek("two"))
    try:
        await asyncio.gather(slow, broken())
    except LookupError as error:
        slow.cancel()
        await asyncio.wait([slow])
        got.append(await ask(f"what about {{error}}"))
    async with teller.run_stream("a stream") as told:
        async for piece in told.stream_text(delta=True, debounce_by=None):
            got.append(piece)
            break
    return [*got, await ask("instead of the rest")]
"""

TIMING = """
import threading
from pydantic_ai import ModelRequest
from pydantic_ai.direct import model_request{sync}
from model import scripted
from stage import in_time

stop = threading.Event()

{async_}def ask(prompt):
    return ({await_}model_request{sync}(scripted, [ModelRequest.user_text_prompt(prompt)])).parts[0].content

{async_}def main():
    in_time(stop.set)
    rounds = 0
    while not stop.is_set():
        {await_}ask(f"round {{rounds}}")
        rounds += 1
    return {await_}ask(f"after {{rounds}} rounds")
"""

REQUESTS = (
    CHAT
    + """
import outtake
from stage import at_once

@outtake.run
{async_}def handle(topic: str) -> str:
    return {await_}main(topic)

if __name__ == "__main__":
    at_once(handle)
"""
)

LIMITED = """
from pydantic_ai import Agent, ModelRequest, ModelResponse, ToolCallPart, UserPromptPart
from model import scripted
from stage import ALLOWED

inner = Agent(scripted, name="inner")
agent = Agent(scripted, name="agent", tool_timeout=ALLOWED)
asked = [ModelRequest(parts=[UserPromptPart("go")]), ModelResponse(parts=[ToolCallPart("work", {{"what": "it"}})])]

@agent.tool_plain
async def work(what: str) -> str:
    return (await inner.run("in time")).output

{async_}def main():
    return ({await_}agent.run{sync}(message_history=asked)).output
"""

SCENES: dict[Scene, str] = {
    "chat": CHAT,
    "parallel": PARALLEL,
    "failing": FAILING,
    "stream": STREAM,
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
_COROUTINES = {
    "async_": "async ",
    "await_": "await ",
    "called": "acalled",
    "sync": "",
    "opened": "async with teller.run_stream(opening(topic))",
    "later": "await alater()",
}
_THREADS = {
    "async_": "",
    "await_": "",
    "called": "called",
    "sync": "_sync",
    "opened": "with teller.run_stream_sync(opening(topic))",
    "later": "wait()",
}


def _kit(name: str, words: dict[str, str], environment: str, without: Sequence[Scene] = ()) -> Kit:
    return Kit(
        name=name,
        adapter="outtake_probe.targets.pydantic_ai",
        packages=["pydantic-ai-slim", "pydantic-graph"],
        environment=environment,
        programs={scene: program.format(**words) for scene, program in SCENES.items() if scene not in without},
        files={"model.py": MODEL, "outtake.toml": '[state]\nput = "shelf"\n'},
        tokens=(7, 3),
        setting=Setting(component="main/ann", key="instructions", value="Talk like a pirate."),
    )


KIT = _kit("pydantic-ai", _COROUTINES, "pydantic-ai")
SYNC = _kit("pydantic-ai, sync", _THREADS, "pydantic-ai", without=["cancelling"])
"""Nothing takes a call of a thread back."""
OLDEST = _kit("pydantic-ai, oldest", _COROUTINES, "pydantic-ai-oldest")
