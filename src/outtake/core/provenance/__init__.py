"""Provenance: where a value came from, whose hands a text passed through, and what a change could reach.

All of it comes from a run's records and bodies; nothing is asked of a program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from outtake.core.provenance.contents import Contents, Fetch
from outtake.core.provenance.explaining import Explaining, Explanation
from outtake.core.provenance.impact import LINKS, Reach, Reached, split
from outtake.core.provenance.matchers import Match, Sought, seek
from outtake.core.provenance.occurrences import Hand, Trail, line
from outtake.core.provenance.origins import Chain, Origins, Source
from outtake.core.provenance.run_index import Entry, Story
from outtake.core.provenance.state_keys import Parts

__all__ = [
    "LINKS",
    "Chain",
    "Explanation",
    "Hand",
    "Match",
    "Provenance",
    "Reached",
    "Sought",
    "Source",
    "line",
    "seek",
    "split",
]


class Provenance:
    """Answers about the records of one run, in JSON form; `fetch` gives the nodes of their bodies."""

    def __init__(self, records: Iterable[Entry], fetch: Fetch, check: Callable[[], None] = lambda: None) -> None:
        self.story = Story.of(records, check)
        self._fetch = fetch

    def why(self, seq: int, limit: int) -> Chain:
        """The records that led to record `seq`."""
        return Origins(self.story, self._contents("body", "changes")).chain(seq, limit)

    def hands(self, sought: Sought, until: int | None = None) -> list[Hand]:
        """The records that say a text, in order, up to record `until`."""
        return Trail(self.story, self._contents("body"), sought).hands(until)

    def nearest(self, sought: Sought) -> Hand | None:
        """Where a number was not found: the first record with the one that is nearest."""
        return Trail(self.story, self._contents("body"), sought).nearest()

    def explain(self) -> Explaining:
        """What explains why the run came out wrong."""
        return Explaining(self.story, self._contents("body", "changes"))

    def affects(self, seq: int) -> dict[int, Reached]:
        """The invocations and messages that a change of record `seq` could reach."""
        if not any(end.get("changes") for end in self.story.ends.values()):
            return Reach(self.story, lambda _: None).of(seq)
        origins = Origins(self.story, self._contents("body", "changes"))
        parts = Parts(self.story, origins.contents)
        return Reach(self.story, origins.changes, origins.holders, parts).of(seq)

    def _contents(self, *names: str) -> Contents:
        bodies = {record[name] for record in self.story.entries.values() for name in names if record.get(name)}
        return Contents(bodies, self._fetch)
