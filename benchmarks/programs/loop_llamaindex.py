"""The program that is measured: a loop of two steps of LlamaIndex, with a model that answers at once.

Run it plain (``loop_llamaindex.py N``), taking a snapshot at every step (``loop_llamaindex.py N to_dict``), or under
Outtake (``loop_llamaindex.py:target``, N in ``CHAT_MESSAGES``).  The last line of output is a JSON object.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sys
import time
from typing import Any

from llama_index.core.base.llms.types import CompletionResponse, CompletionResponseGen, LLMMetadata
from llama_index.core.llms import CustomLLM
from workflows import Context, Workflow, step
from workflows.events import Event, StartEvent, StopEvent

from words import said


class Instant(CustomLLM):
    """Answers at once."""

    name: str

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name=self.name)

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return CompletionResponse(text=said(self.name, int(prompt.split(maxsplit=1)[0])))

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
        raise NotImplementedError


class Asked(Event):
    text: str


class Replied(Event):
    text: str


class Said(Event):
    """Somebody said something: told to whoever follows the run."""


class Chat(Workflow):
    """Two who talk until `CHAT_MESSAGES` messages have been said; all that was said is in the state."""

    ann = Instant(name="ann")
    bob = Instant(name="bob")

    async def _speak(self, ctx: Context, who: Instant, heard: str) -> tuple[str, int]:
        history = await ctx.store.get("history", default=[])
        told = await who.acomplete(f"{len(history)} {heard}")
        await ctx.store.set("history", [*history, told.text])
        ctx.write_event_to_stream(Said())
        return told.text, len(history) + 1

    @step
    async def ask(self, ctx: Context, ev: StartEvent | Replied) -> Asked | StopEvent:
        text, said = await self._speak(ctx, self.ann, ev.text if isinstance(ev, Replied) else "")
        return StopEvent(result=text) if said >= self.count else Asked(text=text)

    @step
    async def reply(self, ctx: Context, ev: Asked) -> Replied | StopEvent:
        text, said = await self._speak(ctx, self.bob, ev.text)
        return StopEvent(result=text) if said >= self.count else Replied(text=text)

    @property
    def count(self) -> int:
        return int(os.environ["CHAT_MESSAGES"])


def target() -> Chat:
    return Chat(timeout=None)


async def main(policy: str) -> dict[str, float]:
    chat = target()
    snapshots: list[str] = []
    began = time.perf_counter()
    handler = chat.run()
    async for event in handler.stream_events():
        if policy == "to_dict" and isinstance(event, Said):
            snapshots.append(json.dumps(handler.ctx.to_dict()))
    await handler
    seconds = time.perf_counter() - began
    figures = {"seconds": seconds, "bytes": sum(map(len, snapshots)), "messages": chat.count}
    if snapshots:
        figures["fork_in_middle_seconds"] = await fork(snapshots[len(snapshots) // 2])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return {**figures, "peak": peak}


async def fork(snapshot: str) -> float:
    """Seconds from a snapshot to the first model call that goes on from it."""
    began = time.perf_counter()
    called = asyncio.get_running_loop().create_future()

    class Waking(Instant):
        def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
            if not called.done():
                called.set_result(time.perf_counter() - began)
            return super().complete(prompt, formatted, **kwargs)

    chat = target()
    chat.ann, chat.bob = Waking(name="ann"), Waking(name="bob")
    handler = chat.run(ctx=Context.from_dict(chat, json.loads(snapshot)))
    seconds: float = await called
    await handler.cancel_run()
    return seconds


if __name__ == "__main__":
    os.environ["CHAT_MESSAGES"] = sys.argv[1]
    print(json.dumps(asyncio.run(main(sys.argv[2] if len(sys.argv) > 2 else "plain"))))
