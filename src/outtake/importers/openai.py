"""Requests to the OpenAI API, or one like it, with their responses: chat completions and responses."""

from __future__ import annotations

from collections.abc import Sequence

from outtake.importers import models
from outtake.importers.exchanges import Api, Document, exchanges, log, pieces, tokens
from outtake.importers.log import Importer, Log
from outtake.importers.source import Source
from outtake.importers.values import decoded, fields, objects, text
from outtake_probe.records import Json


def _type(request: Document) -> str:
    if isinstance(request.get("messages"), list) and ("model" in request or "tools" in request):
        return models.COMPLETIONS
    return "responses" if "input" in request and isinstance(request.get("model"), str) else ""


def _answers(response: Json) -> bool:
    held = fields(response)
    if isinstance(held.get("choices"), list) or held.get("object") == "response":
        return True
    return any("choices" in piece or text(piece.get("type")).startswith("response.") for piece in pieces(response))


def _usage(response: Document) -> tuple[int, int]:
    found = tokens(response, ("prompt_tokens",), "completion_tokens")
    return found if any(found) else tokens(response, ("input_tokens",), "output_tokens")


def _prompt(request: Document) -> Sequence[Document]:
    if "messages" in request:
        return objects(request["messages"])
    if isinstance(request.get("input"), str):
        return [{"role": "user", "content": request["input"]}]
    return [
        {"role": "tool", "tool_call_id": item.get("call_id"), "content": item.get("output")}
        if item.get("type") == "function_call_output"
        else item
        for item in objects(request.get("input"))
    ]


def _tools(response: Json) -> Sequence[tuple[str, str, Json]]:
    held = fields(response)
    wanted = [
        (text(item.get("call_id")), text(item.get("name")), decoded(item.get("arguments")))
        for item in objects(held.get("output"))
        if item.get("type") == "function_call"
    ]
    return wanted + [
        call for choice in objects(held.get("choices")) for call in models.calls_of(fields(choice.get("message")))
    ]


API = Api(type=_type, answers=_answers, usage=_usage, prompt=_prompt, tools=_tools)


def recognise(source: Source) -> str:
    """Whether all that a file has are such requests and responses."""
    found = exchanges(source.objects, API)
    return f"requests and responses of the OpenAI API ({len(found)})" if found else ""


def read(source: Source) -> Sequence[Log]:
    """One run."""
    return [log(exchanges(source.objects, API), API)]


IMPORTER = Importer(
    name="OpenAI requests",
    looks="JSON or lines with a request that has model and messages or input, and its response",
    recognise=recognise,
    read=read,
)
