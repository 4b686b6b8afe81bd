"""What a page says, read from its HTML: title, lines of text, links and the rows of its table."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

_TEXT_TAGS = frozenset({"title", "h1", "p", "li", "td", "th"})


@dataclass
class WebPage:
    title: str = ""
    lines: list[str] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)
    table: list[list[str]] = field(default_factory=list)

    @classmethod
    def from_html(cls, html: str) -> "WebPage":
        reader = _Reader()
        reader.feed(html)
        reader.close()
        return reader.page

    def sorted_by(self, column: str, descending: bool) -> list[list[str]]:
        """The table's rows below its heading, in the order of one column."""
        heading, *rows = self.table
        at = heading.index(column)
        numeric = all(row[at].isdigit() for row in rows)
        return sorted(rows, key=lambda row: (int(row[at]) if numeric else 0, row[at]), reverse=descending)


class _Reader(HTMLParser):
    """Collects the text between tags, and puts it where the closing tag says."""

    def __init__(self) -> None:
        super().__init__()
        self.page = WebPage()
        self._text = ""
        self._row: list[str] = []
        self._target = ""
        self._link_start = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _TEXT_TAGS:
            self._text = ""
        elif tag == "tr":
            self._row = []
        elif tag == "a":
            self._target = dict(attrs).get("href") or ""
            self._link_start = len(self._text)

    def handle_data(self, data: str) -> None:
        self._text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self.page.title = self._text.strip()
        elif tag in ("td", "th"):
            self._row.append(self._text.strip())
        elif tag == "tr":
            self.page.table.append(self._row)
        elif tag == "a":
            self.page.links[self._text[self._link_start :].strip()] = self._target
        elif tag in _TEXT_TAGS:
            self.page.lines.append(self._text.strip())
