"""AutoGen: teams of assistants with tools, and programs of routed agents, on a scripted model client."""

from __future__ import annotations

from outtake.testing.kit import Kit, Scene, Setting

MODEL = '''
import json
from autogen_core import FunctionCall
from autogen_core.models import ChatCompletionClient, CreateResult, RequestUsage, UserMessage
from autogen_core.models import FunctionExecutionResultMessage
from stage import acalled, pieces

class Scripted(ChatCompletionClient):
    """Answers with a hash of what it is told; calls the first tool that it has, once."""

    def __init__(self, api_key="unused"):
        self.model = "scripted"
        self.api_key = api_key

    async def create(self, messages, *, tools=(), **options):
        told = [text for message in messages for text in said(message)]
        answer = await acalled("model", " ".join(told))
        content = answer
        if tools and not isinstance(messages[-1], FunctionExecutionResultMessage):
            name = tools[0]["name"] if isinstance(tools[0], dict) else tools[0].name
            content = [FunctionCall(id="call", name=name, arguments=json.dumps({"what": answer}))]
        return CreateResult(
            finish_reason="stop", content=content, usage=RequestUsage(7, 3), cached=False
        )

    async def create_stream(self, messages, **options):
        result = await self.create(messages, **options)
        for piece in pieces(result.content):
            yield piece
        yield result

    async def ask(self, prompt):
        return (await self.create([UserMessage(content=prompt, source="user")])).content

    async def close(self):
        pass

    def actual_usage(self):
        return RequestUsage(0, 0)

    def total_usage(self):
        return RequestUsage(0, 0)

    def count_tokens(self, messages, **options):
        return 0

    def remaining_tokens(self, messages, **options):
        return 1000

    @property
    def capabilities(self):
        return self.model_info

    @property
    def model_info(self):
        return {
            "vision": False, "function_calling": True, "json_output": True, "structured_output": True,
            "family": "unknown",
        }

def said(message):
    content = message.content
    if isinstance(content, str):
        return [content]
    return [getattr(item, "arguments", None) or getattr(item, "content", "") for item in content]
'''

CHAT = """
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from model import Scripted
from stage import acalled, opening

async def look(what: str) -> str:
    '''Look at something.'''
    return await acalled("tool", f"look at {what}")

def main():
    ann = AssistantAgent(
        "ann", Scripted(), tools=[look], reflect_on_tool_use=True, system_message=opening("what the user says")
    )
    bob = AssistantAgent("bob", Scripted(), system_message="Finish it.")
    return RoundRobinGroupChat([ann, bob], termination_condition=MaxMessageTermination(5))
"""

ROUTED = """
import asyncio
from dataclasses import dataclass
from autogen_core import AgentId, MessageContext, RoutedAgent, SingleThreadedAgentRuntime, message_handler
from model import Scripted

@dataclass
class Letter:
    text: str

ANSWERS = []

class Clerk(RoutedAgent):
    def __init__(self):
        super().__init__("answers letters")
        self.model = Scripted()

    @message_handler
    async def answer(self, message: Letter, ctx: MessageContext) -> None:
        ANSWERS.append(await self.model.ask(message.text))
"""

LETTERS = (
    ROUTED
    + """
ONE = asyncio.Lock()
WORDS = ("one", "two", "three")

class Careful(Clerk):
    @message_handler
    async def answer(self, message: Letter, ctx: MessageContext) -> None:
        async with ONE:
            ANSWERS.append(await self.model.ask(message.text))

async def main():
    runtime = SingleThreadedAgentRuntime()
    await Careful.register(runtime, "clerk", Careful)
    clerk = AgentId("clerk", "default")
    sent = [asyncio.create_task(runtime.send_message(Letter(word), clerk)) for word in WORDS]
    await asyncio.sleep(0)
    runtime.start()
    await asyncio.gather(*sent, return_exceptions=True)
    await runtime.stop_when_idle()
    return ANSWERS
"""
)

PARALLEL = (
    ROUTED
    + """
class Twice(Clerk):
    @message_handler
    async def answer(self, message: Letter, ctx: MessageContext) -> None:
        ANSWERS.append(await self.model.ask("again " + await self.model.ask(message.text)))

async def main():
    runtime = SingleThreadedAgentRuntime()
    await Clerk.register(runtime, "clerk", Clerk)
    await Twice.register(runtime, "twice", Twice)
    runtime.start()
    left = runtime.send_message(Letter("left"), AgentId("clerk", "default"))
    right = runtime.send_message(Letter("right"), AgentId("twice", "default"))
    await asyncio.gather(left, right)
    await runtime.stop_when_idle()
    return sorted(ANSWERS)
"""
)

FAILING = """
from autogen_agentchat.agents import AssistantAgent
from model import Scripted
from stage import BROKEN, acalled

async def look(what: str) -> str:
    '''Look at something.'''
    await acalled("tool", what)
    raise LookupError(BROKEN)

def main():
    return AssistantAgent("ann", Scripted(), tools=[look], reflect_on_tool_use=True, system_message="Look.")
"""

STREAM = """
from autogen_core.models import CreateResult, UserMessage
from autogen_agentchat.agents import BaseChatAgent  # the adapter of teams is loaded, too
from model import Scripted
from stage import opening

async def main(topic):
    got = []
    async for piece in Scripted().create_stream([UserMessage(content=opening(topic), source="user")]):
        if not isinstance(piece, CreateResult):
            got.append(piece)
    return {"pieces": len(got), "text": "".join(got)}
"""

SETTING = """
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from model import Scripted

def main():
    ann = AssistantAgent("ann", Scripted(), system_message="Be brief.")
    return RoundRobinGroupChat([ann], termination_condition=MaxMessageTermination(4))
"""

SECRET = """
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from model import Scripted
from stage import secrets

def main():
    told = secrets()
    print("the keys are", *told)
    ann = AssistantAgent("ann", Scripted(told[0]), system_message=f"Keep {' and '.join(told)}.", description=told[0])
    return RoundRobinGroupChat([ann], termination_condition=MaxMessageTermination(2))
"""

SHARED = """
from autogen_core import CancellationToken
from autogen_core.tools import FunctionTool
from stage import acalled

SHELF = []

async def put(what: str) -> list[str]:
    await acalled("tool", f"put {what}")
    SHELF.append(what)
    return list(SHELF)

tool = FunctionTool(put, description="Puts something on the shelf.")

async def main():
    for word in ("one", "two"):
        await tool.run_json({"what": word}, CancellationToken())
    return await tool.run_json({"what": "three"}, CancellationToken())
"""

MEMORY = """
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.tools import AgentTool
from autogen_core import CancellationToken
from model import Scripted

async def main():
    agent = AssistantAgent("helper", Scripted(), description="helps", system_message="Help.")
    tool = AgentTool(agent, return_value_as_last_message=True)
    given = [await tool.run_json({"task": task}, CancellationToken()) for task in ("one", "two", "three")]
    return [tool.return_value_as_string(each) for each in given]
"""

PRINTING = """
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from model import Scripted
from stage import acalled, tell

async def look(what: str) -> str:
    '''Look at something.'''
    tell("tool")
    return await acalled("tool", what)

class Talking(Scripted):
    async def create(self, *args, **kwargs):
        tell("model")
        return await super().create(*args, **kwargs)

def main():
    tell("main")
    ann = AssistantAgent("ann", Talking(), tools=[look], reflect_on_tool_use=True, system_message="Look.")
    bob = AssistantAgent("bob", Talking(), model_client_stream=True, system_message="Finish it.")
    return RoundRobinGroupChat([ann, bob], termination_condition=MaxMessageTermination(5))
"""

ASKING = """
from autogen_agentchat.agents import AssistantAgent, UserProxyAgent
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from model import Scripted

def main():
    ann = AssistantAgent("ann", Scripted(), system_message="what of")
    return RoundRobinGroupChat([UserProxyAgent("person"), ann], termination_condition=MaxMessageTermination(2))
"""

AWAITING = (
    ROUTED
    + """
from stage import alater

class Patient(Clerk):
    @message_handler
    async def answer(self, message: Letter, ctx: MessageContext) -> None:
        ANSWERS.append(await self.model.ask(f"{message.text} {await alater()}"))

async def main():
    runtime = SingleThreadedAgentRuntime()
    await Patient.register(runtime, "patient", Patient)
    runtime.start()
    await runtime.send_message(Letter("what of"), AgentId("patient", "default"))
    await runtime.stop_when_idle()
    return ANSWERS
"""
)

CANCELLING = """
import asyncio
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import CancellationToken
from model import Scripted
from stage import LIMIT, aslowly

class Slow(Scripted):
    async def create(self, messages, *, cancellation_token=None, **options):
        asking = asyncio.ensure_future(aslowly("model", "slow"))
        cancellation_token.link_future(asking)
        await asking
        return await super().create(messages, **options)

async def limited(runner):
    token = CancellationToken()
    asyncio.get_running_loop().call_later(LIMIT, token.cancel)
    try:
        return await runner.run(task="begin", cancellation_token=token)
    except asyncio.CancelledError:
        return None

async def main():
    assert await limited(AssistantAgent("ann", Slow())) is None
    team = RoundRobinGroupChat([AssistantAgent("bob", Slow())], termination_condition=MaxMessageTermination(9))
    assert await limited(team) is None
    carl = AssistantAgent("carl", Scripted(), system_message="Finish it.")
    return (await carl.run(task="instead")).messages[-1].content
"""

LIMITED = """
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination, TimeoutTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from model import Scripted
from stage import ALLOWED

async def main():
    ann = AssistantAgent("ann", Scripted())
    end = MaxMessageTermination(3) | TimeoutTermination(ALLOWED)
    result = await RoundRobinGroupChat([ann], termination_condition=end).run(task="in time")
    return [result.stop_reason, result.messages[-1].content]
"""

TIMING = """
import asyncio
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import ExternalTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from model import Scripted
from stage import LIMIT

async def stop(termination):
    await asyncio.sleep(LIMIT)
    termination.set()

async def main():
    termination = ExternalTermination()
    ann = AssistantAgent("ann", Scripted(), system_message="Go on.")
    bob = AssistantAgent("bob", Scripted(), system_message="Go on and on.")
    team = RoundRobinGroupChat([ann, bob], termination_condition=termination)
    stopping = asyncio.create_task(stop(termination))
    result = await team.run(task="begin")
    await stopping
    return [len(result.messages), result.messages[-1].content]
"""

REQUESTS = (
    CHAT
    + """
import outtake
from stage import at_once

@outtake.run
async def handle(topic: str) -> str:
    told = opening(topic)
    return (await main().run(task=told)).messages[-1].to_text()

if __name__ == "__main__":
    at_once(handle)
"""
)

PROGRAMS: dict[Scene, str] = {
    "chat": CHAT,
    "parallel": PARALLEL,
    "failing": FAILING,
    "stream": STREAM,
    "letters": LETTERS,
    "setting": SETTING,
    "shared": SHARED,
    "memory": MEMORY,
    "printing": PRINTING,
    "asking": ASKING,
    "awaiting": AWAITING,
    "cancelling": CANCELLING,
    "timing": TIMING,
    "limited": LIMITED,
    "requests": REQUESTS,
    "secret": SECRET,
}

KIT = Kit(
    name="AutoGen",
    adapter="outtake_probe.targets.autogen",
    packages=["autogen-agentchat", "autogen-core", "autogen-ext"],
    environment="autogen",
    programs=PROGRAMS,
    files={"model.py": MODEL, "outtake.toml": '[state]\nput = "shelf"\n'},
    tokens=(7, 3),
    setting=Setting(component="team/ann", key="system_message", value="Talk like a pirate."),
)
