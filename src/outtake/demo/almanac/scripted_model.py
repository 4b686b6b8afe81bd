"""A model client without a model: it answers with a scripted policy, and says so in its name and configuration."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, Literal

from autogen_core import CancellationToken, Component, FunctionCall
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionClient,
    CreateResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    ModelFamily,
    ModelInfo,
    RequestUsage,
    SystemMessage,
)
from autogen_core.tools import Tool, ToolSchema
from pydantic import BaseModel

from .policies import POLICIES, Message, Reply, Say, ToolResult, Use

_CONTEXT = 100_000


class ScriptedModelConfig(BaseModel):
    """The policy's name, and the seconds that a call takes (a real model takes a few)."""

    policy: str
    delay: float = 0.0


class ScriptedModel(ChatCompletionClient, Component[ScriptedModelConfig]):
    """Answers every prompt with a policy. It keeps no state that could change an answer, only a count of words used."""

    component_type = "model"
    component_config_schema = ScriptedModelConfig

    def __init__(self, policy: str, delay: float = 0.0) -> None:
        if policy not in POLICIES:
            raise ValueError(f"there is no scripted policy {policy!r}; there are: {', '.join(POLICIES)}")
        self._config = ScriptedModelConfig(policy=policy, delay=delay)
        self._total = RequestUsage(prompt_tokens=0, completion_tokens=0)
        self._last = self._total

    async def create(
        self,
        messages: Sequence[LLMMessage],
        *,
        tools: Sequence[Tool | ToolSchema] = (),
        tool_choice: Tool | Literal["auto", "required", "none"] = "auto",
        json_output: bool | type[BaseModel] | None = None,
        extra_create_args: Mapping[str, Any] | None = None,
        cancellation_token: CancellationToken | None = None,
    ) -> CreateResult:
        await _pause(self._config.delay, cancellation_token)
        reply = POLICIES[self._config.policy]([_read(message) for message in messages])
        usage = RequestUsage(_words_in_prompt(messages), _words(str(reply)))
        self._count(usage)
        return _result(reply, usage, call_id=f"call_{_calls_so_far(messages) + 1}")

    async def create_stream(
        self,
        messages: Sequence[LLMMessage],
        *,
        tools: Sequence[Tool | ToolSchema] = (),
        tool_choice: Tool | Literal["auto", "required", "none"] = "auto",
        json_output: bool | type[BaseModel] | None = None,
        extra_create_args: Mapping[str, Any] | None = None,
        cancellation_token: CancellationToken | None = None,
    ) -> AsyncGenerator[str | CreateResult, None]:
        result = await self.create(messages, tools=tools, cancellation_token=cancellation_token)
        if isinstance(result.content, str):
            for chunk in re.findall(r"\S+\s*", result.content):
                yield chunk
        yield result

    async def close(self) -> None:
        """Nothing is open."""

    def actual_usage(self) -> RequestUsage:
        return self._last

    def total_usage(self) -> RequestUsage:
        return self._total

    def count_tokens(self, messages: Sequence[LLMMessage], *, tools: Sequence[Tool | ToolSchema] = ()) -> int:
        return _words_in_prompt(messages)

    def remaining_tokens(self, messages: Sequence[LLMMessage], *, tools: Sequence[Tool | ToolSchema] = ()) -> int:
        return _CONTEXT - self.count_tokens(messages)

    @property
    def model_info(self) -> ModelInfo:
        return ModelInfo(
            vision=False, function_calling=True, json_output=True, family=ModelFamily.UNKNOWN, structured_output=False
        )

    @property
    def capabilities(self) -> ModelInfo:
        """The older name of `model_info`."""
        return self.model_info

    def _count(self, usage: RequestUsage) -> None:
        self._last = usage
        self._total = RequestUsage(
            self._total.prompt_tokens + usage.prompt_tokens, self._total.completion_tokens + usage.completion_tokens
        )

    def _to_config(self) -> ScriptedModelConfig:
        return self._config

    @classmethod
    def _from_config(cls, config: ScriptedModelConfig) -> "ScriptedModel":
        return cls(config.policy, config.delay)


async def _pause(seconds: float, cancellation_token: CancellationToken | None) -> None:
    if seconds <= 0:
        return
    pause = asyncio.ensure_future(asyncio.sleep(seconds))
    if cancellation_token is not None:
        cancellation_token.link_future(pause)
    await pause


def _read(message: LLMMessage) -> Message:
    """AutoGen's message as the policies know it. Tool calls and pictures are no text, and no policy reads them."""
    if isinstance(message, FunctionExecutionResultMessage):
        results = (ToolResult(one.name, one.content, bool(one.is_error)) for one in message.content)
        return Message("tool", results=tuple(results))
    text = message.content if isinstance(message.content, str) else ""
    match message:
        case SystemMessage():
            return Message("system", text)
        case AssistantMessage():
            return Message("assistant", text, message.source, message.thought or "")
        case _:
            return Message("user", text, message.source)


def _result(reply: Reply, usage: RequestUsage, call_id: str) -> CreateResult:
    match reply:
        case Say(text):
            return CreateResult(finish_reason="stop", content=text, usage=usage, cached=False)
        case Use(tool, arguments, thought):
            call = FunctionCall(id=call_id, name=tool, arguments=json.dumps(arguments))
            return CreateResult(
                finish_reason="function_calls", content=[call], usage=usage, cached=False, thought=thought
            )


def _calls_so_far(messages: Sequence[LLMMessage]) -> int:
    """Numbers tool calls by what the prompt shows, so that an id is the same whenever the prompt is."""
    return sum(len(m.content) for m in messages if isinstance(m, FunctionExecutionResultMessage))


def _words_in_prompt(messages: Sequence[LLMMessage]) -> int:
    return sum(_words(str(message.content)) for message in messages)


def _words(text: str) -> int:
    return len(text.split())
