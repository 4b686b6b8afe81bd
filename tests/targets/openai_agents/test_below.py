"""What is below the SDK: servers of tools, and the client of a model provider."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("agents.run_internal")

from agents import Agent, FunctionTool, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner
from agents.mcp import MCPServerStdio
from openai import AsyncOpenAI

from outtake_probe.attached import active
from outtake_probe.records import Json
from outtake_probe.targets import openai as client
from outtake_probe.targets.toolkit.responses_api import events, message_item, response, text_part
from tests.probe.inprocess import Log
from tests.targets.model_servers import Provider, answer_to
from tests.targets.openai_agents.debugging import fork, output, record, replace, started
from tests.targets.openai_agents.programs import CALLS, Hashing

SERVER = str(Path(__file__).with_name("mcp_server.py"))


def test_tools_of_an_mcp_server_are_tools(tmp_path: Path) -> None:
    calls = tmp_path / "calls.txt"
    calls.touch()

    async def program() -> Json:
        async with MCPServerStdio(params={"command": sys.executable, "args": [SERVER, str(calls)]}) as server:
            model = Hashing([[("look", {"what": ""})]])
            ann = Agent("ann", model=model, mcp_servers=[server])
            return (await Runner.run(ann, "hello")).final_output

    log = record(program)
    assert log.status == "completed", log.output
    (call,) = started(log, kind="tool")
    assert call.component == "ann/tools/look"
    assert call.effects == ("read" if hasattr(FunctionTool, "mcp_annotations") else "write")
    assert "saw" in str(output(log, call))
    assert len(calls.read_text().split()) == 1
    CALLS.clear()
    again = fork(program, log)
    assert (again.output, dict(CALLS), len(calls.read_text().split())) == (log.output, {}, 1)
    edited = fork(program, log, [replace(call, {"what": "stones"})])
    assert edited.status == "completed", edited.output
    assert "saw stones" in str(output(edited, started(edited, kind="tool")[0]))


# -- the openai client -------------------------------------------------------------------------------------------------


def _whole(path: str, body: Any) -> Json:
    if path.endswith("/chat/completions"):
        said = {"role": "assistant", "content": answer_to(body)}
        choices = [{"index": 0, "message": said, "finish_reason": "stop"}]
        used = {"prompt_tokens": 4, "completion_tokens": 2, "total_tokens": 6}
        return {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": choices, "usage": used}
    return response("m", [message_item([text_part(answer_to(body))])])


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    error = {"error": {"message": "no"}}
    with Provider(_whole, lambda path, body: events(_whole(path, body)), error).serving() as serving:
        yield serving


@pytest.mark.parametrize(
    ("cls", "streams"),
    [(OpenAIResponsesModel, False), (OpenAIResponsesModel, True), (OpenAIChatCompletionsModel, False)],
)
def test_a_model_call_is_one_invocation_and_not_also_that_of_the_client(
    provider: Provider, cls: Any, streams: bool
) -> None:
    async def program() -> Json:
        session = active()
        assert session is not None
        client.adapter.install(session)
        model = cls("m", AsyncOpenAI(base_url=provider.url, api_key="unused", max_retries=0))
        try:
            if not streams:
                return (await Runner.run(Agent("ann", model=model), "hello")).final_output
            streamed = Runner.run_streamed(Agent("ann", model=model), "hello")
            assert [event async for event in streamed.stream_events()]
            return streamed.final_output
        finally:
            client.adapter.remove()

    log: Log = record(program)
    assert log.status == "completed", log.output
    (call,) = started(log, kind="model")
    assert (call.component, call.type) == ("ann/model", cls.__name__)
    count = provider.count
    assert fork(program, log).output == log.output
    assert provider.count == count
