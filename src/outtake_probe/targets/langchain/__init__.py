"""LangChain (langchain-core): chat models, models that complete texts, embeddings, tools, retrievers; callbacks as
spans.

A program that uses LangChain alone has no object that could be run: its scripts and functions are targets as any
other's.
Graphs are in `outtake_probe.targets.langgraph`.
"""

from __future__ import annotations

import importlib

from outtake_probe.codec import register
from outtake_probe.session import Session
from outtake_probe.targets.toolkit.adapter import Adapter
from outtake_probe.targets.toolkit.seams import Seam, deferred


def _seam(module: str, needed: str, part: str, function: str) -> Seam[Session]:
    return Seam(f"langchain_core.{module}", needed, deferred(f"{__name__}.{part}", function), required=True)


class LangChain(Adapter[Session]):
    """Hooks share nothing but the session."""

    name = "langchain"
    capabilities = ("hold:model", "hold:tool", "edit", "mock", "drop", "state")
    seams = (
        _seam("language_models.chat_models", "BaseChatModel", "models", "install_chat"),
        _seam("messages", "AIMessage", "conversations", "install"),
        _seam("language_models.llms", "BaseLLM", "models", "install_text"),
        _seam("tools.base", "BaseTool", "tools", "install_tools"),
        _seam("retrievers", "BaseRetriever", "tools", "install_retrievers"),
        _seam("embeddings.embeddings", "Embeddings", "tools", "install_embeddings"),
        _seam("callbacks.manager", "CallbackManager", "spans", "install_spans"),
    )

    def begin(self, session: Session, missing: list[str]) -> Session:
        register(importlib.import_module(f"{__name__}.messages").FAMILY)
        return session


adapter = LangChain()
