"""llama-index-core: which of its classes are models, embeddings, tools, and other parts of a program.

Loaded only where the program has imported llama-index-core.
"""

from __future__ import annotations

from typing import Any

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.base.llms.base import BaseLLM
from llama_index.core.callbacks import CallbackManager
from llama_index.core.memory import BaseMemory
from llama_index.core.tools.types import BaseTool
from workflows import Workflow

from outtake_probe.keeping import stateless
from outtake_probe.targets.llamaindex import models, tools
from outtake_probe.targets.llamaindex.adapter_state import AdapterState
from outtake_probe.targets.toolkit.patches import Patches

PARTS: list[type] = [BaseLLM, BaseEmbedding, BaseTool, BaseRetriever, BaseQueryEngine, CallbackManager, Workflow]
"""Parts of a program: what counts of them is their settings, not what they keep to themselves."""
UNFIT: list[Any] = [BaseMemory]
"""What keeps a state that no record holds."""


def install(adapter_state: AdapterState, patches: Patches) -> None:
    """Wrap every model, embedding and tool there is, and those to come."""
    stateless.update((BaseLLM, BaseEmbedding))
    patches.family(BaseLLM, models.methods(adapter_state))
    patches.family(BaseEmbedding, models.embedding_methods(adapter_state))
    patches.family(BaseTool, tools.methods(adapter_state))
    models.register()
    tools.register()
