"""LlamaIndex: workflows whose steps ask a scripted model, use tools, run agents; with coroutines and with threads."""

from __future__ import annotations

from outtake.testing.kit import Kit, Scene, Setting
from outtake_probe.records import Json

MODEL = '''
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse, LLMMetadata
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from stage import acalled, called, pieces

class Scripted(FunctionCallingLLM):
    """Answers with a hash of what it is told; calls the first tool that it has, once."""

    api_key: str = "unused"

    @property
    def metadata(self):
        return LLMMetadata(model_name="scripted", is_function_calling_model=True)

    def _response(self, messages, answer, tools=()):
        calls = []
        if tools and messages[-1].role.value != "tool":
            calls = [{"id": f"call {len(messages)}", "name": tools[0], "what": answer}]
        said = ChatMessage(role="assistant", content=answer, additional_kwargs={"calls": calls} if calls else {})
        return ChatResponse(message=said, raw={"usage": {"prompt_tokens": 7, "completion_tokens": 3}})

    def chat(self, messages, tools=(), **kwargs):
        return self._response(messages, called("model", said(messages)), tools)

    async def achat(self, messages, tools=(), **kwargs):
        return self._response(messages, await acalled("model", said(messages)), tools)

    def stream_chat(self, messages, tools=(), **kwargs):
        whole = self.chat(messages, tools)
        return iter(list(self._pieces(whole)))

    async def astream_chat(self, messages, tools=(), **kwargs):
        async def give():
            for piece in self._pieces(await self.achat(messages, tools)):
                yield piece
        return give()

    def _pieces(self, whole):
        text, parts = "", pieces(whole.message.content)
        for part in parts[:-1]:
            text += part
            yield ChatResponse(message=ChatMessage(role="assistant", content=text), delta=part)
        yield ChatResponse(message=whole.message, delta=parts[-1], raw=whole.raw)

    def complete(self, prompt, formatted=False, **kwargs):
        used = {"prompt_tokens": 7, "completion_tokens": 3}
        return CompletionResponse(text=called("model", prompt), raw={"usage": used})

    async def acomplete(self, prompt, formatted=False, **kwargs):
        used = {"prompt_tokens": 7, "completion_tokens": 3}
        return CompletionResponse(text=await acalled("model", prompt), raw={"usage": used})

    def stream_complete(self, prompt, formatted=False, **kwargs):
        raise NotImplementedError

    async def astream_complete(self, prompt, formatted=False, **kwargs):
        raise NotImplementedError

    def _prepare_chat_with_tools(self, tools, user_msg=None, chat_history=None, **kwargs):
        asked = [*(chat_history or []), *([user_msg] if user_msg is not None else [])]
        return {"messages": asked, "tools": [tool.metadata.name for tool in tools]}

    def get_tool_calls_from_response(self, response, error_on_no_tool_call=True, **kwargs):
        calls = response.message.additional_kwargs.get("calls", [])
        return [
            ToolSelection(tool_id=call["id"], tool_name=call["name"], tool_kwargs={"what": call["what"]})
            for call in calls
        ]

def said(messages):
    return " ".join(str(message.content) for message in messages)
'''

_HEAD = """
import threading
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.tools import FunctionTool
from workflows import Context, Workflow, step
from workflows.events import Event, StartEvent, StopEvent
from model import Scripted
from stage import BROKEN, acalled, called, opening, secrets, tell

llm = Scripted()

class Found(Event):
    text: str
"""

CHAT = (
    _HEAD
    + """
async def look(what: str) -> str:
    '''Look at something.'''
    return await acalled("tool", f"look at {what}")

class Chat(Workflow):
    def __init__(self):
        super().__init__(timeout=300)
        self.lock = threading.Lock()  # what a record cannot hold: the code of `gather` is executed in every fork

    @step
    async def gather(self, ev: StartEvent) -> Found:
        with self.lock:
            pass
        said = await llm.acomplete(opening(ev.input))
        return Found(text=str(await FunctionTool.from_defaults(look).acall(what=said.text)))

    @step
    async def finish(self, ev: Found) -> StopEvent:
        writer = FunctionAgent(name="writer", llm=llm, system_prompt="Finish it.")
        return StopEvent(result=str(await writer.run(user_msg=f"finish {ev.text}")))

def main():
    return Chat()
"""
)

CHAT_IN_THREADS = (
    _HEAD
    + """
def look(what: str) -> str:
    '''Look at something.'''
    return called("tool", f"look at {what}")

class Chat(Workflow):
    def __init__(self):
        super().__init__(timeout=300)
        self.lock = threading.Lock()  # what a record cannot hold: the code of `gather` is executed in every fork

    @step
    def gather(self, ev: StartEvent) -> Found:
        with self.lock:
            pass
        said = llm.complete(opening(ev.input))
        return Found(text=str(FunctionTool.from_defaults(look).call(what=said.text)))

    @step
    async def finish(self, ev: Found) -> StopEvent:
        writer = FunctionAgent(name="writer", llm=llm, system_prompt="Finish it.", streaming=False)
        return StopEvent(result=str(await writer.run(user_msg=f"finish {ev.text}")))

def main():
    return Chat()
"""
)

_BOTH = (
    _HEAD
    + """
class Left(Event):
    text: str

class Right(Event):
    text: str

class Both(Workflow):
    @step
    async def split(self, ctx: Context, ev: StartEvent) -> Left | Right | None:
        ctx.send_event(Left(text="left"))
        ctx.send_event(Right(text="right"))
        return None
"""
)

PARALLEL = (
    _BOTH
    + """
    @step
    async def left(self, ev: Left) -> Found:
        return Found(text=(await llm.acomplete(ev.text)).text)

    @step
    async def right(self, ev: Right) -> Found:
        said = await llm.acomplete(ev.text)
        return Found(text=(await llm.acomplete(f"again {said.text}")).text)

    @step
    async def join(self, ctx: Context, ev: Found) -> StopEvent | None:
        found = ctx.collect_events(ev, [Found, Found])
        return StopEvent(result=sorted(each.text for each in found)) if found else None

def main():
    return Both(timeout=300)
"""
)

PARALLEL_IN_THREADS = (
    _BOTH
    + """
    @step
    def left(self, ev: Left) -> Found:
        return Found(text=llm.complete(ev.text).text)

    @step
    def right(self, ev: Right) -> Found:
        return Found(text=llm.complete(f"again {llm.complete(ev.text).text}").text)

    @step
    def join(self, ctx: Context, ev: Found) -> StopEvent | None:
        found = ctx.collect_events(ev, [Found, Found])
        return StopEvent(result=sorted(each.text for each in found)) if found else None

def main():
    return Both(timeout=300)
"""
)

FAILING = (
    _HEAD
    + """
async def look(what: str) -> str:
    '''Look at something.'''
    await acalled("tool", what)
    raise LookupError(BROKEN)

class Failing(Workflow):
    @step
    async def only(self, ev: StartEvent) -> StopEvent:
        try:
            await FunctionTool.from_defaults(look).acall(what=opening(ev.input))
        except LookupError as error:
            return StopEvent(result=(await llm.acomplete(f"what about {error}")).text)
        return StopEvent()

def main():
    return Failing(timeout=300)
"""
)

FAILING_IN_THREADS = (
    _HEAD
    + """
def look(what: str) -> str:
    '''Look at something.'''
    called("tool", what)
    raise LookupError(BROKEN)

class Failing(Workflow):
    @step
    def only(self, ev: StartEvent) -> StopEvent:
        try:
            FunctionTool.from_defaults(look).call(what=opening(ev.input))
        except LookupError as error:
            return StopEvent(result=llm.complete(f"what about {error}").text)
        return StopEvent()

def main():
    return Failing(timeout=300)
"""
)

STREAM = (
    _HEAD
    + """
from llama_index.core.base.llms.types import ChatMessage

class Stream(Workflow):
    @step
    async def only(self, ev: StartEvent) -> StopEvent:
        stream = await llm.astream_chat([ChatMessage(role="user", content=opening(ev.input))])
        got = [piece.delta async for piece in stream]
        return StopEvent(result={"pieces": len(got), "text": "".join(got)})

def main():
    return Stream(timeout=300)
"""
)

STREAM_IN_THREADS = (
    _HEAD
    + """
from llama_index.core.base.llms.types import ChatMessage

class Stream(Workflow):
    @step
    def only(self, ev: StartEvent) -> StopEvent:
        got = [piece.delta for piece in llm.stream_chat([ChatMessage(role="user", content=opening(ev.input))])]
        return StopEvent(result={"pieces": len(got), "text": "".join(got)})

def main():
    return Stream(timeout=300)
"""
)

LETTERS = (
    _HEAD
    + """
class Letter(Event):
    text: str

class Done(Event):
    pass

class Post(Workflow):
    def __init__(self):
        super().__init__(timeout=300)
        self.answers = []

    @step
    async def send(self, ctx: Context, ev: StartEvent) -> Letter | None:
        for word in ("one", "two", "three"):
            ctx.send_event(Letter(text=word))
        return None

    @step(num_workers=1)
    async def clerk(self, ctx: Context, ev: Letter | Done) -> Done | StopEvent | None:
        if isinstance(ev, Done):
            return StopEvent(result=self.answers)
        self.answers.append((await llm.acomplete(ev.text)).text)
        return Done() if ev.text == "three" else None

def main():
    return Post()
"""
)

SETTING = (
    _HEAD
    + """
async def look(what: str) -> str:
    '''Look at something.'''
    return "nothing"

def main():
    return FunctionAgent(name="ann", llm=llm, tools=[look], system_prompt="Be brief.")
"""
)

SECRET = (
    _HEAD
    + """
class Secret(Workflow):
    @step
    async def only(self, ev: StartEvent) -> StopEvent:
        told = secrets()
        print("the keys are", *told)
        client = Scripted(api_key=told[0])
        said = await client.acomplete(f"keep {' and '.join(told)}")
        return StopEvent(result=[said.text, *told])

def main():
    return Secret(timeout=300)
"""
)

SHARED = (
    _HEAD
    + """
SHELF = []

async def put(what: str) -> list:
    '''Put something on the shelf.'''
    await acalled("tool", f"put {what}")
    SHELF.append(what)
    return list(SHELF)

tool = FunctionTool.from_defaults(async_fn=put)

class Shared(Workflow):
    @step
    async def fill(self, ev: StartEvent) -> Found:
        for word in ("one", "two"):
            await tool.acall(what=word)
        return Found(text="three")

    @step
    async def add(self, ev: Found) -> StopEvent:
        return StopEvent(result=(await tool.acall(what=ev.text)).raw_output)

def main():
    return Shared(timeout=300)
"""
)

MEMORY = (
    _HEAD
    + """
from llama_index.core.memory import ChatMemoryBuffer

class Second(Event):
    pass

class Third(Event):
    pass

agent = FunctionAgent(name="helper", llm=llm, system_prompt="Help.")
memory = ChatMemoryBuffer.from_defaults(token_limit=100000, tokenizer_fn=str.split)

async def helper(what: str) -> str:
    '''Ask the helper.'''
    return str(await agent.run(user_msg=what, memory=memory))

tool = FunctionTool.from_defaults(async_fn=helper)

class Uses(Workflow):
    @step
    async def first(self, ev: StartEvent) -> Second:
        await tool.acall(what="one")
        return Second()

    @step
    async def second(self, ev: Second) -> Third:
        await tool.acall(what="two")
        return Third()

    @step
    async def third(self, ev: Third) -> StopEvent:
        return StopEvent(result=str(await tool.acall(what="three")))

def main():
    return Uses(timeout=300)
"""
)

PRINTING = (
    _BOTH
    + """
    @step
    async def left(self, ev: Left) -> Found:
        tell("left")
        said = await llm.acomplete(ev.text)
        tell("the end of left")
        return Found(text=said.text)

    @step
    async def right(self, ev: Right) -> Found:
        tell("right")
        found = await tool.acall(what=(await llm.acomplete(ev.text)).text)
        tell("the end of right")
        return Found(text=str(found))

    @step
    async def join(self, ctx: Context, ev: Found) -> StopEvent | None:
        tell("join")
        found = ctx.collect_events(ev, [Found, Found])
        return StopEvent(result=sorted(each.text for each in found)) if found else None

async def look(what: str) -> str:
    '''Look at something.'''
    tell("tool")
    return await acalled("tool", what)

tool = FunctionTool.from_defaults(async_fn=look)

def main():
    tell("main")
    return Both(timeout=300)
"""
)

_TOLD = (
    _HEAD
    + """
from workflows.events import HumanResponseEvent, InputRequiredEvent
from stage import later

class Asked(InputRequiredEvent):
    question: str

class Word(HumanResponseEvent):
    word: str

class Told(Workflow):
    @step
    async def listen(self, ctx: Context, ev: StartEvent) -> Found:
        word = await ctx.wait_for_event(Word, waiter_event=Asked(question="Which birds?"))
        return Found(text=(await llm.acomplete(f"what of {word.word}")).text)

    @step
    async def finish(self, ev: Found) -> StopEvent:
        return StopEvent(result=ev.text)
"""
)

ASKING = (
    _TOLD
    + """
def main():
    return Told(timeout=300)
"""
)

AWAITING = (
    _TOLD
    + """
import asyncio

async def main():
    handler = Told(timeout=300).run()
    loop = asyncio.get_running_loop()
    later(lambda word: loop.call_soon_threadsafe(lambda: handler.ctx.send_event(Word(word=word))))
    return str(await handler)
"""
)

CANCELLING = (
    _HEAD
    + """
import asyncio
from stage import LIMIT, aslowly

async def look(what: str) -> str:
    '''Look at something.'''
    return await aslowly("tool", what)

tool = FunctionTool.from_defaults(async_fn=look)

class Limited(Workflow):
    @step
    async def only(self, ev: StartEvent) -> StopEvent:
        try:
            return StopEvent(result=str(await asyncio.wait_for(tool.acall(what="one"), LIMIT)))
        except asyncio.TimeoutError:
            return StopEvent(result=(await llm.acomplete("instead of one")).text)

class Slow(Workflow):
    @step
    async def only(self, ev: StartEvent) -> StopEvent:
        return StopEvent(result=str(await tool.acall(what="two")))

async def main():
    got = [await Limited(timeout=300).run()]
    try:
        await Slow(timeout=LIMIT).run()
    except Exception as error:
        got.append((await llm.acomplete(f"what about a {type(error).__name__}")).text)
    handler = Slow(timeout=300).run()
    await asyncio.sleep(LIMIT)
    await handler.cancel_run()
    return [*got, (await llm.acomplete("instead of the rest")).text]
"""
)

READING = (
    _HEAD
    + """
class Read(Event):
    pass

class Other(Event):
    pass

class Reading(Workflow):
    @step
    async def write(self, ctx: Context, ev: StartEvent) -> Read:
        self.note = (await llm.acomplete("write")).text
        await ctx.store.set("note", self.note)
        return Read()

    @step
    async def read(self, ctx: Context, ev: Read) -> Other:
        asked = f"read {await ctx.store.get('note')} and {self.note}"
        await ctx.store.set("seen", (await llm.acomplete(asked)).text)
        return Other()

    @step
    async def other(self, ctx: Context, ev: Other) -> StopEvent:
        last = (await llm.acomplete("the same")).text
        return StopEvent(result=[await ctx.store.get("seen"), last])

def main():
    return Reading(timeout=300)
"""
)

LIMITED = (
    _HEAD
    + """
from stage import ALLOWED

class Limited(Workflow):
    @step
    async def only(self, ev: StartEvent) -> StopEvent:
        return StopEvent(result=(await llm.acomplete("in time")).text)

def main():
    return Limited(timeout=ALLOWED)
"""
)

LIMITED_IN_THREADS = LIMITED.replace("async def only", "def only").replace("await llm.acomplete", "llm.complete")

TIMING = (
    _HEAD
    + """
from stage import in_time

class Busy(Workflow):
    @step
    async def work(self, ev: StartEvent) -> StopEvent:
        stop, rounds = threading.Event(), 0
        in_time(stop.set)
        while not stop.is_set():
            await llm.acomplete(f"round {rounds}")
            rounds += 1
        return StopEvent(result=(await llm.acomplete(f"after {rounds} rounds")).text)

def main():
    return Busy(timeout=300)
"""
)

TIMING_IN_THREADS = (
    _HEAD
    + """
from stage import in_time

class Busy(Workflow):
    @step
    def work(self, ev: StartEvent) -> StopEvent:
        stop, rounds = threading.Event(), 0
        in_time(stop.set)
        while not stop.is_set():
            llm.complete(f"round {rounds}")
            rounds += 1
        return StopEvent(result=llm.complete(f"after {rounds} rounds").text)

def main():
    return Busy(timeout=300)
"""
)

_HANDLE = """
import outtake
from stage import at_once

chat = main()

@outtake.run
async def handle(topic: str) -> str:
    return await chat.run(input=topic)

if __name__ == "__main__":
    at_once(handle)
"""
REQUESTS = CHAT + _HANDLE

_PROGRAMS: dict[Scene, str] = {
    "chat": CHAT,
    "parallel": PARALLEL,
    "failing": FAILING,
    "stream": STREAM,
    "letters": LETTERS,
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
_IN_THREADS: dict[Scene, str] = {
    **_PROGRAMS,
    "chat": CHAT_IN_THREADS,
    "parallel": PARALLEL_IN_THREADS,
    "failing": FAILING_IN_THREADS,
    "stream": STREAM_IN_THREADS,
    "timing": TIMING_IN_THREADS,
    "limited": LIMITED_IN_THREADS,
    "requests": CHAT_IN_THREADS + _HANDLE,
}


def _letter(text: str) -> Json:
    return {"type": "Letter", "text": text}


def _reply(word: str) -> Json:
    return {"word": word}


def _kit(name: str, programs: dict[Scene, str], environment: str) -> Kit:
    return Kit(
        name=name,
        adapter="outtake_probe.targets.llamaindex",
        packages=["llama-index-workflows", "llama-index-core"],
        environment=environment,
        programs=programs,
        files={"model.py": MODEL, "outtake.toml": '[state]\nput = "shelf"\n'},
        tokens=(7, 3),
        setting=Setting(component="ann", key="system_prompt", value="Talk like a pirate."),
        reply=_reply,
        message=_letter,
        reruns=["Both/join"],  # collects events: executed again when another worker has collected one meanwhile
    )


KIT = _kit("LlamaIndex", _PROGRAMS, "llamaindex")
SYNC = _kit("LlamaIndex, sync", _IN_THREADS, "llamaindex")
OLDEST = _kit("LlamaIndex, oldest", _PROGRAMS, "llamaindex-oldest")
