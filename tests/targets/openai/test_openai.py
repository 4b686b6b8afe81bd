"""Model calls of the real `openai` client against a server on the loopback: recorded, replayed, edited, mocked."""

from __future__ import annotations

import array
import asyncio
import base64
import gc
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("openai")

import openai

from outtake_probe.attached import active
from outtake_probe.calls import Call
from outtake_probe.edits import Edit
from outtake_probe.gate.decision import Answer
from outtake_probe.gate.invoke import call
from outtake_probe.records import InvocationStarted, StreamChunk
from outtake_probe.targets.openai import adapter as target
from tests.targets.hooked import ends, everything, held, models, run
from tests.targets.model_servers import Provider, answer_to

KEY = "abcdefgh-of-no-known-form-1234567890"
HELLO: Any = [{"role": "user", "content": "Hello"}]
USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
TOOL = {"type": "function", "function": {"name": "add", "parameters": {"type": "object", "properties": {}}}}
RESPONSES = pytest.mark.skipif(not hasattr(openai.OpenAI, "responses"), reason="this openai has no responses")


# -- the server ------------------------------------------------------------------------------------------------------


def whole(path: str, body: Any) -> Any:
    if path.partition("?")[0].endswith("/responses"):
        return response(body)
    if path.partition("?")[0].endswith("/embeddings"):
        return vectors(body)
    if body["model"] == "odd":
        return {"id": "c1", "choices": None, "error": {"message": "overloaded"}}
    message: dict[str, Any] = {"role": "assistant", "content": content(body)}
    if "tools" in body:
        called = {"name": "add", "arguments": '{"a": 1}'}
        message |= {"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": called}]}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if "tools" in body else "stop"}
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 5,
        "model": body["model"],
        "choices": [choice],
        "usage": USAGE,
        "x_of_the_server": {"kept": True},
    }


def vectors(body: Any) -> Any:
    """As the client asks for them: lists, or the bytes of 32-bit numbers."""
    texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
    made = [array.array("f", hashlib.sha256(text.encode()).digest()[:8]) for text in texts]
    packed = body.get("encoding_format") == "base64"
    given = [base64.b64encode(item.tobytes()).decode() if packed else item.tolist() for item in made]
    return {
        "object": "list",
        "model": body["model"],
        "data": [{"object": "embedding", "index": n, "embedding": item} for n, item in enumerate(given)],
        "usage": {"prompt_tokens": 11, "total_tokens": 11},
    }


def content(body: Any) -> str:
    return json.dumps({"said": answer_to(body)}) if "response_format" in body or "text" in body else answer_to(body)


def response(body: Any) -> Any:
    part = {"type": "output_text", "text": content(body), "annotations": []}
    message = {"id": "m1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
    return {
        "id": "r1",
        "object": "response",
        "created_at": 5,
        "status": "completed",
        "model": body["model"],
        "output": [message],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 11,
            "output_tokens": 7,
            "total_tokens": 18,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    }


def events(path: str, body: Any) -> list[Any]:
    text = content(body)
    if path.partition("?")[0].endswith("/responses"):
        return response_events(body, text)
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 5, "model": body["model"]}
    chunks = [
        {**head, "choices": [{"index": 0, "delta": {"role": "assistant", "content": piece}, "finish_reason": None}]}
        for piece in (text[:4], text[4:9], text[9:])
    ]
    chunks.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    if body.get("stream_options", {}).get("include_usage"):
        chunks.append({**head, "choices": [], "usage": USAGE})
    return chunks


def response_events(body: Any, text: str) -> list[Any]:
    done = response(body)
    at = {"item_id": "m1", "output_index": 0, "content_index": 0}
    message = {**done["output"][0], "content": [], "status": "in_progress"}
    part = {"type": "output_text", "annotations": []}
    return [
        {"type": "response.created", "response": {**done, "output": [], "usage": None, "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": message},
        {"type": "response.content_part.added", **at, "part": {**part, "text": ""}},
        *(
            {"type": "response.output_text.delta", **at, "delta": piece, "logprobs": []}
            for piece in (text[:4], text[4:])
        ),
        {"type": "response.output_text.done", **at, "text": text, "logprobs": []},
        {"type": "response.content_part.done", **at, "part": {**part, "text": text}},
        {"type": "response.output_item.done", "output_index": 0, "item": done["output"][0]},
        {"type": "response.completed", "response": done},
    ]


@pytest.fixture
def provider() -> Iterator[Provider]:
    error = {"error": {"message": "slow down", "type": "limit", "code": "rate_limit", "param": None}}
    with Provider(whole, events, error).serving() as serving:
        yield serving


def client(provider: Provider, **options: Any) -> Any:
    return openai.OpenAI(base_url=provider.url + "/v1", api_key=KEY, max_retries=0, **options)


def async_client(provider: Provider, **options: Any) -> Any:
    return openai.AsyncOpenAI(base_url=provider.url + "/v1", api_key=KEY, max_retries=0, **options)


# -- programs: each gives all that it learned, so that a replay can be compared ---------------------------------------


def chat(provider: Provider) -> Any:
    """Two turns, the second of which repeats the first and the answer object itself."""
    with client(provider) as c:
        first = c.chat.completions.create(model="m", messages=HELLO, temperature=0.5)
        said = first.choices[0].message
        second = c.chat.completions.create(model="m", messages=[*HELLO, said, {"role": "user", "content": "And?"}])
        assert type(second).__name__ == "ChatCompletion"
        return [first.model_dump(), second.model_dump(), second.x_of_the_server, second.usage.total_tokens]


def chat_tools(provider: Provider) -> Any:
    with client(provider) as c:
        made = c.chat.completions.create(model="m", messages=HELLO, tools=[TOOL])
        called = made.choices[0].message.tool_calls[0]
        answer = {"role": "tool", "tool_call_id": called.id, "content": "3"}
        after = c.chat.completions.create(model="m", messages=[*HELLO, made.choices[0].message, answer])
        return [called.function.name, called.function.arguments, after.choices[0].message.content]


def chat_stream(provider: Provider) -> Any:
    with client(provider) as c:
        options = {"include_usage": True}
        stream = c.chat.completions.create(model="m", messages=HELLO, stream=True, stream_options=options)
        assert isinstance(stream, openai.Stream)
        with stream:
            assert stream.response.status_code == 200
            first = next(stream)
            return [chunk.model_dump() for chunk in (first, *stream)]


def chat_stream_dropped(provider: Provider) -> Any:
    with client(provider) as c:
        for chunk in c.chat.completions.create(model="m", messages=HELLO, stream=True):
            return chunk.model_dump()


def chat_stream_closed(provider: Provider) -> Any:
    with client(provider) as c:
        stream = c.chat.completions.create(model="m", messages=HELLO, stream=True)
        pieces = [next(stream).model_dump(), next(stream).model_dump()]
        stream.close()
        after = c.chat.completions.create(model="m", messages=HELLO)
        return [*pieces, after.model_dump()]


def chat_stream_helper(provider: Provider) -> Any:
    with client(provider) as c:
        holder = c.chat.completions if hasattr(c.chat.completions, "stream") else c.beta.chat.completions
        with holder.stream(model="m", messages=HELLO) as stream:
            kinds = [event.type for event in stream]
            return [kinds, stream.get_final_completion().choices[0].message.content]


def chat_parse(provider: Provider) -> Any:
    with client(provider) as c:
        holder = c.chat.completions if hasattr(c.chat.completions, "parse") else c.beta.chat.completions
        made = holder.parse(model="m", messages=HELLO, response_format=_said())
        return [type(made.choices[0].message.parsed).__name__, made.choices[0].message.parsed.said]


def chat_raw(provider: Provider) -> Any:
    with client(provider) as c:
        raw = c.chat.completions.with_raw_response.create(model="m", messages=HELLO)
        made = raw.parse()
        return [raw.status_code, raw.headers["content-type"], json.loads(raw.text), made.choices[0].message.content]


def chat_raw_stream(provider: Provider) -> Any:
    with client(provider) as c:
        raw = c.chat.completions.with_raw_response.create(model="m", messages=HELLO, stream=True)
        return [chunk.model_dump() for chunk in raw.parse()]


def chat_unread(provider: Provider) -> Any:
    """Bodies that the program reads by itself: in lines, parsed, in part, not at all."""
    with client(provider) as c:
        ask = c.chat.completions.with_streaming_response.create
        with ask(model="m", messages=HELLO) as response:
            told = [response.status_code, response.headers["content-type"], json.loads(response.read())]
        with ask(model="m", messages=HELLO) as response:
            parsed = response.parse()
        with ask(model="m", messages=HELLO, stream=True) as response:
            lines = list(response.iter_lines())
        with ask(model="m", messages=HELLO, stream=True) as response:
            chunks = [chunk.model_dump() for chunk in response.parse()]
        with ask(model="m", messages=HELLO, stream=True) as response:
            first = next(response.iter_lines())
        with ask(model="m", messages=HELLO):
            pass
        return [told, parsed.model_dump(), lines, chunks, first]


async def achat_unread(provider: Provider) -> Any:
    async with async_client(provider) as c:
        ask = c.chat.completions.with_streaming_response.create
        async with ask(model="m", messages=HELLO) as response:
            whole = await response.json()
        async with ask(model="m", messages=HELLO) as response:
            parsed = await response.parse()
        async with ask(model="m", messages=HELLO, stream=True) as response:
            lines = [line async for line in response.iter_lines()]
        async with ask(model="m", messages=HELLO, stream=True) as response:
            chunks = [chunk.model_dump() async for chunk in await response.parse()]
        return [whole, parsed.model_dump(), lines, chunks]


def embeddings(provider: Provider) -> Any:
    with client(provider) as c:
        one = c.embeddings.create(model="e", input="Hello")
        two = c.embeddings.create(model="e", input=["Hello", "And?"], encoding_format="float")
        return [[item.embedding for item in made.data] for made in (one, two)]


async def aembeddings(provider: Provider) -> Any:
    async with async_client(provider) as c:
        asked = (c.embeddings.create(model="e", input=[f"text {n}"]) for n in range(3))
        return [made.data[0].embedding for made in await asyncio.gather(*asked)]


def azure(provider: Provider) -> Any:
    return openai.AzureOpenAI(azure_endpoint=provider.url, api_key=KEY, api_version="2024-06-01")


def chat_azure(provider: Provider) -> Any:
    with azure(provider) as c:
        made = c.chat.completions.create(model="m", messages=HELLO)
        chunks = [chunk.model_dump() for chunk in c.chat.completions.create(model="m", messages=HELLO, stream=True)]
        return [made.choices[0].message.content, chunks]


def chat_retried(provider: Provider) -> Any:
    with client(provider).with_options(max_retries=2) as c:
        return c.chat.completions.create(model="flaky", messages=HELLO).choices[0].message.content


def responses(provider: Provider) -> Any:
    with client(provider) as c:
        first = c.responses.create(model="m", input="Hello", instructions="Be brief")
        second = c.responses.create(model="m", input=[{"role": "user", "content": first.output_text}])
        return [first.model_dump(), second.output_text]


def responses_stream(provider: Provider) -> Any:
    with client(provider) as c:
        return [event.model_dump() for event in c.responses.create(model="m", input="Hello", stream=True)]


def responses_stream_helper(provider: Provider) -> Any:
    with client(provider) as c, c.responses.stream(model="m", input="Hello") as stream:
        kinds = [event.type for event in stream]
        return [kinds, stream.get_final_response().output_text]


def responses_parse(provider: Provider) -> Any:
    with client(provider) as c:
        return c.responses.parse(model="m", input="Hello", text_format=_said()).output_parsed.said


def _said() -> type[Any]:
    import pydantic  # noqa: PLC0415  is there where openai is

    return pydantic.create_model("Said", said=(str, ...))


async def achat(provider: Provider) -> Any:
    async with async_client(provider) as c:
        first = await c.chat.completions.create(model="m", messages=HELLO)
        asked = [[*HELLO, {"role": "user", "content": str(n)}] for n in range(5)]
        rest = await asyncio.gather(*(c.chat.completions.create(model="m", messages=m) for m in asked))
        return [made.model_dump() for made in (first, *rest)]


async def achat_stream(provider: Provider) -> Any:
    async with async_client(provider) as c:
        stream = await c.chat.completions.create(model="m", messages=HELLO, stream=True)
        assert isinstance(stream, openai.AsyncStream)
        async with stream:
            return [chunk.model_dump() async for chunk in stream]


async def _first(stream: Any) -> AsyncIterator[Any]:
    """The first piece of a stream, of which no more is read."""
    async for piece in stream:
        yield piece
        break


async def achat_stream_dropped(provider: Provider) -> Any:
    async with async_client(provider) as c:
        stream = await c.chat.completions.create(model="m", messages=HELLO, stream=True)
        first = [chunk.model_dump() async for chunk in _first(stream)]
        await stream.close()
        return [first, (await c.chat.completions.create(model="m", messages=HELLO)).model_dump()]


async def achat_stream_helper(provider: Provider) -> Any:
    async with async_client(provider) as c:
        holder = c.chat.completions if hasattr(c.chat.completions, "stream") else c.beta.chat.completions
        async with holder.stream(model="m", messages=HELLO) as stream:
            kinds = [event.type async for event in stream]
            return [kinds, (await stream.get_final_completion()).choices[0].message.content]


async def achat_parse(provider: Provider) -> Any:
    async with async_client(provider) as c:
        holder = c.chat.completions if hasattr(c.chat.completions, "parse") else c.beta.chat.completions
        made = await holder.parse(model="m", messages=HELLO, response_format=_said())
        return made.choices[0].message.parsed.said


async def achat_raw(provider: Provider) -> Any:
    async with async_client(provider) as c:
        raw = await c.chat.completions.with_raw_response.create(model="m", messages=HELLO)
        streaming = await c.chat.completions.with_raw_response.create(model="m", messages=HELLO, stream=True)
        return [raw.parse().model_dump(), [chunk.model_dump() async for chunk in streaming.parse()]]


async def achat_azure(provider: Provider) -> Any:
    async with openai.AsyncAzureOpenAI(azure_endpoint=provider.url, api_key=KEY, api_version="2024-06-01") as c:
        return (await c.chat.completions.create(model="m", messages=HELLO)).choices[0].message.content


async def aresponses(provider: Provider) -> Any:
    async with async_client(provider) as c:
        made = await c.responses.create(model="m", input="Hello")
        stream = await c.responses.create(model="m", input="Hello", stream=True)
        return [made.output_text, [event.model_dump() async for event in stream]]


async def aresponses_stream_helper(provider: Provider) -> Any:
    async with async_client(provider) as c, c.responses.stream(model="m", input="Hello") as stream:
        kinds = [event.type async for event in stream]
        return [kinds, (await stream.get_final_response()).output_text]


def waited(program: Callable[[Provider], Any]) -> Callable[[Provider], Any]:
    """A program that is run to its end, on a loop of its own where it needs one."""
    if not asyncio.iscoroutinefunction(program):
        return program
    return lambda provider: asyncio.run(program(provider))


PROGRAMS: list[tuple[Callable[[Provider], Any], int]] = [
    (chat, 2),
    (chat_tools, 2),
    (chat_stream, 1),
    (chat_stream_dropped, 1),
    (chat_stream_closed, 2),
    (chat_stream_helper, 1),
    (chat_parse, 1),
    (chat_raw, 1),
    (chat_raw_stream, 1),
    (chat_unread, 6),
    (chat_azure, 2),
    (embeddings, 2),
    (aembeddings, 3),
    (achat_unread, 4),
    (achat, 6),
    (achat_stream, 1),
    (achat_stream_dropped, 2),
    (achat_stream_helper, 1),
    (achat_parse, 1),
    (achat_raw, 2),
    (achat_azure, 1),
    (responses, 2),
    (responses_stream, 1),
    (responses_stream_helper, 1),
    (responses_parse, 1),
    (aresponses, 2),
    (aresponses_stream_helper, 1),
]


def _there(program: Callable[[Provider], Any]) -> bool:
    """Whether this openai can do what the program does."""
    c = openai.OpenAI(api_key=KEY)
    name = program.__name__
    holders = (c.chat.completions, getattr(getattr(c.beta, "chat", None), "completions", None))
    if "responses" in name:
        return hasattr(c, "responses") and (not name.endswith("helper") or hasattr(c.responses, "stream"))
    wanted = {"helper": "stream", "parse": "parse"}.get(name.rpartition("_")[2])
    return wanted is None or any(hasattr(holder, wanted) for holder in holders)


@pytest.mark.parametrize(("program", "calls"), PROGRAMS, ids=[program.__name__ for program, _ in PROGRAMS])
def test_what_was_recorded_is_served_without_a_request(
    provider: Provider, program: Callable[[Provider], Any], calls: int
) -> None:
    if not _there(program):
        pytest.skip("not in this openai")
    go = waited(program)
    plain = go(provider)
    assert provider.count == calls

    log = run(target, lambda: go(provider))
    assert (log.status, log.output) == ("completed", plain)
    assert provider.count == 2 * calls
    assert [r.component for r in models(log)] == ["main/model"] * calls

    for cut in range(len(log.records) + 1):
        again = run(target, lambda: go(provider), parent=log, cut=cut)
        assert (again.status, again.output) == ("completed", plain), cut
    assert provider.count == 2 * calls


def test_a_log_shows_request_response_and_tokens(provider: Provider) -> None:
    log = run(target, lambda: chat_tools(provider))
    first, second = models(log)
    assert log.body(first.body) == {"messages": HELLO, "model": "m", "tools": [TOOL]}
    assert log.body(first.body) == provider.requests[0]
    assert log.body(second.body) == provider.requests[1]
    end = ends(log)[0]
    assert log.body(end.body) == whole("", provider.requests[0])
    assert (end.tokens_in, end.tokens_out) == (11, 7)
    assert first.type == "chat.completions"


def test_what_the_program_adds_to_the_body_is_part_of_the_request(provider: Provider) -> None:
    def program() -> Any:
        with client(provider) as c:
            extra = {"top_k": 5, "model": "n"}
            return c.chat.completions.create(model="m", messages=HELLO, extra_body=extra).choices[0].message.content

    log = run(target, program)
    assert log.body(models(log)[0].body) == provider.requests[0] == {"messages": HELLO, "model": "n", "top_k": 5}
    assert run(target, program, parent=log).output == log.output
    assert provider.count == 1


def test_tokens_of_a_stream_are_those_of_its_last_chunk(provider: Provider) -> None:
    log = run(target, lambda: chat_stream(provider))
    assert [(end.tokens_in, end.tokens_out) for end in ends(log)] == [(11, 7)]
    again = run(target, lambda: chat_stream(provider), parent=log, cut=0)
    assert [(end.tokens_in, end.tokens_out, end.how) for end in ends(again)] == [(11, 7, "reused")]


@RESPONSES
def test_tokens_of_responses(provider: Provider) -> None:
    log = run(target, lambda: [responses(provider), responses_stream(provider)])
    assert [(end.tokens_in, end.tokens_out) for end in ends(log)] == [(11, 7)] * 3


def test_a_conversation_is_not_stored_again_at_every_turn(provider: Provider) -> None:
    def program() -> None:
        with client(provider) as c:
            messages: list[Any] = []
            for n in range(40):
                messages.append({"role": "user", "content": f"{n} " + "x" * 500})
                said = c.chat.completions.create(model="m", messages=messages).choices[0].message.content
                messages.append({"role": "assistant", "content": said})

    stored = sum(map(len, run(target, program).nodes.values()))
    sent = len(json.dumps(provider.requests))
    assert stored * 3 < sent


# -- streams ---------------------------------------------------------------------------------------------------------


def test_a_stream_passes_chunk_by_chunk(provider: Provider) -> None:
    log = run(target, lambda: chat_stream(provider))
    chunks = [r for r in log.records if isinstance(r, StreamChunk)]
    assert sum(chunk.count for chunk in chunks) == 5
    assert [piece for chunk in chunks for piece in log.body(chunk.body)] == log.body(ends(log)[0].body)


def test_a_stream_that_is_closed_early_holds_what_was_read(provider: Provider) -> None:
    log = run(target, lambda: chat_stream_closed(provider))
    assert len(log.body(ends(log)[0].body)) == 2


def test_a_stream_that_is_dropped_ends_without_the_garbage_collector(provider: Provider) -> None:
    gc.disable()
    try:
        log = run(target, lambda: chat_stream_dropped(provider))
    finally:
        gc.enable()
    assert [len(log.body(end.body)) for end in ends(log)] == [1]


# -- errors ----------------------------------------------------------------------------------------------------------


def refused(provider: Provider, **kwargs: Any) -> Any:
    with client(provider) as c:
        try:
            c.chat.completions.create(model="limited", messages=HELLO, **kwargs)
        except openai.RateLimitError as error:
            return [str(error), error.status_code, error.body, error.code, error.response.status_code]


async def arefused(provider: Provider, **kwargs: Any) -> Any:
    async with async_client(provider) as c:
        try:
            await c.chat.completions.create(model="limited", messages=HELLO, **kwargs)
        except openai.RateLimitError as error:
            return [str(error), error.status_code, error.body, error.code, error.response.status_code]


@pytest.mark.parametrize("stream", [False, True])
def test_an_error_comes_back_as_its_class(provider: Provider, stream: bool) -> None:
    for go in (
        lambda: refused(provider, stream=stream),
        lambda: asyncio.run(arefused(provider, stream=stream)),
    ):
        before = provider.count
        log = run(target, go)
        assert log.output[1] == 429
        assert [end.failed for end in ends(log)] == [True]
        again = run(target, go, parent=log)
        assert again.output == log.output
        assert provider.count == before + 1


def torn(provider: Provider) -> Any:
    pieces: list[Any] = []
    with client(provider) as c:
        stream = c.chat.completions.create(model="torn", messages=HELLO, stream=True)
        try:
            for chunk in stream:
                pieces.append(chunk.choices[0].delta.content)
        except openai.APIError as error:
            return [pieces, type(error).__name__, error.message, error.request.method]


def test_an_error_inside_a_stream_comes_after_the_same_chunks(provider: Provider) -> None:
    log = run(target, lambda: torn(provider))
    assert log.status == "completed"
    assert log.output[0] and log.output[1:] == ["APIError", "slow down", "POST"]
    again = run(target, lambda: torn(provider), parent=log)
    assert again.output == log.output
    assert provider.count == 1


def test_retries_are_inside_one_invocation(provider: Provider) -> None:
    log = run(target, lambda: chat_retried(provider))
    assert provider.count == 2
    assert [end.failed for end in ends(log)] == [False]


def test_a_failed_connection_comes_back_as_its_class(provider: Provider) -> None:
    def program() -> str:
        with openai.OpenAI(base_url="http://127.0.0.1:9/v1", api_key=KEY, max_retries=0) as c:
            try:
                c.chat.completions.create(model="m", messages=HELLO)
            except openai.APIConnectionError as error:
                return f"{error.message} {error.request.method}"
        return ""

    log = run(target, program)
    assert log.output == "Connection error. POST"
    assert run(target, program, parent=log).output == log.output
    assert KEY not in everything(log)


def test_an_answer_that_no_document_describes_is_served_as_it_was(provider: Provider) -> None:
    def program() -> Any:
        with client(provider) as c:
            made = c.chat.completions.create(model="odd", messages=HELLO)
            return [made.choices, made.error]

    log = run(target, program)
    assert log.output == [None, {"message": "overloaded"}]
    assert run(target, program, parent=log).output == log.output
    assert provider.count == 1


def test_a_cancelled_call_is_recorded_without_what_the_library_held(provider: Provider) -> None:
    async def program() -> str:
        async with async_client(provider) as c:
            task = asyncio.create_task(c.chat.completions.create(model="slow", messages=HELLO))
            await asyncio.to_thread(provider.arrived.wait, 60)
            task.cancel()
            try:
                await task
            except asyncio.CancelledError:
                return "cancelled"
        return "answered"

    log = run(target, lambda: asyncio.run(program()))
    assert log.output == "cancelled"
    assert [end.failed for end in ends(log)] == [True]
    assert KEY not in everything(log)


def test_the_program_sees_an_error_with_the_frames_of_the_library(provider: Provider) -> None:
    def program() -> list[str]:
        with client(provider) as c:
            try:
                c.chat.completions.create(model="limited", messages=HELLO)
            except openai.RateLimitError as error:
                names, trace = [], error.__traceback__
                while trace is not None:
                    names.append(trace.tb_frame.f_globals["__name__"])
                    trace = trace.tb_next
                return names
        return []

    assert "openai._base_client" in run(target, program).output


# -- edits -----------------------------------------------------------------------------------------------------------


def edited(provider: Provider, program: Callable[[Provider], Any], op: str, value: Any) -> Any:
    """The output of a fork in which the first model call is edited."""
    log = run(target, lambda: program(provider))
    edit = Edit(op=op, seq=models(log)[0].seq, value=value)
    return run(target, lambda: program(provider), parent=log, cut=models(log)[0].seq, edits=[edit])


def test_an_edited_request_is_the_request_that_goes_out(provider: Provider) -> None:
    value = {"messages": [{"role": "user", "content": "Bonjour"}], "temperature": None, "top_p": 0.1}
    fork = edited(provider, chat, "replace_input", value)
    assert fork.status == "completed"
    assert provider.requests[2] == {"model": "m", "messages": value["messages"], "top_p": 0.1}
    assert fork.output[0]["choices"][0]["message"]["content"] == answer_to(provider.requests[2])
    assert provider.count == 4  # the second request repeats the first answer, which is another now


def test_an_edit_of_a_stream_or_a_parsed_call_keeps_its_form(provider: Provider) -> None:
    value = {"messages": [{"role": "user", "content": "Bonjour"}]}
    fork = edited(provider, chat_stream, "replace_input", value)
    text = "".join(chunk["choices"][0]["delta"].get("content") or "" for chunk in fork.output if chunk["choices"])
    assert text == answer_to(provider.requests[1])
    assert provider.requests[1]["messages"] == value["messages"]


@pytest.mark.parametrize("value", ["Bonjour", {}, {"messages": "Bonjour"}, {"messages": ["Bonjour"]}, {"stream": True}])
def test_an_edit_that_is_no_request_is_refused(provider: Provider, value: Any) -> None:
    log, refused = held(target, lambda: text_of(provider), "model:*", Answer("proceed", value, edited=True))
    assert len(refused) == 1
    assert log.output == answer_to(provider.requests[0])


def test_a_held_call_can_be_edited_and_its_answer_replaced(provider: Provider) -> None:
    asked = Answer("proceed", {"messages": [{"role": "user", "content": "Bonjour"}]}, edited=True)
    log, _ = held(target, lambda: text_of(provider), "model:*", asked)
    assert provider.requests[0]["messages"][0]["content"] == "Bonjour"
    assert log.output == answer_to(provider.requests[0])
    log, _ = held(target, lambda: text_of(provider), 'model:* and output~"says"', Answer("serve", "Other"))
    assert log.output == "Other"


def text_of(provider: Provider) -> Any:
    with client(provider) as c:
        return c.chat.completions.create(model="m", messages=HELLO).choices[0].message.content


def streamed_text(provider: Provider) -> Any:
    with client(provider) as c:
        chunks = list(c.chat.completions.create(model="m", messages=HELLO, stream=True))
        return [
            "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices),
            chunks[-1].choices[0].finish_reason,
        ]


def response_text(provider: Provider) -> Any:
    with client(provider) as c:
        return c.responses.create(model="m", input="Hello").output_text


def test_a_text_mocks_an_answer(provider: Provider) -> None:
    assert edited(provider, text_of, "mock_output", "Mocked").output == "Mocked"
    assert edited(provider, streamed_text, "mock_output", "Mocked").output == ["Mocked", "stop"]
    assert provider.count == 2


@RESPONSES
def test_a_text_mocks_a_response(provider: Provider) -> None:
    assert edited(provider, response_text, "mock_output", "Mocked").output == "Mocked"
    helper = edited(provider, responses_stream_helper, "mock_output", "Mocked").output
    assert helper[1] == "Mocked" and helper[0][-1] == "response.completed"


def test_a_response_mocks_an_answer(provider: Provider) -> None:
    called = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "tool_calls": [called]}

    def program(provider: Provider) -> Any:
        with client(provider) as c:
            made = c.chat.completions.create(model="m", messages=HELLO)
            calls = made.choices[0].message.tool_calls
            return [made.model, calls[0].function.name if calls else None]

    value = {"choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]}
    assert edited(provider, program, "mock_output", value).output == ["m", "f"]


def test_a_list_of_chunks_mocks_a_stream(provider: Provider) -> None:
    chunks = [
        {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": reason}]}
        for text, reason in (("Mo", None), ("ck", "length"))
    ]
    assert edited(provider, streamed_text, "mock_output", chunks).output == ["Mock", "length"]


@pytest.mark.parametrize("program", [text_of, streamed_text])
@pytest.mark.parametrize("value", [7, {"said": "Mocked"}, {"choices": [{"text": "Mocked"}]}, [{"choices": "Mocked"}]])
def test_a_mock_that_is_no_answer_is_refused_with_an_example(
    provider: Provider, program: Callable[[Provider], Any], value: Any
) -> None:
    log, (refused,) = held(target, lambda: program(provider), "model:*", Answer("serve", value))
    assert "there is no list" in str(refused)
    assert 'Example: {"id"' in str(refused) or 'Example: [{"id"' in str(refused)
    assert (log.status, provider.count) == ("completed", 1)


def test_an_error_can_be_mocked(provider: Provider) -> None:
    fork = edited(provider, text_of, "raise", "out of order")
    assert (fork.status, fork.output["message"]) == ("failed", "out of order")


# -- where it stays out of the way -----------------------------------------------------------------------------------


def test_a_call_inside_a_recorded_model_call_is_part_of_it(provider: Provider) -> None:
    def program() -> Any:
        session = active()
        assert session is not None
        return call(session, Call("model", "framework/model", {}), lambda _: text_of(provider))

    log = run(target, program)
    assert [r.component for r in models(log)] == ["framework/model"]


def test_a_call_belongs_to_the_component_that_makes_it(provider: Provider) -> None:
    def program() -> Any:
        session = active()
        assert session is not None
        return call(session, Call("agent", "writer", {}), lambda _: text_of(provider))

    assert [r.component for r in models(run(target, program))] == ["writer/model"]


def test_other_requests_pass_by(provider: Provider) -> None:
    def program() -> None:
        with client(provider) as c:
            c.post("/other", cast_to=object, body={"model": "m", "messages": []})

    log = run(target, program)
    assert (provider.count, models(log)) == (1, [])


def test_a_body_that_the_program_reads_by_itself_is_recorded_as_it_came(provider: Provider) -> None:
    log = run(target, lambda: chat_unread(provider))
    first, *_, last = [log.body(end.body) for end in ends(log)]
    assert first[0] == {"content-type": "application/json"}
    assert json.loads("".join(first[1:])) == whole("", provider.requests[0])
    assert last == [{"content-type": "application/json"}]  # nobody read it
    assert [(end.tokens_in, end.tokens_out) for end in ends(log)][:2] == [(11, 7)] * 2


@pytest.mark.parametrize(("streams", "mock"), [(False, "made up"), (True, "made up"), (False, None)])
def test_a_body_that_the_program_reads_by_itself_is_mocked(provider: Provider, streams: bool, mock: str | None) -> None:
    def program() -> Any:
        with client(provider) as c:
            ask = c.chat.completions.with_streaming_response.create
            with ask(model="m", messages=HELLO, stream=streams) as response:
                if mock is None:
                    return response.read().decode()
                made = response.parse()
                return "".join(chunk.choices[0].delta.content or "" for chunk in made) if streams else text_in(made)

    said: Any = mock if mock is not None else [{"content-type": "text/plain"}, "a body ", "in parts"]
    log, refused = held(target, program, "model:main/model", Answer("serve", said))
    assert (refused, log.output, provider.count) == ([], mock or "a body in parts", 0)


def text_in(made: Any) -> Any:
    return made.choices[0].message.content


def test_vectors_are_mocked_by_vectors_only(provider: Provider) -> None:
    vectors = {"data": [{"object": "embedding", "index": 0, "embedding": [0.5]}]}
    for mock, wrong in ((vectors, 0), ("no vector", 1), ({"data": [1]}, 1)):
        log, refused = held(target, lambda: embedded(provider), "model:main/model", Answer("serve", mock))
        assert len(refused) == wrong
        assert (log.output == [0.5]) == (not wrong)


def embedded(provider: Provider) -> Any:
    with client(provider) as c:
        return c.embeddings.create(model="e", input="Hello").data[0].embedding


def test_removed_hooks_leave_nothing_behind(provider: Provider) -> None:
    owners = [next(cls for cls in c.__mro__ if "request" in vars(cls)) for c in (openai.OpenAI, openai.AsyncOpenAI)]
    originals = [vars(owner)["request"] for owner in owners]

    def program() -> Any:
        session = active()
        assert session is not None
        patched = [vars(owner)["request"] for owner in owners]
        assert not any(now is before for now, before in zip(patched, originals, strict=True))
        target.install(session)
        assert [vars(owner)["request"] for owner in owners] == patched
        return text_of(provider)

    log = run(target, program)
    assert len(models(log)) == 1
    assert [vars(owner)["request"] for owner in owners] == originals
    assert text_of(provider) == log.output


def test_a_missing_seam_is_told(monkeypatch: pytest.MonkeyPatch, provider: Provider) -> None:
    owner = next(cls for cls in openai.OpenAI.__mro__ if "_process_response" in vars(cls))
    monkeypatch.delattr(owner, "_process_response")

    def program() -> Any:
        session = active()
        assert session is not None
        missing = target.install(session)
        target.remove()
        return list(missing)

    from tests.probe.inprocess import execute  # noqa: PLC0415

    (words,) = execute(program).output
    assert "OpenAI._process_response" in words and "not seen" in words


def test_secrets_stay_in_the_process(provider: Provider) -> None:
    def program() -> Any:
        extra = {"Authorization": f"Bearer {KEY}", "X-Other": KEY}
        with client(provider, default_headers=extra) as c:
            c.chat.completions.create(model="m", messages=HELLO, extra_headers=extra)
        return [refused(provider), chat_azure(provider)]

    log = run(target, program)
    assert any(KEY in str(headers) for headers in provider.headers)
    assert KEY not in everything(log)
    assert isinstance(models(log)[0], InvocationStarted)
