"""Model clients that the generator Stainless wrote (openai, anthropic): calls of the model, through one seam.

Every call of such a client, however it was made (`create`, `parse`, the helpers for streams, raw responses, Azure, beta
paths), goes through the client's `request(cast_to, options)`.  There its body is JSON, retries have not begun, and what
comes back is still the library's to build.  So an answer from the record is given to the library as if a server had
sent it, and the program gets the objects that it always gets.

A call made inside an invocation of a model (by the client of a framework whose model calls are recorded already) is
part of that one and passes through.
"""

from __future__ import annotations

import copy
import functools
import inspect
import json
import os
import sys
import weakref
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType, TracebackType
from typing import Any

from outtake_probe import calling
from outtake_probe.calling import NewInput
from outtake_probe.calls import Call, Usage, current, nested
from outtake_probe.records import Json
from outtake_probe.session import BadValue, Session
from outtake_probe.targets.base import Capability, Program
from outtake_probe.targets.requests import Absent, body_json, dump, edited_body, plain, settled
from outtake_probe.values import TAG, encode, is_model

RAW = "X-Stainless-Raw-Response"
"""Header by which the libraries' own wrappers ask for the raw response: `stream` is the kind that is not read yet."""
UNUSUAL = "unusual"
"""Tag of an answer that its API does not describe, as some servers give: it is served as it was."""


CAPABILITIES: tuple[Capability, ...] = ("hold:model", "edit", "mock", "drop")


@dataclass(frozen=True, slots=True)
class Api:
    """One kind of model call: its path, what its request says, and what answers of it look like."""

    path: str
    type: str
    turns: str
    """Name of the part of the request that holds the conversation."""
    whole: Callable[[Json, str], Json]
    """Of the request and a text, the response in which the model says this text."""
    pieces: Callable[[Json, str], list[Json]]
    """The same as the pieces of a stream."""
    wrong: Callable[[Json], str | None]
    """What is wrong with a response, in words, or None."""
    wrong_piece: Callable[[Json], str | None]
    usage: Callable[[Json], Usage | None]
    """What a response, or a piece of a stream, says of the tokens used so far."""


@dataclass(frozen=True, slots=True)
class Library:
    """One client library, as far as it differs from its sisters."""

    name: str
    clients: tuple[type[Any], type[Any]]
    """The client that blocks and the client that awaits."""
    streams: tuple[type[Any], type[Any]]
    absent: Absent
    error: type[Exception]
    http: ModuleType
    apis: Sequence[Api]

    def api(self, options: Any) -> Api | None:
        """The model call that these options describe, if they do."""
        path = str(options.url).partition("?")[0]
        found = (api for api in self.apis if path == api.path and options.method.lower() == "post")
        return next(found, None) if isinstance(options.json_data, Mapping) else None


def http_module(timeout: type[Any]) -> ModuleType:
    """The HTTP library that a client library speaks through, told by the time-out class that it exports (and renames)."""
    return sys.modules[timeout.__init__.__module__.partition(".")[0]]


class Hooks:
    """The hooks in one library: put in place, and taken out again."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._session: Session | None = None
        self._pid = 0
        self._patched: list[tuple[type[Any], Any, Any]] = []

    def install(self, session: Session) -> list[str]:
        """Send every model call of the library through the gate of `session`; returns what cannot be hooked, in words."""
        self._session, self._pid = session, os.getpid()
        missing = [self._missing(index) for index in range(2)]
        if not self._patched:
            for index, lacks in enumerate(missing):
                if lacks is None:
                    self._patch(self._library.clients[index], index == 1)
        return [words for words in missing if words is not None]

    def remove(self) -> None:
        """Leave the library as it was."""
        for owner, original, ours in self._patched:
            if vars(owner).get("request") is ours:
                owner.request = original
        self._patched.clear()
        self._session = None

    def claims(self, made: object) -> bool:
        """A client is nothing that runs by itself."""
        return False

    def program(self, made: object, session: Session) -> Program:
        """Nothing is claimed, so nothing is asked for."""
        raise TypeError(f"{self._library.name} has no programs, only calls")

    def _missing(self, index: int) -> str | None:
        """Which seam this version lacks, and what is lost by it."""
        client, stream = self._library.clients[index], self._library.streams[index]
        seams = {f"{client.__name__}.{name}": hasattr(client, name) for name in ("request", *_BUILDERS)}
        seams[f"{stream.__name__}.__stream__"] = hasattr(stream, "__stream__")
        lacking = [name for name, there in seams.items() if not there]
        if not lacking:
            return None
        return f"{', '.join(lacking)}: model calls of {self._library.name}'s {client.__name__} are not seen"

    def _patch(self, client: type[Any], awaits: bool) -> None:
        owner = next(cls for cls in client.__mro__ if "request" in vars(cls))
        original = vars(owner)["request"]
        ours = self._async_request(original) if awaits else self._request(original)
        owner.request = ours  # type: ignore[attr-defined]
        self._patched.append((owner, original, ours))

    def _request(self, original: Any) -> Any:
        @functools.wraps(original)
        def request(client: Any, cast_to: Any, options: Any, *args: Any, **kwargs: Any) -> Any:
            exchange = self._exchange(client, cast_to, options, kwargs)
            if exchange is None:
                return original(client, cast_to, options, *args, **kwargs)
            real = functools.partial(original, client, cast_to)
            return exchange.streamed(real) if exchange.streams else exchange.whole(real)

        return request

    def _async_request(self, original: Any) -> Any:
        @functools.wraps(original)
        async def request(client: Any, cast_to: Any, options: Any, *args: Any, **kwargs: Any) -> Any:
            exchange = self._exchange(client, cast_to, options, kwargs)
            if exchange is None:
                return await original(client, cast_to, options, *args, **kwargs)
            real = functools.partial(original, client, cast_to)
            return await (exchange.astreamed(real) if exchange.streams else exchange.awhole(real))

        return request

    def _exchange(self, client: Any, cast_to: Any, options: Any, kwargs: dict[str, Any]) -> Exchange | None:
        """The invocation that this request is, or None where it is none, or part of one that is seen already."""
        session, api, around = self._session, self._library.api(options), current.get()
        if session is None or self._pid != os.getpid() or api is None or (around is not None and around.kind == "model"):
            return None
        exchange = Exchange(session, self._library, api, client, cast_to, options, kwargs)
        if exchange.raw == "stream":
            # The program reads this response from the wire by itself: nothing here could give it again.
            session.note("not_recorded", nested("model"), {"reason": "with_streaming_response", "api": api.type})
            return None
        return exchange


_BUILDERS = ("_process_response", "_process_response_data")


@dataclass(frozen=True, slots=True)
class Answered:
    """What the model really answered: the library's object, and its JSON."""

    made: Any
    json: Json


@dataclass(frozen=True, slots=True)
class Served:
    """What the record or a mock says that the model answered: a response, or pieces of a stream."""

    values: list[Json]


class Exchange:
    """One request of a client, and its response."""

    def __init__(
        self, session: Session, library: Library, api: Api, client: Any, cast_to: Any, options: Any, kwargs: dict[str, Any]
    ) -> None:
        self.session = session
        self.library = library
        self.api = api
        self.client = client
        self.cast_to = cast_to
        self.streams = bool(kwargs.get("stream"))
        self.kwargs = kwargs
        self.options = copy.copy(options)
        self.body = settled({**options.json_data, **(options.extra_json or {})})
        self.options.json_data, self.options.extra_json = self.body, None
        self.raw = self._header(RAW)
        self.opened = False
        """Whether the server has answered with a stream."""
        self._live: Any = None
        self._used: Usage | None = None
        self.failure: tuple[Exception, TracebackType | None] | None = None

    def _header(self, name: str) -> str:
        headers = self.options.headers
        return str(headers.get(name) or "") if isinstance(headers, Mapping) else ""

    @property
    def call(self) -> Call:
        """The invocation, as the gate sees it."""
        return Call(
            "model",
            nested("model"),
            body_json(self.body, self.library.absent),
            type=self.api.type,
            decode_input=lambda value: edited_body(self.body, value, self.library.absent),
            encode=lambda answered: answered.json,
            decode=self._decode_piece if self.streams else self._decode_whole,
            usage=lambda _: self._used,
            normalize=self._normalize,
        )

    # -- whole answers -----------------------------------------------------------------------------------------------

    def whole(self, real: Callable[..., Any]) -> Any:
        def ask(new: NewInput | None) -> Answered:
            with _Bare(self):
                return self._answered(real(self._sent(new), **self.kwargs))

        with _Whole(self):
            answer = calling.call(self.session, self.call, ask)
        return self._build(answer) if isinstance(answer, Served) else self._parsed(answer)

    async def awhole(self, real: Callable[..., Any]) -> Any:
        async def ask(new: NewInput | None) -> Answered:
            with _Bare(self):
                return self._answered(await real(self._sent(new), **self.kwargs))

        with _Whole(self):
            answer = await calling.acall(self.session, self.call, ask)
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
        return self._process(json.dumps(answer.values[0]).encode(), "application/json")

    def _process(self, content: bytes, kind: str) -> Any:
        process = self.client._process_response
        given = {
            "cast_to": self.cast_to,
            "options": self.options,
            "response": self._response(200, content, {"content-type": kind}),
            "stream": self.streams,
            "stream_cls": self.kwargs.get("stream_cls"),
            "retries_taken": 0,
        }
        takes = inspect.signature(process).parameters
        return process(**{name: value for name, value in given.items() if name in takes})

    def _response(self, status: int, content: bytes, headers: dict[str, str]) -> Any:
        """A response that no server sent."""
        http = self.library.http
        asked = {RAW: self.raw} if self.raw else {}
        request = http.Request("POST", str(self.client.base_url).rstrip("/") + self.api.path, headers=asked)
        return http.Response(status, headers=headers, content=content, request=request)

    # -- streams -----------------------------------------------------------------------------------------------------

    def streamed(self, real: Callable[..., Any]) -> Any:
        def opened(new: NewInput | None) -> Iterator[Answered]:
            with _Bare(self):
                self._live = real(self._sent(new), **self.kwargs)
                self.opened = True
                for item in _detached(self._live.parse() if self.raw else self._live).__stream__():
                    yield self._answered(item)

        pieces = Pieces(self, calling.stream(self.session, self.call, opened))
        pieces.prime()
        answer = self._taken() if self.opened else self._process(b"", "text/event-stream")
        stream = answer.parse() if self.raw else answer
        self._attach(stream, pieces)
        stream.response.close = pieces.closing(stream.response)
        return answer

    async def astreamed(self, real: Callable[..., Any]) -> Any:
        async def opened(new: NewInput | None) -> AsyncIterator[Answered]:
            with _Bare(self):
                self._live = await real(self._sent(new), **self.kwargs)
                self.opened = True
                async for item in _detached(await self._unwrapped(self._live)).__stream__():
                    yield self._answered(item)

        pieces = AsyncPieces(self, calling.astream(self.session, self.call, opened))
        await pieces.prime()
        answer = self._taken() if self.opened else await self._process(b"", "text/event-stream")
        stream = await self._unwrapped(answer)
        self._attach(stream, pieces)
        stream.response.aclose = pieces.closing(stream.response)
        return answer

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

    # -- outputs -----------------------------------------------------------------------------------------------------

    def _answered(self, made: Any) -> Answered:
        value = self._json(made)
        used = self.api.usage(value) if isinstance(value, dict) else None
        if used is not None:
            before = self._used or Usage()
            tokens = max(before.tokens_in, used.tokens_in), max(before.tokens_out, used.tokens_out)
            self._used = Usage(*tokens)
        wrong = self.api.wrong_piece if self.streams else self.api.wrong
        return Answered(made, {TAG: UNUSUAL, "value": value} if wrong(value) else value)

    def _json(self, made: Any) -> Json:
        if is_model(made):
            return dump(made)
        raw = getattr(made, "http_response", None)
        return raw.json() if raw is not None else encode(made)

    def _decode_whole(self, value: Json) -> Served:
        """A recorded response, or a mock: a response, or only the text that the model says."""
        if isinstance(value, str):
            return Served([self.api.whole(self.body, value)])
        if isinstance(value, dict) and value.get(TAG) == UNUSUAL:
            return Served([value["value"]])
        self._check(value, self.api.wrong(value), "a response, or a text that the model says", self.api.whole)
        return Served([value if "id" in value else {**self.api.whole(self.body, ""), **value}])

    def _decode_piece(self, value: Json) -> Served:
        """A recorded piece of a stream, or a mock: a piece, or the whole text that the model says."""
        if isinstance(value, str):
            return Served(self.api.pieces(self.body, value))
        if isinstance(value, dict) and value.get(TAG) == UNUSUAL:
            return Served([value["value"]])
        self._check(value, self.api.wrong_piece(value), "a list of pieces, or a text that the model says", self.api.pieces)
        return Served([value])

    def _check(self, value: Json, wrong: str | None, takes: str, example: Callable[[Json, str], Json]) -> None:
        if wrong is not None:
            shown = json.dumps(example(self.body, "Hello"))
            raise BadValue(f"{self.api.type} answers {takes}; {wrong} in {json.dumps(value)[:200]}. Example: {shown}")

    # -- inputs ------------------------------------------------------------------------------------------------------

    def _normalize(self, _: Json, value: Json) -> Json:
        """The whole request of an edit that names some of its keys; null takes a key out."""
        now = plain(self.body, self.library.absent)
        turns, example = self.api.turns, json.dumps({self.api.turns: [{"role": "user", "content": "Hello"}]})
        if not isinstance(value, dict) or not value:
            raise BadValue(f"a request is edited by an object with the keys to replace, like {example}", example)
        if bool(value.get("stream", now.get("stream"))) != bool(now.get("stream")):
            raise BadValue("the program waits for a stream, or for none: an edit cannot change `stream`")
        said = value.get(turns, now.get(turns))
        if not (isinstance(said, list) and all(isinstance(item, dict) for item in said)) and not _is_text(said, turns):
            raise BadValue(f"`{turns}` is a list of objects, like {example}", example)
        return {key: item for key, item in {**now, **value}.items() if item is not None}

    # -- errors ------------------------------------------------------------------------------------------------------

    def complete(self, error: Exception) -> None:
        """What a program may look at in an error of the library, where the record could not keep it."""
        if not isinstance(error, self.library.error) or hasattr(error, "request"):
            return
        status = getattr(error, "status_code", None)
        response = self._response(status or 500, json.dumps(plain(getattr(error, "body", None))).encode(), {})
        error.request = response.request  # type: ignore[attr-defined]
        if status is not None:
            error.response = response  # type: ignore[attr-defined]


def _is_text(value: Json, turns: str) -> bool:
    """The conversation of the responses API may be one text, or nothing at all but a prompt that the server keeps."""
    return turns == "input" and (value is None or isinstance(value, str))


def _detached(stream: Any) -> Any:
    """Another view of the same stream, so that whoever reads it does not keep the program's own alive."""
    twin = copy.copy(stream)
    vars(twin).pop("_iterator", None)  # a generator that holds the stream it was made for
    return twin


class _Bare:
    """The gate sees an error of the library without the library's frames: their locals hold headers and keys."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> None:
        if isinstance(error, Exception):
            self._exchange.failure = error, trace
            raise error.with_traceback(None)


class _Whole:
    """The program sees an error with the frames it had; one from the record, with the request and response it had."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> None:
        failure, self._exchange.failure = self._exchange.failure, None
        if failure is not None and failure[0] is error:
            raise failure[0].with_traceback(failure[1])
        if isinstance(error, self._exchange.library.error):
            self._exchange.complete(error)


class _Queue:
    """The pieces that the gate let through and the program has not taken.

    The first piece is fetched before the program gets the stream, because that is when the request goes out, and when
    the library raises what the server answers instead of a stream.
    """

    build: Callable[..., Any]
    """Makes the library's object of a piece's JSON."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        self.ready: deque[Any] = deque()
        self.error: Exception | None = None
        self.busy = False

    def put(self, item: Answered | Served | None) -> bool:
        """One more from the gate; False where there are no more."""
        if isinstance(item, Served):
            self.ready.extend(item.values)
        elif item is not None:
            self.ready.append(item)
        return item is not None

    def late(self, error: Exception) -> None:
        """The first piece is an error.  One that came after the stream was open is for whoever reads it."""
        if not self.exchange.opened:
            raise error
        self.error = error

    def check(self) -> None:
        error, self.error = self.error, None
        if error is not None:
            raise error

    def take(self) -> Any:
        item = self.ready.popleft()
        return item.made if isinstance(item, Answered) else self.build(data=item)


class Pieces(_Queue):
    """What a stream of the library iterates over."""

    def __init__(self, exchange: Exchange, source: Iterator[Any]) -> None:
        super().__init__(exchange)
        self._source = source

    def __iter__(self) -> Pieces:
        return self

    def __next__(self) -> Any:
        self.check()
        while not self.ready:
            if not self._fetch():
                raise StopIteration
        return self.take()

    def prime(self) -> None:
        """Fetch the first piece."""
        try:
            self._fetch()
        except Exception as error:
            self.late(error)

    def _fetch(self) -> bool:
        self.busy = True
        try:
            with _Whole(self.exchange):
                return self.put(next(self._source, None))
        finally:
            self.busy = False

    def close(self) -> None:
        """The program wants no more pieces.  (The library itself closes a response that it has read to its end.)"""
        if not self.busy:
            self.busy = True
            self._source.close()  # type: ignore[attr-defined]
            self.busy = False

    def closing(self, response: Any) -> Callable[[], None]:
        """What closes the response, and these pieces with it."""
        pieces, weak = weakref.ref(self), weakref.ref(response)

        def close() -> None:
            found, still = pieces(), weak()
            if found is not None:
                found.close()
            if still is not None:
                type(still).close(still)

        return close


class AsyncPieces(_Queue):
    """`Pieces`, for a stream that is awaited."""

    def __init__(self, exchange: Exchange, source: AsyncIterator[Any]) -> None:
        super().__init__(exchange)
        self._source = source

    def __aiter__(self) -> AsyncPieces:
        return self

    async def __anext__(self) -> Any:
        self.check()
        while not self.ready:
            if not await self._fetch():
                raise StopAsyncIteration
        return self.take()

    async def prime(self) -> None:
        try:
            await self._fetch()
        except Exception as error:
            self.late(error)

    async def _fetch(self) -> bool:
        self.busy = True
        try:
            with _Whole(self.exchange):
                return self.put(await anext(self._source, None))
        finally:
            self.busy = False

    async def aclose(self) -> None:
        if not self.busy:
            self.busy = True
            await self._source.aclose()  # type: ignore[attr-defined]
            self.busy = False

    def closing(self, response: Any) -> Callable[[], Coroutine[Any, Any, None]]:
        pieces, weak = weakref.ref(self), weakref.ref(response)

        async def aclose() -> None:
            found, still = pieces(), weak()
            if found is not None:
                await found.aclose()
            if still is not None:
                await type(still).aclose(still)

        return aclose
