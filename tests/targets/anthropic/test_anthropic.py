"""Model calls of the real `anthropic` client against a server on the loopback: recorded, replayed, edited, mocked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("anthropic")

import anthropic

from outtake_probe.attached import active
from outtake_probe.calls import Call
from outtake_probe.edits import Edit
from outtake_probe.gate.decision import Answer
from outtake_probe.gate.invoke import call
from outtake_probe.records import Noted
from outtake_probe.targets.anthropic import READS_THE_WIRE
from outtake_probe.targets.anthropic import adapter as target
from tests.targets.hooked import ends, everything, held, models, run
from tests.targets.model_servers import Provider, answer_to

KEY = "abcdefgh-of-no-known-form-1234567890"
HELLO = [{"role": "user", "content": "Hello"}]
ASKED: dict[str, Any] = {"model": "m", "max_tokens": 9, "messages": HELLO}
TOOL = {"name": "add", "input_schema": {"type": "object", "properties": {}}}


# -- the server ------------------------------------------------------------------------------------------------------


def whole(path: str, body: Any) -> Any:
    called = {"type": "tool_use", "id": "t1", "name": "add", "input": {"a": 1}}
    return {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [{"type": "text", "text": answer_to(body)}, *([called] if "tools" in body else [])],
        "stop_reason": "tool_use" if "tools" in body else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 11, "output_tokens": 7, "cache_read_input_tokens": 2},
    }


def events(path: str, body: Any) -> list[Any]:
    done, text = whole(path, body), answer_to(body)
    begun = {**done, "content": [], "stop_reason": None, "usage": {**done["usage"], "output_tokens": 1}}
    return [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
            for piece in (text[:4], text[4:9], text[9:])
        ),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}},
        {"type": "message_stop"},
    ]


@pytest.fixture
def provider() -> Iterator[Provider]:
    error = {"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}}
    with Provider(whole, events, error).serving() as serving:
        yield serving


def client(provider: Provider, **options: Any) -> Any:
    return anthropic.Anthropic(base_url=provider.url, api_key=KEY, max_retries=0, **options)


def async_client(provider: Provider, **options: Any) -> Any:
    return anthropic.AsyncAnthropic(base_url=provider.url, api_key=KEY, max_retries=0, **options)


# -- programs --------------------------------------------------------------------------------------------------------


def create(provider: Provider) -> Any:
    """Two turns, the second of which repeats the blocks of the first answer, given as an iterator."""
    with client(provider) as c:
        first = c.messages.create(**ASKED, system="Be brief", stop_sequences=["."])
        turns = [*HELLO, {"role": "assistant", "content": first.content}, {"role": "user", "content": "And?"}]
        second = c.messages.create(model="m", max_tokens=9, messages=iter(turns))
        assert type(second).__name__ == "Message"
        return [first.model_dump(), second.model_dump(), second.content[0].text, second.usage.output_tokens]


def tools(provider: Provider) -> Any:
    with client(provider) as c:
        used = c.messages.create(**ASKED, tools=[TOOL]).content[1]
        return [used.name, used.input]


def create_stream(provider: Provider) -> Any:
    with client(provider) as c:
        stream = c.messages.create(**ASKED, stream=True)
        assert isinstance(stream, anthropic.Stream)
        with stream:
            assert stream.response.status_code == 200
            first = next(stream)
            return [event.model_dump() for event in (first, *stream)]


def create_stream_closed(provider: Provider) -> Any:
    with client(provider) as c:
        stream = c.messages.create(**ASKED, stream=True)
        pieces = [next(stream).model_dump(), next(stream).model_dump()]
        stream.close()
        return [*pieces, c.messages.create(**ASKED).model_dump()]


def create_stream_dropped(provider: Provider) -> Any:
    with client(provider) as c:
        for event in c.messages.create(**ASKED, stream=True):
            return event.model_dump()


def helper(provider: Provider) -> Any:
    with client(provider) as c:
        with c.messages.stream(**ASKED) as stream:
            pieces = list(stream.text_stream)
            final = stream.get_final_message()
        with c.messages.stream(**ASKED) as stream:
            kinds = [event.type for event in stream]
        return [pieces, final.model_dump(), stream.get_final_text(), kinds]


def helper_closed(provider: Provider) -> Any:
    with client(provider) as c:
        with c.messages.stream(**ASKED) as stream:
            first = next(iter(stream.text_stream))
        return [first, c.messages.create(**ASKED).content[0].text]


def beta(provider: Provider) -> Any:
    with client(provider) as c:
        made = c.beta.messages.create(**ASKED, betas=["some-beta"])
        stream = c.beta.messages.create(**ASKED, stream=True)
        return [type(made).__name__, made.model_dump(), [event.model_dump() for event in stream]]


def raw(provider: Provider) -> Any:
    with client(provider) as c:
        response = c.messages.with_raw_response.create(**ASKED)
        streaming = c.messages.with_raw_response.create(**ASKED, stream=True)
        return [response.parse().model_dump(), [event.model_dump() for event in streaming.parse()]]


def parsed(provider: Provider) -> Any:
    if not hasattr(anthropic.resources.Messages, "parse"):
        pytest.skip("not in this anthropic")
    with client(provider) as c:
        made = c.messages.parse(**ASKED)
        return [made.content[0].text, type(made).__name__]


async def acreate(provider: Provider) -> Any:
    async with async_client(provider) as c:
        asked = [{**ASKED, "messages": [{"role": "user", "content": str(n)}]} for n in range(5)]
        made = await asyncio.gather(*(c.messages.create(**one) for one in asked))
        return [one.model_dump() for one in made]


async def acreate_stream(provider: Provider) -> Any:
    async with async_client(provider) as c:
        stream = await c.messages.create(**ASKED, stream=True)
        assert isinstance(stream, anthropic.AsyncStream)
        async with stream:
            return [event.model_dump() async for event in stream]


async def _first(stream: Any) -> AsyncIterator[Any]:
    """The first piece of a stream, of which no more is read."""
    async for piece in stream:
        yield piece
        break


async def acreate_stream_closed(provider: Provider) -> Any:
    async with async_client(provider) as c:
        stream = await c.messages.create(**ASKED, stream=True)
        first = [event.model_dump() async for event in _first(stream)]
        await stream.close()
        return [first, (await c.messages.create(**ASKED)).model_dump()]


async def ahelper(provider: Provider) -> Any:
    async with async_client(provider) as c, c.messages.stream(**ASKED) as stream:
        pieces = [text async for text in stream.text_stream]
        return [pieces, (await stream.get_final_message()).model_dump()]


async def abeta_raw(provider: Provider) -> Any:
    async with async_client(provider) as c:
        response = await c.beta.messages.with_raw_response.create(**ASKED)
        streaming = await c.messages.with_raw_response.create(**ASKED, stream=True)
        made, stream = response.parse(), streaming.parse()
        made = await made if asyncio.iscoroutine(made) else made
        stream = await stream if asyncio.iscoroutine(stream) else stream
        return [made.model_dump(), [event.model_dump() async for event in stream]]


PROGRAMS: list[tuple[Callable[[Provider], Any], int]] = [
    (create, 2),
    (tools, 1),
    (create_stream, 1),
    (create_stream_closed, 2),
    (create_stream_dropped, 1),
    (helper, 2),
    (helper_closed, 2),
    (beta, 2),
    (raw, 2),
    (parsed, 1),
    (acreate, 5),
    (acreate_stream, 1),
    (acreate_stream_closed, 2),
    (ahelper, 1),
    (abeta_raw, 2),
]


@pytest.mark.parametrize(("program", "calls"), PROGRAMS, ids=[program.__name__ for program, _ in PROGRAMS])
def test_what_was_recorded_is_served_without_a_request(
    provider: Provider, program: Callable[[Provider], Any], calls: int
) -> None:
    if READS_THE_WIRE and "helper" in program.__name__:
        pytest.skip("the helper of this anthropic is not seen, see below")

    def go() -> Any:
        made = program(provider)
        return asyncio.run(made) if asyncio.iscoroutine(made) else made

    plain = go()
    assert provider.count == calls

    log = run(target, go)
    assert (log.status, log.output) == ("completed", plain)
    assert provider.count == 2 * calls
    assert [r.component for r in models(log)] == ["main/model"] * calls

    for cut in range(len(log.records) + 1):
        again = run(target, go, parent=log, cut=cut)
        assert (again.status, again.output) == ("completed", plain), cut
    assert provider.count == 2 * calls


def test_a_log_shows_request_response_and_tokens(provider: Provider) -> None:
    log = run(target, lambda: [create(provider), create_stream(provider)])
    first, second, streamed = models(log)
    assert log.body(first.body) == provider.requests[0] == {**ASKED, "system": "Be brief", "stop_sequences": ["."]}
    assert log.body(second.body) == provider.requests[1]
    assert log.body(streamed.body) == {**ASKED, "stream": True}
    assert log.body(ends(log)[0].body) == whole("", provider.requests[0])
    assert log.body(ends(log)[2].body) == events("", provider.requests[2])
    assert [(end.tokens_in, end.tokens_out) for end in ends(log)] == [(13, 7)] * 3
    assert first.type == "messages"


# -- errors ----------------------------------------------------------------------------------------------------------


def refused(provider: Provider, **kwargs: Any) -> Any:
    with client(provider) as c:
        try:
            c.messages.create(**{**ASKED, "model": "limited"}, **kwargs)
        except anthropic.RateLimitError as error:
            return [str(error), error.status_code, error.body, error.response.status_code]


async def arefused(provider: Provider, **kwargs: Any) -> Any:
    async with async_client(provider) as c:
        try:
            await c.messages.create(**{**ASKED, "model": "limited"}, **kwargs)
        except anthropic.RateLimitError as error:
            return [str(error), error.status_code, error.body, error.response.status_code]


def torn(provider: Provider) -> Any:
    pieces: list[Any] = []
    with client(provider) as c:
        try:
            for event in c.messages.create(**{**ASKED, "model": "torn"}, stream=True):
                pieces.append(event.type)
        except anthropic.APIError as error:
            return [pieces, type(error).__name__, error.request.method]


@pytest.mark.parametrize("stream", [False, True])
def test_an_error_comes_back_as_its_class(provider: Provider, stream: bool) -> None:
    def go() -> Any:
        return [refused(provider, stream=stream), asyncio.run(arefused(provider, stream=stream))]

    log = run(target, go)
    assert [one[1] for one in log.output] == [429, 429]
    assert [end.failed for end in ends(log)] == [True, True]
    assert run(target, go, parent=log).output == log.output
    assert provider.count == 2


def test_an_error_inside_a_stream_comes_after_the_same_events(provider: Provider) -> None:
    log = run(target, lambda: torn(provider))
    assert log.output[0] == ["message_start", "content_block_start"]
    assert run(target, lambda: torn(provider), parent=log).output == log.output
    assert provider.count == 1


def test_retries_are_inside_one_invocation(provider: Provider) -> None:
    def program() -> Any:
        with client(provider).with_options(max_retries=2) as c:
            return c.messages.create(**{**ASKED, "model": "flaky"}).content[0].text

    log = run(target, program)
    assert (provider.count, [end.failed for end in ends(log)]) == (2, [False])


# -- edits -----------------------------------------------------------------------------------------------------------


def edited(provider: Provider, program: Callable[[Provider], Any], op: str, value: Any) -> Any:
    """A fork in which the first model call is edited."""
    log = run(target, lambda: program(provider))
    edit = Edit(op=op, seq=models(log)[0].seq, value=value)
    return run(target, lambda: program(provider), parent=log, cut=models(log)[0].seq, edits=[edit])


def test_an_edited_request_is_the_request_that_goes_out(provider: Provider) -> None:
    value = {"messages": [{"role": "user", "content": "Bonjour"}], "system": None}
    fork = edited(provider, create, "replace_input", value)
    assert provider.requests[2] == {**ASKED, "messages": value["messages"], "stop_sequences": ["."]}
    assert fork.output[0]["content"][0]["text"] == answer_to(provider.requests[2])
    assert provider.count == 4


def test_a_text_mocks_a_message(provider: Provider) -> None:
    def text_of(provider: Provider) -> Any:
        with client(provider) as c:
            made = c.messages.create(**ASKED)
            return [made.content[0].text, made.stop_reason]

    assert edited(provider, text_of, "mock_output", "Mocked").output == ["Mocked", "end_turn"]
    mocked = {"content": [{"type": "text", "text": "Whole"}], "stop_reason": "max_tokens"}
    assert edited(provider, text_of, "mock_output", mocked).output == ["Whole", "max_tokens"]
    _, (refused,) = held(target, lambda: text_of(provider), "model:*", Answer("serve", {"text": "Mocked"}))
    assert "no list `content`" in str(refused) and "Example: " in str(refused)


@pytest.mark.skipif(READS_THE_WIRE, reason="the helper of this anthropic is not seen")
def test_a_text_or_a_list_of_events_mocks_a_stream(provider: Provider) -> None:
    def text_of(provider: Provider) -> Any:
        with client(provider) as c, c.messages.stream(**ASKED) as stream:
            return ["".join(stream.text_stream), stream.get_final_message().content[0].text]

    assert edited(provider, text_of, "mock_output", "Mocked").output == ["Mocked", "Mocked"]
    mocked = events("", {**ASKED, "model": "another"})
    text = answer_to({**ASKED, "model": "another"})
    assert edited(provider, text_of, "mock_output", mocked).output == [text, text]
    _, (refused,) = held(target, lambda: text_of(provider), "model:*", Answer("serve", [whole("", ASKED)]))
    assert "no `type` of an event" in str(refused)


# -- where it stays out of the way -----------------------------------------------------------------------------------


def test_a_call_inside_a_recorded_model_call_is_part_of_it(provider: Provider) -> None:
    def program() -> Any:
        session = active()
        assert session is not None
        return call(session, Call("model", "framework/model", {}), lambda _: tools(provider))

    assert [r.component for r in models(run(target, program))] == ["framework/model"]


def test_counting_tokens_is_no_model_call(provider: Provider) -> None:
    def program() -> None:
        with client(provider) as c:
            c.post("/v1/messages/count_tokens", cast_to=object, body={"model": "m", "messages": HELLO})

    log = run(target, program)
    assert (provider.count, models(log)) == (1, [])


def unread(provider: Provider) -> Any:
    with client(provider) as c:
        ask = c.messages.with_streaming_response.create
        with ask(**ASKED) as response:
            text = json.loads(response.read())["content"][0]["text"]
        with ask(**ASKED, stream=True) as response:
            return [text, list(response.iter_lines())]


def test_a_body_that_the_program_reads_by_itself_is_recorded_and_served(provider: Provider) -> None:
    log = run(target, lambda: unread(provider))
    assert log.output[0] == answer_to(provider.requests[0])
    assert (len(models(log)), provider.count) == (2, 2)
    again = run(target, lambda: unread(provider), parent=log)
    assert (again.status, again.output, provider.count) == ("completed", log.output, 2)


@pytest.mark.skipif(not READS_THE_WIRE, reason="the helper of this anthropic is seen")
def test_a_helper_that_reads_from_the_wire_works_and_is_noted(provider: Provider) -> None:
    log = run(target, lambda: [helper(provider), asyncio.run(ahelper(provider))])
    assert (log.status, models(log)) == ("completed", [])
    assert [r.type for r in log.records if isinstance(r, Noted)] == ["not_recorded"] * 3


def test_removed_hooks_leave_nothing_behind(provider: Provider) -> None:
    clients = (anthropic.Anthropic, anthropic.AsyncAnthropic)
    owners = [next(cls for cls in c.__mro__ if "request" in vars(cls)) for c in clients]
    originals = [vars(owner)["request"] for owner in owners]
    log = run(target, lambda: tools(provider))
    assert [vars(owner)["request"] for owner in owners] == originals
    assert tools(provider) == log.output


def test_secrets_stay_in_the_process(provider: Provider) -> None:
    def program() -> Any:
        extra = {"Authorization": f"Bearer {KEY}", "X-Other": KEY}
        with client(provider, default_headers=extra) as c:
            c.messages.create(**ASKED, extra_headers=extra)
        with anthropic.Anthropic(base_url="http://127.0.0.1:9", api_key=KEY, max_retries=0) as c:
            try:
                c.messages.create(**ASKED)
            except anthropic.APIConnectionError as error:
                return [str(error), refused(provider)]

    log = run(target, program)
    assert any(KEY in str(headers) for headers in provider.headers)
    assert [end.failed for end in ends(log)] == [False, True, True]
    assert KEY not in everything(log)
    assert run(target, program, parent=log).output == log.output
