"""The `anthropic` client: messages, streaming and not, sync and async, beta, Bedrock and Vertex."""

from __future__ import annotations

import inspect

import anthropic

from outtake_probe.calls import Usage
from outtake_probe.records import Json
from outtake_probe.targets.stainless.hooks import Client
from outtake_probe.targets.stainless.library import Api, Library, Turns, http_module

_TOKENS_IN = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def _message(request: Json, text: str) -> Json:
    return {
        "id": "msg_mock",
        "type": "message",
        "role": "assistant",
        "model": request.get("model") or "",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }


def _events(request: Json, text: str) -> list[Json]:
    begun = {**_message(request, text), "content": [], "stop_reason": None}
    ended = {"stop_reason": "end_turn", "stop_sequence": None}
    return [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 0}},
        {"type": "message_stop"},
    ]


def _wrong_message(value: Json) -> str | None:
    content = value.get("content") if isinstance(value, dict) else None
    fits = isinstance(content, list) and all(isinstance(block, dict) and "type" in block for block in content)
    return None if fits else "no list `content` of objects with a `type`"


def _wrong_event(value: Json) -> str | None:
    kind = value.get("type") if isinstance(value, dict) else None
    return None if isinstance(kind, str) and kind != "message" else "no `type` of an event"


def _usage(value: Json) -> Usage | None:
    """Of a message, of the event that starts one, or of one that ends it; what was read from a cache was read."""
    message = value.get("message")
    usage = (message if isinstance(message, dict) else value).get("usage")
    if not isinstance(usage, dict):
        return None
    return Usage(sum(usage.get(name) or 0 for name in _TOKENS_IN), usage.get("output_tokens") or 0)


READS_THE_WIRE = "raw_stream" not in inspect.signature(anthropic.MessageStream.__init__).parameters
"""In old versions (0.40), the helper `messages.stream` takes the response out of the stream that it is given."""

adapter = Client(
    Library(
        name="anthropic",
        clients=(anthropic.Anthropic, anthropic.AsyncAnthropic),
        streams=(anthropic.Stream, anthropic.AsyncStream),
        absent=tuple(getattr(anthropic, name) for name in ("NotGiven", "Omit") if hasattr(anthropic, name)),
        error=anthropic.APIError,
        http=http_module(anthropic.Timeout),
        apis=(
            Api(
                path="/v1/messages",
                type="messages",
                turns=Turns("messages"),
                whole=_message,
                pieces=_events,
                wrong=_wrong_message,
                wrong_piece=_wrong_event,
                usage=_usage,
            ),
        ),
        wire_helper="X-Stainless-Stream-Helper" if READS_THE_WIRE else "",
    )
)
