"""The program that is measured: two AutoGen agents that talk, with a model that answers at once.

Run it plain (``loop_autogen.py N``), saving all state before every message (``loop_autogen.py N save_state``), or under
Outtake (``loop_autogen.py:target``, N in ``CHAT_MESSAGES``).  The last line of output is a JSON object.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sys
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import (
    AgentId,
    AgentRuntime,
    CancellationToken,
    DefaultInterventionHandler,
    DropMessage,
    MessageContext,
    SingleThreadedAgentRuntime,
)
from autogen_core.models import (
    ChatCompletionClient,
    CreateResult,
    LLMMessage,
    ModelInfo,
    RequestUsage,
)

from words import said


class InstantModel(ChatCompletionClient):
    """Answers at once, with about 500 characters that depend on how many messages it was given."""

    def __init__(self, name: str) -> None:
        self._name = name

    async def create(self, messages: Sequence[LLMMessage], **_: Any) -> CreateResult:
        text = said(self._name, len(messages))
        usage = RequestUsage(prompt_tokens=100, completion_tokens=80)
        return CreateResult(finish_reason="stop", content=text, usage=usage, cached=False)

    def create_stream(self, messages: Sequence[LLMMessage], **_: Any) -> AsyncGenerator[str | CreateResult, None]:
        raise NotImplementedError

    async def close(self) -> None:
        return None

    def actual_usage(self) -> RequestUsage:
        return RequestUsage(prompt_tokens=0, completion_tokens=0)

    total_usage = actual_usage

    def count_tokens(self, messages: Sequence[LLMMessage], **_: Any) -> int:
        return 0

    def remaining_tokens(self, messages: Sequence[LLMMessage], **_: Any) -> int:
        return 1_000_000

    @property
    def capabilities(self) -> Any:
        return self.model_info

    @property
    def model_info(self) -> ModelInfo:
        return ModelInfo(
            vision=False,
            function_calling=False,
            json_output=False,
            family="unknown",
            structured_output=False,
        )


def target(runtime: AgentRuntime | None = None) -> RoundRobinGroupChat:
    """Two agents that talk until `CHAT_MESSAGES` messages have been said."""
    agents = [AssistantAgent(name, InstantModel(name)) for name in ("ann", "bob")]
    stop = MaxMessageTermination(int(os.environ["CHAT_MESSAGES"]))
    return RoundRobinGroupChat(list(agents), termination_condition=stop, runtime=runtime)


class SaveBefore(DefaultInterventionHandler):
    """Saves the state of all agents before every message, as AGDebugger does."""

    def __init__(self) -> None:
        self.runtime: SingleThreadedAgentRuntime | None = None
        self.bytes = 0
        self.kept: list[Mapping[str, Any]] = []

    async def on_publish(self, message: Any, *, message_context: MessageContext) -> Any | type[DropMessage]:
        await self._save()
        return message

    async def on_send(
        self, message: Any, *, message_context: MessageContext, recipient: AgentId
    ) -> Any | type[DropMessage]:
        await self._save()
        return message

    async def _save(self) -> None:
        if self.runtime is not None:
            state = await self.runtime.save_state()
            self.kept.append(state)
            self.bytes += len(json.dumps(state))


async def main(policy: str) -> dict[str, float]:
    saver = SaveBefore()
    runtime = SingleThreadedAgentRuntime(intervention_handlers=[saver]) if policy == "save_state" else None
    saver.runtime = runtime
    if runtime is not None:
        runtime.start()
    team = target(runtime)
    began = time.perf_counter()
    result = await team.run(task="start", cancellation_token=CancellationToken())
    seconds = time.perf_counter() - began
    if runtime is not None:
        await runtime.stop_when_idle()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return {"seconds": seconds, "bytes": saver.bytes, "peak": peak, "messages": len(result.messages)}


if __name__ == "__main__":
    os.environ["CHAT_MESSAGES"] = sys.argv[1]
    print(json.dumps(asyncio.run(main(sys.argv[2] if len(sys.argv) > 2 else "plain"))))
