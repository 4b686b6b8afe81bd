"""Lists of events, which later releases of the workflows package fan out and collect by themselves."""

from __future__ import annotations

from workflows import Workflow, step
from workflows.events import StartEvent, StopEvent

from tests.targets.llamaindex.programs import All, Found, Part, ask, ran


class FanOut(Workflow):
    """A list of events, each worked on at once, and collected again."""

    @step
    async def split(self, ev: StartEvent) -> list[Part]:
        ran("split")
        text = await ask(f"split {ev.topic}")
        return [Part(number=n, text=f"{text} {n}") for n in range(3)]

    @step
    async def work(self, ev: Part) -> Found:
        ran("work")
        return Found(number=ev.number, text=await ask(ev.text))

    @step
    async def join(self, evs: list[Found]) -> All:
        ran("join")
        return All(text=await ask(" ".join(ev.text for ev in sorted(evs, key=lambda ev: ev.number))))

    @step
    async def end(self, ev: All) -> StopEvent:
        ran("end")
        return StopEvent(result=ev.text)
