"""Reading runs: what they are, what is in them, how they differ."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from outtake.core import thoughts
from outtake.core.diff import diff
from outtake.core.glance import Glance, glance
from outtake.core.naming import changed
from outtake.core.outcome import Criteria, judged
from outtake.core.report import ProcessStart, report
from outtake.core.runs import ENDED, Counts, Run, State, count
from outtake.core.trace import items, tree, window
from outtake.engine.live import LiveRun
from outtake.service import code, provenance, searching
from outtake.service.annotating import Annotating
from outtake.service.errors import NotFound, WrongUse, translated
from outtake.service.gists import Gists
from outtake.service.methods import question
from outtake.service.replacing import replaced
from outtake.service.rpc_server import Document
from outtake.store import Store, StoreError, UnknownBody
from outtake.store.outline import FLAGS
from outtake.store.rows import KIND_NAMES
from outtake.store.search import Search
from outtake_probe.records import CALL_KINDS, CallKind, from_json

FORMS = ("tree", "line")
HEARTBEAT = 20.0
"""Seconds after which a follower is told that nothing has happened."""
GLANCES = 20_000
"""Glances that are kept, and names of forks."""


@translated
class Reading(Annotating):
    """Every question about runs that changes nothing."""

    def _keep(self, folder: Path, store: Store) -> None:
        super()._keep(folder, store)
        self._glances: dict[str, Glance] = {}
        self._changes: dict[tuple[str, float], Document] = {}
        self._gists = Gists(self.store, self._glance)
        self._search = Search(self.store)

    @question
    def runs(self) -> list[Document]:
        """All runs, oldest first, with what is known of each without reading its records."""
        living = self._living()
        found = self.store.runs()
        judged_by = self._all_criteria(found)
        return [self._document(run, judged_by[run.id], living.get(run.id), counted=False) for run in found]

    @question
    def info(self, run: str, counted: bool = True) -> Document:
        """One run: status, output, counts (which cost something for a long run), and what is held while it lives."""
        living = self._living(run)
        found = self._run(run)
        return self._document(found, self._criteria(found), living.get(found.id), counted)

    def _living(self, run: str | None = None) -> dict[str, tuple[LiveRun, State]]:
        """Live runs and their states; looked at before their rows, so that one that has ended has its output there.

        A run enters its last state once its row tells how it ended: what is over in one is over in both.
        """
        with self._lock:
            found = [live for live in self._live.values() if run in (None, live.id)]
        return {live.id: (live, live.state) for live in found}

    def _document(self, run: Run, judged_by: Criteria, living: tuple[LiveRun, State] | None, counted: bool) -> Document:
        live, state = living if living is not None else (None, run.status)
        state = run.status if run.over and live is not None and run.status != "lost" else state
        document: Document = {
            "run": run.id,
            "name": run.name,
            "status": state,
            "spec": run.launch.spec,
            "input": run.launch.input,
            "folder": run.launch.folder,
            "python": run.launch.python,
            "output": run.output,
            "error": run.error,
            "parent": run.fork.parent if run.fork is not None else None,
            "cut": run.fork.cut if run.fork is not None else None,
            "reuse": run.fork.reuse if run.fork is not None else None,
            "edits": list(run.fork.edits) if run.fork is not None else [],
            **self._change(run),
            "mocks": list(run.launch.edits),
            "config": dict(run.launch.config),
            "args": list(run.launch.args),
            "records": max(run.records, live.records) if live is not None else run.records,
            "created": run.created,
            "ended": run.ended,
            "live": live is not None and state not in ENDED,
            "imported": bool(run.launch.imported),
            "log": run.launch.imported,
            "recognised": run.launch.recognised,
            "guessed": list(run.launch.guessed),
            "timed": not run.launch.untimed,
            "untrusted": run.untrusted,
            "expected": judged_by.expected,
            "outcome": judged(run, judged_by),
            **_figures(live.counts if live is not None else run.counts),
        }
        document.update(_live_document(live, run))
        if counted:
            document.update(_counts(self._counted(run)))
        return document

    def _change(self, run: Run) -> Document:
        """What a fork is called by, which record of its parent that is about, and the files with new code."""
        if run.fork is None:
            return {"changed": "", "changed_at": None, "new_code": []}
        key = (run.id, run.created)
        known = self._changes.get(key)
        if known is not None:
            return known
        before = replaced(self.store, run.fork) if run.fork.edits else None
        files = code.new_code(self.store, run)
        told = {
            "changed": changed(run.fork, before.value if before is not None else None, files),
            "changed_at": before.at if before is not None else None,
            "new_code": files,
        }
        if run.over:  # before that it may import more
            if len(self._changes) >= GLANCES:
                self._changes.clear()
            self._changes[key] = told
        return told

    def _counted(self, run: Run) -> Counts:
        live = self._live.get(run.id)
        if live is not None:
            return live.counts
        if run.counts is not None:
            return run.counts
        cut = run.fork.cut if run.fork is not None else 0
        kinds = ("invocation_ended", "state_restored") if run.fork is not None else ("invocation_ended",)
        counts = count((from_json(r) for kind in kinds for r in self.store.records(run.id, kind=kind)), cut)
        if run.over:
            with contextlib.suppress(StoreError):  # they are counted again
                self.store.change(run.id, counts=counts.json())
        return counts

    @question
    def tree(self, run: str | None = None) -> list[Document]:
        """Runs with their forks inside them: all of them, or the tree that a run belongs to."""
        documents = {d["run"]: {**d, "forks": []} for d in self.runs()}
        roots: list[Document] = []
        for document in documents.values():
            parent = documents.get(document["parent"]) if document["parent"] else None
            (parent["forks"] if parent is not None else roots).append(document)
        if run is None:
            return roots
        at = documents.get(self._run(run).id)
        while at is not None and at["parent"]:
            at = documents[at["parent"]]
        return [at] if at is not None else []

    @question
    def show(
        self,
        run: str,
        *,
        after: int = -1,
        bodies: bool = False,
        kind: str | None = None,
        component: str | None = None,
        limit: int | None = None,
        before: int | None = None,
    ) -> Iterator[Document]:
        """The records of a run, in order; with `bodies`, what they refer to."""
        self._run(run)
        try:
            found = self.store.records(run, after=after, before=before, kind=kind, component=component, limit=limit)
            for record in found:
                yield self._with_body(common(record)) if bodies else common(record)
        except StoreError as error:
            raise WrongUse(str(error)) from error

    @question
    def pick(self, run: str, seqs: Sequence[int]) -> Document:
        """The records with these numbers, and a glance at each body; a number that the run has not is left out."""
        picked = [common(record) for record in self.store.picked(self._run(run).id, seqs)]
        bodies = {record["hash"] for record in picked if record["hash"]}
        return {
            "run": run,
            "records": picked,
            "glances": {body: dataclasses.asdict(self._glance(body)) for body in bodies},
        }

    @question
    def gists(self, run: str, seqs: Sequence[int]) -> Document:
        """What is new in these records: of those that say much, what the same component did not say shortly before."""
        picked = [common(record) for record in self.store.picked(self._run(run).id, seqs)]
        return {"run": run, "gists": self._gists.of(run, picked)}

    def _glance(self, body: str) -> Glance:
        """By content, so it is never out of date."""
        seen = self._glances.get(body)
        if seen is None:
            if len(self._glances) >= GLANCES:
                self._glances.clear()
            seen = self._glances[body] = glance(self.store.body(body))
        return seen

    @question
    def outline(self, run: str, after: int = -1, limit: int | None = None) -> Document:
        """What each record over `after` is about, in columns of numbers; see `outtake.store.outline`."""
        found = self._run(run)
        before = None if limit is None else after + limit + 1
        made = self.store.outline(found.id, after=after, before=before)
        return {
            "run": run,
            "first": made.first,
            "count": len(made),
            "total": self.info(run, counted=False)["records"],
            "origin": made.origin,
            "kinds": [KIND_NAMES[number] for number in range(len(KIND_NAMES))],
            "calls": list(CALL_KINDS),
            "flags": list(FLAGS),
            "names": made.names,
            "columns": made.columns,
        }

    def _with_body(self, record: Document) -> Document:
        record[_body_name(record)] = self.store.body(record["hash"]) if record["hash"] else None
        return record

    @question
    def body(self, body: str) -> Document:
        """The value of a body by its hash, and what was thought in it and not said."""
        try:
            value = self.store.body(body)
        except UnknownBody as error:
            raise NotFound(f"there is no body {body}") from error
        apart = thoughts.told(value)
        return {"body": body, "value": value, "thought": apart.thought, "said": apart.said if apart.thought else None}

    @question
    def code(self, run: str) -> Document:
        """The program's own files that a run imported, and what changed of them since its parent and since itself."""
        return code.code(self.store, self._run(run))

    @question
    def console(self, run: str, after: int = -1) -> Document:
        """What the process of a run printed after part `after`."""
        parts = self.store.console(self._run(run).id, after)
        return {"run": run, "parts": [{"n": n, "stream": stream, "text": text} for n, stream, text in parts]}

    @question
    def follow(self, run: str, after: int = -1, bodies: bool = False) -> Iterator[Document]:
        """Records over `after` in batches as they come, each with the state of the run, until it ends.

        Where nothing happens, the state comes again now and then, so that a reader who has gone is noticed.
        """
        live = self._live.get(self._run(run).id)
        seen, last, told = -1, after, time.monotonic()
        while True:
            state = self.info(run)
            version = live.version if live is not None else 0
            batch = list(self.show(run, after=last, bodies=bodies))
            if batch or version != seen or time.monotonic() - told >= HEARTBEAT:
                told = time.monotonic()
                last = batch[-1]["seq"] if batch else last
                yield {"records": batch, "state": state}
            seen = version
            if live is None or (state["status"] in ENDED and last + 1 >= live.records):
                return
            live.wait(lambda r, v=version: r.version != v, HEARTBEAT)  # type: ignore[misc]
            if live.left:
                return

    @question
    def diff(self, a: str, b: str, alike: bool = False) -> Document:
        """How two runs differ, aligned by identity; with `alike`, also the records of the pairs that are the same."""
        left, right = self._run(a), self._run(b)
        shared = self._shared(left, right)
        found = diff(self.store.records(left.id), self.store.records(right.id), shared)
        changes: list[Document] = []
        same: list[tuple[int, int]] = []
        told = 0
        for pair in found.pairs:
            if pair.change != "same":
                changes.append({**self._pair(pair), "alike": len(same) - told})
                told = len(same)
            elif pair.a is not None and pair.b is not None:
                same.append((pair.a.seq, pair.b.seq))
        return {
            "a": self.info(a),
            "b": self.info(b),
            "shared": shared,
            "same": len(same),
            "first": changes[0] if changes else None,
            "changes": changes,
            "alike": same if alike else None,
            "files": code.differing(self.store, left, right),
        }

    @question
    def report(self, run: str) -> Document:
        """What became of each invocation of a run, and of its parent's where it is a fork; what was saved."""
        found = self._run(run)
        parent, cut = (found.fork.parent, found.fork.cut) if found.fork is not None else (None, 0)
        theirs = self.store.records(self._run(parent).id) if parent is not None else ()
        made = report(self.store.records(found.id), theirs, cut)
        edits = [*(found.fork.edits if found.fork is not None else ()), *found.launch.edits]
        return {
            "run": run,
            "parent": parent,
            "cut": cut,
            "status": self.info(run, counted=False)["status"],
            "lines": [dataclasses.asdict(line) for line in made.lines],
            "counts": {fate: dict(kinds) for fate, kinds in made.counts.items()},
            "saved": {**dataclasses.asdict(made.saved), "calls": dict(made.saved.calls)},
            "unused": [edits[n] for n in made.unused if n < len(edits)],
            "code": code.code(self.store, found),
            "restored": [dataclasses.asdict(step) for step in made.restored],
            "processes": [self._process_start(start) for start in made.processes],
        }

    def _process_start(self, start: ProcessStart) -> Document:
        """A process that was started, with its command."""
        told = self.store.body(start.body) if start.body is not None else None
        told = told if isinstance(told, dict) else {}
        named = {name: told.get(name, "") for name in ("how", "command")}
        return {"seq": start.seq, "component": start.component, **named, "again": start.again}

    @question
    def why(self, run: str, seq: int | None = None, text: str | None = None, limit: int = provenance.MOST) -> Document:
        """What led to a record; with `text`, every record that says it, in any form, from the first one on."""
        return provenance.why(self.store, self._run(run).id, seq, text, limit)

    @question
    def explain(self, run: str) -> Document:
        """Why a run came out wrong: what it said, where that was said first, and the path from what led to it."""
        found = self._run(run)
        return provenance.explain(self.store, found, self._criteria(found))

    @question
    def search(
        self, run: str, text: str, *, after: int = -1, limit: int = searching.LIMIT, first: bool = False
    ) -> Document:
        """The records of a run that say `text`, whatever the case of its letters, in their bodies or by a name; with
        `first`, only those that say it in words that no record before them has.
        """
        found = self._run(run).id
        page = searching.Page(after, limit, first)
        return searching.search(self.store, self._search, found, text, page, body_name=_body_name)

    @question
    def affects(self, run: str, seq: int) -> Document:
        """The invocations and messages that a change of a record could reach, and those that it cannot."""
        return provenance.affects(self.store, self._run(run).id, seq)

    @question
    def trace(
        self,
        run: str,
        *,
        form: str = "tree",
        since: float | None = None,
        until: float | None = None,
        limit: int | None = None,
    ) -> Document:
        """Invocations, spans and events of a run: as a ``tree``, each followed by what it encloses, or as a ``line`` in
        time.  `since` and `until`, seconds from the run's start, cut out what goes on between them.
        """
        if form not in FORMS:
            raise WrongUse(f"unknown form {form!r}; known: {', '.join(FORMS)}")
        found = items(self.store.records(self._run(run).id))
        origin = found[0].start if found else 0.0
        ends = [None if at is None else origin + at for at in (since, until)]
        shown = tree(window(found, *ends))
        if form == "line":
            shown.sort(key=lambda placed: (placed[1].start, placed[1].seq))
        return {
            "run": run,
            "origin": origin,
            "total": len(shown),
            "items": [{"depth": depth, **dataclasses.asdict(item)} for depth, item in shown[:limit]],
        }

    def _pair(self, pair: Any) -> Document:
        return {
            "change": pair.change,
            "a": dataclasses.asdict(pair.a) if pair.a is not None else None,
            "b": dataclasses.asdict(pair.b) if pair.b is not None else None,
        }

    def _shared(self, a: Run, b: Run) -> int:
        """How many records two runs have in common because one is the other's fork, or both are of one run."""
        lines: list[dict[str, int]] = []
        for run in (a, b):
            line: dict[str, int] = {}
            limit = run.records
            for at in self.store.lineage(run):
                line[at.id] = limit
                limit = min(limit, at.fork.cut) if at.fork is not None else limit
            lines.append(line)
        return max((min(lines[0][run], lines[1][run]) for run in lines[0].keys() & lines[1].keys()), default=0)


def common(record: Document) -> Document:
    """A record with the fields that every record shows, empty or not."""
    shared = ("seq", "kind", "component", "invocation", "parent", "message", "caused_by", "at")
    rest = {name: value for name, value in record.items() if name not in (*shared, "body")}
    return {
        **{name: record.get(name) for name in shared},
        "component": record.get("component", ""),
        "caused_by": record.get("caused_by", []),
        "hash": record.get("body"),
        **rest,
    }


def _body_name(record: Document) -> str:
    if record["kind"] in ("invocation_started", "run_started"):
        return "input"
    if record["kind"] == "invocation_ended":
        return "error" if record.get("failed") else "output"
    if record["kind"] == "run_ended":
        return "error" if record.get("status", "completed") in ("failed", "diverged") else "output"
    return "body"


def _live_document(live: LiveRun | None, run: Run) -> Document:
    """What is known of a run while its process lives, and what is left of that afterwards."""
    if live is None:
        first = run.error.get("first") if isinstance(run.error, dict) else None
        return {"held": [], "breakpoints": [], "difference": first, "trouble": "", "pid": None, "adopted": False}
    return {
        "held": [told_hold(hold) for hold in live.holds.values()],
        "breakpoints": live.control.breakpoints,
        "difference": live.difference,
        "trouble": live.trouble,
        "pid": live.pid,
        "adopted": live.adopted,
    }


_COUNTED: tuple[CallKind, ...] = ("model", "tool", "step", "agent", "task")


def _counts(counts: Counts) -> Document:
    return {
        **_figures(counts),
        "executed": {kind: counts.executed[kind] for kind in _COUNTED},
        "reused": {kind: counts.reused[kind] for kind in _COUNTED},
        "mocked": {kind: counts.mocked[kind] for kind in _COUNTED},
        "restored": counts.restored,
    }


def _figures(counts: Counts | None) -> Document:
    """What a run did, in a few numbers; None where nobody has counted yet."""
    if counts is None:
        return {"calls": None, "tokens": None, "cost": None, "seconds": None}
    return {
        "calls": {kind: counts.executed[kind] for kind in _COUNTED},
        "tokens": {"input": counts.tokens_in, "output": counts.tokens_out},
        "cost": counts.cost,
        "seconds": round(counts.seconds, 3),
    }


def told_hold(hold: Document) -> Document:
    """Something that is held, without the value that was set for it."""
    told = {name: value for name, value in hold.items() if name != "given"}
    return {**told, "set": hold.get("given") is not None}
