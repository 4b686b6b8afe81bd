"""The OpenAI Agents SDK: agents with tools, handoffs, guardrails and sessions, on a scripted model."""

from __future__ import annotations

from outtake.testing.kit import Kit, Scene, Setting

MODEL = '''
import asyncio, json, uuid
from agents import Model, ModelResponse, Usage
from openai.types.responses import (
    Response, ResponseCompletedEvent, ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText,
    ResponseTextDeltaEvent,
)
from stage import SLOW, acalled, pieces

class Scripted(Model):
    """Answers with a hash of what it is told; hands off at once, and calls the first tool that it has, once."""

    def __init__(self, api_key="unused"):
        self.model = "scripted"
        self.api_key = api_key

    async def get_response(self, system_instructions, input, model_settings, tools, output_schema, handoffs, tracing,
                           **options):
        told = texts(system_instructions) + texts(input)
        answer = await acalled("model", " ".join(told))
        used = Usage(requests=1, input_tokens=7, output_tokens=3, total_tokens=10)
        return ModelResponse([self._item(input, answer, tools, handoffs)], used, f"resp-{uuid.uuid4()}")

    def _item(self, input, answer, tools, handoffs):
        last = input[-1] if isinstance(input, list) and input else {}
        if handoffs or (tools and last.get("type") != "function_call_output"):
            name, given = (handoffs[0].tool_name, {}) if handoffs else (tools[0].name, {"what": answer})
            if "input" in getattr((tools or [None])[0], "params_json_schema", {}).get("properties", {}):
                given = {"input": answer}
            return ResponseFunctionToolCall(
                type="function_call", call_id=f"call-{random_id()}", name=name, arguments=json.dumps(given)
            )
        part = ResponseOutputText(type="output_text", text=answer, annotations=[])
        return ResponseOutputMessage(
            id=random_id(), type="message", role="assistant", status="completed", content=[part]
        )

    async def stream_response(self, *args, **options):
        answer = await self.get_response(*args, **options)
        number = 0
        for part in getattr(answer.output[0], "content", ()):
            for piece in pieces(part.text):
                yield ResponseTextDeltaEvent(
                    type="response.output_text.delta", item_id="m", output_index=0, content_index=0, delta=piece,
                    logprobs=[], sequence_number=number,
                )
                number += 1
        whole = Response(
            id="r", created_at=1, model="scripted", object="response", output=answer.output, tools=[],
            parallel_tool_calls=False, tool_choice="auto", usage=used(),
        )
        yield ResponseCompletedEvent(type="response.completed", response=whole, sequence_number=number)

class Hanging(Scripted):
    """Gives the first piece of its answer, and no more."""

    async def stream_response(self, *args, **options):
        async for event in super().stream_response(*args, **options):
            yield event
            await asyncio.sleep(SLOW)

def random_id():
    """As a provider makes them: different in every run."""
    with open("/dev/urandom", "rb") as source:
        return source.read(8).hex()

def used():
    return {
        "input_tokens": 7, "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": 3, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 10,
    }

def texts(value):
    """Every text that the model is told, in order."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for item in value for text in texts(item)]
    if isinstance(value, dict):
        return texts(next((value[name] for name in ("content", "text", "output", "arguments") if name in value), []))
    return []
'''

AGENTS = """
from agents import Agent, GuardrailFunctionOutput, Runner, function_tool, input_guardrail
from model import Scripted
from stage import acalled

@function_tool
async def look(what: str) -> str:
    '''Look at something.'''
    return await acalled("tool", f"look at {what}")

@input_guardrail(run_in_parallel=False)
async def polite(context, agent, given):
    return GuardrailFunctionOutput(output_info="of no concern", tripwire_triggered="damn" in str(given))

bob = Agent("bob", instructions="Finish it.", model=Scripted(), handoff_description="finishes")
"""

CHAT = (
    AGENTS
    + """
from stage import opening

class Once(Scripted):
    '''Looks, and hands off when it has looked.'''

    def _item(self, input, answer, tools, handoffs):
        looked = any(item.get("type") == "function_call_output" for item in input)
        return super()._item(input, answer, [] if looked else tools, handoffs if looked else [])

def team():
    return Agent(
        "ann", instructions=opening("what the user says"), model=Once(), tools=[look], handoffs=[bob],
        input_guardrails=[polite],
    )

def main():
    return team()
"""
)

PARALLEL = """
import asyncio
from agents import Agent, Runner
from model import Scripted

left, right = Agent("left", model=Scripted()), Agent("right", model=Scripted())

async def again():
    first = await Runner.run(right, "right")
    return (await Runner.run(right, f"again {first.final_output}")).final_output

async def main():
    other, second = await asyncio.gather(Runner.run(left, "left"), again())
    return [other.final_output, second]
"""

FAILING = """
from agents import Agent, function_tool
from model import Scripted
from stage import BROKEN, acalled

@function_tool(failure_error_function=lambda context, error: str(error))
async def look(what: str) -> str:
    '''Look at something.'''
    await acalled("tool", what)
    raise LookupError(BROKEN)

def main():
    return Agent("ann", instructions="Look.", model=Scripted(), tools=[look])
"""

STREAM = """
from agents import Agent, Runner
from model import Scripted
from stage import opening

async def main(topic):
    streamed = Runner.run_streamed(Agent("ann", model=Scripted()), opening(topic))
    got = []
    async for event in streamed.stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            got.append(event.data.delta)
    return {"pieces": len(got), "text": "".join(got)}
"""

SETTING = """
from agents import Agent, Runner
from model import Scripted

ann = Agent("ann", instructions="Be brief.", model=Scripted())

async def main(topic):
    first = await Runner.run(ann, topic)
    return (await Runner.run(ann, [*first.to_input_list(), {"role": "user", "content": "go on"}])).final_output
"""

SHARED = """
from agents import function_tool
from agents.tool_context import ToolContext
from stage import acalled

SHELF = []

@function_tool
async def put(what: str) -> list:
    '''Put something on the shelf.'''
    await acalled("tool", f"put {what}")
    SHELF.append(what)
    return list(SHELF)

async def use(what):
    context = ToolContext(context=None, tool_name="put", tool_call_id=what, tool_arguments="")
    return await put.on_invoke_tool(context, '{"what": "%s"}' % what)

async def main():
    for word in ("one", "two"):
        await use(word)
    return await use("three")
"""

MEMORY = """
from agents import Agent, SQLiteSession
from agents.tool_context import ToolContext
from model import Scripted

helper = Agent("helper", instructions="Help.", model=Scripted())
ask = helper.as_tool("ask", "Ask the helper.", session=SQLiteSession("helper", "helper.sqlite"))

async def use(what):
    context = ToolContext(context=None, tool_name="ask", tool_call_id=what, tool_arguments="")
    return await ask.on_invoke_tool(context, '{"input": "%s"}' % what)

async def main():
    return [await use(word) for word in ("one", "two", "three")]
"""

PRINTING = (
    AGENTS
    + """
from stage import tell

class Talking(Scripted):
    async def get_response(self, *args, **options):
        tell("model")
        return await super().get_response(*args, **options)

@function_tool
async def speak(what: str) -> str:
    '''Speak of something.'''
    tell("tool")
    return await acalled("tool", what)

def main():
    tell("main")
    ann = Agent("ann", instructions="Look.", model=Talking(), tools=[speak], input_guardrails=[polite])
    bob.model = Talking()
    return ann
"""
)

ASKING = """
from agents import Agent, ModelResponse, Usage, function_tool
from model import Scripted
from stage import acalled

@function_tool(needs_approval=True)
async def send(what: str) -> str:
    '''Send something to somebody.'''
    return await acalled("tool", f"send {what}")

class Wants(Scripted):
    '''Asks for its tool without being asked, and for a model only when a person has answered.'''

    async def get_response(self, **asked):
        if any(item.get("type") == "function_call_output" for item in asked["input"]):
            return await super().get_response(**asked)
        return ModelResponse([self._item(asked["input"], "hello", asked["tools"], [])], Usage(), None)

def main():
    return Agent("ann", instructions="what of", model=Wants(), tools=[send])
"""

AWAITING = """
from agents import Agent, Runner
from model import Scripted
from stage import alater

async def main():
    return (await Runner.run(Agent("ann", model=Scripted()), f"what of {await alater()}")).final_output
"""

CANCELLING = """
import asyncio
from agents import Agent, Runner
from model import Hanging, Scripted
from stage import LIMIT, aslowly

class Slow(Scripted):
    async def get_response(self, *args, **options):
        await aslowly("model", "slow")

async def main():
    first = await Runner.run(Agent("carl", model=Scripted()), "first")  # what the SDK does once takes its time
    try:
        await asyncio.wait_for(Runner.run(Agent("ann", model=Slow()), "begin"), LIMIT)
    except asyncio.TimeoutError:
        pass
    streamed = Runner.run_streamed(Agent("bob", model=Hanging()), "begin")
    async for event in streamed.stream_events():
        if event.type == "raw_response_event":
            streamed.cancel()
    return (await Runner.run(Agent("carl", model=Scripted()), f"instead {first.final_output}")).final_output
"""

TIMING = """
import asyncio
from agents import Agent, Runner
from model import Scripted
from stage import LIMIT

async def main():
    ann, over = Agent("ann", instructions="Go on.", model=Scripted()), asyncio.Event()
    asyncio.get_running_loop().call_later(LIMIT, over.set)
    said = [{"role": "user", "content": "begin"}]
    while not over.is_set():
        said = (await Runner.run(ann, [*said[:1], *said[-1:]])).to_input_list()
    return said[-1]["content"]
"""

LIMITED = """
from agents import Agent, ModelSettings, Runner, function_tool
from agents.tool import invoke_function_tool
from agents.tool_context import ToolContext
from model import Scripted
from stage import ALLOWED

inner = Agent("inner", model=Scripted())
if "timeout" in ModelSettings.__dataclass_fields__:
    inner.model_settings = ModelSettings(timeout=ALLOWED)

@function_tool(timeout=ALLOWED)
async def ask(what: str) -> str:
    '''Ask somebody.'''
    return (await Runner.run(inner, what)).final_output

async def main():
    context = ToolContext(context=None, tool_name="ask", tool_call_id="one", tool_arguments="")
    return await invoke_function_tool(function_tool=ask, context=context, arguments='{"what": "in time"}')
"""

REQUESTS = (
    CHAT
    + """
import outtake
from stage import at_once

@outtake.run
async def handle(topic: str) -> str:
    return (await Runner.run(team(), opening(topic))).final_output

if __name__ == "__main__":
    at_once(handle)
"""
)

SECRET = """
from agents import Agent
from model import Scripted
from stage import secrets

def main():
    told = secrets()
    print("the keys are", *told)
    kept = f"Keep {' and '.join(told)}."
    return Agent("ann", instructions=kept, model=Scripted(told[0]), handoff_description=told[0])
"""

PROGRAMS: dict[Scene, str] = {
    "chat": CHAT,
    "parallel": PARALLEL,
    "failing": FAILING,
    "stream": STREAM,
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


def kit(name: str, environment: str) -> Kit:
    """The kit for one release of the SDK."""
    return Kit(
        name=name,
        adapter="outtake_probe.targets.openai_agents",
        packages=["openai-agents", "openai"],
        environment=environment,
        programs=PROGRAMS,
        files={"model.py": MODEL, "outtake.toml": '[state]\nput = "shelf"\n'},
        tokens=(7, 3),
        setting=Setting(component="ann", key="instructions", value="Talk like a pirate."),
    )


KIT = kit("OpenAI Agents SDK", "openai-agents")
OLDEST = kit("OpenAI Agents SDK, oldest", "openai-agents-oldest")
"""The last release that takes openai 2, which other frameworks in the same environment may need."""
