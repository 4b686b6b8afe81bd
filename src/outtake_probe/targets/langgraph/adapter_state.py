"""What the parts of the LangGraph adapter share while one program is debugged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from outtake_probe.records import Json
from outtake_probe.session import Session
from outtake_probe.targets.langgraph.causality import GraphRun, Ledger, here
from outtake_probe.targets.langgraph.code_hashes import Codes
from outtake_probe.targets.langgraph.node_capture import INSIDE, Visit, visit
from outtake_probe.targets.langgraph.settings import Changed, places_of
from outtake_probe.targets.toolkit.weak_maps import ByIdentity, Known
from outtake_probe.waits import Steps

CONF = "configurable"
Described = tuple[list[Json], list[Json]]
"""Components and edges."""


class AdapterState:
    """One debugged program: its session, its graphs, and who wrote what in them."""

    def __init__(self, session: Session, describe: Callable[[str, Any], Described]) -> None:
        self.session = session
        self.graphs: Known[Described] = Known(describe)
        """Graphs that have run, the first for each path."""
        self.changed: list[Changed] = []
        """Settings that were changed while the program ran."""
        self.blank = Ledger()
        """For what is checked before anything runs."""
        self.codes = Codes(session)
        self._recorded: dict[str, frozenset[str]] = {}
        self._ledgers: ByIdentity[dict[tuple[str, str], Ledger]] = ByIdentity()

    def place(self, graph: Any, path: str, modes: frozenset[str], cause: tuple[int, ...] = ()) -> GraphRun:
        """A graph begins to run."""
        outer = here.get()
        self.graphs.add(path, graph, newest=False, told=self.session.target is not None)
        streams = modes | (outer.streams if outer is not None else frozenset())
        return GraphRun(graph, path, Ledger(), outer, cause=cause, streams=streams)

    def ledger(self, place: GraphRun, config: Any) -> None:
        """Let a run that goes on with a checkpointer's thread know who wrote what there before."""
        conf = (config or {}).get(CONF) or {}
        thread = conf.get("thread_id")
        if place.threaded or thread is None:
            return
        place.threaded = True
        key = (str(thread), str(conf.get("checkpoint_ns", "")))
        of_graph: dict[tuple[str, str], Ledger] = self._ledgers.get(place.graph, dict)
        place.ledger = of_graph.setdefault(key, place.ledger)

    def settings(self, place: GraphRun, name: str) -> list[Json]:
        """What was changed of the settings that a node of a graph depends on."""
        node = place.graph.nodes.get(name) if self.changed else None
        if node is None:
            return []
        places = places_of(node)
        return [[c.component, c.key, c.value] for c in self.changed if c.concerns(places)]

    def recorded_inside(self, path: str) -> Steps[frozenset[str]]:
        """In a fork: hashes of the code inside of what ran there in the parent, when that first ran and when last."""
        if path not in self._recorded:
            names = [end.changes for end in self.session.recorded_ends(path) if end is not None]
            found: set[str] = set()
            for name in filter(None, dict.fromkeys([*names[:1], *names[-1:]])):
                body = yield from self.session.recorded_body(name)
                found.add(body.get(INSIDE, ""))
            self._recorded[path] = frozenset(found)
        return self._recorded[path]

    def watch_store(self, store: Any, ops: Any, results: Any) -> None:
        """Something was done with a store."""
        now: Visit | None = visit.get()
        for each in now.around() if now is not None else ():
            each.stored.did(store, ops, results)

    def leaf(self) -> None:
        """A model or a tool is called."""
        now = visit.get()
        if now is not None:
            now.leaf()
