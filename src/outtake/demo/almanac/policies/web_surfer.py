"""The web surfer's policy: told how to look, it looks; told what to find only, it takes the first name that it knows.

A scripted model: it reads the texts in its prompt for what they ask (`understanding`) and acts on what its tools show.
A text that says how to look (by table, by comparing, not by guessing) leads to the batting table, which it sorts, to
read a row. Where no text does, it searches for the words of the instruction and takes the first result. That is the
demo's mistake, and a common one: the page at the top is the famous player's, not the right player's.

Which texts it reads, the first that says how to look winning: the instruction, its own thoughts, its line in the plan,
messages that a person put in, the query of its search, the guesses in the facts, the request, its system message. So
each of these can be repaired. What a page or a tool says is believed.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import parse_qs, urlsplit

from .plans import MEMBERS, WEB_SURFER, published_plan, read_plan
from .reading import (
    COULD_NOT,
    ORCHESTRATORS,
    Figures,
    Message,
    Reply,
    Say,
    ToolResult,
    Use,
    instruction,
    known_address,
    names_in,
    thoughts,
    tool_results,
)
from .understanding import COLUMNS, Request, affirmed, understand

_SMALL_WORDS = re.compile(
    r"\b(an|and|by|find|for|give|had|has|have|his|identify|in|me|of|please|report|that|the|who|with)\b", re.IGNORECASE
)
_GUESSES = re.compile(r"EDUCATED GUESSES\s*(.*?)(?:\n\n|\Z)", re.DOTALL)
_REQUEST = re.compile(r"user request:\s*(.*?)\n\n", re.DOTALL)
_NO_LINK = re.compile(r"has no link '(.*?)'; its links are")


@dataclass(frozen=True)
class _Task:
    """What the prompt as a whole asks for."""

    text: str
    """The instruction."""
    request: Request
    """How to look, every point settled as far as any text settles it."""
    guesses: str
    home: str | None
    results: Sequence[ToolResult]


def web_surfer(messages: Sequence[Message]) -> Reply:
    """Start from what is asked, then go on from what the last tool call showed."""
    task = _read_task(messages)
    if not task.results:
        return _start(task)
    shown = task.results[-1]
    if shown.is_error:
        return _recover(task, shown)
    if rows := _rows(shown):
        return _use_table(task, shown, rows)
    if _links(shown):
        return _follow(task, shown)
    return _use_text(task, shown)


def _read_task(messages: Sequence[Message]) -> _Task:
    text, results = instruction(messages), tool_results(messages)
    asked = "\n".join(found[1] for m in messages if (found := _REQUEST.search(m.text)))
    guesses = "\n".join(found[1] for m in messages if (found := _GUESSES.search(m.text)))
    told = [text, *thoughts(messages), *_plan_lines(messages), *_from_people(messages), *_queries(results)]
    told += [guesses, asked]
    told += [m.text for m in messages if m.role == "system"]
    understood = [understand(one) for one in told]
    how = next((request for request in understood if request.careful), Request())
    rest = [how, understand(text), understand(asked)]
    settled = replace(
        how,
        key=next((r.key for r in rest if r.key), None),
        wanted=next((r.wanted for r in rest if r.wanted), None),
        largest=next((r.largest for r in rest if r.largest is not None), True),
    )
    return _Task(text, settled, guesses, known_address(messages), results)


def _plan_lines(messages: Sequence[Message]) -> list[str]:
    """What the plan that was published asks of the web surfer."""
    plans = [plan for message in messages if (plan := published_plan(message.text)) is not None]
    return [step.instruction for plan in plans[-1:] for step in read_plan(plan, MEMBERS) if step.member == WEB_SURFER]


def _from_people(messages: Sequence[Message]) -> list[str]:
    """What somebody said who is not of the team: a message that was put in."""
    team = (*ORCHESTRATORS, *MEMBERS)
    return [message.text for message in messages if message.role == "user" and message.source not in team]


def _queries(results: Sequence[ToolResult]) -> Iterator[str]:
    for result in results:
        yield from parse_qs(urlsplit(_head(result, "Address")).query).get("q", [])


def _start(task: _Task) -> Reply:
    if task.request.careful:
        thought = "I am told how to look, so I look for a table."
        return _open(task, task.request.address or task.home, thought)
    words = re.findall(r"\w{2,}", _SMALL_WORDS.sub("", task.text))
    return Use("search", {"query": " ".join(words)}, "I search for the words of the request.")


def _open(task: _Task, address: str | None, thought: str) -> Reply:
    if address is None:
        return Say(f"{COULD_NOT} begin: I have been told of no web site.")
    return Use("open_page", {"address": address}, thought)


def _recover(task: _Task, shown: ToolResult) -> Reply:
    """A link that a page does not have can be searched for, once; of anything else, say what is wrong."""
    missing = _NO_LINK.search(shown.content)
    if missing and not any(_NO_LINK.search(result.content) for result in task.results[:-1]):
        return Use("search", {"query": missing[1]}, f"There is no {missing[1]} to click on here, so I search for it.")
    return Say(f"{COULD_NOT} do that: {shown.content}")


# -- links -----------------------------------------------------------------------------------------------------------


def _follow(task: _Task, shown: ToolResult) -> Reply:
    """Go to the batting table if told how to look, else to the page of the first name."""
    links, searched = _links(shown), shown.name == "search" or "/search" in _head(shown, "Address")
    if not searched or task.request.careful:
        return _follow_table(task, shown, links)
    people = {link.partition(",")[0]: link for link in links}
    meant = affirmed(list(people), task.text) or affirmed(list(people), task.guesses)
    first_search = sum(result.name == "search" for result in task.results) == 1
    chosen = people[meant[0]] if meant and first_search else links[0]
    place = "first result is" if chosen == links[0] else "results have"
    return _click(shown, chosen, f"The {place} {chosen}. I know that name, so I take it without looking at the others.")


def _follow_table(task: _Task, shown: ToolResult, links: Sequence[str]) -> Reply:
    table = next((link for link in links if "batting" in link), None)
    if table is not None:
        return _click(shown, table)
    if task.home is None or _head(shown, "Address") == task.home:
        return Say(f"{COULD_NOT} find a batting table on {_head(shown, 'Address')}.")
    return _open(task, task.home, "No table here, so I begin at the almanac's first page.")


def _click(shown: ToolResult, link: str, thought: str | None = None) -> Reply:
    address = _head(shown, "Address")
    if not address:
        return Use("search", {"query": link}, thought)
    return Use("click", {"address": address, "link": link}, thought)


# -- tables ----------------------------------------------------------------------------------------------------------


def _use_table(task: _Task, shown: ToolResult, rows: Sequence[dict[str, str]]) -> Reply:
    request = task.request
    named = [] if request.sorts else affirmed([row["player"] for row in rows], task.text)
    if named:
        return _report_row("I looked the name up in the batting table.", task, shown, rows, named[0])
    if request.equal_to is not None and request.key in rows[0]:
        found = [row["player"] for row in rows if row[request.key] == str(request.equal_to)]
        if not found:
            return Say(f"{COULD_NOT} find a row with {request.equal_to} {request.key}.")
        return _report_row(f"I looked for {request.equal_to} {request.key}.", task, shown, rows, found[0])
    if shown.name == "find_on_page" and len(rows) == 1:
        return _report_row("I found the name in the batting table.", task, shown, rows, rows[0]["player"])
    if shown.name == "sort_table":
        return _report_sorted(task, shown, rows)
    if not request.careful and not understand(task.text).on_subject:
        return Say(f"{COULD_NOT} tell what is asked of the table on {_head(shown, 'Address')}.")
    if request.as_it_stands and understand(task.text).as_it_stands:
        return _report_row("I read the first row of the table as it is.", task, shown, rows, rows[0]["player"])
    arguments = {"address": _head(shown, "Address") or f"{task.home}1977/batting", "column": request.key or "walks"}
    return Use("sort_table", {**arguments, "descending": _descending(request)})


def _descending(request: Request) -> bool:
    return bool(request.largest) if request.descending is None else request.descending


def _report_sorted(task: _Task, shown: ToolResult, rows: Sequence[dict[str, str]]) -> Reply:
    """Read the row that is asked for, or else the end of the table at which the extreme is."""
    request = task.request
    row = request.row
    if row is None:
        row = 0 if _descending(request) == request.largest else -1
    ends = {0: "first", 1: "second", 2: "third", -1: "last"}
    how = f"I sorted the batting table by {request.key} and read its {ends[row]} row."
    return _report_row(how, task, shown, rows, rows[row]["player"])


def _report_row(how: str, task: _Task, shown: ToolResult, rows: Sequence[dict[str, str]], player: str) -> Reply:
    row = next(row for row in rows if row["player"] == player)
    totals = {column: int(row[column]) for column in COLUMNS if row.get(column, "").isdigit()}
    return _report(how, task, Figures(player, totals), _head(shown, "Address"))


def _rows(shown: ToolResult) -> list[dict[str, str]]:
    """The rows of a table of players by heading; none where there is no such table."""
    cells = [line.split(" | ") for line in shown.content.splitlines() if " | " in line]
    if len(cells) < 2 or "player" not in cells[0]:
        return []
    return [dict(zip(cells[0], row, strict=False)) for row in cells[1:]]


# -- text ------------------------------------------------------------------------------------------------------------


def _use_text(task: _Task, shown: ToolResult) -> Reply:
    """A page of one player, or whatever else a tool said."""
    address = _head(shown, "Address")
    if address and shown.name in ("click", "open_page"):
        return _use_page(task, shown, address)
    figures = _player_figures(shown) or next(
        (found for result in reversed(task.results) if (found := _player_figures(result))), None
    )
    if figures is not None:
        where = address or next((_head(r, "Address") for r in reversed(task.results) if _head(r, "Address")), "")
        return _report("The first result of my search is the best match for this request.", task, figures, where)
    return _use_hint(task, shown)


def _use_page(task: _Task, shown: ToolResult, address: str) -> Reply:
    """Make sure of what a player's page says, unless a table is wanted."""
    figures = _player_figures(shown)
    named = affirmed([_head(shown, "Title").partition(",")[0]], task.text)
    if task.request.careful and not named and task.home and len(task.results) < 4:
        return _open(task, task.home, "This page shows one player; I am told to compare, so I look for the table.")
    if figures is None:
        return Say(f"{COULD_NOT} find at bats on the page {address}.")
    at_bats = figures.totals.get("at bats")
    quote = "at bats" if at_bats is None else f"{at_bats} at bats"
    return Use("find_on_page", {"address": address, "text": quote})


def _use_hint(task: _Task, shown: ToolResult) -> Reply:
    """A text without figures may still say where to look: a name, or a way."""
    said = shown.content
    if names := [name for name in names_in(said) if shown.name == "search"]:
        return Use("search", {"query": names[-1]}, f"I am told of {names[-1]}.")
    if understand(said).careful and task.home and "Address:" not in said:
        return _open(task, task.home, "I am told how to look, so I look for the table.")
    return Say(f"{COULD_NOT} find a page about this.")


def _player_figures(shown: ToolResult) -> Figures | None:
    """The totals on a player's page, or in any text that a tool returned."""
    title = _head(shown, "Title").split(",")[0]
    body = re.sub(r"^(?:Address|Title|Link): .*$", "", shown.content, flags=re.MULTILINE)
    figures = Figures.read(body) if title else Figures.reported(body)
    if figures is None:
        return None
    return Figures(title or figures.player, figures.totals)


def _report(how: str, task: _Task, figures: Figures, address: str) -> Say:
    """Report the walks and the at bats, or in place of these what was asked for."""
    wanted = task.request.wanted or "at bats"
    columns = ["walks", "at bats" if wanted == "walks" else wanted]
    told = Figures(figures.player, {c: figures.totals[c] for c in columns if c in figures.totals})
    return Say(f"{how} {told} in the 1977 regular season ({address}).")


def _head(shown: ToolResult, name: str) -> str:
    found = re.search(rf"^{name}: (.*)$", shown.content, re.MULTILINE)
    return found[1] if found else ""


def _links(shown: ToolResult) -> list[str]:
    return re.findall(r"^Link: (.*)$", shown.content, re.MULTILINE)
