"""LangGraph: agents with tools, state graphs and tasks on a scripted chat model; with coroutines, and with threads."""

from __future__ import annotations

from collections.abc import Sequence

from outtake.testing.kit import Kit, Scene, Setting

MODEL = '''
import asyncio
from typing import Any
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import SecretStr
from stage import SLOW, acalled, called, pieces

class Scripted(BaseChatModel):
    """Answers with a hash of what it is told; calls the first tool that it has, once."""

    api_key: SecretStr = SecretStr("unused")

    @property
    def _llm_type(self):
        return "scripted"

    def bind_tools(self, tools, **kwargs):
        return self.bind(tools=[tool.name for tool in tools])

    def _answer(self, messages, answer, tools):
        used = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
        if tools and not isinstance(messages[-1], ToolMessage):
            call = {"name": tools[0], "args": {"what": answer}, "id": f"call-{len(messages)}"}
            return AIMessage(content="", tool_calls=[call], usage_metadata=used)
        return AIMessage(content=answer, usage_metadata=used)

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        answer = called("model", said(messages))
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages, answer, kwargs.get("tools")))])

    async def _agenerate(self, messages, stop=None, run_manager=None, **kwargs):
        answer = await acalled("model", said(messages))
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages, answer, kwargs.get("tools")))])

class Streaming(Scripted):
    """Gives its answer in pieces."""

    def _stream(self, messages, stop=None, run_manager=None, **kwargs):
        for piece in pieces(called("model", said(messages))):
            yield ChatGenerationChunk(message=AIMessageChunk(content=piece))

    async def _astream(self, messages, stop=None, run_manager=None, **kwargs):
        for piece in pieces(await acalled("model", said(messages))):
            yield ChatGenerationChunk(message=AIMessageChunk(content=piece))

class Hanging(Streaming):
    """Gives the first piece of its answer, and no more."""

    async def _astream(self, messages, stop=None, run_manager=None, **kwargs):
        async for piece in super()._astream(messages, stop, run_manager, **kwargs):
            yield piece
            await asyncio.sleep(SLOW)

def said(messages):
    return " ".join(str(message.content) for message in messages)
'''

CHAT = """
from langchain_core.tools import tool
from langgraph.func import entrypoint, task
from model import Scripted
from stage import acalled, called, opening

@tool
{async_}def look(what: str) -> str:
    '''Look at something.'''
    return {await_}{called}("tool", f"look at {{what}}")

@task
{async_}def finish(found):
    return ({await_}Scripted().{invoke}(f"finish {{found}}")).content

@entrypoint()
{async_}def seek(what):
    found = {await_}look.{invoke}({{"what": what}})
    return {await_}finish(found){result}

{async_}def main(topic):
    first = ({await_}Scripted().{invoke}(opening(topic))).content
    return {await_}seek.{invoke}(first)
"""

PARALLEL = """
import operator
from typing import Annotated, TypedDict
from langgraph.graph import START, StateGraph
from langgraph.types import Send
from model import Scripted

class State(TypedDict):
    answers: Annotated[list, operator.add]

{async_}def work(word):
    answer = ({await_}Scripted().{invoke}(word)).content
    if word == "right":
        answer = ({await_}Scripted().{invoke}(f"again {{answer}}")).content
    return {{"answers": [answer]}}

def main():
    graph = StateGraph(State)
    graph.add_node("work", work)
    graph.add_conditional_edges(START, lambda _: [Send("work", "left"), Send("work", "right")], ["work"])
    return graph
"""

FAILING = """
from typing import TypedDict
from langchain_core.tools import tool
from langgraph.graph import START, StateGraph
from model import Scripted
from stage import BROKEN, acalled, called, opening

class State(TypedDict, total=False):
    topic: str
    error: str
    answer: str

@tool
{async_}def look(what: str) -> str:
    '''Look at something.'''
    {await_}{called}("tool", what)
    raise LookupError(BROKEN)

{async_}def seek(state):
    try:
        {await_}look.{invoke}({{"what": opening(state["topic"])}})
    except LookupError as error:
        return {{"error": str(error)}}

{async_}def explain(state):
    return {{"answer": ({await_}Scripted().{invoke}(f"what about {{state['error']}}")).content}}

class Topic(TypedDict):
    topic: str

def main():
    graph = StateGraph(State, input_schema=Topic)
    graph.add_node("seek", seek)
    graph.add_node("explain", explain)
    graph.add_edge(START, "seek")
    graph.add_edge("seek", "explain")
    return graph.compile(name="flow")
"""

STREAM = """
from typing import TypedDict
from langgraph.graph import START, StateGraph
from model import Streaming
from stage import opening

class State(TypedDict, total=False):
    topic: str
    got: list

{async_}def tell(state):
    got = []
    {async_}for piece in Streaming().{stream}(opening(state["topic"])):
        if piece.content:
            got.append(piece.content)
    return {{"got": got}}

{async_}def main(topic):
    graph = StateGraph(State)
    graph.add_node("tell", tell)
    graph.add_edge(START, "tell")
    done = {await_}graph.compile().{invoke}({{"topic": topic}})
    return {{"pieces": len(done["got"]), "text": "".join(done["got"])}}
"""

SETTING = """
from langchain.agents import create_agent
from model import Scripted
from langgraph.graph import MessagesState, START, StateGraph

def main():
    ann = create_agent(Scripted(), [], system_prompt="Be brief.")
    graph = StateGraph(MessagesState)
    graph.add_node("ann", ann)
    graph.add_node("again", ann)
    graph.add_edge(START, "ann")
    graph.add_edge("ann", "again")
    return graph.compile(name="team")
"""

SECRET = """
from langchain.agents import create_agent
from model import Scripted
from stage import secrets

def main():
    told = secrets()
    print("the keys are", *told)
    return create_agent(Scripted(api_key=told[0]), [], system_prompt=f"Keep {{' and '.join(told)}}.")
"""

SHARED = """
from typing import TypedDict
from langchain_core.tools import tool
from langgraph.graph import START, StateGraph
from stage import acalled, called

SHELF = []

class State(TypedDict, total=False):
    shelf: list

@tool
{async_}def put(what: str) -> list:
    '''Put something on the shelf.'''
    {await_}{called}("tool", f"put {{what}}")
    SHELF.append(what)
    return list(SHELF)

{async_}def fill(state):
    for word in ("one", "two"):
        found = {await_}put.{invoke}({{"what": word}})
    return {{"shelf": found}}

{async_}def add(state):
    return {{"shelf": {await_}put.{invoke}({{"what": "three"}})}}

def main():
    graph = StateGraph(State)
    graph.add_node("fill", fill)
    graph.add_node("add", add)
    graph.add_edge(START, "fill")
    graph.add_edge("fill", "add")
    return graph
"""

MEMORY = """
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import MessagesState, StateGraph
from model import Scripted

THREAD = {{"configurable": {{"thread_id": "inner"}}}}
agent = create_agent(Scripted(), [], checkpointer=InMemorySaver())

@tool
{async_}def helper(what: str) -> str:
    '''Ask the helper.'''
    given = {{"messages": [("user", what)]}}
    return ({await_}agent.{invoke}(given, THREAD))["messages"][-1].content

def use(what):
    {async_}def node(state):
        return {{"messages": [HumanMessage({await_}helper.{invoke}({{"what": what}}))]}}
    return node

{async_}def main():
    graph = StateGraph(MessagesState)
    for word in ("one", "two", "three"):
        graph.add_node(word, use(word))
    graph.add_edge("__start__", "one").add_edge("one", "two").add_edge("two", "three")
    done = {await_}graph.compile().{invoke}({{"messages": []}})
    return [message.content for message in done["messages"]]
"""

PRINTING = """
import operator
from typing import Annotated, TypedDict
from langchain_core.tools import tool
from langgraph.graph import START, StateGraph
from langgraph.types import Send
from model import Scripted
from stage import acalled, called, tell

class State(TypedDict):
    answers: Annotated[list, operator.add]

@tool
{async_}def look(what: str) -> str:
    '''Look at something.'''
    tell("tool")
    return {await_}{called}("tool", what)

{async_}def work(word):
    tell(f"node for {{word}}")
    answer = ({await_}Scripted().{invoke}(word)).content
    tell(f"the middle of node for {{word}}")
    return {{"answers": [{await_}look.{invoke}({{"what": answer}})]}}

{async_}def finish(state):
    tell("last node")
    return {{}}

{async_}def main():
    tell("main")
    graph = StateGraph(State)
    graph.add_node("work", work)
    graph.add_node("finish", finish)
    graph.add_conditional_edges(START, lambda _: [Send("work", "left"), Send("work", "right")], ["work"])
    graph.add_edge("work", "finish")
    done = {await_}graph.compile().{invoke}({{"answers": []}})
    return sorted(done["answers"])
"""

ASKING = """
from typing import TypedDict
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from model import Scripted

class State(TypedDict, total=False):
    word: str
    answer: str

def question(state):
    return {{"word": interrupt("Which birds?")}}

{async_}def tell(state):
    return {{"answer": ({await_}Scripted().{invoke}(f"what of {{state['word']}}")).content}}

def main():
    graph = StateGraph(State)
    graph.add_node("question", question)
    graph.add_node("tell", tell)
    graph.add_edge(START, "question")
    graph.add_edge("question", "tell")
    return graph
"""

AWAITING = """
import queue
from typing import TypedDict
from langgraph.graph import START, StateGraph
from model import Scripted
from stage import alater, later

class State(TypedDict, total=False):
    word: str
    answer: str

def wait():
    told = queue.Queue()
    later(told.put)
    return told.get()

{async_}def listen(state):
    return {{"word": {later}}}

{async_}def tell(state):
    return {{"answer": ({await_}Scripted().{invoke}(f"what of {{state['word']}}")).content}}

def main():
    graph = StateGraph(State)
    graph.add_node("listen", listen)
    graph.add_node("tell", tell)
    graph.add_edge(START, "listen")
    graph.add_edge("listen", "tell")
    return graph
"""

CANCELLING = """
import asyncio
import operator
from typing import Annotated, TypedDict
from langchain_core.tools import tool
from langgraph.graph import START, StateGraph
from model import Hanging, Scripted
from stage import BROKEN, LIMIT, aslowly

class State(TypedDict):
    answers: Annotated[list, operator.add]

@tool
async def look(what: str) -> str:
    '''Look at something.'''
    return await aslowly("tool", what)

async def limited(state):
    try:
        return {{"answers": [await asyncio.wait_for(look.ainvoke({{"what": "one"}}), LIMIT)]}}
    except asyncio.TimeoutError:
        return {{"answers": [(await Scripted().ainvoke("instead of one")).content]}}

async def slow(state):
    return {{"answers": [await look.ainvoke({{"what": "two"}})]}}

async def broken(state):
    await Scripted().ainvoke("broken")
    raise LookupError(BROKEN)

async def tell(state):
    return {{"answers": [(await Hanging().ainvoke("a stream")).content]}}

def graph(*nodes):
    made = StateGraph(State)
    for node in nodes:
        made.add_node(node.__name__, node)
        made.add_edge(START, node.__name__)
    return made.compile()

async def main():
    got = (await graph(limited).ainvoke({{"answers": []}}))["answers"]
    try:
        await graph(slow, broken).ainvoke({{"answers": []}})
    except LookupError as error:
        got.append((await Scripted().ainvoke(f"what about {{error}}")).content)
    told = graph(tell).astream({{"answers": []}}, stream_mode="messages")
    async for piece, _ in told:
        got.append(piece.content)
        break
    await told.aclose()
    return [*got, (await Scripted().ainvoke("instead of the rest")).content]
"""

TIMING = """
import threading
from typing import TypedDict
from langgraph.graph import START, StateGraph
from model import Scripted
from stage import in_time

stop = threading.Event()

class State(TypedDict):
    rounds: int

{async_}def work(state):
    rounds = 0
    while not stop.is_set():
        {await_}Scripted().{invoke}(f"round {{rounds}}")
        rounds += 1
    return {{"rounds": rounds}}

{async_}def main():
    graph = StateGraph(State)
    graph.add_node("work", work)
    graph.add_edge(START, "work")
    in_time(stop.set)
    done = {await_}graph.compile().{invoke}({{"rounds": 0}})
    return ({await_}Scripted().{invoke}(f"after {{done['rounds']}} rounds")).content
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

READING = """
from typing import TypedDict
from langgraph.graph import START, StateGraph
from model import Scripted

class State(TypedDict):
    note: str
    seen: str
    last: str

class Nothing(TypedDict):
    start: str

{async_}def ask(prompt):
    return ({await_}Scripted().{invoke}(prompt)).content

{async_}def write(state):
    return {{"note": {await_}ask("write")}}

{async_}def read(state):
    return {{"seen": {await_}ask(f"read {{state['note']}}")}}

{async_}def other(state: Nothing):
    return {{"last": {await_}ask("the same")}}

{async_}def main():
    builder = StateGraph(State)
    for node in (write, read, other):
        builder.add_node(node.__name__, node)
    for pair in ((START, "write"), ("write", "read"), ("read", "other")):
        builder.add_edge(*pair)
    result = {await_}builder.compile().{invoke}({{"note": "", "seen": "", "last": ""}})
    return [result["seen"], result["last"]]
"""

LIMITED = """
from typing import TypedDict
from langgraph.graph import START, StateGraph
from model import Scripted
from stage import ALLOWED

class State(TypedDict):
    answer: str

{async_}def work(state):
    return {{"answer": ({await_}Scripted().{invoke}("in time")).content}}

{async_}def main():
    builder = StateGraph(State)
    builder.add_node("work", work)
    builder.add_edge(START, "work")
    graph = builder.compile()
    graph.step_timeout = ALLOWED
    return ({await_}graph.{invoke}({{"answer": ""}}))["answer"]
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
    "invoke": "ainvoke",
    "stream": "astream",
    "later": "await alater()",
    "result": "",
}
_THREADS = {
    "async_": "",
    "await_": "",
    "called": "called",
    "invoke": "invoke",
    "stream": "stream",
    "later": "wait()",
    "result": ".result()",
}


def _kit(name: str, words: dict[str, str], environment: str, without: Sequence[Scene] = ()) -> Kit:
    return Kit(
        name=name,
        adapter="outtake_probe.targets.langgraph",
        packages=["langgraph", "langchain", "langchain-core"],
        environment=environment,
        programs={scene: program.format(**words) for scene, program in SCENES.items() if scene not in without},
        files={"model.py": MODEL, "outtake.toml": '[state]\nput = "shelf"\n'},
        tokens=(7, 3),
        setting=Setting(component="team/ann/model", key="system_prompt", value="Talk like a pirate."),
    )


KIT = _kit("LangGraph", _COROUTINES, "langgraph")
SYNC = _kit("LangGraph, sync", _THREADS, "langgraph", without=["cancelling"])
"""Nothing takes a call of a thread back."""
OLDEST = _kit("LangGraph, oldest", _COROUTINES, "langgraph-oldest")
