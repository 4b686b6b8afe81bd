"""Agents of llama-index-core on a model that answers with a hash of what it is told, and plays along with tools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core import VectorStoreIndex
from llama_index.core.agent.workflow import AgentWorkflow, CodeActAgent, FunctionAgent, ReActAgent
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse, LLMMetadata
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.schema import TextNode
from llama_index.core.tools import QueryEngineTool, RetrieverTool

from tests.targets.llamaindex.programs import CALLS, hashed


class Scripted(FunctionCallingLLM):
    """Looks once, then hands over where it can, then answers."""

    api_key: str = "sk-not-to-be-shown"
    temperature: float = 0.5

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_function_calling_model=True, model_name="scripted")

    def _answer(self, messages: Sequence[ChatMessage], tools: Sequence[str]) -> ChatResponse:
        CALLS["model"] += 1
        said = hashed(*(f"{message.role.value}:{message.content}" for message in messages))
        results = sum(1 for message in messages if message.role.value == "tool")
        calls: list[dict[str, Any]] = []
        if "look" in tools and results == 0:
            calls = [{"id": f"look {said}", "name": "look", "args": {"what": said}}]
        elif "handoff" in tools and results == 1:
            calls = [{"id": f"hand {said}", "name": "handoff", "args": {"to_agent": "writer", "reason": said}}]
        message = ChatMessage(role="assistant", content=said, additional_kwargs={"calls": calls})
        return ChatResponse(message=message, raw={"usage": {"prompt_tokens": 7, "completion_tokens": 3}})

    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        return self._answer(messages, kwargs.get("tools", ()))

    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        return self._answer(messages, kwargs.get("tools", ()))

    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Any:
        whole, text = self._answer(messages, kwargs.get("tools", ())), ""
        for letter in whole.message.content or "":
            text += letter
            yield ChatResponse(message=ChatMessage(role="assistant", content=text), delta=letter)
        yield ChatResponse(message=whole.message, delta="", raw=whole.raw)

    async def astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Any:
        async def pieces() -> Any:
            for piece in self.stream_chat(messages, **kwargs):
                yield piece

        return pieces()

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        CALLS["model"] += 1
        return CompletionResponse(text=hashed(prompt))

    async def acomplete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return self.complete(prompt)

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def astream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        raise NotImplementedError

    def _prepare_chat_with_tools(  # type: ignore[override]
        self, tools: Any, user_msg: Any = None, chat_history: Any = None, **_: Any
    ) -> Any:
        said = [*(chat_history or []), *([user_msg] if user_msg is not None else [])]
        return {"messages": said, "tools": [tool.metadata.name for tool in tools]}

    def get_tool_calls_from_response(self, response: Any, error_on_no_tool_call: bool = True, **_: Any) -> Any:
        calls = response.message.additional_kwargs.get("calls", [])
        return [ToolSelection(tool_id=c["id"], tool_name=c["name"], tool_kwargs=c["args"]) for c in calls]


class Thinking(Scripted):
    """Speaks as a ReAct agent wants it."""

    def _answer(self, messages: Sequence[ChatMessage], tools: Sequence[str]) -> ChatResponse:
        CALLS["model"] += 1
        told = " ".join(f"{message.role.value}:{message.content}" for message in messages)
        said = hashed(told)
        text = f'Thought: look\nAction: look\nAction Input: {{"what": "{said}"}}'
        if "Observation: saw" in told:
            text = f"Thought: I can answer without using any more tools.\nAnswer: {said}"
        return ChatResponse(message=ChatMessage(role="assistant", content=text))


class Coding(Scripted):
    """Writes code, and answers once it has been executed."""

    def _answer(self, messages: Sequence[ChatMessage], tools: Sequence[str]) -> ChatResponse:
        CALLS["model"] += 1
        told = " ".join(f"{message.role.value}:{message.content}" for message in messages)
        text = f"Let me see. <execute>print('{hashed(told)}')</execute>"
        if "Result of executing" in told:
            text = f"It is {hashed(told)}."
        return ChatResponse(message=ChatMessage(role="assistant", content=text))


class Lengths(BaseEmbedding):
    """Texts of one length are alike."""

    def _numbers(self, text: str) -> list[float]:
        CALLS["embedding"] += 1
        return [float(len(text)), float(text.count("e")), 1.0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._numbers(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._numbers(query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._numbers(text)


async def execute(code: str) -> str:
    """Run code."""
    CALLS["execute"] += 1
    return f"ran {code}"


async def look(what: str) -> str:
    """Look at something."""
    CALLS["look"] += 1
    return f"saw {what}"


def one() -> FunctionAgent:
    return FunctionAgent(name="scout", system_prompt="Be brief.", tools=[look], llm=Scripted())


def two() -> AgentWorkflow:
    scout = FunctionAgent(
        name="scout",
        description="looks",
        tools=[look],
        llm=Scripted(),
        can_handoff_to=["writer"],
        system_prompt="Look.",
    )
    writer = FunctionAgent(name="writer", description="writes", llm=Scripted(), system_prompt="Write.")
    return AgentWorkflow(agents=[scout, writer], root_agent="scout")


def thinking() -> ReActAgent:
    return ReActAgent(name="thinker", description="thinks", tools=[look], llm=Thinking())


def coding() -> CodeActAgent:
    return CodeActAgent(name="coder", code_execute_fn=execute, llm=Coding())


def _index() -> VectorStoreIndex:
    nodes = [TextNode(text="Whales are mammals.", id_="1"), TextNode(text="Trees have leaves.", id_="2")]
    return VectorStoreIndex(nodes, embed_model=Lengths())


def reading() -> FunctionAgent:
    """Asks a query engine, which asks a model itself."""
    engine = _index().as_query_engine(llm=Scripted(), similarity_top_k=1)
    tool = QueryEngineTool.from_defaults(engine, name="look", description="answers")
    return FunctionAgent(name="reader", tools=[tool], llm=Scripted())


def searching() -> FunctionAgent:
    """Searches an index."""
    tool = RetrieverTool.from_defaults(_index().as_retriever(similarity_top_k=1), name="look", description="finds")
    return FunctionAgent(name="searcher", tools=[tool], llm=Scripted())


async def asked(made: Any) -> str:
    return str(await made.run(user_msg="hello"))
