"""Model calls pass the gate where a model's class implements them: whole, or streamed piece by piece.

Around that, LangChain's own machinery (callbacks, caches, assembling a streamed answer) runs as it always does, also
for an answer that the record gives: who listens to callbacks hears the same.  Implementations call each other; only
the outermost call is an invocation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.language_models.llms import BaseLLM
from langchain_core.outputs import ChatGenerationChunk, ChatResult

from outtake_probe.calls import Usage
from outtake_probe.codec import decode
from outtake_probe.keeping import stateless
from outtake_probe.records import Json
from outtake_probe.session import Session
from outtake_probe.targets.langchain import messages, prompts
from outtake_probe.targets.langchain.context import around
from outtake_probe.targets.toolkit.boundary import Arguments, Method
from outtake_probe.targets.toolkit.models import ModelBoundary, ModelRequest
from outtake_probe.targets.toolkit.patches import Patches

Wrap = Callable[[Method], Method]


def install_chat(session: Session, patches: Patches) -> list[str]:
    """Wrap every chat model there is, and those to come."""
    return _install(session, patches, BaseChatModel, Chat)


def install_text(session: Session, patches: Patches) -> list[str]:
    """Wrap every model that completes texts."""
    return _install(session, patches, BaseLLM, Text)


def _install(session: Session, patches: Patches, base: type, request: type[Request]) -> list[str]:
    stateless.add(base)
    boundary = ModelBoundary(lambda: session, request)
    patches.family(
        base,
        {
            "_generate": boundary.call,
            "_agenerate": boundary.acall,
            "_stream": _unless(base, "_stream", boundary.stream),
            "_astream": _unless(base, "_astream", boundary.astream),
        },
    )
    return []


def _unless(base: type, name: str, wrap: Wrap) -> Wrap:
    """LangChain tells by the base class's method whether a model streams: that one stays as it is."""
    default = vars(base).get(name)
    return lambda method: method if method is default else wrap(method)


class Request(ModelRequest):
    """One call of a method by which a model's class implements it."""

    implemented_by = ("_generate", "_agenerate", "_stream", "_astream", "_call", "_acall")

    def __init__(
        self, _method: Method, model: Any, said: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(model)
        around.leaf()
        self._answer_id = messages.new_id()
        self._managed = {} if run_manager is None else {"run_manager": run_manager}
        self.said = said
        self.asked = kwargs if stop is None else {**kwargs, "stop": stop}

    def rebind(self, new: Any) -> Arguments:
        said = new.get("messages", new.get("prompts"))
        asked = {name: new.get(name, value) for name, value in self.asked.items()}
        return (self.model, said), {"stop": None, **asked, **self._managed}


class Chat(Request):
    """A conversation in, a message out.  The pieces of a stream add up what they say that they cost."""

    _used: Usage | None = None
    """What the pieces so far have cost."""

    def prompt(self, path: str) -> dict[str, Json]:
        return prompts.prompt(self.model, self.said, self.asked, path)

    def merge(self, prompt: dict[str, Json], value: Json) -> Json:
        return prompts.normalize(prompt, value)

    def decode_prompt(self, value: Json) -> Any:
        return prompts.decode_prompt(value)

    def encode(self, answer: Any) -> Json:
        return prompts.encode_result(answer)

    def decode(self, value: Json) -> Any:
        return prompts.decode_result(value)

    def complete(self, value: Json) -> Json:
        return prompts.full_result(value)

    def encode_piece(self, piece: Any) -> Json:
        used = prompts.usage(piece)
        if used is not None:
            had = self._used or Usage()
            self._used = Usage(had.tokens_in + used.tokens_in, had.tokens_out + used.tokens_out)
        return prompts.encode_piece(piece)

    def decode_piece(self, value: Json) -> Any:
        return prompts.decode_piece(value)

    def complete_pieces(self, value: Json) -> Json:
        return prompts.full_stream(value)

    def usage(self, answer: Any) -> Usage | None:
        return self._used or prompts.usage(answer)

    def finish(self, answer: Any) -> Any:
        """LangChain would make up an id for the answer: this one follows from the run's seed."""
        if isinstance(answer, ChatResult):
            for index, generation in enumerate(answer.generations):
                if generation.message.id is None:
                    generation.message.id = f"{self._answer_id}-{index}"
        elif isinstance(answer, ChatGenerationChunk) and answer.message.id is None:
            answer.message.id = self._answer_id
        return answer


class Text(Request):
    """Texts in, their completions out."""

    def prompt(self, path: str) -> dict[str, Json]:
        said: Sequence[str] = [self.said] if isinstance(self.said, str) else self.said
        return prompts.text_prompt(self.model, said, self.asked)

    def merge(self, prompt: dict[str, Json], value: Json) -> Json:
        return prompts.normalize_text(prompt, value)

    def decode_prompt(self, value: Json) -> Any:
        """A stream is asked with one text, not with a list."""
        return {**value, "prompts": value["prompts"][0]} if isinstance(self.said, str) else decode(value)

    def encode(self, answer: Any) -> Json:
        return prompts.encode_texts(answer)

    def decode(self, value: Json) -> Any:
        return prompts.decode_texts(value)

    def complete(self, value: Json) -> Json:
        return prompts.encode_texts(prompts.decode_texts(value))

    def encode_piece(self, piece: Any) -> Json:
        return prompts.encode_piece(piece)

    def decode_piece(self, value: Json) -> Any:
        return prompts.decode_text_piece(value)

    def complete_pieces(self, value: Json) -> Json:
        return value if isinstance(value, list) else [value]

    def usage(self, answer: Any) -> Usage | None:
        return prompts.usage(answer)
