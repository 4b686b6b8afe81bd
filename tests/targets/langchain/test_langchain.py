"""LangChain without graphs: model and tool calls of any program, streams, embeddings, retrievers, spans."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

import pytest

pytest.importorskip("langchain_core")

from langchain_core.callbacks import BaseCallbackHandler, dispatch_custom_event
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.language_models.fake import FakeListLLM
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnableParallel
from langchain_core.tools import tool
from pydantic import SecretStr

from outtake_probe.edits import Edit
from outtake_probe.gate.decision import Answer
from outtake_probe.records import InvocationEnded, InvocationStarted, Json, Noted, Record, SpanEnded, SpanStarted
from outtake_probe.targets.langchain import adapter
from tests.probe.inprocess import Log
from tests.targets.hooked import Executed, everything, held, models, run

CALLS = Executed()
KEY = "sk-very-secret-0123456789"


class Scripted(BaseChatModel):
    """Says how many messages it was told, and the last one backwards."""

    model: str = "scripted-1"
    temperature: float | None = None
    api_key: SecretStr = SecretStr(KEY)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        CALLS.append("model")
        used: Any = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
        message = AIMessage(f"{len(messages)} {str(messages[-1].content)[::-1]}", usage_metadata=used)
        return ChatResult(generations=[ChatGeneration(message=message)])


class Streaming(Scripted):
    def _stream(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Iterator[Any]:
        CALLS.append("model")
        for letter in str(messages[-1].content)[::-1]:
            yield ChatGenerationChunk(message=AIMessageChunk(content=letter))
        used: Any = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
        yield ChatGenerationChunk(message=AIMessageChunk(content="", usage_metadata=used))


class Lengths(Embeddings):
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        CALLS.append("embed")
        return [[float(len(text))] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


class Index(BaseRetriever):
    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        CALLS.append("retrieve")
        return [Document(page_content=f"about {query}", metadata={"source": "a.txt"})]


@tool
def look(what: str, times: int = 1) -> str:
    """Look at something."""
    CALLS.append("tool")
    return f"saw {what}" * times


class Heard(BaseCallbackHandler):
    """What a program's own callbacks hear."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def on_llm_new_token(self, token: Any, **kwargs: Any) -> None:
        self.heard.append(str(token))

    def on_llm_end(self, response: Any, **kwargs: Any) -> None:
        self.heard.append("end")

    def on_tool_end(self, output: Any, **kwargs: Any) -> None:
        self.heard.append(str(output))


def _invoke() -> Any:
    return [Scripted().invoke("hi").content, Scripted().invoke([HumanMessage("a"), AIMessage("b")]).content]


def _ainvoke() -> Any:
    async def go() -> Any:
        return [m.content for m in await asyncio.gather(*[Scripted().ainvoke(word) for word in ("one", "two")])]

    return asyncio.run(go())


def _stream() -> Any:
    return [chunk.content for chunk in Streaming().stream("hello")]


def _astream() -> Any:
    async def go() -> Any:
        return [chunk.content async for chunk in Streaming().astream("hello")]

    return asyncio.run(go())


def _callbacks() -> Any:
    heard = Heard()
    Streaming().invoke("hi", config={"callbacks": [heard]})
    look.invoke({"what": "owl"}, config={"callbacks": [heard]})
    return [list(Streaming().stream("hi", config={"callbacks": [heard]}))[-1].usage_metadata, heard.heard]


def _batch() -> Any:
    return [message.content for message in Scripted().batch(["a", "b", "c"])]


def _tool() -> Any:
    call: Any = {"name": "look", "args": {"what": "owl", "times": 2}, "id": "c1", "type": "tool_call"}
    return [look.invoke({"what": "owl"}), look.invoke(call).content, asyncio.run(look.ainvoke({"what": "bat"}))]


def _text() -> Any:
    llm = FakeListLLM(responses=["one", "two"])
    return [llm.invoke("hi"), list(llm.stream("hi"))]


def _embed() -> Any:
    async def later() -> Any:
        return await Lengths().aembed_query("four")

    return [Lengths().embed_documents(["a", "bb"]), Lengths().embed_query("ccc"), asyncio.run(later())]


def _retrieve() -> Any:
    return [(d.page_content, d.metadata) for d in [*Index().invoke("owls"), *asyncio.run(Index().ainvoke("bats"))]]


def _chain() -> Any:
    """Prompt, model and parser, one after the other; two of them side by side; what a retriever finds in between."""
    prompt = ChatPromptTemplate.from_messages([("system", "Be {mood}."), ("human", "{text}")])
    ask = prompt | Scripted() | StrOutputParser()
    found: Any = RunnableLambda(lambda text: {"text": Index().invoke(str(text))[0].page_content, "mood": "brief"}) | ask
    both = RunnableParallel(one=ask, other=ask)
    given = {"text": "owls", "mood": "kind"}
    pieces = list((prompt | Streaming() | StrOutputParser()).stream(given))
    return [ask.invoke(given), found.invoke("bats"), both.invoke(given), asyncio.run(ask.ainvoke(given)), pieces]


PROGRAMS: dict[str, Callable[[], Any]] = {
    name[1:]: program
    for name, program in list(globals().items())
    if name.startswith("_") and not name.startswith("__") and callable(program)
}


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_what_is_recorded_is_not_called_again(name: str) -> None:
    log = run(adapter, PROGRAMS[name])
    assert log.status == "completed", log.output
    assert [r for r in log.records if isinstance(r, InvocationStarted) and r.call in ("model", "tool")]
    for cut in range(0, len(log.records) + 1, 2):
        CALLS.clear()
        fork = run(adapter, PROGRAMS[name], parent=log, cut=cut)
        assert (fork.status, fork.output) == ("completed", log.output)
        assert not CALLS or name == "text"


def body(log: Log, record: Record) -> Json:
    return log.body(record.body)


def end(log: Log, start: InvocationStarted) -> InvocationEnded:
    return next(r for r in log.records if isinstance(r, InvocationEnded) and r.invocation == start.seq)


def test_a_prompt_says_what_is_asked_and_nothing_secret() -> None:
    model = Scripted(temperature=0.5)
    log = run(adapter, lambda: model.invoke([HumanMessage("hi", id="some-id")], stop=["x"]).content)
    (asked,) = models(log)
    said = {"$type": "message", "type": "human", "content": "hi"}
    assert body(log, asked) == {"model": "scripted-1", "args": {"temperature": 0.5}, "messages": [said], "stop": ["x"]}
    assert (end(log, asked).tokens_in, end(log, asked).tokens_out) == (7, 3)
    assert KEY not in everything(log)


def test_a_stream_is_recorded_piece_by_piece() -> None:
    log = run(adapter, _stream)
    (asked,) = models(log)
    assert body(log, end(log, asked))[:5] == list("olleh")
    assert (end(log, asked).tokens_in, end(log, asked).tokens_out) == (7, 3)


@pytest.mark.parametrize(
    ("value", "says"),
    [("mocked", "mocked"), ({"content": "mocked"}, "mocked"), ({"role": "assistant", "content": "mocked"}, "mocked")],
)
def test_an_answer_is_mocked(value: Json, says: str) -> None:
    log = run(adapter, _invoke)
    edit = Edit(op="mock_output", seq=models(log)[0].seq, component="main/model", value=value)
    assert run(adapter, _invoke, parent=log, cut=models(log)[0].seq, edits=[edit]).output[0] == says


def test_a_mocked_answer_may_call_tools() -> None:
    def program() -> Any:
        return Scripted().invoke("hi").tool_calls

    log = run(adapter, program)
    value = {"tool_calls": [{"name": "look", "args": {"what": "owl"}}]}
    edit = Edit(op="mock_output", seq=models(log)[0].seq, component="main/model", value=value)
    (call,) = run(adapter, program, parent=log, cut=models(log)[0].seq, edits=[edit]).output
    assert (call["name"], call["args"], bool(call["id"])) == ("look", {"what": "owl"}, True)


@pytest.mark.parametrize("program", [_stream, _astream])
def test_a_stream_is_mocked(program: Callable[[], Any]) -> None:
    log = run(adapter, program)
    edit = Edit(op="mock_output", seq=models(log)[0].seq, component="main/model", value=["a", "b"])
    fork = run(adapter, program, parent=log, cut=models(log)[0].seq, edits=[edit])
    assert [piece for piece in fork.output if piece] == ["a", "b"]


def test_an_answer_that_is_none_is_refused() -> None:
    _, refused = held(adapter, _invoke, "model:*", Answer("serve", {"text": "x"}))
    assert "a message with content or tool_calls" in str(refused[0])


def test_a_prompt_is_changed() -> None:
    log, refused = held(adapter, _invoke, "model:*", Answer("proceed", "bye", edited=True))
    assert not refused
    assert log.output[0] == "1 eyb"


def test_a_tool_is_described_by_its_arguments() -> None:
    log = run(adapter, _tool)
    first, second, _ = [r for r in log.records if isinstance(r, InvocationStarted) and r.call == "tool"]
    assert body(log, first) in ({"what": "owl"}, {"what": "owl", "times": 1})
    assert body(log, second) == {"what": "owl", "times": 2}
    assert (first.component, first.effects) == ("main/tools/look", "write")


def test_a_tool_says_what_it_does_to_the_world() -> None:
    @tool
    def count(text: str) -> int:
        """Count letters."""
        return len(text)

    function: Any = count.func  # type: ignore[attr-defined]
    function.__outtake_effects__ = "pure"
    log = run(adapter, lambda: count.invoke({"text": "abc"}))
    (asked,) = [r for r in log.records if isinstance(r, InvocationStarted) and r.call == "tool"]
    assert asked.effects == "pure"


def test_a_tools_error_is_recorded_and_raised_again() -> None:
    def program() -> Any:
        @tool
        def broken(what: str) -> str:
            """Break."""
            CALLS.append("tool")
            raise LookupError(f"no {what}")

        try:
            return broken.invoke({"what": "owl"})
        except LookupError as error:
            return str(error)

    log = run(adapter, program)
    CALLS.clear()
    assert run(adapter, program, parent=log).output == log.output == "no owl"
    assert not CALLS


def test_chains_are_spans_and_events_are_notes() -> None:
    def shout(text: str) -> str:
        dispatch_custom_event("shouting", {"text": text})
        return text.upper()

    def program() -> Any:
        chain = ChatPromptTemplate.from_template("say {x}") | Scripted() | StrOutputParser() | RunnableLambda(shout)
        return chain.invoke({"x": "hi"}, config={"tags": ["mine"], "metadata": {"who": "me"}})

    log = run(adapter, program)
    spans = [r for r in log.records if isinstance(r, SpanStarted)]
    assert [r.name for r in spans] == ["RunnableSequence", "ChatPromptTemplate", "StrOutputParser", "shout"]
    assert [r.within for r in spans] == [None, spans[0].span, spans[0].span, spans[0].span]
    assert body(log, spans[0]) == {"tags": ["mine"], "metadata": {"who": "me"}}
    assert {r.span for r in log.records if isinstance(r, SpanEnded)} == {r.span for r in spans}
    (note,) = [r for r in log.records if isinstance(r, Noted)]
    assert (note.type, note.span, body(log, note)) == ("shouting", spans[3].span, {"text": "1 IH YAS".lower()})


def test_everything_is_put_back() -> None:
    def state() -> list[Any]:
        names = ("_generate", "_agenerate", "_stream", "_run", "_arun", "__init_subclass__", "embed_query")
        classes = (BaseChatModel, Scripted, Streaming, type(look), Embeddings, Lengths, Index)
        return [vars(cls).get(name) for cls in classes for name in names]

    before = state()
    run(adapter, _invoke)
    assert state() == before


def test_a_class_that_is_defined_later_is_recorded() -> None:
    def program() -> Any:
        class Later(Scripted):
            def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> ChatResult:
                return super()._generate(messages, *args, **kwargs)

        return Later().invoke("hi").content

    assert len(models(run(adapter, program))) == 1


def test_ids_that_the_probe_needs_are_none_of_the_program_s() -> None:
    def program() -> Json:
        with patch("uuid.uuid4", wraps=uuid.uuid4) as ids:
            return [str(Scripted().invoke("hello").content), ids.call_count]

    plain = program()
    log = run(adapter, program)
    assert (log.status, log.output) == ("completed", plain)
