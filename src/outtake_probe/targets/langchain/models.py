"""Model calls pass the gate where a model's class implements them: whole, or streamed piece by piece.

Around that, LangChain's own machinery (callbacks, caches, assembling a streamed answer) runs as it always does, also
for an answer that the record gives: who listens to callbacks hears the same.  Implementations call each other; only
the outermost call is an invocation.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.language_models.llms import BaseLLM
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult

from outtake_probe.calling import NewInput, acall, astream, call, stream
from outtake_probe.calls import Call, Usage
from outtake_probe.keeping import stateless
from outtake_probe.records import Json
from outtake_probe.session import Session
from outtake_probe.targets.langchain import messages, prompts
from outtake_probe.targets.langchain.context import around
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.paths import child_path, is_inside

Method = Callable[..., Any]
Wrap = Callable[[Method], Method]


def install_chat(session: Session, patches: Patches) -> list[str]:
    """Wrap every chat model there is, and those to come."""
    stateless.add(BaseChatModel)
    patches.family(
        BaseChatModel,
        {
            "_generate": _whole(session, _chat_call, _identified),
            "_agenerate": _awhole(session, _chat_call, _identified),
            "_stream": _unless(BaseChatModel, "_stream", _pieces(session, _chat_call)),
            "_astream": _unless(BaseChatModel, "_astream", _apieces(session, _chat_call)),
        },
    )
    return []


def install_text(session: Session, patches: Patches) -> list[str]:
    """Wrap every model that completes texts."""
    stateless.add(BaseLLM)
    patches.family(
        BaseLLM,
        {
            "_generate": _whole(session, _text_call, _as_it_is),
            "_agenerate": _awhole(session, _text_call, _as_it_is),
            "_stream": _unless(BaseLLM, "_stream", _pieces(session, _text_call)),
            "_astream": _unless(BaseLLM, "_astream", _apieces(session, _text_call)),
        },
    )
    return []


def _unless(base: type, name: str, wrap: Wrap) -> Wrap:
    """LangChain tells by the base class's method whether a model streams: that one stays as it is."""
    default = vars(base).get(name)
    return lambda method: method if method is default else wrap(method)


# -- the four ways to call -------------------------------------------------------------------------------------------

Describe = Callable[[Any, Sequence[Any], dict[str, Any], bool], Call]
Finish = Callable[[Any, str], Any]


def _whole(session: Session, describe: Describe, finish: Finish) -> Wrap:
    def wrap(method: Method) -> Method:
        @functools.wraps(method)
        def _generate(self: Any, said: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Any:
            given = _Given(method, said, stop, run_manager, kwargs)
            if is_inside("model"):
                return given.run(self, None)
            around.leaf()
            name = messages.new_id()
            return finish(
                call(session, describe(self, said, given.asked, False), lambda new: given.run(self, new)), name
            )

        return _generate

    return wrap


def _awhole(session: Session, describe: Describe, finish: Finish) -> Wrap:
    def wrap(method: Method) -> Method:
        @functools.wraps(method)
        async def _agenerate(self: Any, said: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Any:
            given = _Given(method, said, stop, run_manager, kwargs)
            if is_inside("model"):
                return await given.run(self, None)
            around.leaf()
            name = messages.new_id()
            what = describe(self, said, given.asked, False)
            return finish(await acall(session, what, lambda new: given.run(self, new)), name)

        return _agenerate

    return wrap


def _pieces(session: Session, describe: Describe) -> Wrap:
    def wrap(method: Method) -> Method:
        @functools.wraps(method)
        def _stream(self: Any, said: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Iterator[Any]:
            given = _Given(method, said, stop, run_manager, kwargs)
            if is_inside("model"):
                yield from given.run(self, None)
                return
            around.leaf()
            name = messages.new_id()
            what = describe(self, said, given.asked, True)
            for piece in stream(session, what, lambda new: given.run(self, new)):
                yield _named(piece, name)

        return _stream

    return wrap


def _apieces(session: Session, describe: Describe) -> Wrap:
    def wrap(method: Method) -> Method:
        @functools.wraps(method)
        async def _astream(
            self: Any, said: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
        ) -> AsyncIterator[Any]:
            given = _Given(method, said, stop, run_manager, kwargs)
            if is_inside("model"):
                async for piece in given.run(self, None):
                    yield piece
                return
            around.leaf()
            name = messages.new_id()
            what = describe(self, said, given.asked, True)
            async for piece in astream(session, what, lambda new: given.run(self, new)):
                yield _named(piece, name)

        return _astream

    return wrap


class _Given:
    """What a model was called with."""

    def __init__(self, method: Method, said: Any, stop: Any, run_manager: Any, kwargs: dict[str, Any]) -> None:
        self._method = method
        self._said = said
        self._managed = {} if run_manager is None else {"run_manager": run_manager}
        self.asked = kwargs if stop is None else {**kwargs, "stop": stop}

    def run(self, model: Any, new: NewInput | None) -> Any:
        """Call the implementation, with what an edit put in its place."""
        if new is None:
            said, asked = self._said, self.asked
        else:
            said = new.value.get("messages", new.value.get("prompts"))
            asked = {name: new.value.get(name, value) for name, value in self.asked.items()}
        return self._method(model, said, **{"stop": None, **asked}, **self._managed)


def _identified(result: Any, name: str) -> Any:
    """LangChain would make up an id for the answer: this one follows from the run's seed."""
    if isinstance(result, ChatResult):
        for index, generation in enumerate(result.generations):
            if generation.message.id is None:
                generation.message.id = f"{name}-{index}"
    return result


def _named(piece: Any, name: str) -> Any:
    if isinstance(piece, ChatGenerationChunk) and piece.message.id is None:
        piece.message.id = name
    return piece


def _as_it_is(result: Any, name: str) -> Any:
    return result


# -- how a call is described -----------------------------------------------------------------------------------------


class _Counted:
    """Adds up what the pieces of a stream say that they cost."""

    def __init__(self, encode: Callable[[Any], Json]) -> None:
        self._encode = encode
        self._usage: Usage | None = None

    def encode(self, piece: Any) -> Json:
        used = prompts.usage(piece)
        if used is not None:
            had = self._usage or Usage()
            self._usage = Usage(had.tokens_in + used.tokens_in, had.tokens_out + used.tokens_out)
        return self._encode(piece)

    def usage(self, _: Any) -> Usage | None:
        return self._usage


def _chat_call(model: Any, said: Sequence[BaseMessage], asked: dict[str, Any], streamed: bool) -> Call:
    path = child_path("model")
    given = prompts.prompt(model, said, asked, path)
    what = Call("model", path, given, type=type(model).__name__, functions=_functions(model))
    what.decode_input = prompts.decode_prompt
    what.normalize = lambda _, value: prompts.normalize(given, value)
    if streamed:
        counted = _Counted(prompts.encode_piece)
        what.encode, what.usage, what.decode = counted.encode, counted.usage, prompts.decode_piece
        what.normalize_output = prompts.full_stream
    else:
        what.encode, what.decode, what.usage = prompts.encode_result, prompts.decode_result, prompts.usage
        what.normalize_output = prompts.full_result
    return what


def _functions(model: Any) -> list[Any]:
    """The methods by which a model's class implements it."""
    names = ("_generate", "_agenerate", "_stream", "_astream", "_call", "_acall")
    return [method for name in names if (method := getattr(type(model), name, None)) is not None]


def _text_call(model: Any, said: Sequence[str], asked: dict[str, Any], streamed: bool) -> Call:
    given = prompts.text_prompt(model, said if not isinstance(said, str) else [said], asked)
    what = Call("model", child_path("model"), given, type=type(model).__name__, functions=_functions(model))
    what.normalize = lambda _, value: prompts.normalize_text(given, value)
    if isinstance(said, str):
        what.decode_input = lambda value: {**value, "prompts": value["prompts"][0]}
    if streamed:
        what.encode, what.decode = prompts.encode_piece, prompts.decode_text_piece
    else:
        what.encode, what.decode, what.usage = prompts.encode_texts, prompts.decode_texts, prompts.usage
        what.normalize_output = lambda value: prompts.encode_texts(prompts.decode_texts(value))
    return what
