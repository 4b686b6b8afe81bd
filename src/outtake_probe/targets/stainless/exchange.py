"""One request of a client and its response: through the gate, and built by the library either way."""

from __future__ import annotations

import copy
import functools
import inspect
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from functools import partial
from typing import Any

from outtake_probe.calls import Call, Usage, nested
from outtake_probe.gate import invoke
from outtake_probe.gate.invoke import NewInput
from outtake_probe.session import Session
from outtake_probe.targets.stainless import raw_body
from outtake_probe.targets.stainless.answers import Answered, Served, answer_json, mocked, mocked_pieces
from outtake_probe.targets.stainless.errors import Errors
from outtake_probe.targets.stainless.library import Api, Library
from outtake_probe.targets.stainless.pieces import AsyncPieces, Pieces
from outtake_probe.targets.stainless.raw_body import mocked_body
from outtake_probe.targets.stainless.requests import body_json, edited_body, normalized, plain, settled

RAW = "X-Stainless-Raw-Response"
"""Header by which the libraries' own wrappers ask for the raw response: `stream` is the kind that is not read yet."""


class Exchange:
    """One request of a client, and its response.

    `kwargs` are what the client's `request` was given beside the class to build and the options.
    """

    def __init__(
        self,
        session: Session,
        library: Library,
        api: Api,
        *,
        client: Any,
        cast_to: Any,
        options: Any,
        kwargs: dict[str, Any],
    ) -> None:
        self.session = session
        self.library = library
        self.api = api
        self.client = client
        self.cast_to = cast_to
        self.streams = bool(kwargs.get("stream"))
        self.kwargs = kwargs
        self.options = copy.copy(options)
        merged = {**options.json_data, **(options.extra_json or {})}
        self.body = settled({key: item for key, item in merged.items() if not isinstance(item, library.absent)})
        self.options.json_data, self.options.extra_json = self.body, None
        self.raw = self._header(RAW)
        self.opened = False
        """Whether the server has answered with a stream."""
        self.errors = Errors(self._complete)
        self._live: Any = None
        self._used: Usage | None = None
        self._texts: list[str] = []
        """The body that the program reads by itself, as far as it has come."""

    def _header(self, name: str) -> str:
        """A header that the library's own code has set, or an empty text."""
        headers = self.options.headers
        return str(headers.get(name) or "") if isinstance(headers, Mapping) else ""

    @property
    def from_the_wire(self) -> bool:
        """Whether a helper of the library reads the response from the wire, where nothing could give it again."""
        return bool(self.library.wire_helper and self._header(self.library.wire_helper))

    @property
    def is_unread(self) -> bool:
        """Whether the program reads the body of the response by itself."""
        return self.raw == "stream"

    def _call(self) -> Call:
        """The invocation, as the gate sees it."""
        absent, mock = self.library.absent, mocked_pieces if self.streams else mocked
        if self.is_unread:
            mock = partial(mocked_body, streams=self.streams)
        return Call(
            "model",
            nested("model"),
            body_json(self.body, absent),
            type=self.api.type,
            decode_input=lambda value: edited_body(self.body, value, absent),
            encode=lambda answered: answered.json,
            decode=Served,
            usage=lambda _: raw_body.usage(self.api, self._texts) if self.is_unread else self._used,
            normalize=lambda _, value: normalized(plain(self.body, absent), self.api.turns, value),
            normalize_output=lambda value: mock(self.api, self.body, value),
        )

    # -- whole answers -----------------------------------------------------------------------------------------------

    def whole(self, real: Callable[..., Any]) -> Any:
        def ask(new: NewInput | None) -> Answered:
            with self.errors.inside:
                return self._answered(real(self._sent(new), **self.kwargs))

        with self.errors.outside:
            answer: Any = invoke.call(self.session, self._call(), ask)
        return self._build(answer) if isinstance(answer, Served) else self._parsed(answer)

    async def awhole(self, real: Callable[..., Any]) -> Any:
        async def ask(new: NewInput | None) -> Answered:
            with self.errors.inside:
                return self._answered(await real(self._sent(new), **self.kwargs))

        with self.errors.outside:
            answer: Any = await invoke.acall(self.session, self._call(), ask)
        return await self._build(answer) if isinstance(answer, Served) else self._parsed(answer)

    def _sent(self, new: NewInput | None) -> Any:
        """The options to send: with an edited body where there is one.

        The library's parser for structured answers is left out: it is code between the gates, which runs again.
        """
        options = copy.copy(self.options)
        if new is not None:
            options.json_data = new.value
        if not self.raw and callable(options.post_parser):
            options.post_parser = self.library.absent[0]()
        return options

    def _parsed(self, answer: Answered | None) -> Any:
        """The live answer as the program gets it; None for a call that was dropped."""
        if answer is None:
            return None
        parser = self.options.post_parser
        return parser(answer.made) if callable(parser) and not self.raw else answer.made

    def _build(self, answer: Served) -> Any:
        """What the library makes of this response; for a client that awaits, to be awaited."""
        return self._process(
            self._response(200, json.dumps(answer.json).encode(), {"content-type": "application/json"})
        )

    def _process(self, response: Any) -> Any:
        process = self.client._process_response
        given = {
            "cast_to": self.cast_to,
            "options": self.options,
            "response": response,
            "stream": self.streams,
            "stream_cls": self.kwargs.get("stream_cls"),
            "retries_taken": 0,
        }
        takes = inspect.signature(process).parameters
        return process(**{name: value for name, value in given.items() if name in takes})

    def _response(self, status: int, content: bytes, headers: dict[str, str]) -> Any:
        """A response that no server sent."""
        return self.library.http.Response(status, headers=headers, content=content, request=self._request())

    def _request(self) -> Any:
        asked = {RAW: self.raw} if self.raw else {}
        return self.library.http.Request("POST", str(self.client.base_url).rstrip("/") + self.api.path, headers=asked)

    def _no_events(self) -> Any:
        """A stream whose events come from elsewhere."""
        return self._process(self._response(200, b"", {"content-type": "text/event-stream"}))

    # -- streams -----------------------------------------------------------------------------------------------------

    def streamed(self, real: Callable[..., Any]) -> Any:
        def opened(new: NewInput | None) -> Iterator[Answered]:
            with self.errors.inside:
                self._live = real(self._sent(new), **self.kwargs)
                self.opened = True
                for item in _detached(self._live.parse() if self.raw else self._live).__stream__():
                    yield self._answered(item)

        pieces = Pieces(self, invoke.stream(self.session, self._call(), opened))
        pieces.prime()
        answer = self._taken() if self.opened else self._no_events()
        stream = answer.parse() if self.raw else answer
        self._attach(stream, pieces)
        stream.response.close = pieces.closing(stream.response)
        return answer

    async def astreamed(self, real: Callable[..., Any]) -> Any:
        async def opened(new: NewInput | None) -> AsyncIterator[Answered]:
            with self.errors.inside:
                self._live = await real(self._sent(new), **self.kwargs)
                self.opened = True
                async for item in _detached(await self._unwrapped(self._live)).__stream__():
                    yield self._answered(item)

        pieces = AsyncPieces(self, invoke.astream(self.session, self._call(), opened))
        await pieces.prime()
        answer = self._taken() if self.opened else await self._no_events()
        stream = await self._unwrapped(answer)
        self._attach(stream, pieces)
        stream.response.aclose = pieces.closing(stream.response)
        return answer

    # -- bodies that the program reads by itself ---------------------------------------------------------------------

    def unread(self, real: Callable[..., Any]) -> Any:
        def opened(new: NewInput | None) -> Iterator[Answered]:
            with self.errors.inside:
                self._live = real(self._sent(new), **self.kwargs)
                response, self.opened = self._live.http_response, True
                yield raw_body.head(response)
                for content in response.iter_bytes():
                    yield self._chunk(content)

        pieces = Pieces(self, invoke.stream(self.session, self._call(), opened))
        pieces.prime()
        answer, response = self._unread(pieces)
        return self._process(response) if answer is None else answer

    async def aunread(self, real: Callable[..., Any]) -> Any:
        async def opened(new: NewInput | None) -> AsyncIterator[Answered]:
            with self.errors.inside:
                self._live = await real(self._sent(new), **self.kwargs)
                response, self.opened = self._live.http_response, True
                yield raw_body.head(response)
                async for content in response.aiter_bytes():
                    yield self._chunk(content)

        pieces = AsyncPieces(self, invoke.astream(self.session, self._call(), opened))
        await pieces.prime()
        answer, response = self._unread(pieces)
        return await self._process(response) if answer is None else answer

    def _chunk(self, content: bytes) -> Answered:
        made = raw_body.chunk(content)
        if isinstance(made.json, str):
            self._texts.append(made.json)
        return made

    def _unread(self, pieces: Pieces | AsyncPieces) -> tuple[Any, Any]:
        """The library's live answer, or None, and a response whose body is these pieces."""
        pieces.build = raw_body.content
        told = pieces.ready.popleft() if pieces.ready else Served(raw_body.NOT_READ)
        real = told.made if isinstance(told, Answered) else None
        answer = self._taken()
        response = raw_body.unread(self.library.http, self._request(), real, told.json, pieces)
        if answer is not None:
            answer.http_response = response
        return answer, response

    # -- what the library made ---------------------------------------------------------------------------------------

    def _taken(self) -> Any:
        """The library's stream: the program's from now on, so that it ends when the program drops it."""
        live, self._live = self._live, None
        return live

    async def _unwrapped(self, answer: Any) -> Any:
        """The stream, taken out of the raw response that the program asked for."""
        stream = answer.parse() if self.raw else answer
        return await stream if inspect.isawaitable(stream) else stream

    def _attach(self, stream: Any, pieces: Pieces | AsyncPieces) -> None:
        """Let the library's stream give these pieces."""
        build = self.client._process_response_data
        pieces.build = functools.partial(build, cast_to=stream._cast_to, response=stream.response)
        stream._iterator = pieces

    def _answered(self, made: Any) -> Answered:
        """What came over the wire; counts its tokens, which a stream tells more than once."""
        value = answer_json(made)
        used = self.api.usage(value) if isinstance(value, dict) else None
        if used is not None:
            before = self._used or Usage()
            self._used = Usage(max(before.tokens_in, used.tokens_in), max(before.tokens_out, used.tokens_out))
        return Answered(made, value)

    def _complete(self, error: BaseException) -> None:
        """What a program may look at in an error of the library, where the record could not keep it."""
        if not isinstance(error, self.library.error) or hasattr(error, "request"):
            return
        status = getattr(error, "status_code", None)
        response = self._response(status or 500, json.dumps(plain(getattr(error, "body", None))).encode(), {})
        error.request = response.request  # type: ignore[attr-defined]
        if status is not None:
            error.response = response  # type: ignore[attr-defined]


def _detached(stream: Any) -> Any:
    """Another view of the same stream, so that whoever reads it does not keep the program's own alive."""
    twin = copy.copy(stream)
    vars(twin).pop("_iterator", None)  # a generator that holds the stream it was made for
    return twin
