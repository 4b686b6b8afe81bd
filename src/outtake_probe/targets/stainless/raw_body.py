"""The body of a response that the program reads by itself (`with_streaming_response`): its chunks go through the gate.

The record of such a call is a list: what the response said of itself, then the decoded body as it came, in chunks.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import AsyncIterator, Callable, Iterator
from types import ModuleType
from typing import Any

from outtake_probe.calls import Usage
from outtake_probe.codec import decode, encode
from outtake_probe.commands import BadValue
from outtake_probe.records import Json
from outtake_probe.targets.stainless.answers import Answered, mocked, mocked_pieces
from outtake_probe.targets.stainless.library import Api
from outtake_probe.targets.stainless.pieces import AsyncPieces, Pieces

KIND = "content-type"
PACKED = ("content-encoding", "content-length", "transfer-encoding")
"""Headers that are about the body on the wire, not about what it is decoded to."""
NOT_READ: Json = {KIND: ""}
"""What a response says of itself that nobody sent."""


def head(response: Any) -> Answered:
    """The first piece: the server has answered, and nothing of the body has been read."""
    return Answered(response, {KIND: response.headers.get(KIND, "")})


def chunk(content: bytes) -> Answered:
    """A piece of the body; as a text where it is one."""
    try:
        return Answered(content, content.decode("utf-8"))
    except UnicodeDecodeError:
        return Answered(content, encode(content))


def content(*, data: Json) -> bytes:
    """The piece of a body that is recorded as `data`."""
    found = data if isinstance(data, str) else decode(data)
    return found if isinstance(found, bytes) else str(found).encode()


def usage(api: Api, texts: list[str]) -> Usage | None:
    """The tokens that a body tells of, as one answer or as events."""
    text = "".join(texts)
    lines = [line[5:] for line in text.splitlines() if line.startswith("data:")]
    used = [found for part in lines or [text] if (found := _told(api, part)) is not None]
    return Usage(max(u.tokens_in for u in used), max(u.tokens_out for u in used)) if used else None


def _told(api: Api, text: str) -> Usage | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return api.usage(value) if isinstance(value, dict) else None


def mocked_body(api: Api, request: Json, value: Json, *, streams: bool) -> list[Json]:
    """The record of a mock: a body as it is recorded, or what a call that is not read by itself would answer.

    Raises `BadValue`.
    """
    if isinstance(value, list) and value and isinstance(value[0], dict) and KIND in value[0]:
        if not all(isinstance(item, (str, dict)) for item in value[1:]):
            raise BadValue(f"a body is a list: an object with {KIND}, then texts", [{KIND: "text/plain"}, "Hello"])
        return value
    if not streams:
        return [{KIND: "application/json"}, json.dumps(mocked(api, request, value))]
    return [{KIND: "text/event-stream"}, *_events(mocked_pieces(api, request, value))]


def _events(pieces: list[Json]) -> Iterator[str]:
    for piece in pieces:
        name = f"event: {piece['type']}\n" if "type" in piece else ""
        yield f"{name}data: {json.dumps(piece)}\n\n"
    if pieces and "type" not in pieces[0]:
        yield "data: [DONE]\n\n"


def unread(http: ModuleType, request: Any, real: Any | None, head: Json, pieces: Pieces | AsyncPieces) -> Any:
    """A response like `real`, or like the recorded one of which `head` tells, whose body is these pieces."""
    body: Any = (_awaited if isinstance(pieces, AsyncPieces) else _blocking)(http)(pieces, real)
    headers = [(KIND, head[KIND])] if real is None else [(k, v) for k, v in real.headers.items() if k not in PACKED]
    if real is None:
        made = http.Response(200, headers=headers, stream=body, request=request)
    else:
        made = http.Response(
            real.status_code, headers=headers, stream=body, request=real.request, extensions=real.extensions
        )
    body.ended = lambda: setattr(made, "elapsed", real.elapsed if real is not None else dt.timedelta())
    return made


def _blocking(http: ModuleType) -> type[Any]:
    class Body(http.SyncByteStream):  # type: ignore[misc, name-defined]
        """Blocks for each chunk."""

        ended: Callable[[], None]

        def __init__(self, pieces: Pieces, real: Any | None) -> None:
            self._pieces, self._real = pieces, real

        def __iter__(self) -> Iterator[bytes]:
            return iter(self._pieces)

        def close(self) -> None:
            self._pieces.close()
            if self._real is not None:
                self._real.close()
            self.ended()

    return Body


def _awaited(http: ModuleType) -> type[Any]:
    class Body(http.AsyncByteStream):  # type: ignore[misc, name-defined]
        """Awaits each chunk."""

        ended: Callable[[], None]

        def __init__(self, pieces: AsyncPieces, real: Any | None) -> None:
            self._pieces, self._real = pieces, real

        def __aiter__(self) -> AsyncIterator[bytes]:
            return aiter(self._pieces)

        async def aclose(self) -> None:
            await self._pieces.aclose()
            if self._real is not None:
                await self._real.aclose()
            self.ended()

    return Body
