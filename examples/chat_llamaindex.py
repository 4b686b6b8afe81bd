"""The model of the examples as an LLM of LlamaIndex."""

from typing import Any

from llama_index.core.base.llms.types import CompletionResponse, CompletionResponseGen, LLMMetadata
from llama_index.core.llms import CustomLLM
from pydantic import PrivateAttr

from chat import Script, answer


class Chat(CustomLLM):
    """Answers as its script says, or as the model in `OUTTAKE_MODEL`."""

    _script: Script = PrivateAttr()

    def __init__(self, script: Script) -> None:
        super().__init__()
        self._script = script

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="chat")

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return CompletionResponse(text=answer(prompt, self._script))

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
        text = answer(prompt, self._script)

        def pieces() -> CompletionResponseGen:
            yield CompletionResponse(text=text, delta=text)

        return pieces()
