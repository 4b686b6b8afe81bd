"""What is new in the records that are looked at: each beside what its component said shortly before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from outtake.core import words
from outtake.core.gist import Phrases, gist, has_warnings, phrases
from outtake.core.glance import Glance
from outtake.core.thoughts import told
from outtake.store import Store, StoreError
from outtake.store.earlier import earlier
from outtake_probe.records import Json

Record = Mapping[str, Json]
LONG = 240
"""Characters up to which a text is read as it is."""
BEFORE = 24
"""Texts of the same component that are looked at."""
KEPT = 2000
"""Texts whose phrases are kept."""
_SAYING = frozenset(("message_queued", "invocation_ended", "noted"))
"""Records in which somebody says something; what was heard is said by another record."""


@dataclass(slots=True)
class Gists:
    """Makes gists of records; what it has read of bodies is kept, as a body never changes."""

    store: Store
    glance: Callable[[str], Glance]
    _phrases: dict[str, Phrases] = field(default_factory=dict)

    def of(self, run: str, records: Sequence[Record]) -> dict[str, str]:
        """The gists of those records that say much, by number."""
        long = [record for record in records if self._is_long(record)]
        before = earlier(self.store, run, long, BEFORE)
        found = ((record["seq"], self._gist(record["hash"], before[record["seq"]])) for record in long)
        return {str(seq): text for seq, text in found if text}

    def _is_long(self, record: Record) -> bool:
        if not record["hash"] or record["kind"] not in _SAYING:
            return False
        seen = self.glance(record["hash"])
        is_long = seen.size > LONG or has_warnings(seen.thought or seen.text)
        return seen.form in ("text", "thought", "json") and is_long

    def _gist(self, body: str, before: Sequence[str]) -> str:
        return gist(self._text(body), [self._phrases_of(other) for other in before])

    def _phrases_of(self, body: str) -> Phrases:
        if body not in self._phrases:
            if len(self._phrases) >= KEPT:
                self._phrases.clear()
            self._phrases[body] = phrases(self._text(body))
        return self._phrases[body]

    def _text(self, body: str) -> str:
        """What a body says, else what was thought in it, else its fields, one a line; nothing if it is lost."""
        try:
            value = self.store.body(body)
        except StoreError:
            return ""
        apart = told(value)
        return apart.said or apart.thought or words.outline(words.untyped(value))
