"""Small AutoGen programs, one for each kind of team, on a model that answers with a hash of its prompt.

Any error in what an agent was told changes its answer, and so everything after it: two runs with the same transcript
went the same way.  The model never looks at ids or times.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autogen_agentchat.agents import AssistantAgent, CodeExecutorAgent, SocietyOfMindAgent, UserProxyAgent
from autogen_agentchat.base import TaskResult, Team
from autogen_agentchat.conditions import MaxMessageTermination, TextMentionTermination
from autogen_agentchat.teams import (
    DiGraphBuilder,
    GraphFlow,
    MagenticOneGroupChat,
    RoundRobinGroupChat,
    SelectorGroupChat,
    Swarm,
)
from autogen_core import (
    AgentId,
    CancellationToken,
    DefaultTopicId,
    FunctionCall,
    MessageContext,
    RoutedAgent,
    TopicId,
    TypeSubscription,
    default_subscription,
    event,
    rpc,
)
from autogen_core.code_executor import CodeBlock, CodeExecutor, CodeResult
from autogen_core.models import (
    ChatCompletionClient,
    CreateResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    ModelFamily,
    ModelInfo,
    RequestUsage,
)
from autogen_core.tools import Tool, ToolSchema

CALLS: Counter[str] = Counter()
"""How often models and tools were really called, by name; tests clear it."""


def digest(said: Sequence[LLMMessage]) -> str:
    """Eight digits that stand for everything that a model was told."""
    text = json.dumps([message.model_dump(mode="json") for message in said], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


class HashModel(ChatCompletionClient):
    """Answers with a hash of its prompt, or as its policy says."""

    def __init__(self, name: str = "hash", policy: Callable[[Sequence[LLMMessage], str], Any] | None = None) -> None:
        self.model = name
        self.temperature = 0.0
        self._policy = policy
        self._used = RequestUsage(0, 0)

    async def create(
        self,
        messages: Sequence[LLMMessage],
        *,
        tools: Sequence[Tool | ToolSchema] = [],
        tool_choice: Any = "auto",
        json_output: Any = None,
        extra_create_args: Mapping[str, Any] = {},
        cancellation_token: CancellationToken | None = None,
    ) -> CreateResult:
        CALLS[self.model] += 1
        await asyncio.sleep(0)
        said = f"{self.model}:{digest(messages)}" + (f"@{self.temperature}" if self.temperature else "")
        content = self._policy(messages, said) if self._policy is not None else said
        calls = isinstance(content, list)
        return CreateResult(
            finish_reason="function_calls" if calls else "stop",
            content=content,
            usage=RequestUsage(len(messages), 1),
            cached=False,
        )

    async def create_stream(
        self, messages: Sequence[LLMMessage], **kwargs: Any
    ) -> AsyncGenerator[str | CreateResult, None]:
        result = await self.create(messages, **kwargs)
        if isinstance(result.content, str):
            for at in range(0, len(result.content), 5):
                yield result.content[at : at + 5]
        yield result

    async def close(self) -> None: ...

    def actual_usage(self) -> RequestUsage:
        return self._used

    def total_usage(self) -> RequestUsage:
        return self._used

    def count_tokens(self, messages: Sequence[LLMMessage], *, tools: Sequence[Tool | ToolSchema] = []) -> int:
        return 0

    def remaining_tokens(self, messages: Sequence[LLMMessage], *, tools: Sequence[Tool | ToolSchema] = []) -> int:
        return 1000

    @property
    def capabilities(self) -> Any:
        return self.model_info

    @property
    def model_info(self) -> ModelInfo:
        return ModelInfo(
            vision=False, function_calling=True, json_output=True, family=ModelFamily.UNKNOWN, structured_output=True
        )


def call_then_say(name: str) -> Callable[[Sequence[LLMMessage], str], Any]:
    """Call a tool where the last message is no tool result; then say the hash."""

    def policy(said: Sequence[LLMMessage], answer: str) -> Any:
        if isinstance(said[-1], FunctionExecutionResultMessage):
            return answer
        return [FunctionCall(id=f"call-{len(said)}", name=name, arguments=json.dumps({"query": answer}))]

    return policy


def call_each(*names: str) -> Callable[[Sequence[LLMMessage], str], Any]:
    """Call all of these tools at once, with the hash as their task."""

    def policy(said: Sequence[LLMMessage], answer: str) -> Any:
        task = json.dumps({"task": answer})
        return [FunctionCall(id=f"call-{name}-{len(said)}", name=name, arguments=task) for name in names]

    return policy


async def search(query: str) -> str:
    """Look something up."""
    CALLS["search"] += 1
    await asyncio.sleep(0)
    return f"found {hashlib.sha256(query.encode()).hexdigest()[:6]}"


def broken(query: str) -> str:
    """Never works."""
    CALLS["broken"] += 1
    raise LookupError(f"no {query.partition(':')[0]} here")


def writer(name: str, *, stream: bool = False) -> AssistantAgent:
    return AssistantAgent(name, HashModel(name), system_message=f"You are {name}.", model_client_stream=stream)


def researcher(name: str) -> AssistantAgent:
    return AssistantAgent(
        name, HashModel(name, call_then_say("search")), tools=[search], reflect_on_tool_use=True, description="looks up"
    )


def round_robin() -> Team:
    return RoundRobinGroupChat(
        [researcher("ann"), writer("bob", stream=True)], termination_condition=MaxMessageTermination(9)
    )


def failing_tool() -> Team:
    clumsy = AssistantAgent("clumsy", HashModel("clumsy", call_then_say("broken")), tools=[broken])
    return RoundRobinGroupChat([clumsy, writer("bob")], termination_condition=MaxMessageTermination(6))


def _names(said: Sequence[LLMMessage], answer: str) -> str:
    """Choose ann or bob by the hash."""
    return "ann" if int(answer.rpartition(":")[2], 16) % 2 else "bob"


def selector() -> Team:
    return SelectorGroupChat(
        [researcher("ann"), writer("bob")],
        HashModel("selector", _names),
        allow_repeated_speaker=True,
        termination_condition=MaxMessageTermination(9),
    )


def _hand_off(target: str) -> Callable[[Sequence[LLMMessage], str], Any]:
    def policy(said: Sequence[LLMMessage], answer: str) -> Any:
        return [FunctionCall(id=f"call-{len(said)}", name=f"transfer_to_{target}", arguments="{}")]

    return policy


def swarm() -> Team:
    ann = AssistantAgent("ann", HashModel("ann", _hand_off("bob")), handoffs=["bob"])
    bob = AssistantAgent("bob", HashModel("bob", _hand_off("ann")), handoffs=["ann"], tools=[search])
    return Swarm([ann, bob], termination_condition=MaxMessageTermination(12))


def _orchestrate(said: Sequence[LLMMessage], answer: str) -> str:
    """A ledger that asks ann, then bob, then is satisfied; everything else is the hash."""
    text = str(said[-1].content)
    if "is_request_satisfied" not in text:
        return answer
    turns = sum("Ledger" not in str(m.content) and m.type == "UserMessage" for m in said)
    ledger = {
        "is_request_satisfied": {"reason": answer, "answer": turns > 6},
        "is_in_loop": {"reason": answer, "answer": False},
        "is_progress_being_made": {"reason": answer, "answer": True},
        "next_speaker": {"reason": answer, "answer": "ann" if turns % 2 else "bob"},
        "instruction_or_question": {"reason": answer, "answer": f"go on {answer}"},
    }
    return json.dumps(ledger)


def magentic() -> Team:
    return MagenticOneGroupChat([researcher("ann"), writer("bob")], HashModel("boss", _orchestrate), max_turns=6)


def _again(message: Any) -> bool:
    return int(re.sub(r"\W", "", message.to_model_text())[-2:], 16) % 3 > 0


def _enough(message: Any) -> bool:
    return not _again(message)


def graph() -> Team:
    a, b, c, d, e = (writer(name) for name in "abcde")
    builder = DiGraphBuilder()
    for node in (a, b, c, d, e):
        builder.add_node(node)
    builder.add_edge(a, b).add_edge(a, c).add_edge(b, d).add_edge(c, d)
    builder.add_edge(d, a, condition=_again, activation_group="again")
    builder.add_edge(d, e, condition=_enough)
    builder.set_entry_point(a)
    return GraphFlow([a, b, c, d, e], builder.build(), termination_condition=MaxMessageTermination(14))


def nested() -> Team:
    inner = RoundRobinGroupChat(
        [researcher("ann"), writer("bob")], name="desk", termination_condition=MaxMessageTermination(5)
    )
    return RoundRobinGroupChat([inner, writer("eve")], name="office", termination_condition=MaxMessageTermination(12))


def society() -> Team:
    inner = RoundRobinGroupChat([writer("ann"), writer("bob")], termination_condition=MaxMessageTermination(3))
    mind = SocietyOfMindAgent("mind", inner, HashModel("mind"))
    return RoundRobinGroupChat([mind, writer("eve")], termination_condition=MaxMessageTermination(5))


def user_proxy() -> Team:
    async def ask(prompt: str, cancellation_token: CancellationToken | None = None) -> str:
        CALLS["person"] += 1
        await asyncio.sleep(0)
        return f"typed {CALLS['person']}"

    return RoundRobinGroupChat(
        [writer("ann"), UserProxyAgent("person", input_func=ask)], termination_condition=MaxMessageTermination(7)
    )


class FakeExecutor(CodeExecutor):
    """Runs nothing."""

    async def execute_code_blocks(
        self, code_blocks: list[CodeBlock], cancellation_token: CancellationToken
    ) -> CodeResult:
        CALLS["executor"] += 1
        return CodeResult(exit_code=0, output=f"ran {len(code_blocks[0].code)}")

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def restart(self) -> None: ...


def coder() -> Team:
    author = AssistantAgent("author", HashModel("author", lambda _, answer: f"```python\nprint('{answer}')\n```"))
    runner = CodeExecutorAgent("runner", FakeExecutor(), sources=["author"])
    return RoundRobinGroupChat([author, runner], termination_condition=MaxMessageTermination(5))


def failing_agent() -> Team:
    def fail(said: Sequence[LLMMessage], answer: str) -> Any:
        raise ZeroDivisionError(f"no {len(said)}")

    return RoundRobinGroupChat(
        [writer("ann"), AssistantAgent("bad", HashModel("bad", fail))],
        termination_condition=TextMentionTermination("never"),
    )


TEAMS: dict[str, Callable[[], Team]] = {
    made.__name__: made
    for made in (
        round_robin,
        failing_tool,
        selector,
        swarm,
        magentic,
        graph,
        nested,
        society,
        user_proxy,
        coder,
    )
}


# -- a program of routed agents --------------------------------------------------------------------------------------


@dataclass
class Number:
    value: int


@dataclass
class Answer:
    value: int


@default_subscription
class Factorial(RoutedAgent):
    """Asks itself, under another key, for the factorial of one less."""

    def __init__(self) -> None:
        super().__init__("computes factorials")

    @rpc
    async def compute(self, message: Number, ctx: MessageContext) -> Answer:
        if message.value <= 1:
            return Answer(1)
        rest = await self.send_message(Number(message.value - 1), AgentId("factorial", f"below-{message.value}"))
        return Answer(message.value * rest.value)

    @event
    async def hear(self, message: Answer, ctx: MessageContext) -> None:
        CALLS["heard"] += message.value


def route(make_runtime: Callable[[], Any]) -> Callable[[], Any]:
    """A program of agents that call each other, and publish."""

    async def run() -> list[int]:
        runtime = make_runtime()
        await Factorial.register(runtime, "factorial", Factorial)
        await runtime.add_subscription(TypeSubscription("sums", "factorial"))
        runtime.start()
        answer = await runtime.send_message(Number(4), AgentId("factorial", "default"))
        await runtime.publish_message(Answer(answer.value), TopicId("sums", "default"))
        await runtime.publish_message(Answer(1), DefaultTopicId())
        await runtime.stop_when_idle()
        return [answer.value, CALLS["heard"]]

    return run


# -- transcripts -----------------------------------------------------------------------------------------------------


def transcript(result: TaskResult) -> list[list[Any]]:
    """Who said what, as what, in order; and why it ended."""
    said: list[list[Any]] = [[type(m).__name__, m.source, m.to_text()] for m in result.messages]
    return [*said, ["stop", result.stop_reason]]
