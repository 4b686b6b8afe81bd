"""The almanac's pages as values: HTML made from one season's table, neither served nor read here.

The batting table keeps the order of its file, which is no order of merit: whoever wants the batter with the most of
something has to compare the rows. That is what the demo's wrong run fails to do.
"""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

HOST = "almanac.example"
HOME = f"http://{HOST}/"

_SEASON = Path(__file__).with_name("yankees-1977.csv")
_TEAM = "1977 New York Yankees"

# The words that a careless reader falls for: they bring this page to the top of a search for "most walks".
_FAMOUS = {
    "Reggie Jackson": "The most famous player of the 1977 New York Yankees. He drew crowds, headlines and plenty "
    "of walks, and hit three home runs in the last game of the World Series.",
    "Thurman Munson": "Captain and catcher, voted best of the American League the year before.",
}

Row = dict[str, str]


@dataclass(frozen=True)
class Page:
    """One page: its path on the site, its title, and its body in HTML."""

    path: str
    title: str
    body: str

    @property
    def html(self) -> str:
        title = escape(self.title)
        return (
            f"<!doctype html><html><head><title>{title}</title></head><body><h1>{title}</h1>{self.body}</body></html>"
        )


def read_pages(season: Path = _SEASON) -> list[Page]:
    """All pages of the site, made from a season's table."""
    with season.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [_home(), _batting(rows), *(_player(row) for row in rows)]


def link(path: str, text: str) -> str:
    return f'<a href="{escape(path)}">{escape(text)}</a>'


def bullets(items: Iterable[str]) -> str:
    """A list in HTML; the items are HTML already."""
    return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"


def _home() -> Page:
    links = [link("/1977/batting", f"{_TEAM}: batting"), link("/search", "Search the almanac")]
    return Page("/", "The almanac", "<p>Season totals, one team at a time.</p>" + bullets(links))


def _batting(rows: Sequence[Row]) -> Page:
    note = "<p>Totals of the regular season. Players are listed by position.</p>"
    return Page("/1977/batting", f"{_TEAM}: batting", note + _table(rows))


def _table(rows: Sequence[Row]) -> str:
    head = "".join(f"<th>{_label(column)}</th>" for column in rows[0])
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row.values())}</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _player(row: Row) -> Page:
    player = row["player"]
    totals = ", ".join(f"{value} {_label(column)}" for column, value in row.items() if value.isdigit())
    body = f"<p>{escape(_FAMOUS.get(player, 'Member of the team.'))}</p><p>1977 regular season: {totals}.</p>"
    return Page(f"/players/{player.lower().replace(' ', '-')}", f"{player}, {_TEAM}", body)


def _label(column: str) -> str:
    return escape(column.replace("_", " "))
