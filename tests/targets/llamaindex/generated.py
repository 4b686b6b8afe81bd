"""Workflows made of drawn parts: questions, loops, fan-out and collection, nested runs, retries, people, state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, get_args

from hypothesis import strategies as st
from workflows import Context, Workflow, step
from workflows.events import Event, StartEvent, StopEvent
from workflows.retry_policy import ConstantDelayRetryPolicy

from tests.targets.llamaindex.programs import Answering, Asking, Child, Flaky, ask, ran

Part = Literal["ask", "loop", "fan", "nested", "retry", "human", "state"]
LONGEST = 4


class Link(Event):
    """What goes from one part to the next."""

    text: str
    turn: int = 0


LINKS: list[Any] = [type(f"Link{n}", (Link,), {"__module__": __name__}) for n in range(LONGEST + 1)]
PIECES: list[Any] = [type(f"Piece{n}", (Link,), {"__module__": __name__}) for n in range(LONGEST)]
DONES: list[Any] = [type(f"Done{n}", (Link,), {"__module__": __name__}) for n in range(LONGEST)]
globals().update({cls.__name__: cls for cls in (*LINKS, *PIECES, *DONES)})

parts = st.lists(st.sampled_from(get_args(Part)), min_size=1, max_size=LONGEST).map(tuple)


def workflow(chosen: Sequence[Part]) -> Workflow:
    """A workflow that goes through these parts."""
    body: dict[str, Any] = {"__module__": __name__, "begin": _begin(), "end": _end(len(chosen))}
    for number, part in enumerate(chosen):
        body.update(_STEPS[part](number))
    made: Any = type("Drawn", (Workflow,), body)
    return made(timeout=60)  # type: ignore[no-any-return]


def _step(function: Any, takes: Any, gives: Any, name: str, **options: Any) -> Any:
    function.__name__, function.__qualname__ = name, f"Drawn.{name}"
    function.__annotations__ = {"ctx": Context, "ev": takes, "return": gives}
    return step(**options)(function) if options else step(function)


def _begin() -> Any:
    async def begin(self: Any, ctx: Context, ev: Any) -> Any:
        ran("begin")
        return LINKS[0](text=ev.topic)

    return _step(begin, StartEvent, LINKS[0], "begin")


def _end(length: int) -> Any:
    async def end(self: Any, ctx: Context, ev: Any) -> Any:
        ran("end")
        return StopEvent(result=ev.text)

    return _step(end, LINKS[length], StopEvent, "end")


def _plain(number: int, answer: Callable[[Any, Any, Any], Any], **options: Any) -> dict[str, Any]:
    name = f"part{number}"

    async def run(self: Any, ctx: Context, ev: Any) -> Any:
        ran(name)
        return LINKS[number + 1](text=await answer(self, ctx, ev))

    return {name: _step(run, LINKS[number], LINKS[number + 1], name, **options)}


def _ask(number: int) -> dict[str, Any]:
    async def answer(self: Any, ctx: Any, ev: Any) -> str:
        return await ask(ev.text)

    return _plain(number, answer)


def _nested(number: int) -> dict[str, Any]:
    async def answer(self: Any, ctx: Any, ev: Any) -> str:
        return " ".join(await Child().run(topic=ev.text))

    return _plain(number, answer)


def _retry(number: int) -> dict[str, Any]:
    async def answer(self: Any, ctx: Any, ev: Any) -> str:
        said = await ask(f"{ev.text} {ctx.retry_info().retry_number}")
        if ctx.retry_info().retry_number == 0:
            raise Flaky(said)
        return said

    return _plain(number, answer, retry_policy=ConstantDelayRetryPolicy(delay=0.001, maximum_attempts=3))


def _human(number: int) -> dict[str, Any]:
    async def answer(self: Any, ctx: Any, ev: Any) -> str:
        told = await ctx.wait_for_event(Answering, waiter_event=Asking(question=ev.text), waiter_id=f"person {number}")
        return await ask(f"{ev.text} {told.words}")

    return _plain(number, answer)


def _state(number: int) -> dict[str, Any]:
    async def answer(self: Any, ctx: Any, ev: Any) -> str:
        said = await ctx.store.get("said", default=[])
        said.append(ev.text)
        await ctx.store.set("said", said)
        self.last = ev.text
        return await ask(" ".join(said))

    return _plain(number, answer)


def _loop(number: int) -> dict[str, Any]:
    name = f"part{number}"

    async def run(self: Any, ctx: Context, ev: Any) -> Any:
        ran(name)
        text = await ask(f"{ev.text} {ev.turn}")
        again = ev.turn < 2
        return LINKS[number](text=text, turn=ev.turn + 1) if again else LINKS[number + 1](text=text)

    return {name: _step(run, LINKS[number], LINKS[number] | LINKS[number + 1], name)}


def _fan(number: int) -> dict[str, Any]:
    piece, done = PIECES[number], DONES[number]

    async def spread(self: Any, ctx: Context, ev: Any) -> Any:
        ran(f"part{number}")
        for turn in range(3):
            ctx.send_event(piece(text=ev.text, turn=turn))
        return None

    async def work(self: Any, ctx: Context, ev: Any) -> Any:
        ran(f"work{number}")
        return done(text=await ask(f"{ev.text} {ev.turn}"), turn=ev.turn)

    async def gather(self: Any, ctx: Context, ev: Any) -> Any:
        ran(f"gather{number}")
        found = ctx.collect_events(ev, [done] * 3)
        if found is None:
            return None
        return LINKS[number + 1](text=" ".join(each.text for each in sorted(found, key=lambda each: each.turn)))

    return {
        f"part{number}": _step(spread, LINKS[number], piece | None, f"part{number}"),
        f"work{number}": _step(work, piece, done, f"work{number}"),
        f"gather{number}": _step(gather, done, LINKS[number + 1] | None, f"gather{number}"),
    }


_STEPS: dict[Part, Callable[[int], dict[str, Any]]] = {
    "ask": _ask,
    "loop": _loop,
    "fan": _fan,
    "nested": _nested,
    "retry": _retry,
    "human": _human,
    "state": _state,
}
