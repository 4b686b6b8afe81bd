"""What is new in the records that are looked at: each beside what its component said shortly before."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from outtake.core import words
from outtake.core.gist import Phrases, gist, has_warnings, phrases
from outtake.core.glance import Glance
from outtake.core.thoughts import told
from outtake.store import Store
from outtake.store.earlier import earlier
from outtake_probe.bodies import Unresolvable, resolve
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
        self._read({other for others in before.values() for other in others})
        found = ((record["seq"], self._gist(record["hash"], before[record["seq"]])) for record in long)
        return {str(seq): text for seq, text in found if text}

    def _is_long(self, record: Record) -> bool:
        if not record["hash"] or record["kind"] not in _SAYING:
            return False
        seen = self.glance(record["hash"])
        is_long = seen.size > LONG or has_warnings(seen.thought or seen.text)
        return seen.form in ("text", "thought", "json") and is_long

    def _gist(self, body: str, before: Sequence[str]) -> str:
        known = map(self._phrases.get, before)  # another thread may have dropped some
        return gist(_text(self.store.body(body)), [each for each in known if each is not None])

    def _read(self, bodies: Collection[str]) -> None:
        """Have the phrases of these bodies, as far as they are there."""
        if len(self._phrases) + len(bodies) > KEPT:
            self._phrases.clear()
        missing = [body for body in bodies if body not in self._phrases]
        nodes = self.store.tree(missing)
        for body in missing:
            with contextlib.suppress(KeyError, Unresolvable):
                self._phrases[body] = phrases(_text(resolve(body, nodes.__getitem__)))


def _text(value: Json) -> str:
    """What a body says, else what was thought in it, else its fields, one a line."""
    apart = told(value)
    return apart.said or apart.thought or words.outline(words.untyped(value))
