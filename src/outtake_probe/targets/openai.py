"""The `openai` client, 1.x to 3.x: chat completions, responses and embeddings, sync and async, Azure, beta.

Answers come whole, as streams, or as a body that the program reads by itself.
"""

from __future__ import annotations

import openai

from outtake_probe.calls import Usage
from outtake_probe.records import Json
from outtake_probe.targets.stainless.hooks import Client
from outtake_probe.targets.stainless.library import Api, Library, Turns, http_module, is_list_of_objects
from outtake_probe.targets.toolkit.responses_api import events, message_item, response, text_part


def _model(request: Json) -> Json:
    return request.get("model") or ""


# -- chat completions ------------------------------------------------------------------------------------------------


def _completion(request: Json, text: str) -> Json:
    message = {"role": "assistant", "content": text}
    return {
        "id": "chatcmpl-mock",
        "object": "chat.completion",
        "created": 0,
        "model": _model(request),
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
    }


def _completion_chunks(request: Json, text: str) -> list[Json]:
    whole = {**_completion(request, text), "object": "chat.completion.chunk"}
    deltas: tuple[tuple[Json, Json], ...] = (({"role": "assistant", "content": text}, None), ({}, "stop"))
    return [{**whole, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]} for delta, reason in deltas]


def _wrong_completion(value: Json) -> str | None:
    return None if _choices(value, "message", 1) else "no list `choices` of objects with a `message`"


def _wrong_chunk(value: Json) -> str | None:
    return None if _choices(value, "delta", 0) else "no list `choices` of objects with a `delta`"


def _choices(value: Json, part: str, least: int) -> bool:
    choices = value.get("choices") if isinstance(value, dict) else None
    if not isinstance(choices, list) or len(choices) < least:
        return False
    return all(isinstance(choice, dict) and isinstance(choice.get(part), dict) for choice in choices)


def _completion_usage(value: Json) -> Usage | None:
    return _tokens(value.get("usage"), "prompt_tokens", "completion_tokens")


def _tokens(usage: Json, tokens_in: str, tokens_out: str) -> Usage | None:
    return Usage(usage.get(tokens_in) or 0, usage.get(tokens_out) or 0) if isinstance(usage, dict) else None


# -- responses -------------------------------------------------------------------------------------------------------


def _response(request: Json, text: str) -> Json:
    return response(_model(request), [message_item([text_part(text)])])


def _response_events(request: Json, text: str) -> list[Json]:
    return events(_response(request, text))


def _wrong_response(value: Json) -> str | None:
    output = value.get("output") if isinstance(value, dict) else None
    fits = isinstance(output, list) and all(isinstance(item, dict) and "type" in item for item in output)
    return None if fits else "no list `output` of objects with a `type`"


def _wrong_event(value: Json) -> str | None:
    return None if isinstance(value, dict) and isinstance(value.get("type"), str) else "no `type`"


def _response_usage(value: Json) -> Usage | None:
    """Of a response, or of the event that ends a stream with one."""
    response = value.get("response")
    holder = response if isinstance(response, dict) else value
    return _tokens(holder.get("usage"), "input_tokens", "output_tokens")


def _is_conversation(turns: Json) -> bool:
    """A list of turns, one text, or nothing but a prompt that the server keeps."""
    return turns is None or isinstance(turns, str) or is_list_of_objects(turns)


# -- embeddings ------------------------------------------------------------------------------------------------------


def _vectors(request: Json, _text: str) -> Json:
    """One vector for each text of a request."""
    given = request.get("input")
    number = len(given) if isinstance(given, list) and not all(isinstance(item, int) for item in given) else 1
    return {
        "object": "list",
        "model": _model(request),
        "data": [{"object": "embedding", "index": n, "embedding": [1.0, 0.0]} for n in range(number)],
        "usage": {"prompt_tokens": 0, "total_tokens": 0},
    }


def _wrong_vectors(value: Json) -> str | None:
    data = value.get("data") if isinstance(value, dict) else None
    fits = isinstance(data, list) and all(isinstance(item, dict) and "embedding" in item for item in data)
    return None if fits else "no list `data` of objects with an `embedding`"


def _no_pieces(request: Json, _text: str) -> list[Json]:
    """Vectors are not streamed."""
    return []


def _is_text_or_texts(texts: Json) -> bool:
    return isinstance(texts, str) or (isinstance(texts, list) and bool(texts))


adapter = Client(
    Library(
        name="openai",
        clients=(openai.OpenAI, openai.AsyncOpenAI),
        streams=(openai.Stream, openai.AsyncStream),
        absent=tuple(getattr(openai, name) for name in ("NotGiven", "Omit") if hasattr(openai, name)),
        error=openai.APIError,
        http=http_module(openai.Timeout),
        apis=(
            Api(
                path="/chat/completions",
                type="chat.completions",
                turns=Turns("messages"),
                whole=_completion,
                pieces=_completion_chunks,
                wrong=_wrong_completion,
                wrong_piece=_wrong_chunk,
                usage=_completion_usage,
            ),
            Api(
                path="/responses",
                type="responses",
                turns=Turns("input", _is_conversation),
                whole=_response,
                pieces=_response_events,
                wrong=_wrong_response,
                wrong_piece=_wrong_event,
                usage=_response_usage,
            ),
            Api(
                path="/embeddings",
                type="embeddings",
                turns=Turns("input", _is_text_or_texts, "Hello"),
                whole=_vectors,
                pieces=_no_pieces,
                wrong=_wrong_vectors,
                wrong_piece=_wrong_vectors,
                usage=_completion_usage,
                says_text=False,
            ),
        ),
    )
)
