"""Recommending a university as a workflow of LlamaIndex: fetch the pages, find criteria, rank, summarise."""

import asyncio

from workflows import Context, Workflow, step
from workflows.events import Event, StartEvent, StopEvent

import universities
from chat_llamaindex import Chat
from universities import Criteria, Facts


class Wished(StartEvent):
    """What somebody wants of a university."""

    wish: str = universities.WISH


class Address(Event):
    """A page to fetch."""

    page: str


class Fetched(Event):
    """What a page says of a university."""

    name: str
    facts: Facts


class Gathered(Event):
    """What all pages say."""

    pages: dict[str, Facts]


class Wish(Event):
    """What somebody wants."""

    text: str


class Weighed(Event):
    """How much each fact matters, from 0 to 1."""

    criteria: Criteria


class Ranked(Event):
    """The universities with their marks, the best first."""

    ranking: list[tuple[str, float]]
    criteria: Criteria


class Recommending(Workflow):
    """Recommends a university."""

    model = Chat(universities.script)

    @step
    async def begin(self, ctx: Context, ev: Wished) -> Address | Wish | None:
        """Say what is to be fetched and what is wished."""
        pages = universities.addresses()
        await ctx.store.set("count", len(pages))
        ctx.send_event(Wish(text=ev.wish))
        for page in pages:
            ctx.send_event(Address(page=page))
        return None

    @step(num_workers=5)
    async def fetch(self, ev: Address) -> Fetched:
        """Fetch a page, which takes its time."""
        await asyncio.sleep(universities.DELAY)
        name, facts = universities.read(ev.page)
        return Fetched(name=name, facts=facts)

    @step(num_workers=1)
    async def gather(self, ctx: Context, ev: Fetched) -> Gathered | None:
        """Wait for all pages."""
        found = ctx.collect_events(ev, [Fetched] * await ctx.store.get("count"))
        return None if found is None else Gathered(pages={one.name: one.facts for one in found})

    @step
    async def criteria(self, ev: Wish) -> Weighed:
        """Have the model say what matters."""
        told = await self.model.acomplete(universities.criteria_prompt(ev.text))
        return Weighed(criteria=universities.read_criteria(told.text))

    @step(num_workers=1)
    async def rank(self, ctx: Context, ev: Weighed | Gathered) -> Ranked | None:
        """Rank the universities by the criteria."""
        found = ctx.collect_events(ev, [Weighed, Gathered])
        if found is None:
            return None
        weighed, gathered = found
        return Ranked(ranking=universities.rank(gathered.pages, weighed.criteria), criteria=weighed.criteria)

    @step
    async def summarise(self, ev: Ranked) -> StopEvent:
        """Have the model recommend one."""
        told = await self.model.acomplete(universities.summary_prompt(ev.ranking, ev.criteria))
        return StopEvent(result=told.text)


def recommending() -> Recommending:
    return Recommending(timeout=60)
