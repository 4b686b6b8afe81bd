"""Graphs to debug: a model that answers with a hash of its prompt, and one small program for each thing graphs do."""

from __future__ import annotations

import asyncio
import hashlib
import json
import operator
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Annotated, Any, TypedDict

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain.tools import ToolRuntime
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, RemoveMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_store, get_stream_writer
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, RetryPolicy, Send, interrupt

from tests.targets.hooked import Executed

CALLS = Executed()
"""What was really called: models, tools, and nodes by name."""
CONFIG: Any = {"configurable": {"thread_id": "one"}}


def said(*parts: object) -> str:
    return hashlib.blake2b("|".join(map(str, parts)).encode(), digest_size=4).hexdigest()


class Scripted(BaseChatModel):
    """Answers with a hash of what it is told; calls its first tool twice at once, in its first turn."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self.bind(tools=[found.name for found in tools], **kwargs)

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        CALLS.append("model")
        answer = said(*[message.content for message in messages])
        used: Any = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
        message = AIMessage(content=answer, usage_metadata=used)
        if kwargs.get("tools") and not any(isinstance(message, ToolMessage) for message in messages):
            calls = [{"name": kwargs["tools"][0], "args": {"what": f"{answer}{i}"}, "id": f"c{i}"} for i in range(2)]
            message = AIMessage(content="", tool_calls=calls, usage_metadata=used)
        return ChatResult(generations=[ChatGeneration(message=message)])


class Streaming(Scripted):
    """Gives its answer letter by letter."""

    def _stream(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Iterator[Any]:
        answer: Any = self._generate(messages, **kwargs).generations[0].message
        for i, call in enumerate(answer.tool_calls):
            piece: Any = {"name": call["name"], "args": json.dumps(call["args"]), "id": call["id"], "index": i}
            yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=[piece]))
        for letter in str(answer.content):
            yield ChatGenerationChunk(message=AIMessageChunk(content=letter))


def ask(*parts: object) -> str:
    return str(Scripted().invoke(" ".join(map(str, parts))).content)


async def aask(*parts: object) -> str:
    return str((await Scripted().ainvoke(" ".join(map(str, parts)))).content)


@tool
def look(what: str) -> str:
    """Look at something."""
    CALLS.append("tool")
    return f"saw {what}"


TRIES: Counter[str] = Counter()


@tool
def attempt(what: str) -> int:
    """Which try this is."""
    CALLS.append("tool")
    TRIES[what] += 1
    return TRIES[what]


class Log(TypedDict):
    log: Annotated[list[Any], operator.add]


def ran(name: str) -> None:
    CALLS.append(name)


def chain(*nodes: Any, state: Any = Log, **options: Any) -> Any:
    """A graph whose nodes follow one another."""
    graph = StateGraph(state)
    for node in nodes:
        graph.add_node(node.__name__, node, **options)
    for one, other in zip([START, *[node.__name__ for node in nodes]], [node.__name__ for node in nodes], strict=False):
        graph.add_edge(one, other)
    return graph


# -- programs --------------------------------------------------------------------------------------------------------


def fanned() -> Any:
    """Three workers, joined; twice round."""

    def plan(state: Log) -> Any:
        ran("plan")
        return {"log": [ask("plan", len(state["log"]))]}

    def work(item: Any) -> Any:
        ran(f"work{item}")
        return {"log": [f"work{item} {ask('work', item)}"]}

    def join(state: Log) -> Any:
        ran("join")
        return {"log": [ask(*sorted(state["log"]))]}

    graph = StateGraph(Log)
    nodes: tuple[Any, ...] = (plan, work, join)
    for node in nodes:
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "plan")
    graph.add_conditional_edges("plan", lambda _: [Send("work", i) for i in range(3)], ["work"])
    graph.add_edge("work", "join")
    graph.add_conditional_edges("join", lambda state: "plan" if len(state["log"]) < 8 else END, ["plan", END])
    return graph.compile()


def nested(**options: Any) -> Any:
    """A subgraph of two nodes between two nodes."""

    def before(state: Log) -> Any:
        ran("before")
        return {"log": [ask("before")]}

    def first(state: Log) -> Any:
        ran("first")
        return {"log": [ask("first", *state["log"])]}

    def second(state: Log) -> Any:
        ran("second")
        return {"log": [ask("second", *state["log"])]}

    def after(state: Log) -> Any:
        ran("after")
        return {"log": [ask("after", *state["log"])]}

    graph = StateGraph(Log)
    graph.add_node("before", before)
    graph.add_node("sub", chain(first, second).compile(**options))
    graph.add_node("after", after)
    graph.add_edge(START, "before")
    graph.add_edge("before", "sub")
    graph.add_edge("sub", "after")
    return graph.compile()


def asking(**options: Any) -> Any:
    """A node that asks a person twice, beside one that does not."""

    def start(state: Log) -> Any:
        return {"log": [ask("start")]}

    def person(state: Log) -> Any:
        question = ask("question", *state["log"])
        return {"log": [interrupt({"sure": question}), interrupt("really?")]}

    def other(state: Log) -> Any:
        ran("other")
        return {"log": [ask("other")]}

    def end(state: Log) -> Any:
        return {"log": [ask(*state["log"])]}

    graph = StateGraph(Log)
    for node in (start, person, other, end):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "start")
    graph.add_edge("start", "person")
    graph.add_edge("start", "other")
    graph.add_edge(["person", "other"], "end")
    return graph.compile(**options)


def agent(model: BaseChatModel | None = None) -> Any:
    return create_agent(model or Scripted(), [look], system_prompt="Be brief.")


def shown(result: Any) -> Any:
    """All that tells two conversations apart, ids included."""
    return [(m.type, m.content, m.id, getattr(m, "tool_calls", None)) for m in result["messages"]]


def _fanned() -> Any:
    return fanned().invoke({"log": []})


def _afanned() -> Any:
    return asyncio.run(fanned().ainvoke({"log": []}))


def _nested() -> Any:
    return nested().invoke({"log": []})


def _agent() -> Any:
    return shown(agent().invoke({"messages": [("user", "hi")]}))


def _aagent() -> Any:
    return shown(asyncio.run(agent().ainvoke({"messages": [("user", "hi")]})))


def _tokens() -> Any:
    """The words of the model as they come, from an agent."""
    stream = agent(Streaming()).stream({"messages": [("user", "hi")]}, stream_mode="messages")
    return sorted(str(message.content) for message, _ in stream)


def _atokens() -> Any:
    async def go() -> Any:
        graph = agent(Streaming())
        return [m.content async for m, _ in graph.astream({"messages": [("user", "hi")]}, stream_mode="messages")]

    return asyncio.run(go())


def _tasks() -> Any:
    @task
    def square(n: int, times: int = 1) -> str:
        ran("task")
        return ask("square", n, times)

    @entrypoint()
    def work(n: int) -> Any:
        futures = [square(i) for i in range(n)]
        return [*[future.result() for future in futures], square(9, times=2).result()]

    return work.invoke(2)


def _atasks() -> Any:
    @task
    async def square(n: int) -> str:
        ran("task")
        return await aask("square", n)

    @entrypoint()
    async def work(n: int) -> Any:
        return await asyncio.gather(*[square(i) for i in range(n)])

    return asyncio.run(work.ainvoke(3))


def _streamed_tasks() -> Any:
    """What each task of a function returns, as it comes; the function goes on with it."""

    @task
    def square(n: int) -> str:
        ran("task")
        return ask("square", n)

    @entrypoint()
    def work(n: int) -> Any:
        ran("work")
        return [square(i).result() for i in range(n)]

    return list(work.stream(2))


def _astreamed_tasks() -> Any:
    """Tasks that a node of a graph calls, as they begin and end."""

    @task
    async def square(n: int) -> str:
        ran("task")
        return await aask("square", n)

    async def node(state: Log) -> Any:
        ran("node")
        return {"log": [await square(1), await square(2)]}

    async def go() -> Any:
        stream = chain(node).compile().astream({"log": []}, stream_mode="tasks")
        return [(each["name"], each.get("result")) async for each in stream]

    return asyncio.run(go())


def _asking() -> Any:
    graph = asking(checkpointer=InMemorySaver())
    graph.invoke({"log": []}, CONFIG)
    graph.invoke(Command(resume="yes"), CONFIG)
    return graph.invoke(Command(resume="really"), CONFIG)


def _aasking() -> Any:
    async def go() -> Any:
        graph = asking(checkpointer=InMemorySaver())
        await graph.ainvoke({"log": []}, CONFIG)
        await graph.ainvoke(Command(resume="yes"), CONFIG)
        return await graph.ainvoke(Command(resume="really"), CONFIG)

    return asyncio.run(go())


def _asking_inside() -> Any:
    """A question inside a subgraph."""

    def first(state: Log) -> Any:
        ran("first")
        return {"log": [ask("first")]}

    def question(state: Log) -> Any:
        return {"log": [interrupt("inner?")]}

    graph = StateGraph(Log)
    graph.add_node("sub", chain(first, question).compile())
    graph.add_edge(START, "sub")
    made = graph.compile(checkpointer=InMemorySaver())
    made.invoke({"log": []}, CONFIG)
    return made.invoke(Command(resume="fine"), CONFIG)


def _to_parent() -> Any:
    """A command from inside a subgraph to the graph around it."""

    def inner(state: Log) -> Any:
        return Command(graph=Command.PARENT, goto="far", update={"log": [ask("inner")]})

    def far(state: Log) -> Any:
        ran("far")
        return Command(goto=END, update={"log": [ask("far", *state["log"])]})

    graph = StateGraph(Log)
    graph.add_node("sub", chain(inner).compile())
    graph.add_node("far", far)
    graph.add_edge(START, "sub")
    return graph.compile().invoke({"log": []})


def _retried() -> Any:
    TRIES.clear()

    def flaky(state: Log) -> Any:
        number = attempt.invoke({"what": "flaky"})
        answer = ask("try", number)
        if number < 3:
            raise ValueError(f"not yet: {answer}")
        return {"log": [answer]}

    policy = RetryPolicy(initial_interval=0.001, max_attempts=4, jitter=False, retry_on=ValueError)
    return chain(flaky, retry_policy=policy).compile().invoke({"log": []})


def _called_inside() -> Any:
    """An agent that a node's function calls."""

    def one(state: Log) -> Any:
        return {"log": [agent().invoke({"messages": [("user", str(state["log"]))]})["messages"][-1].content]}

    def two(state: Log) -> Any:
        return one(state)

    return chain(one, two).compile().invoke({"log": ["x"]})


def _removing() -> Any:
    """Messages are removed by the ids that they were given."""

    def add(state: MessagesState) -> Any:
        return {"messages": [AIMessage("one"), HumanMessage("two")]}

    def remove(state: MessagesState) -> Any:
        ran("remove")
        return {"messages": [RemoveMessage(id=str(state["messages"][0].id))]}

    return shown(chain(add, remove, state=MessagesState).compile().invoke({"messages": [("user", "hi")]}))


def _stored() -> Any:
    """A store and events of the program's own."""

    def put(state: Log) -> Any:
        ran("put")
        get_store().put(("a",), "k", {"v": 1})
        get_stream_writer()({"event": 1})
        return {"log": ["put"]}

    def get(state: Log) -> Any:
        ran("get")
        return {"log": [value_of(get_store())]}

    store = InMemoryStore()
    graph = chain(put, get).compile(store=store)
    return [list(graph.stream({"log": []}, stream_mode=["custom", "values"])), value_of(store)]


def value_of(store: Any) -> Any:
    return store.get(("a",), "k").value["v"]


class Locked(TypedDict, total=False):
    lock: Any
    log: Annotated[list[Any], operator.add]


def _locked() -> Any:
    """A lock and a closure in the state."""

    def make(state: Locked) -> Any:
        ran("make")
        word = ask("make")
        return {"lock": (threading.Lock(), lambda: word), "log": [word]}

    def use(state: Locked) -> Any:
        ran("use")
        lock, word = state["lock"]
        with lock:
            return {"log": [word(), ask("use")]}

    return chain(make, use, state=Locked).compile().invoke({"log": []})["log"]


def _in_place() -> Any:
    """A node that changes what it got."""

    def sneak(state: Log) -> Any:
        ran("sneak")
        state["log"].append("sneaky")
        return {}

    def use(state: Log) -> Any:
        ran("use")
        return {"log": [ask(*state["log"])]}

    return chain(sneak, use).compile().invoke({"log": ["0"]})["log"]


def _deferred() -> Any:
    """A node that waits for all branches, however long they are."""

    def word(name: str) -> Any:
        return lambda state: {"log": [ask(name)]}

    graph = StateGraph(Log)
    for name in ("a", "b", "longer"):
        graph.add_node(name, word(name))
    graph.add_node("last", lambda state: {"log": [ask(*sorted(state["log"]))]}, defer=True)
    for one, other in ((START, "a"), (START, "b"), ("b", "longer"), ("a", "last"), ("longer", "last")):
        graph.add_edge(one, other)
    return sorted(graph.compile().invoke({"log": []})["log"])


def _streamed_from_tools() -> Any:
    """What a model says that a tool asks, as it comes."""
    inner = Streaming()

    @tool
    def look(what: str) -> str:
        """Ask somebody else."""
        return str(inner.invoke(f"look at {what}").content)

    graph: Any = create_agent(Scripted(), [look])
    stream = graph.stream({"messages": [("user", "hi")]}, stream_mode="messages")
    return sorted(m.content for m, _ in stream if isinstance(m, AIMessageChunk))


def _streamed_by_tools() -> Any:
    """Events that a tool streams itself, beside what a model says."""

    @tool
    def look(what: str) -> str:
        """Look at something, and say so."""
        ran("look")
        get_stream_writer()({"looking at": what})
        return "seen"

    graph: Any = create_agent(Scripted(), [look])
    stream = graph.stream({"messages": [("user", "hi")]}, stream_mode=["messages", "custom"])
    return sorted(json.dumps(event) for mode, event in stream if mode == "custom")


def _astreamed_by_tools() -> Any:
    """The same of a tool that is given its writer."""

    @tool
    async def look(what: str, runtime: ToolRuntime) -> str:
        """Look at something, and say so."""
        ran("look")
        runtime.stream_writer({"looking at": what})
        runtime.stream_writer({"seen": what})
        return "seen"

    async def go() -> Any:
        graph: Any = create_agent(Scripted(), [look])
        stream = graph.astream({"messages": [("user", "hi")]}, stream_mode=["messages", "custom"])
        return sorted([json.dumps(event) async for mode, event in stream if mode == "custom"])

    return asyncio.run(go())


def _streamed_inside() -> Any:
    """What happens inside of a subgraph, as it happens."""
    return len(list(nested().stream({"log": []}, stream_mode="updates", subgraphs=True)))


def _events() -> Any:
    """Everything that LangChain reports."""

    async def go() -> Any:
        return [event["event"] async for event in nested().astream_events({"log": []}, version="v2")]

    return asyncio.run(go())


def _approved() -> Any:
    """An agent whose tool calls a person approves, or changes."""
    watch = HumanInTheLoopMiddleware(interrupt_on={"look": True})
    graph: Any = create_agent(Scripted(), [look], middleware=[watch], checkpointer=InMemorySaver())
    graph.invoke({"messages": [("user", "hi")]}, CONFIG)
    changed = {"type": "edit", "edited_action": {"name": "look", "args": {"what": "owls"}}}
    return shown(graph.invoke(Command(resume={"decisions": [{"type": "approve"}, changed]}), CONFIG))


def _asking_tool() -> Any:
    """Tools that ask a person, each answered by the id of its question."""

    @tool
    def sure(what: str) -> str:
        """Ask."""
        ran("sure")
        return f"{what} {interrupt('sure?')}"

    graph: Any = create_agent(Scripted(), [sure], checkpointer=InMemorySaver())
    asked = graph.invoke({"messages": [("user", "hi")]}, CONFIG)["__interrupt__"]
    answers = {question.id: f"yes {number}" for number, question in enumerate(asked)}
    return shown(graph.invoke(Command(resume=answers), CONFIG))


def _commanding_tool() -> Any:
    """A tool that reads the state and returns a command."""

    @tool
    def go(what: str, runtime: ToolRuntime[Any, Any]) -> Any:
        """Go."""
        CALLS.append("tool")
        text = f"went {what} {len(runtime.state['messages'])}"
        return Command(update={"messages": [ToolMessage(text, tool_call_id=runtime.tool_call_id)]})

    graph: Any = create_agent(Scripted(), [go])
    return shown(graph.invoke({"messages": [("user", "hi")]}))


PROGRAMS: dict[str, Callable[[], Any]] = {
    name.lstrip("_"): program
    for name, program in list(globals().items())
    if name.startswith("_") and not name.startswith("__") and callable(program)
}
