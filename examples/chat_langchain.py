"""The model of the examples as a chat model of LangChain."""

from typing import Any

from langchain_core.language_models.chat_models import SimpleChatModel
from langchain_core.messages import BaseMessage
from pydantic import PrivateAttr

from chat import Script, answer


class Chat(SimpleChatModel):
    """Answers as its script says, or as the model in `OUTTAKE_MODEL`."""

    _script: Script = PrivateAttr()

    def __init__(self, script: Script) -> None:
        super().__init__()
        self._script = script

    @property
    def _llm_type(self) -> str:
        return "chat"

    def _call(self, messages: list[BaseMessage], stop: list[str] | None = None, *args: Any, **kwargs: Any) -> str:
        return answer(str(messages[-1].content), self._script)
