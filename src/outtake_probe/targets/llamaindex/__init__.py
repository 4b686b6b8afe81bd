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
from outtake_probe.targets.llamaindex.adapter_state import AdapterState
from outtake_probe.targets.llamaindex.program import make_program
from outtake_probe.targets.llamaindex.target import CAPABILITIES, LlamaIndexTarget
from outtake_probe.targets.toolkit.adapter import Installed, RunnableAdapter


class LlamaIndex(RunnableAdapter[AdapterState]):
    """Workflows, and what llama-index-core adds to them."""

    name = "llamaindex"
    capabilities = CAPABILITIES
    seams = hooks.SEAMS

    def begin(self, session: Session, missing: list[str]) -> AdapterState:
        def adapter_state(session: Session) -> AdapterState:
            made = AdapterState(session, graph.of_workflow)
            made.target = LlamaIndexTarget(made, missing)
            return made

        events.install()
        return for_each(session, adapter_state)

    def end(self, state: AdapterState) -> None:
        state.let_go()

    def claims(self, made: object) -> bool:
        return isinstance(made, Workflow)

    def make_program(self, made: object, installed: Installed[AdapterState]) -> Program:
        return make_program(made, installed.state, LlamaIndexTarget(installed.state, installed.missing))


adapter = LlamaIndex()
