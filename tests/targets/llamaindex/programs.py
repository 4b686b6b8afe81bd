"""Workflows to debug, with a model that answers with a hash of what it is asked, so that any error shows."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from pydantic import BaseModel, Field
from workflows import Context, Workflow, catch_error, step
from workflows.events import Event, HumanResponseEvent, InputRequiredEvent, StartEvent, StepFailedEvent, StopEvent
from workflows.resource import Resource
from workflows.retry_policy import ConstantDelayRetryPolicy

import outtake

CALLS: Counter[str] = Counter()
"""Models and tools that were really called, and steps whose code really ran (``step NAME``)."""


def hashed(*parts: object) -> str:
    return hashlib.blake2b("|".join(map(str, parts)).encode(), digest_size=4).hexdigest()


@outtake.model
async def ask(prompt: str) -> str:
    CALLS["model"] += 1
    await asyncio.sleep(0)
    return hashed(prompt)


@outtake.model(name="ask")
def ask_now(prompt: str) -> str:
    CALLS["model"] += 1
    return hashed(prompt)


def ran(name: str) -> None:
    CALLS[f"step {name}"] += 1


class Part(Event):
    number: int
    text: str = ""


class Found(Event):
    number: int
    text: str


class All(Event):
    text: str


class Draft(Event):
    text: str
    turn: int


class Sending(Workflow):
    """Events that are sent, and collected by their number."""

    @step
    async def split(self, ctx: Context, ev: StartEvent) -> Part | None:
        ran("split")
        for n in range(3):
            ctx.send_event(Part(number=n, text=await ask(f"part {n} of {ev.topic}")))
        return None

    @step(num_workers=2)
    async def work(self, ev: Part) -> Found:
        ran("work")
        return Found(number=ev.number, text=await ask(ev.text))

    @step
    async def collect(self, ctx: Context, ev: Found) -> StopEvent | None:
        ran("collect")
        found = ctx.collect_events(ev, [Found] * 3)
        if found is None:
            return None
        return StopEvent(result=await ask(" ".join(sorted(each.text for each in found))))


class Loop(Workflow):
    """Writes and criticises in turns; the conversation is kept in the state."""

    @step
    async def begin(self, ctx: Context, ev: StartEvent) -> Draft:
        ran("begin")
        await ctx.store.set("said", [ev.topic])
        await ctx.store.set("other", "untouched")
        return Draft(text=ev.topic, turn=0)

    @step
    async def write(self, ctx: Context, ev: Draft) -> All | StopEvent:
        ran("write")
        said = await ctx.store.get("said")
        said.append(await ask(" ".join(said)))
        if ev.turn == 3:
            return StopEvent(result=said)
        return All(text=said[-1])

    @step
    async def criticise(self, ctx: Context, ev: All) -> Draft:
        ran("criticise")
        async with ctx.store.edit_state() as state:
            state["turn"] = state.get("turn", 0) + 1
            turn = state["turn"]
        said = await ctx.store.get("said")
        await ctx.store.set("said", [*said, await ask(f"criticise {ev.text}")])
        return Draft(text=ev.text, turn=turn)


class Scores(BaseModel):
    total: int = 0
    names: list[str] = Field(default_factory=list)
    hidden: str = ""


class Typed(Workflow):
    """A state that is a model, and attributes of the workflow's own."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = 0
        self.cache: dict[str, str] = {}

    @step
    async def split(self, ctx: Context[Scores], ev: StartEvent) -> Part | None:
        ran("split")
        async with ctx.store.edit_state() as state:
            state.hidden = await ask("hidden")
        for n in range(3):
            ctx.send_event(Part(number=n, text=f"{ev.topic} {n}"))
        return None

    @step(num_workers=1)
    async def work(self, ctx: Context[Scores], ev: Part) -> Found:
        ran("work")
        text = await ask(ev.text)
        self.seen += 1
        self.cache[ev.text] = text
        async with ctx.store.edit_state() as state:
            state.total += ev.number
            state.names.append(text)
        return Found(number=ev.number, text=text)

    @step(num_workers=1)
    async def join(self, ctx: Context[Scores], ev: Found) -> StopEvent | None:
        ran("join")
        if ctx.collect_events(ev, [Found] * 3) is None:
            return None
        state = await ctx.store.get_state()
        told = [state.total, state.names, state.hidden, self.seen, sorted(self.cache.items())]
        return StopEvent(result=await ask(str(told)))


class Asking(InputRequiredEvent):
    question: str


class Answering(HumanResponseEvent):
    words: str


class Waits(Workflow):
    """A step that waits for a person."""

    @step
    async def prepare(self, ev: StartEvent) -> All:
        ran("prepare")
        return All(text=await ask(ev.topic))

    @step
    async def confer(self, ctx: Context, ev: All) -> Found:
        ran("confer")
        answer = await ctx.wait_for_event(Answering, waiter_event=Asking(question=ev.text))
        return Found(number=0, text=await ask(f"{ev.text} {answer.words}"))

    @step
    async def end(self, ev: Found) -> StopEvent:
        ran("end")
        return StopEvent(result=ev.text)


class Returns(Workflow):
    """A step that asks a person by what it returns."""

    @step
    async def prepare(self, ev: StartEvent) -> Asking:
        ran("prepare")
        return Asking(question=await ask(ev.topic))

    @step
    async def end(self, ev: Answering) -> StopEvent:
        ran("end")
        return StopEvent(result=await ask(ev.words))


class Flaky(Exception):
    """What fails in `Retries`."""


class Retries(Workflow):
    """A step that fails twice."""

    def __init__(self) -> None:
        super().__init__()
        self.failures = 0

    @step(retry_policy=ConstantDelayRetryPolicy(delay=0.01, maximum_attempts=4))
    async def flaky(self, ctx: Context, ev: StartEvent) -> All:
        ran("flaky")
        text = await ask(f"{ev.topic} {self.failures}")
        self.failures += 1
        if self.failures < 3:
            raise Flaky(text)
        return All(text=text)

    @step
    async def end(self, ev: All) -> StopEvent:
        ran("end")
        return StopEvent(result=[ev.text, self.failures])


class Handled(Workflow):
    """An error that is handled by returning to the way."""

    @step
    async def fails(self, ev: StartEvent) -> Found:
        ran("fails")
        raise Flaky(await ask(ev.topic))

    @catch_error(for_steps=["fails"])
    async def rescue(self, ev: StepFailedEvent) -> Found:
        ran("rescue")
        return Found(number=ev.attempts, text=await ask(f"{ev.step_name} {ev.exception}"))

    @step
    async def end(self, ev: Found) -> StopEvent:
        ran("end")
        return StopEvent(result=[ev.number, ev.text])


class Child(Workflow):
    """Is run inside a step."""

    @step
    async def first(self, ctx: Context, ev: StartEvent) -> All:
        ran("first")
        await ctx.store.set("inner", ev.topic)
        return All(text=await ask(f"child {ev.topic}"))

    @step
    async def last(self, ctx: Context, ev: All) -> StopEvent:
        ran("last")
        return StopEvent(result=[ev.text, await ctx.store.get("inner")])


class Nested(Workflow):
    """Runs another workflow in a step, twice."""

    @step
    async def outer(self, ctx: Context, ev: StartEvent) -> All:
        ran("outer")
        one: list[str] = await Child().run(topic=ev.topic)
        two: list[str] = await Child().run(topic=one[0])
        await ctx.store.set("two", two)
        return All(text=" ".join(one + two))

    @step
    async def end(self, ctx: Context, ev: All) -> StopEvent:
        ran("end")
        return StopEvent(result=[await ask(ev.text), await ctx.store.get("two")])


class Threads(Workflow):
    """Steps that are no coroutines."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    @step
    def split(self, ctx: Context, ev: StartEvent) -> Part:
        ran("split")
        return Part(number=1, text=ask_now(ev.topic))

    @step
    def work(self, ev: Part) -> Found:
        ran("work")
        return Found(number=ev.number, text=ask_now(ev.text))

    @step
    def join(self, ev: Found) -> StopEvent:
        ran("join")
        self.count += ev.number
        return StopEvent(result=ask_now(f"{ev.text} {self.count}"))


class Locks(Workflow):
    """Keeps a lock and a function in the state: steps that touch the lock are executed again."""

    @step
    async def make(self, ctx: Context, ev: StartEvent) -> All:
        ran("make")
        await ctx.store.set("lock", threading.Lock())
        await ctx.store.set("name", ev.topic)
        text = await ask(ev.topic)
        await ctx.store.set("say", lambda: text)
        return All(text=text)

    @step
    async def free(self, ctx: Context, ev: All) -> Found:
        ran("free")
        return Found(number=1, text=await ask(f"{ev.text} {await ctx.store.get('name')}"))

    @step
    async def use(self, ctx: Context, ev: Found) -> StopEvent:
        ran("use")
        with await ctx.store.get("lock"):
            return StopEvent(result=await ask(ev.text + (await ctx.store.get("say"))()))


class Streams(Workflow):
    """Tells of its progress."""

    @step
    async def talk(self, ctx: Context, ev: StartEvent) -> All:
        ran("talk")
        for n in range(3):
            ctx.write_event_to_stream(Part(number=n, text=await ask(f"{ev.topic} {n}")))
        return All(text="talked")

    @step
    async def end(self, ev: All) -> StopEvent:
        ran("end")
        return StopEvent(result=ev.text)


class Shelf:
    """What is injected: it remembers what was put there."""

    def __init__(self) -> None:
        self.books: list[str] = []
        self.lock = threading.Lock()


def shelf() -> Shelf:
    return Shelf()


class Injected(Workflow):
    """Steps that share a resource, and one that has nothing to do with it."""

    @step
    async def put(self, ev: StartEvent, shelf: Annotated[Shelf, Resource(shelf)]) -> All:
        ran("put")
        shelf.books.append(await ask(ev.topic))
        return All(text=shelf.books[0])

    @step
    async def think(self, ev: All) -> Found:
        ran("think")
        return Found(number=1, text=await ask(ev.text))

    @step
    async def take(self, ev: Found, shelf: Annotated[Shelf, Resource(shelf)]) -> StopEvent:
        ran("take")
        return StopEvent(result=[await ask(f"{shelf.books.pop()} {ev.text}"), shelf.books])


class Line(BaseModel):
    """Something that was said; it can be changed in place."""

    who: str
    words: list[str]


class Talk(Workflow):
    """Keeps what was said in the state, as objects, and changes what was said before."""

    @step
    async def speak(self, ctx: Context, ev: StartEvent | Draft) -> Draft | StopEvent:
        turn = ev.turn if isinstance(ev, Draft) else 0
        ran(f"speak {turn}")
        said: list[Line] = await ctx.store.get("said", default=[])
        words = await ask(" ".join(word for line in said for word in line.words) or "hello")
        if turn % 3 == 2:
            said[0].words.append(words)
        said.append(Line(who=f"speaker {turn % 2}", words=[words]))
        await ctx.store.set("said", said if turn % 2 else [*said])
        if turn == 6:
            return StopEvent(result=[line.model_dump() for line in said])
        return Draft(text=words, turn=turn + 1)


# -- how each is run -------------------------------------------------------------------------------------------------


async def plain(made: Workflow) -> Any:
    return await made.run(topic="birds")


async def answered(made: Workflow) -> Any:
    handler = made.run(topic="birds")
    async for event in handler.stream_events():
        if isinstance(event, Asking):
            handler.ctx.send_event(Answering(words=f"about {event.question}"))
    return await handler


async def listened(made: Workflow) -> Any:
    handler = made.run(topic="birds")
    heard = [event.text async for event in handler.stream_events() if isinstance(event, Part)]
    return [await handler, heard]


async def at_once() -> Any:
    """Several runs of one workflow, one of them at a time."""
    made = Child(num_concurrent_runs=1)
    return await asyncio.gather(*(made.run(topic=topic) for topic in ("birds", "fish", "trees")))


PROGRAMS: dict[str, Callable[[], Coroutine[Any, Any, Any]]] = {
    "sending": lambda: plain(Sending()),
    "loop": lambda: plain(Loop()),
    "typed": lambda: plain(Typed()),
    "waits": lambda: answered(Waits()),
    "returns": lambda: answered(Returns()),
    "retries": lambda: plain(Retries()),
    "handled": lambda: plain(Handled()),
    "nested": lambda: plain(Nested()),
    "threads": lambda: plain(Threads()),
    "locks": lambda: plain(Locks()),
    "streams": lambda: listened(Streams()),
    "injected": lambda: plain(Injected()),
    "talk": lambda: plain(Talk()),
    "at once": at_once,
}
