"""LlamaIndex: workflows (llama-index-workflows) with or without llama-index-core and its agents.

What is put in place: the seams of every runtime (`runtime`), through which each call of a step passes the gate
(`steps`), with what it reads and changes watched (`state`, `store`, `own`); and, where llama-index-core is there, its
models, embeddings and tools (`core`).
"""

from __future__ import annotations

from workflows import Workflow

from outtake_probe.session import Session
from outtake_probe.sessions import for_each
from outtake_probe.targets.base import Program
from outtake_probe.targets.llamaindex import events, graph, hooks
from outtake_probe.targets.llamaindex.hub import Hub
from outtake_probe.targets.llamaindex.program import make_program
from outtake_probe.targets.llamaindex.target import CAPABILITIES, LlamaIndexTarget
from outtake_probe.targets.toolkit.adapter import Installed, RunnableAdapter


class LlamaIndex(RunnableAdapter[Hub]):
    """Workflows, and what llama-index-core adds to them."""

    name = "llamaindex"
    capabilities = CAPABILITIES
    seams = hooks.SEAMS

    def begin(self, session: Session, missing: list[str]) -> Hub:
        def hub(session: Session) -> Hub:
            made = Hub(session, graph.of_workflow)
            made.target = LlamaIndexTarget(made, missing)
            return made

        events.install()
        return for_each(session, hub)

    def end(self, state: Hub) -> None:
        state.let_go()

    def claims(self, made: object) -> bool:
        return isinstance(made, Workflow)

    def make_program(self, made: object, installed: Installed[Hub]) -> Program:
        return make_program(made, installed.state, LlamaIndexTarget(installed.state, installed.missing))


adapter = LlamaIndex()
