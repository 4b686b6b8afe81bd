"""Grading essays as a workflow of LlamaIndex: ingest, assess each, compute, summarise."""

from workflows import Context, Workflow, step
from workflows.events import Event, StartEvent, StopEvent

import essays
from chat_llamaindex import Chat


class Essay(Event):
    """One essay to assess."""

    student: str
    text: str


class Assessed(Event):
    """The marks of one essay, as fractions of full marks."""

    student: str
    marks: dict[str, float]


class Computed(Event):
    """The average of the class, as a fraction of full marks."""

    average: float
    marks: dict[str, dict[str, float]]


class Grading(Workflow):
    """Grades a class of essays."""

    model = Chat(essays.script)

    @step
    async def ingest(self, ctx: Context, ev: StartEvent) -> Essay | None:
        """Read the essays."""
        students = essays.students()
        await ctx.store.set("count", len(students))
        for student in students:
            ctx.send_event(Essay(student=student, text=essays.essay(student)))
        return None

    @step(num_workers=1)
    async def assess(self, ev: Essay) -> Assessed:
        """Have the model mark an essay."""
        told = await self.model.acomplete(essays.assess_prompt(ev.student, ev.text))
        return Assessed(student=ev.student, marks=essays.read_marks(told.text))

    @step(num_workers=1)
    async def compute(self, ctx: Context, ev: Assessed) -> Computed | None:
        """Average the marks, once all are there."""
        found = ctx.collect_events(ev, [Assessed] * await ctx.store.get("count"))
        if found is None:
            return None
        marks = {one.student: one.marks for one in found}
        return Computed(average=essays.average([marks[student] for student in sorted(marks)]), marks=marks)

    @step
    async def summarise(self, ev: Computed) -> StopEvent:
        """Have the model put it into words."""
        told = await self.model.acomplete(essays.summary_prompt(ev.average, ev.marks))
        return StopEvent(result=told.text)


def grading() -> Grading:
    return Grading(timeout=60)
