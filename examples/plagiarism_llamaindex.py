"""Checking where an essay comes from, as a workflow of LlamaIndex: preprocess, retrieve, identify, score, summarise."""

from workflows import Context, Workflow, step
from workflows.events import Event, StartEvent, StopEvent

import plagiarism
from chat_llamaindex import Chat
from plagiarism import Match


class HandedIn(StartEvent):
    """An essay to check, by its title."""

    title: str = plagiarism.SUBMISSION


class Prepared(Event):
    """The sentences of the essay."""

    sentences: list[str]


class Candidate(Event):
    """An essay of the library that is similar."""

    title: str
    similarity: float
    sentences: list[str]


class Identified(Event):
    """The sentences that were taken from an essay of the library."""

    source: str
    matches: list[Match]


class Scored(Event):
    """The share of sentences that were taken from elsewhere."""

    score: float
    matches: dict[str, list[Match]]


class Checking(Workflow):
    """Finds out what of an essay was taken from the library."""

    model = Chat(plagiarism.script)

    @step
    async def preprocess(self, ctx: Context, ev: HandedIn) -> Prepared:
        """Take the essay apart into sentences."""
        found = plagiarism.sentences(plagiarism.submission(ev.title))
        await ctx.store.set("sentences", len(found))
        return Prepared(sentences=found)

    @step
    async def retrieve(self, ctx: Context, ev: Prepared) -> Candidate | None:
        """Find the essays of the library that are most similar."""
        for title, similarity in plagiarism.similar(" ".join(ev.sentences))[: plagiarism.NEAREST]:
            ctx.send_event(Candidate(title=title, similarity=similarity, sentences=ev.sentences))
        return None

    @step(num_workers=1)
    async def identify(self, ev: Candidate) -> Identified:
        """Have the model say which sentences are the same."""
        theirs = plagiarism.sentences(plagiarism.source(ev.title))
        told = await self.model.acomplete(plagiarism.compare_prompt(ev.sentences, theirs))
        return Identified(source=ev.title, matches=plagiarism.read_matches(told.text))

    @step(num_workers=1)
    async def compute(self, ctx: Context, ev: Identified) -> Scored | None:
        """Compute the share of sentences that were taken."""
        found = ctx.collect_events(ev, [Identified] * plagiarism.NEAREST)
        if found is None:
            return None
        matches = {one.source: one.matches for one in sorted(found, key=lambda one: str(one.source))}
        taken = {mine for pairs in matches.values() for mine, _ in pairs}
        return Scored(score=len(taken) / await ctx.store.get("sentences"), matches=matches)

    @step
    async def summarise(self, ev: Scored) -> StopEvent:
        """Have the model put it into words."""
        told = await self.model.acomplete(plagiarism.summary_prompt(ev.score, ev.matches))
        return StopEvent(result=told.text)


def checking() -> Checking:
    return Checking(timeout=60)
