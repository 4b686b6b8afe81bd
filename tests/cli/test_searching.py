"""`outtake search`: the records that say a text."""

from __future__ import annotations

from tests.cli.conftest import Cli


def test_it_prints_each_record_that_says_the_text_with_the_words_around_it(cli: Cli) -> None:
    cli.run("program.py:main", "--input", "a song of the sea")
    found = cli("search", "r1", "SONG of", "--json").ok().document
    assert (found["text"], found["found"][0]["said"], found["found"][0]["after"]) == ("SONG of", "song of", " the sea")
    text = cli("search", "r1", "SONG of").ok().out
    assert "a song of the sea" in text
    assert f"{found['total']} records, {found['firsts']} of them in new words" in text
    few = cli("search", "r1", "SONG of", "--limit", "1").ok().out
    assert f"more: --after {found['found'][0]['seq']}" in few
    news = cli("search", "r1", "song", "--first", "--json").ok().document
    assert [passage["first"] for passage in news["found"]] == [True] * news["firsts"]


def test_what_is_not_there_and_what_cannot_be_asked(cli: Cli) -> None:
    cli.run()
    assert "nothing in r1 says 'no such words'" in cli("search", "r1", "no such words").ok().out
    cli.refuses([(("search", "r1", " "), "not empty"), (("search", "r7", "x"), "there is no run r7")])
