"""The `openai` client: chat completions and responses, sync and async, streamed."""

from __future__ import annotations

from outtake.testing.kit import Kit
from outtake.testing.kits import clients
from outtake.testing.kits.provider import PROVIDER

MODEL = '''
import openai
from provider import serve
from stage import pieces

Refused = openai.BadRequestError
CHUNK = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}

def whole(path, text):
    if path.endswith("/responses"):
        part = {"type": "output_text", "text": text, "annotations": []}
        said = {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
        used = {
            "input_tokens": 7, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 3, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 10,
        }
        return {
            "id": "r", "object": "response", "created_at": 1, "status": "completed", "model": "m", "output": [said],
            "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "usage": used,
        }
    message = {"role": "assistant", "content": text}
    return {
        "id": "c", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }

def events(path, text):
    for piece in pieces(text):
        yield {**CHUNK, "choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]}
    yield {**CHUNK, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}

URL = serve(whole, events) + "/v1"

def said(prompt):
    return [{"role": "system", "content": "Be brief."}, {"role": "user", "content": prompt}]

def ask(prompt):
    """The first question goes to chat completions, what follows from it to responses."""
    client = openai.OpenAI(base_url=URL, api_key="unused", max_retries=0)
    if "says" in prompt:
        return client.responses.create(model="m", input=said(prompt)).output_text
    return client.chat.completions.create(model="m", messages=said(prompt)).choices[0].message.content

async def aask(prompt):
    client = openai.AsyncOpenAI(base_url=URL, api_key="unused", max_retries=0)
    answer = await client.chat.completions.create(model="m", messages=said(prompt))
    return answer.choices[0].message.content

async def stream(prompt):
    client = openai.AsyncOpenAI(base_url=URL, api_key="unused", max_retries=0)
    async for chunk in await client.chat.completions.create(model="m", messages=said(prompt), stream=True):
        if chunk.choices[0].delta.content:
            yield chunk.choices[0].delta.content

def keep(secret, prompt):
    client = openai.OpenAI(base_url=URL, api_key=secret, max_retries=0)
    answer = client.chat.completions.create(
        model="m", messages=said(prompt), extra_headers={"X-Api-Key": secret}, user=secret
    )
    return answer.choices[0].message.content
'''


def kit(version: int) -> Kit:
    """The kit for one of the library's major versions."""
    return Kit(
        name=f"openai {version}.x",
        adapter="outtake_probe.targets.openai",
        packages=["openai"],
        environment=f"openai{version}",
        programs=clients.PROGRAMS,
        files={"provider.py": PROVIDER, "model.py": MODEL},
        tokens=(7, 3),
        cuts=3,
    )


KIT = kit(3)
