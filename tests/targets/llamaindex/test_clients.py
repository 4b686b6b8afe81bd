"""A model of LlamaIndex whose client is recorded, too: each call is one invocation, the framework's."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

OpenAI: Any = pytest.importorskip("llama_index.llms.openai").OpenAI

import httpx
from llama_index.core.base.llms.types import ChatMessage
from workflows import Workflow, step
from workflows.events import StartEvent, StopEvent

from outtake_probe.attached import active
from outtake_probe.targets.llamaindex import adapter
from outtake_probe.targets.openai import adapter as client
from tests.probe.inprocess import Log, execute
from tests.targets.llamaindex.debugging import ended, how, started

ASKED: list[Any] = []
"""What the provider was really asked."""


def _piece(delta: dict[str, str], reason: str | None = None) -> str:
    about = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "gpt-4o"}
    return f"data: {json.dumps({**about, 'choices': [{'index': 0, 'delta': delta, 'finish_reason': reason}]})}\n\n"


def _provider(request: httpx.Request) -> httpx.Response:
    asked = json.loads(request.content)
    ASKED.append(asked)
    text = f"about {asked['messages'][-1]['content']}"
    if asked.get("stream"):
        pieces = _piece({"role": "assistant", "content": text[:3]}), _piece({"content": text[3:]}), _piece({}, "stop")
        return httpx.Response(
            200, headers={"content-type": "text/event-stream"}, text="".join(pieces) + "data: [DONE]\n\n"
        )
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
    about = {"id": "1", "object": "chat.completion", "created": 0, "model": "gpt-4o"}
    return httpx.Response(200, json={**about, "choices": [choice], "usage": usage})


class Asks(Workflow):
    """Asks in every way."""

    @step
    async def one(self, ev: StartEvent) -> StopEvent:
        transport = httpx.MockTransport(_provider)
        llm = OpenAI(
            model="gpt-4o",
            api_key="sk-none",
            http_client=httpx.Client(transport=transport),
            async_http_client=httpx.AsyncClient(transport=transport),
        )
        told = [(await llm.acomplete("birds")).text, llm.complete("fish").text]
        told.append(str((await llm.achat([ChatMessage(role="user", content="trees")])).message.content))
        told.append([piece.text async for piece in await llm.astream_complete("stones")][-1])
        told.append([piece.text for piece in llm.stream_complete("clouds")][-1])
        return StopEvent(result=told)


def _recorded(**options: Any) -> Log:
    """With both hooks in place."""

    async def run() -> Any:
        return await Asks().run()

    def hooked() -> Any:
        session = active()
        assert session is not None
        client.install(session)
        adapter.install(session)
        try:
            return asyncio.run(run())
        finally:
            adapter.remove()
            client.remove()

    return execute(hooked, **options)


def test_a_call_is_recorded_once_and_served_without_asking_the_provider() -> None:
    ASKED.clear()
    log = _recorded()
    assert log.output == ["about birds", "about fish", "about trees", "about stones", "about clouds"]
    models = started(log, call="model")
    assert {m.component for m in models} == {"Asks/one/model"}
    assert len(models) == len(ASKED) == 5
    assert ended(log, models[0]).tokens_in == 5
    for cut in range(0, len(log.records) + 1, 2):
        fork = _recorded(parent=log, cut=cut)
        assert (fork.status, fork.output) == (log.status, log.output), cut
    fork = _recorded(parent=log, cut=1, live=("Asks/one",))
    assert fork.output == log.output and how(fork) == {("Asks/one", "executed"): 1}
    assert len(ASKED) == 5
