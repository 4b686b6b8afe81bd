"""Records written by hand, with their bodies: runs of steps whose causes and state are explicit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from outtake.core.provenance import Provenance
from outtake_probe.bodies import Bodies
from outtake_probe.records import CallKind, Json


@dataclass
class Script:
    """Appends records; every method gives the number of what it wrote."""

    bodies: Bodies = field(default_factory=Bodies)
    records: list[dict[str, Json]] = field(default_factory=list)
    nodes: dict[str, bytes] = field(default_factory=dict)

    def add(self, kind: str, body: Json = None, **fields: Any) -> int:
        seq = len(self.records)
        told = {name: value for name, value in fields.items() if value not in (None, ())}
        self.records.append({"kind": kind, "seq": seq, "at": float(seq), "body": self.put(body), **told})
        return seq

    def put(self, value: Json) -> str:
        name = self.bodies.put(value)
        self.nodes.update(self.bodies.take())
        return name

    def start(self, component: str, input: Json, call: CallKind = "step", **fields: Any) -> int:
        seq = self.add("invocation_started", input, component=component, call=call, **fields)
        self.records[seq] |= {"invocation": seq, "digest": self.records[seq]["body"]}
        return seq

    def end(self, start: int, output: Json, changes: Json = None, failed: bool = False) -> int:
        begun = self.records[start]
        told = {name: begun[name] for name in ("component", "call", "parent") if name in begun}
        hash_of = self.put(changes) if changes is not None else None
        return self.add("invocation_ended", output, invocation=start, changes=hash_of, failed=failed, **told)

    def step(self, component: str, input: Json, output: Json, changes: Json = None, **fields: Any) -> int:
        """A whole step, with nothing inside."""
        seq = self.start(component, input, **fields)
        self.end(seq, output, {} if changes is None else changes)
        return seq

    def message(self, sender: str, recipient: str, body: Json, **fields: Any) -> int:
        return self.add("message_queued", body, component=sender, recipient=recipient, **fields)

    @property
    def provenance(self) -> Provenance:
        return Provenance(self.records, self.fetch)

    def fetch(self, names: Iterable[str]) -> dict[str, bytes]:
        return {name: self.nodes[name] for name in names if name in self.nodes}

    def reached(self, seq: int) -> Sequence[int]:
        """The invocations that a change of a record could reach."""
        return [number for number in self.provenance.affects(seq) if self.records[number]["kind"] != "message_queued"]


def flow() -> tuple[Script, int]:
    """A run whose program is about to make its first step, and the number of its flow."""
    script = Script()
    script.add("run_started", "the input")
    return script, script.start("flow", "the input", "flow")
