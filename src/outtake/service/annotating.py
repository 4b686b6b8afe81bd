"""Annotating runs: what people and judges say of a run or a record, and the outcome that follows from it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import cast

from outtake.core.annotations import USER, Annotation, BadAnnotation, Kind, Note, check
from outtake.core.outcome import Criteria, criteria
from outtake.core.runs import Run
from outtake.service.errors import NotFound, WrongUse, translated
from outtake.service.methods import command, question
from outtake.service.rpc_server import Document, Owner
from outtake.store.annotations import Annotations
from outtake_probe.records import Json


@translated
class Annotating(Owner):
    """What is said about runs.  None of it is part of a log, and none of it changes what a program does."""

    @cached_property
    def _said(self) -> Annotations:
        return Annotations(self.store)

    @question
    def annotations(self, run: str) -> Document:
        """What was said about a run, and about the records that it shares with the runs it was forked from."""
        found = self._said.seen_from(self._run(run).id)
        return {"run": run, "annotations": [dataclasses.asdict(annotation) for annotation in found]}

    @command
    def annotate(
        self,
        run: str,
        kind: str,
        text: str = "",
        *,
        seq: int | None = None,
        author: str = USER,
        data: Mapping[str, Json] | None = None,
    ) -> Document:
        """Say something about a run, or about its record `seq`; `outtake.core.annotations.Note` says what each kind is.

        The newest expectation of the nearest run counts, and the newest verdict on the run itself.
        """
        found = self._run(run)
        if seq is not None and not 0 <= seq < found.records:
            raise WrongUse(f"{run} has no record {seq}; it has {_numbers(found)}")
        note = Note(kind=cast(Kind, kind), text=text, seq=seq, author=author, data=dict(data or {}))
        made = self._said.add(found.id, _checked(note))
        self._told()
        return dataclasses.asdict(made)

    @command
    def change_annotation(
        self, run: str, id: int, text: str | None = None, data: Mapping[str, Json] | None = None
    ) -> Document:
        """Let an annotation say something else."""
        found = self._annotation(run, id)
        told = found.text if text is None else text
        changed = dataclasses.replace(found, text=told, data=found.data if data is None else dict(data))
        _checked(changed)
        self._said.change(id, changed.text, dict(changed.data))
        self._told()
        return dataclasses.asdict(changed)

    @command
    def remove_annotation(self, run: str, id: int) -> Document:
        """Take back what was said."""
        found = self._annotation(run, id)
        self._said.remove(id)
        self._told()
        return {"run": found.run, "id": id, "removed": True}

    def _annotation(self, run: str, id: int) -> Annotation:
        found = self._said.get(id)
        own = self._run(run).id
        if found is None or found.run != own:
            elsewhere = f"; that is one of {found.run}" if found is not None else ""
            raise NotFound(f"{run} has no annotation {id}{elsewhere}")
        return found

    def _told(self) -> None:
        """An outcome may have changed: of a run, and of all that were forked from it."""
        for live in list(self._live.values()):
            live.wake()
        self._ring()

    # -- outcomes ----------------------------------------------------------------------------------------------------

    def _expect(self, run: Run, expected: str) -> None:
        self._said.add(run.id, Note(kind="expectation", text=expected))

    def _criteria(self, run: Run) -> Criteria:
        """What a run is judged by."""
        return criteria(run.id, self._said.judging(run.id))

    def _all_criteria(self, runs: Sequence[Run]) -> dict[str, Criteria]:
        """What each of all runs, oldest first, is judged by."""
        said: dict[str, list[Annotation]] = {}
        for annotation in self._said.judging():
            said.setdefault(annotation.run, []).append(annotation)
        found: dict[str, Criteria] = {}
        for run in runs:
            inherited = found.get(run.fork.parent) if run.fork is not None else None
            found[run.id] = criteria(run.id, said.get(run.id, ()), inherited)
        return found


def check_expected(expected: str | None) -> None:
    """Raises `WrongUse` for an expected answer that is none."""
    if expected is not None:
        _checked(Note(kind="expectation", text=expected))


def _checked(note: Note) -> Note:
    try:
        check(note)
    except BadAnnotation as error:
        raise WrongUse(str(error)) from error
    return note


def _numbers(run: Run) -> str:
    return f"records 0 to {run.records - 1}" if run.records else "no records yet"
