"""Target adapters: one module per framework, loaded when the program imports that framework.

A module in the group ``outtake.targets`` of the entry points of the program's environment is an adapter, too:
``toy = "toy_outtake.adapter:toy.agents"`` is loaded and installed after the import of `toy.agents` (without a colon,
of the module that the entry is called like).  The adapter itself is the object `adapter` of that module.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import entry_points
from typing import Any

from outtake_probe.targets.toolkit.adapter import Adapter

GROUP = "outtake.targets"


@dataclass(frozen=True, slots=True)
class Entry:
    """An adapter that is not loaded yet."""

    name: str
    triggers: tuple[str, ...]
    module: str
    variables: tuple[tuple[str, str], ...] = ()
    """Environment variables, by name, that are set before the framework is imported."""
    projects: tuple[str, ...] = ()
    """Names of the files that say what a project of the framework is made of."""

    def load(self) -> Adapter[Any]:
        """Raises `TypeError` where the module has no adapter, and whatever its import raises."""
        found = getattr(importlib.import_module(self.module), "adapter", None)
        if not isinstance(found, Adapter):
            raise TypeError(f"{self.module}.adapter is no outtake_probe.targets.toolkit.adapter.Adapter")
        return found


BUILT_IN = (
    Entry("openai", ("openai",), "outtake_probe.targets.openai"),
    Entry("anthropic", ("anthropic",), "outtake_probe.targets.anthropic"),
    Entry(
        "autogen",
        ("autogen_core", "autogen_agentchat.agents", "autogen_agentchat.teams", "autogen_agentchat.conditions"),
        "outtake_probe.targets.autogen",
    ),
    Entry(
        "langchain",
        (
            "langchain_core.language_models.chat_models",
            "langchain_core.language_models.llms",
            "langchain_core.tools.base",
            "langchain_core.retrievers",
            "langchain_core.embeddings.embeddings",
        ),
        "outtake_probe.targets.langchain",
    ),
    Entry("llamaindex", ("workflows", "llama_index.core"), "outtake_probe.targets.llamaindex"),
    Entry("pydantic-ai", ("pydantic_ai",), "outtake_probe.targets.pydantic_ai"),
    Entry("langgraph", ("langgraph.pregel.main",), "outtake_probe.targets.langgraph"),
    # a module that nothing but this package of the common name `agents` has, and that is imported late
    Entry("openai_agents", ("agents.responses_websocket_session",), "outtake_probe.targets.openai_agents"),
    Entry(
        "crewai",
        ("crewai", "crewai.memory.unified_memory"),
        "outtake_probe.targets.crewai",
        (  # what is debugged is nobody else's business, and nobody is asked whether it may be
            ("CREWAI_DISABLE_TELEMETRY", "true"),
            ("CREWAI_TRACING_ENABLED", "false"),
            ("CREWAI_DISABLE_VERSION_CHECK", "true"),
        ),
        ("crew.jsonc", "crew.json"),
    ),
)


def entries() -> list[Entry]:
    """Every adapter that this environment knows; who is installed under the name of a built-in one replaces it."""
    found = {entry.name: entry for entry in BUILT_IN}
    own = {entry.module for entry in BUILT_IN}
    for point in entry_points(group=GROUP):
        module, _, trigger = point.value.partition(":")
        if module not in own:
            found[point.name] = Entry(point.name, (trigger or point.name,), module)
    return list(found.values())


def nothing() -> None:
    """Do nothing."""


def when_imported(
    modules: Sequence[str], act: Callable[[], None], before: Callable[[], None] = nothing
) -> Callable[[], None]:
    """Call `act` once each of these modules has been imported, and now if one is there already.

    `before` is called when one of them is about to be imported, and before `act` where one is there already.  Returns
    what ends the waiting.
    """
    if any(name in sys.modules for name in modules):
        before()
        act()
    waiting = frozenset(name for name in modules if name not in sys.modules)
    watch = _Watch(waiting, act, before)
    if waiting:
        sys.meta_path.insert(0, watch)

    def end() -> None:
        if watch in sys.meta_path:
            sys.meta_path.remove(watch)

    return end


class _Watch(MetaPathFinder):
    def __init__(self, modules: frozenset[str], act: Callable[[], None], before: Callable[[], None]) -> None:
        self._modules = modules
        self._act = act
        self._before = before
        self._busy: set[str] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self._modules or fullname in self._busy:
            return None
        self._busy.add(fullname)
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._busy.discard(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _Telling(spec.loader, self._act, self._before)
        return spec


class _Telling(Loader):
    """Loads as the real loader does, and tells before and after."""

    def __init__(self, loader: Loader, act: Callable[[], None], before: Callable[[], None]) -> None:
        self._loader = loader
        self._act = act
        self._before = before

    def create_module(self, spec: ModuleSpec) -> types.ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: types.ModuleType) -> None:
        self._before()
        self._loader.exec_module(module)
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._act()
