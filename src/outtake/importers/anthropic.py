"""Requests to the Anthropic API with their responses."""

from __future__ import annotations

from collections.abc import Sequence

from outtake.importers import models
from outtake.importers.exchanges import Api, Document, exchanges, log, pieces, tokens
from outtake.importers.log import Importer, Log
from outtake.importers.source import Source
from outtake.importers.values import fields, objects
from outtake_probe.records import Json

TYPE = "messages"
TOKENS_IN = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def _type(request: Document) -> str:
    return TYPE if isinstance(request.get("messages"), list) and isinstance(request.get("model"), str) else ""


def _answers(response: Json) -> bool:
    held = fields(response)
    if held.get("type") == "message" and isinstance(held.get("content"), list):
        return True
    return any(piece.get("type") == "message_start" for piece in pieces(response))


def _usage(response: Document) -> tuple[int, int]:
    return tokens(response, TOKENS_IN, "output_tokens")


def _prompt(request: Document) -> Sequence[Document]:
    return objects(request.get("messages"))


def _tools(response: Json) -> Sequence[tuple[str, str, Json]]:
    return models.calls_of({"content": fields(response).get("content")})


API = Api(type=_type, answers=_answers, usage=_usage, prompt=_prompt, tools=_tools)


def recognise(source: Source) -> str:
    """Whether all that a file has are such requests and responses."""
    found = exchanges(source.objects, API)
    return f"requests and responses of the Anthropic API ({len(found)})" if found else ""


def read(source: Source) -> Sequence[Log]:
    """One run."""
    return [log(exchanges(source.objects, API), API)]


IMPORTER = Importer(
    name="Anthropic requests",
    looks="JSON or lines with a request that has model and messages, and its response of the type message",
    recognise=recognise,
    read=read,
)
