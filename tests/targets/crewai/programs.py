"""Crews and flows with a scripted model that answers with a hash of what it is asked: any difference shows."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable
from typing import Any

STORAGE = tempfile.TemporaryDirectory(prefix="outtake-crewai-")
os.environ |= {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "CREWAI_DISABLE_VERSION_CHECK": "true",
    "CREWAI_STORAGE_DIR": STORAGE.name,
}

from crewai import Agent, BaseLLM, Crew, Process, Task
from crewai.flow.flow import Flow, and_, listen, or_, router, start
from crewai.memory.unified_memory import Memory
from crewai.tools import tool
from pydantic import BaseModel

CALLS: Counter[str] = Counter()
"""What was really called: "model", and tools by name."""
Program = Callable[[], Any]


class Scripted(BaseLLM):
    """Calls the tools that its prompt says it should `USE`, all at once, and then answers."""

    react: bool = False
    """Asks for tools in its text, where a model without tool calls does."""

    def call(self, messages: Any, tools: Any = None, *args: Any, **kwargs: Any) -> Any:
        CALLS["model"] += 1
        said = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
        text = "\n".join(f"{each.get('role')}: {each.get('content')}" for each in said)
        answer = "says " + hashlib.sha256(text.encode()).hexdigest()[:10]
        self._track_token_usage_internal({"prompt_tokens": 7, "completion_tokens": 3})
        wanted = kwargs.get("response_model")
        if wanted is not None:
            return json.dumps(_filled(wanted.model_json_schema(), answer))
        uses = [(name, given) for name, given in re.findall(r"USE (\w+) (\{.*?\})", text) if name]
        if self.react:
            if uses and "Observation:" not in text.partition("USE ")[2]:
                return f"Thought: I look.\nAction: {uses[0][0]}\nAction Input: {uses[0][1]}"
            return f"Thought: done.\nFinal Answer: {answer}"
        if tools and uses and not any(each.get("role") == "tool" for each in said):
            return [
                {"id": f"call {number}", "type": "function", "function": {"name": name, "arguments": given}}
                for number, (name, given) in enumerate(uses)
            ]
        return answer

    async def acall(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        return await asyncio.to_thread(self.call, messages, *args, **kwargs)

    def supports_function_calling(self) -> bool:
        return not self.react

    def get_context_window_size(self) -> int:
        return 100_000


def _filled(schema: Any, text: str, root: Any = None) -> Any:
    """A value of a JSON schema."""
    root = root or schema
    if "$ref" in schema:
        return _filled(root["$defs"][schema["$ref"].rpartition("/")[2]], text, root)
    kind = schema.get("type")
    if kind == "object":
        return {name: _filled(each, text, root) for name, each in schema.get("properties", {}).items()}
    if kind == "array":
        return [_filled(schema["items"], text, root)]
    return 1 if kind in ("integer", "number") else True if kind == "boolean" else text


@tool
def look(what: str) -> str:
    """Look at something."""
    CALLS["look"] += 1
    return f"seen {hashlib.sha256(what.encode()).hexdigest()[:6]}"


@tool
def fail(what: str) -> str:
    """Fail."""
    CALLS["fail"] += 1
    raise LookupError(f"no {what}")


def agent(role: str, **kwargs: Any) -> Any:
    kwargs.setdefault("llm", Scripted(model="scripted"))
    return Agent(role=role, goal="Help.", backstory="You help.", max_retry_limit=0, **kwargs)


def task(description: str, who: Any, **kwargs: Any) -> Any:
    return Task(description=description, expected_output="A text.", agent=who, **kwargs)


USE = 'USE look {"what": "birds"}'


def sequential() -> Any:
    reader, writer = agent("reader", tools=[look]), agent("writer")
    read = task(f"Read about {{topic}}. {USE}", reader, name="read")
    tasks = [read, task("Write.", writer, name="write"), task("Sum up.", writer, context=[read])]
    return Crew(agents=[reader, writer], tasks=tasks)


def beside() -> Any:
    """Two tasks beside each other, by one agent each, and one that waits for both."""
    left, right = agent("left", tools=[look]), agent("right")
    tasks = [task(f"Left. {USE}", left, async_execution=True), task("Right.", right, async_execution=True)]
    return Crew(agents=[left, right], tasks=[*tasks, task("Both.", right, context=tasks)])


def hierarchical() -> Any:
    given = json.dumps({"task": f"Look. {USE[:3]} look it", "context": "All.", "coworker": "worker"})
    worker = agent("worker", tools=[look])
    tasks = [task(f"Lead. USE delegate_work_to_coworker {given}", worker)]
    return Crew(agents=[worker], tasks=tasks, process=Process.hierarchical, manager_llm=Scripted(model="scripted"))


def delegating() -> Any:
    given = json.dumps({"question": "What is it?", "context": "All.", "coworker": "expert"})
    chief, expert = agent("chief", allow_delegation=True), agent("expert")
    return Crew(agents=[chief, expert], tasks=[task(f"Ask. USE ask_question_to_coworker {given}", chief)])


def guarded() -> Any:
    tried: list[str] = []

    def check(output: Any) -> tuple[bool, Any]:
        tried.append(output.raw)
        return (len(tried) > 1, output.raw if len(tried) > 1 else "say more")

    check.__annotations__.clear()  # CrewAI reads them, and these are texts
    who = agent("writer")
    return Crew(agents=[who], tasks=[task("Write.", who, guardrail=check)])


def many_tools() -> Any:
    who = agent("reader", tools=[look, fail])
    return Crew(agents=[who], tasks=[task(f'{USE} USE look {{"what": "bees"}} USE fail {{"what": "fish"}}', who)])


def react() -> Any:
    who = agent("reader", tools=[look], llm=Scripted(model="scripted", react=True))
    return Crew(agents=[who], tasks=[task(f"Read. {USE}", who)])


def planned() -> Any:
    who = agent("reader")
    return Crew(agents=[who], tasks=[task("Read.", who)], planning=True, planning_llm=Scripted(model="scripted"))


class Count(BaseModel):
    """The state of the flow."""

    topic: str = ""
    rounds: int = 0
    notes: list[str] = []


class Looping(Flow[Count]):
    """Asks again until it has asked twice, and then in two ways at once."""

    @start()
    def begin(self) -> str:
        return str(Scripted(model="scripted").call(f"about {self.state.topic}"))

    @router(or_(begin, "again"))
    def decide(self, said: str) -> str:
        self.state.rounds += 1
        self.state.notes.append(said)
        return "more" if self.state.rounds < 3 else "enough"

    @listen("more")
    def repeat(self) -> str:
        return str(Scripted(model="scripted").call(f"round {self.state.rounds}"))

    @router(repeat)
    def return_to(self, said: str) -> str:
        return "again"

    @listen("enough")
    def left(self) -> str:
        return str(agent("left").kickoff("left").raw)

    @listen("enough")
    async def right(self) -> str:
        said = await agent("right").kickoff_async("right")
        return str(said.raw)

    @listen(and_(left, right))
    def end(self) -> Any:
        return {"rounds": self.state.rounds, "notes": self.state.notes, "usage": 1}


def kicked(make: Callable[[], Any]) -> Program:
    """A program whose result says all that came of a crew, tokens included."""

    def run() -> Any:
        return told(make().kickoff(inputs={"topic": "birds"}))

    return run


def told(result: Any) -> Any:
    usage = result.token_usage.model_dump()
    return [result.raw, [each.raw for each in result.tasks_output], usage["total_tokens"], usage["successful_requests"]]


def for_each() -> Any:
    return [told(each) for each in sequential().kickoff_for_each(inputs=[{"topic": "birds"}, {"topic": "fish"}])]


def natively_async() -> Any:
    return told(asyncio.run(sequential().akickoff(inputs={"topic": "birds"})))


def in_a_thread() -> Any:
    return told(asyncio.run(beside().kickoff_async()))


def flow() -> Any:
    return Looping().kickoff(inputs={"topic": "birds"})


PROGRAMS: dict[str, Program] = {
    **{
        made.__name__: kicked(made)
        for made in (
            sequential,
            beside,
            hierarchical,
            delegating,
            guarded,
            many_tools,
            react,
            planned,
        )
    },
    "for_each": for_each,
    "natively_async": natively_async,
    "in_a_thread": in_a_thread,
    "flow": flow,
}


class Embedder:
    """Makes vectors of texts."""

    def __call__(self, input: Any) -> Any:
        CALLS["embed"] += 1
        return [[float(byte) for byte in hashlib.sha256(text.encode()).digest()] for text in input]


def remembering(folder: str) -> Program:
    """A crew whose agent recalls what it remembered in an earlier task, and in earlier runs."""

    def run() -> Any:
        memory = Memory(llm=Scripted(model="scripted"), storage=folder, embedder=Embedder())
        who = agent("reader")
        crew = Crew(agents=[who], tasks=[task("Read.", who), task("Write.", who)], memory=memory)
        return told(crew.kickoff())

    return run
