"""What is new in a long text beside what its author said before."""

from __future__ import annotations

import json

from outtake.core.gist import LENGTH, gist, phrases

DATA = json.dumps(
    {"meta_tags": {"viewport": "width=device-width", "robots": "noindex, nofollow, noarchive, none"}}, indent=2
)


def page(act: str, title: str, shown: int, text: str) -> str:
    """What a web surfer says of a page."""
    return (
        f"{act}\n\nHere is a screenshot of [{title}](https://example.com/a?b=(c)). "
        f"The viewport shows {shown}% of the webpage, and is positioned at the top of the page.\n"
        f"The following metadata was extracted from the webpage:\n\n{DATA}\n\n"
        f"Automatic OCR of the page screenshot has detected the following text:\n\n{text}\n"
    )


MENU = "Buy\nRent\nSell\nFind an agent near you today with us\n"
SEARCH = page("I typed 'houses'.", "houses - Search", 48, MENU + "About 2,200 results")
LISTING = page(
    "I clicked 'Recently sold'.", "Recently Sold Homes", 100, MENU + "Sold 12/23/24\n$445,000\n1 bd | 882 sqft"
)
AGAIN = page("I clicked 'Recently sold'.", "Recently Sold Homes", 97, MENU + "Sold 12/23/24\n$445,000\n1 bd | 882 sqft")


def test_a_page_is_what_was_done_and_what_is_new_on_it() -> None:
    before = [phrases(SEARCH)]
    assert gist(LISTING, [*before, phrases(page("I scrolled.", "houses", 30, MENU))]).splitlines() == [
        "I clicked 'Recently sold'.",
        "…Recently Sold Homes.",
        "Sold 12/23/24",
        "$445,000",
        "1 bd | 882 sqft",
    ]
    assert gist(AGAIN, [phrases(LISTING), *before]) == "I clicked 'Recently sold'."


def test_a_number_is_new_but_in_a_sentence_that_is_said_each_time() -> None:
    before = [phrases(f"Found it.\n${n}55,000\nOf all houses this one costs {n}00,000 dollars.") for n in (5, 6)]
    said = "Found it.\n$445,000\nOf all houses this one costs 400,000 dollars."
    assert gist(said, before) == "Found it.\n$445,000"
    assert gist(said, before[:1]) == said


def test_sentences_that_begin_alike_each_time_say_what_differs() -> None:
    before = [phrases(f"Done.\nHere is a screenshot of the page about {what} again.") for what in ("houses", "flats")]
    assert gist("Done.\nHere is a screenshot of the page about boats and their owners.", before).splitlines() == [
        "Done.",
        "…boats and their owners.",
    ]


def test_a_plan_is_what_it_adds_to_the_last_one() -> None:
    formula = "We are working to address this request:\n\nHow much was the house?\n\nThe team:\nSurfer: browses\n"
    first, second = f"Initial plan:\n\n{formula}\nSearch the sites.", f"New plan:\n\n{formula}\nAsk the county office."
    assert gist(second, [phrases(first)]) == "New plan:\nAsk the county office."


def test_a_ledger_is_what_has_changed_since_the_last_one() -> None:
    def ledger(loop: str, why: str, speaker: str) -> str:
        fields = {"Is request satisfied": f"**no** · {why}", "Is in loop": f"**{loop}** · {why}"}
        return "\n".join(f"- {name}: {says}" for name, says in {**fields, "Next speaker": f"**{speaker}**"}.items())

    before = [phrases(ledger("no", "We have only begun.", "WebSurfer"))]
    found = gist(ledger("yes", "We ask the same again.", "WebSurfer"), before)
    assert found == "Is in loop: yes · We ask the same again."
    assert gist(ledger("no", "Still at it.", "WebSurfer"), before) == ""
    assert gist(ledger("no", "We are back.", "WebSurfer"), [phrases(ledger("yes", "x", "WebSurfer")), *before]) != ""


def test_warnings_of_python_are_no_part_of_it() -> None:
    warned = (
        "Stalled.... Replanning...\n"
        "/usr/lib/agents/orchestrator.py:184: UserWarning: Resolved model mismatch: a != b.\n"
        "  response = await self._model_client.create(\n"
    )
    assert gist(warned, []) == "Stalled.... Replanning..."


def test_a_path_keeps_its_end_and_a_long_text_its_beginning() -> None:
    path = "/workspace/" + "deep/" * 20 + "Queen_Anne_2023.pdf"
    assert gist(f"File not found: {path}", []).endswith("Queen_Anne_2023.pdf")
    assert len(gist("\n".join(f"Line number {n} says something of its own" for n in range(200)), [])) <= LENGTH
    assert gist("", []) == ""


def test_what_is_too_long_ends_with_a_word_and_says_so() -> None:
    told = gist(" ".join(f"word{n}" for n in range(200)), [])
    assert len(told) <= LENGTH
    assert told.endswith("…") and told[:-1].split()[-1] in {f"word{n}" for n in range(200)}
