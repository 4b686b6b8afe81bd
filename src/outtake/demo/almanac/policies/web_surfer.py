"""The web surfer's policy: told how to look, it looks; told what to find, it takes the first name that it knows.

An instruction that says to sort leads to the batting table, which it sorts, to read the first row. Any other
instruction leads to a search for its words and to the first result. That is the demo's mistake, and a common one: the
page at the top is the famous player's, not the right player's.
"""

import re
from collections.abc import Callable, Sequence

from autogen_core.models import FunctionExecutionResult, LLMMessage

from .reading import COULD_NOT, Figures, Reply, Say, Use, instruction, known_address, tool_results

_COLUMNS = {
    "walks": r"walk|bases? on balls",
    "home runs": r"home runs?|homers?",
    "hits": r"\bhits\b",
    "runs batted in": r"runs batted in|\brbi",
    "at bats": r"at[ -]bats",
}
_SMALL_WORDS = re.compile(
    r"\b(an|and|by|find|for|give|had|has|have|his|identify|in|me|of|please|report|that|the|who|with)\b", re.IGNORECASE
)


def web_surfer(messages: Sequence[LLMMessage]) -> Reply:
    """Start from the instruction, then go on from what the last tool call showed."""
    asked, results = instruction(messages), tool_results(messages)
    if not results:
        return _start(asked, known_address(messages))
    shown = results[-1]
    if shown.is_error or shown.name not in _NEXT:
        return Say(f"{COULD_NOT} do that: {shown.content}")
    return _NEXT[shown.name](asked, shown)


def _start(asked: str, home: str | None) -> Reply:
    if _sort_column(asked):
        if home is None:
            return Say(f"{COULD_NOT} begin: I have been told of no web site.")
        return Use("open_page", {"address": home}, "I am told to sort a table, so I look for the table first.")
    words = re.findall(r"\w{2,}", _SMALL_WORDS.sub("", asked))
    return Use("search", {"query": " ".join(words)}, "I search for the words of the request.")


def _follow_table(_: str, shown: FunctionExecutionResult) -> Reply:
    table = next((link for link in _links(shown) if "batting" in link), None)
    if table is None:
        return Say(f"{COULD_NOT} find a batting table on {_head(shown, 'Address')}.")
    return Use("click", {"address": _head(shown, "Address"), "link": table})


def _follow_first(_: str, shown: FunctionExecutionResult) -> Reply:
    results = _links(shown)
    if not results:
        return Say(f"{COULD_NOT} find a page about this.")
    thought = f"The first result is {results[0]}. I know that name, so I take it without looking at the others."
    return Use("click", {"address": _head(shown, "Address"), "link": results[0]}, thought)


def _use_page(asked: str, shown: FunctionExecutionResult) -> Reply:
    address, column = _head(shown, "Address"), _sort_column(asked)
    if column is None:
        return Use("find_on_page", {"address": address, "text": "at bats"})
    largest_first = not re.search(r"ascending|fewest|smallest", asked.lower().replace("descending", ""))
    return Use("sort_table", {"address": address, "column": column, "descending": largest_first})


def _read_first_row(asked: str, shown: FunctionExecutionResult) -> Reply:
    rows = [line.split(" | ") for line in shown.content.splitlines() if " | " in line]
    if len(rows) < 2:
        return Say(f"{COULD_NOT} read a row of the table on {_head(shown, 'Address')}.")
    first = dict(zip(rows[0], rows[1], strict=False))
    figures = Figures(first["player"], int(first["at bats"]), int(first["walks"]))
    return _report(f"I sorted the batting table by {_sort_column(asked)} and read its first row.", figures, shown)


def _read_totals(_: str, shown: FunctionExecutionResult) -> Reply:
    player = _head(shown, "Title").split(",")[0]
    figures = Figures.read(f"{player}: {shown.content.partition('Title:')[2]}")
    if figures is None:
        return Say(f"{COULD_NOT} find at bats on the page of {player}.")
    found = Figures(player, figures.at_bats, figures.walks)
    return _report("The first result of my search is the best match for this request.", found, shown)


_NEXT: dict[str, Callable[[str, FunctionExecutionResult], Reply]] = {
    "open_page": _follow_table,
    "search": _follow_first,
    "click": _use_page,
    "sort_table": _read_first_row,
    "find_on_page": _read_totals,
}


def _sort_column(asked: str) -> str | None:
    """The column that an instruction wants a table sorted by: walks if it names them, else the first it names."""
    text = asked.lower()
    if "sort" not in text:
        return None
    return next((column for column, words in _COLUMNS.items() if re.search(words, text)), None)


def _report(how: str, figures: Figures, shown: FunctionExecutionResult) -> Say:
    return Say(f"{how} {figures} in the 1977 regular season ({_head(shown, 'Address')}).")


def _head(shown: FunctionExecutionResult, name: str) -> str:
    found = re.search(rf"^{name}: (.*)$", shown.content, re.MULTILINE)
    return found[1] if found else ""


def _links(shown: FunctionExecutionResult) -> list[str]:
    return re.findall(r"^Link: (.*)$", shown.content, re.MULTILINE)
