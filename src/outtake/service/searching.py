"""The result of a search: each record that says a text, where it does, and the words around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from outtake.core.excerpts import Excerpt, excerpt
from outtake.service.errors import WrongUse
from outtake.store import Store
from outtake.store.contents import LONGEST, Source
from outtake.store.search import Hit, Search
from outtake_probe.bodies import parse
from outtake_probe.records import Json

Document = dict[str, Json]
LIMIT = 100
"""Records in a result, by default."""


@dataclass(frozen=True, slots=True)
class Page:
    """Which of the records are told: so many over a number, or only those that say the text in new words."""

    after: int = -1
    limit: int = LIMIT
    first: bool = False


def search(
    store: Store,
    searching: Search,
    run: str,
    text: str,
    page: Page,
    *,
    body_name: Callable[[Document], str],
) -> Document:
    """The records of a run that say a text; `body_name` gives what the body of a record is called."""
    _check(text)
    found = searching.find(run, text, after=page.after, limit=page.limit + 1, first=page.first)
    hits = found.hits[: page.limit]
    records = {record["seq"]: record for record in store.picked(run, [hit.seq for hit in hits])}
    values = _values(store, hits)
    told: list[Document] = []
    for hit in hits:
        where = hit.name[0] if hit.name is not None else body_name(records[hit.seq])
        value = hit.name[1] if hit.name is not None else values[hit.source or ()]
        said = excerpt(value, text) or Excerpt("", text, "")
        record = records[hit.seq]
        about = {"seq": hit.seq, "kind": record["kind"], "component": record.get("component", "")}
        told.append({**about, "first": hit.first, "where": where, **asdict(said)})
    return {
        "run": run,
        "text": text,
        "total": found.total,
        "firsts": found.firsts,
        "more": len(found.hits) > page.limit,
        "found": told,
    }


def _check(text: str) -> None:
    if not text.strip():
        raise WrongUse("say what to search for: a text that is not empty")
    if len(text) > LONGEST:
        raise WrongUse(f"the text has {len(text):,} characters; up to {LONGEST:,} can be searched for")
    if "\0" in text:
        raise WrongUse("a text with a null character cannot be searched for")


def _values(store: Store, hits: Sequence[Hit]) -> dict[Source, Json]:
    """What the nodes say in which something was found; of neighbouring pieces of a long text, both together."""
    sources = {hit.source for hit in hits if hit.source is not None}
    nodes = store.nodes(name.hex() for source in sources for name in source)
    found: dict[Source, Json] = {}
    for source in sources:
        values = [parse(nodes[name.hex()]) for name in source]
        found[source] = values[0] if len(values) == 1 else "".join(values)
    return found
