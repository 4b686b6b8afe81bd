"""LangChain (langchain-core): chat models, models that complete texts, embeddings, tools, retrievers; callbacks as
spans.

A program that uses LangChain alone has no object that could be run: its scripts and functions are targets as any
other's.
Graphs are in `outtake_probe.targets.langgraph`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence

from outtake_probe.session import Session
from outtake_probe.targets.base import Capability
from outtake_probe.targets.patches import Patches
from outtake_probe.values import register

TRIGGERS = (
    "langchain_core.language_models.chat_models",
    "langchain_core.language_models.llms",
    "langchain_core.tools.base",
    "langchain_core.retrievers",
    "langchain_core.embeddings.embeddings",
)
"""Modules after whose import `install` puts in place what has become possible; it can be called at any time."""

name = "langchain"
capabilities: Sequence[Capability] = ("hold:model", "hold:tool", "edit", "mock", "drop", "state")

Hook = Callable[[Session, Patches], list[str]]
HOOKS: tuple[tuple[str, str, str, str], ...] = (
    ("langchain_core.language_models.chat_models", "BaseChatModel", "models", "install_chat"),
    ("langchain_core.messages", "AIMessage", "conversations", "install"),
    ("langchain_core.language_models.llms", "BaseLLM", "models", "install_text"),
    ("langchain_core.tools.base", "BaseTool", "tools", "install_tools"),
    ("langchain_core.retrievers", "BaseRetriever", "tools", "install_retrievers"),
    ("langchain_core.embeddings.embeddings", "Embeddings", "tools", "install_embeddings"),
    ("langchain_core.callbacks.manager", "CallbackManager", "spans", "install_spans"),
)
"""Module, what it must have by then, and the part of this package (and its function) that puts the hook in place."""


class _Installed:
    """The hooks of this process."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.patches = Patches()
        self.done: set[str] = set()


_installed: _Installed | None = None


def install(session: Session) -> Sequence[str]:
    """Put the hooks in place; called again when more of LangChain has been imported, it adds what is new."""
    global _installed  # noqa: PLW0603  an adapter is a module, and a process has one session
    if _installed is not None and _installed.session is not session:
        remove()
    if _installed is None:
        _installed = _Installed(session)
    missing: list[str] = []
    while new := [hook for hook in HOOKS if hook[0] not in _installed.done and _is_there(*hook[:2])]:
        for module, _, part, function in new:  # loading a part may import more of LangChain
            _installed.done.add(module)
            register(importlib.import_module(f"{__name__}.messages").FAMILY)
            hook: Hook = getattr(importlib.import_module(f"{__name__}.{part}"), function)
            missing += hook(_installed.session, _installed.patches)
    return missing


def _is_there(module: str, needed: str) -> bool:
    """Whether a module has been imported as far as its hook needs."""
    return hasattr(sys.modules.get(module), needed)


def remove() -> None:
    """Take every hook out again."""
    global _installed  # noqa: PLW0603
    if _installed is not None:
        _installed.patches.undo()
        _installed = None
