"""Which objects of which frameworks are programs, by the dotted names that make them."""

from __future__ import annotations

from dataclasses import dataclass

from outtake.core.finding.found import Kind


@dataclass(frozen=True, slots=True)
class Maker:
    """What a call of a name gives, or what a class that derives from it is."""

    kind: Kind
    framework: str


_AUTOGEN, _LANGGRAPH, _LLAMAINDEX, _CREWAI = "AutoGen", "LangGraph", "LlamaIndex", "CrewAI"
_OPENAI_AGENTS = "OpenAI Agents SDK"
_PYDANTIC_AI = "pydantic-ai"
_BY_PREFIX: tuple[tuple[str, Maker], ...] = (
    ("autogen_agentchat.teams.", Maker("team", _AUTOGEN)),
    ("autogen_agentchat.agents.", Maker("agent", _AUTOGEN)),
    ("autogen_core.SingleThreadedAgentRuntime", Maker("runtime", _AUTOGEN)),
    ("langgraph.graph.StateGraph", Maker("graph", _LANGGRAPH)),
    ("langgraph.graph.state.", Maker("graph", _LANGGRAPH)),
    ("langgraph.prebuilt.create_", Maker("graph", _LANGGRAPH)),
    ("langgraph.func.entrypoint", Maker("graph", _LANGGRAPH)),
    ("langchain.agents.create_agent", Maker("graph", _LANGGRAPH)),
    ("workflows.Workflow", Maker("workflow", _LLAMAINDEX)),
    ("llama_index.core.workflow.Workflow", Maker("workflow", _LLAMAINDEX)),
    ("llama_index.core.agent.workflow.", Maker("workflow", _LLAMAINDEX)),
    ("agents.Agent", Maker("agent", _OPENAI_AGENTS)),
    ("crewai.Crew", Maker("crew", _CREWAI)),
    ("crewai.crew.Crew", Maker("crew", _CREWAI)),
    ("crewai.project.CrewBase", Maker("crew", _CREWAI)),
    ("crewai.Flow", Maker("workflow", _CREWAI)),
    ("crewai.flow.Flow", Maker("workflow", _CREWAI)),
    ("crewai.flow.flow.Flow", Maker("workflow", _CREWAI)),
    ("pydantic_ai.Agent", Maker("agent", _PYDANTIC_AI)),
    ("pydantic_ai.agent.Agent", Maker("agent", _PYDANTIC_AI)),
)
KNOWN = (
    *("agents", "anthropic", "autogen", "crewai", "langchain", "langgraph", "llama_index", "openai", "outtake"),
    *("pydantic_ai", "workflows"),
)
"""Packages whose import says that a file is about agents or models; a prefix of the name counts."""
PROJECTS = {"crew.jsonc": Maker("crew", _CREWAI), "crew.json": Maker("crew", _CREWAI)}
"""Files that say what a project is made of, by name."""


def maker(dotted: str) -> Maker | None:
    """What a name that was imported makes; None where that is no program."""
    return next((made for name, made in _BY_PREFIX if _is_named(dotted, name)), None)


def _is_named(dotted: str, name: str) -> bool:
    """Whether this is the name, or begins with it where it is only a beginning."""
    return dotted.startswith(name) if name.endswith((".", "_")) else dotted == name


def is_about_agents(module: str) -> bool:
    """Whether the import of a module says that a file is about agents or models."""
    return module.startswith(KNOWN)
