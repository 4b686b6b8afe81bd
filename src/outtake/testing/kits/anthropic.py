"""The `anthropic` client: messages, sync and async, streamed."""

from __future__ import annotations

from outtake.testing.kit import Kit
from outtake.testing.kits import clients
from outtake.testing.kits.provider import PROVIDER

MODEL = """
import anthropic
from provider import serve
from stage import pieces

Refused = anthropic.BadRequestError
MESSAGE = {
    "id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
    "stop_sequence": None, "usage": {"input_tokens": 7, "output_tokens": 3},
}
ENDED = {"stop_reason": "end_turn", "stop_sequence": None}

def whole(path, text):
    return {**MESSAGE, **ENDED, "content": [{"type": "text", "text": text}]}

def events(path, text):
    yield {"type": "message_start", "message": MESSAGE}
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    for piece in pieces(text):
        yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
    yield {"type": "content_block_stop", "index": 0}
    yield {"type": "message_delta", "delta": ENDED, "usage": {"output_tokens": 3}}
    yield {"type": "message_stop"}

URL = serve(whole, events)

def asked(prompt):
    return {"model": "m", "max_tokens": 99, "system": "Be brief.", "messages": [{"role": "user", "content": prompt}]}

def ask(prompt):
    client = anthropic.Anthropic(base_url=URL, api_key="unused", max_retries=0)
    return client.messages.create(**asked(prompt)).content[0].text

async def aask(prompt):
    client = anthropic.AsyncAnthropic(base_url=URL, api_key="unused", max_retries=0)
    return (await client.messages.create(**asked(prompt))).content[0].text

async def stream(prompt):
    client = anthropic.AsyncAnthropic(base_url=URL, api_key="unused", max_retries=0)
    async for event in await client.messages.create(**asked(prompt), stream=True):
        if event.type == "content_block_delta":
            yield event.delta.text

def keep(secret, prompt):
    client = anthropic.Anthropic(base_url=URL, api_key=secret, max_retries=0)
    answer = client.messages.create(**asked(prompt), metadata={"user_id": secret})
    return answer.content[0].text
"""

KIT = Kit(
    name="anthropic",
    adapter="outtake_probe.targets.anthropic",
    packages=["anthropic"],
    environment="anthropic",
    programs=clients.PROGRAMS,
    files={"provider.py": PROVIDER, "model.py": MODEL},
    tokens=(7, 3),
    cuts=3,
)
