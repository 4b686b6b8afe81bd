"""From the service's documents to the types of the API, where these say less."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from outtake.server.models.base import Json
from outtake.server.models.runs import RunBranch, RunState, RunSummary

SHORT = 200
"""Characters of an input, an output or an error that a list shows."""
Document = Mapping[str, Json]


def short(value: Json) -> str:
    """A value as one short text."""
    if value is None:
        return ""
    if isinstance(value, dict) and isinstance(value.get("message"), str):  # an error
        name = str(value.get("class", "")).rpartition(":")[2].rpartition(".")[2]
        value = f"{name}: {value['message']}" if name else value["message"]
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHORT else text[: SHORT - 1] + "…"


def summary(run: Document) -> RunSummary:
    return RunSummary.model_validate(_summary(run))


def branches(roots: Sequence[Document]) -> Iterator[RunBranch]:
    """A forest as a list: each run is followed by its forks.  Without recursion, as forks of forks have no end."""
    todo = [(root, 0) for root in reversed(roots)]
    while todo:
        run, depth = todo.pop()
        yield RunBranch.model_validate({**_summary(run), "depth": depth})
        todo += [(fork, depth + 1) for fork in reversed(run["forks"])]


def state(run: Document) -> RunState:
    return RunState.model_validate(run)


def _summary(run: Document) -> dict[str, Json]:
    texts: dict[str, Json] = {name: short(run[name]) for name in ("input", "output", "error")}
    texts["expected"] = None if run["expected"] is None else short(run["expected"])
    return {**{name: run[name] for name in _KEPT}, **texts, "edits": list(_outlines(run["edits"]))}


def _outlines(edits: Iterable[Document]) -> Iterator[dict[str, Json]]:
    for edit in edits:
        yield {name: edit.get(name) for name in ("op", "seq", "component")}


_KEPT = (
    *("run", "name", "status", "live", "imported", "timed", "untrusted", "spec", "parent", "cut", "records"),
    *("changed", "changed_at", "created", "ended"),
    *("calls", "tokens", "cost", "seconds", "outcome"),
)
