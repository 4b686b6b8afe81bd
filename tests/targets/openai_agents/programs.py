"""A model that answers by a hash of its prompt, and what was really called."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from agents import Model, ModelResponse, Usage, function_tool
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputItem,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseTextDeltaEvent,
)

Move = tuple[str, dict[str, Any]]
"""A tool or a handoff, and what it is given."""
CALLS: Counter[str] = Counter()
"""What was really called."""


def digest(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:8]


def said(items: Any) -> Any:
    """A prompt without the ids that are made up."""
    if isinstance(items, list):
        return [said(item) for item in items]
    if isinstance(items, dict):
        return {name: said(item) for name, item in items.items() if name not in ("id", "call_id", "status")}
    return items


class Hashing(Model):
    """Makes these moves first, some at once, then says a hash of its prompt; calls have random ids."""

    def __init__(self, moves: Sequence[Sequence[Move]] = (), name: str = "hashing") -> None:
        self.model = name
        self._moves = moves

    def _output(self, instructions: str | None, items: Any) -> list[ResponseOutputItem]:
        CALLS["model"] += 1
        asked = digest(self.model, instructions, said(items))
        last = next((n for n, item in enumerate(reversed(items)) if item.get("role") == "user"), len(items))
        turns = sum(item.get("type") == "function_call" for item in items[len(items) - last :])
        done = 0
        for moves in self._moves:
            if done == turns:
                return [_call(name, {**given, "what": asked} if "what" in given else given) for name, given in moves]
            done += len(moves)
        return [message(f"{self.model} says {asked}")]

    async def get_response(
        self, system_instructions: str | None, input: Any, *_args: Any, **_options: Any
    ) -> ModelResponse:
        items = [{"role": "user", "content": input}] if isinstance(input, str) else input
        used = Usage(requests=1, input_tokens=5, output_tokens=2, total_tokens=7)
        return ModelResponse(self._output(system_instructions, items), used, f"resp-{os.urandom(4).hex()}")

    async def stream_response(
        self, system_instructions: str | None, input: Any, *args: Any, **options: Any
    ) -> AsyncIterator[Any]:
        answer = await self.get_response(system_instructions, input, *args, **options)
        number = 0
        for item in answer.output:
            for part in getattr(item, "content", None) or ():
                for word in part.text.split():
                    yield ResponseTextDeltaEvent(
                        type="response.output_text.delta",
                        item_id="m",
                        output_index=0,
                        content_index=0,
                        delta=f"{word} ",
                        logprobs=[],
                        sequence_number=number,
                    )
                    number += 1
        whole = Response(
            id="r",
            created_at=0,
            model=self.model,
            object="response",
            output=answer.output,
            parallel_tool_calls=False,
            tool_choice="auto",
            tools=[],
        )
        yield ResponseCompletedEvent(type="response.completed", response=whole, sequence_number=number)


def _call(name: str, given: dict[str, Any]) -> ResponseOutputItem:
    call = f"call-{os.urandom(4).hex()}"
    return ResponseFunctionToolCall(type="function_call", call_id=call, name=name, arguments=json.dumps(given))


def message(text: str) -> ResponseOutputItem:
    part = ResponseOutputText(type="output_text", text=text, annotations=[])
    return ResponseOutputMessage(
        id=f"m-{os.urandom(4).hex()}", type="message", role="assistant", status="completed", content=[part]
    )


def tool(name: str, act: Callable[[str], str] | None = None, **options: Any) -> Any:
    """A tool that answers by a hash of what it is given."""

    async def look(what: str) -> str:
        CALLS[name] += 1
        return act(what) if act is not None else f"{name} {digest(name, what)}"

    return function_tool(look, name_override=name, **options)
