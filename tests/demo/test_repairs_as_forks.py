"""A dozen repairs as a user makes them: forks of the real run, each with one edit, and an edit of a held call."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import outtake.demo
from outtake.core import words
from outtake.service import Service
from outtake.service.access import open_service

WAIT = 60.0
FOLDER = Path(outtake.demo.__file__).parent
TASK = "How many at bats did the Yankee with the most walks in the 1977 regular season have that same season?"

Document = dict[str, Any]


class Demo:
    """A store with one run of the demo's team, which is wrong."""

    def __init__(self, service: Service, python: Path) -> None:
        self.service = service
        self._python = str(python)
        self.run = self.service.wait(self.start()["run"], timeout=WAIT)["run"]

    def start(self, *breakpoints: str) -> Document:
        return self.service.run(
            "team.py:get_team",
            folder=str(FOLDER),
            python=self._python,
            input=TASK,
            has_input=True,
            breakpoints=breakpoints,
        )

    def seq(self, kind: str, *texts: str, component: str = "") -> int:
        """The first record of a kind (of record or of invocation) of a component that says all of the texts."""
        return next(
            int(record["seq"])
            for record in self.service.show(self.run, bodies=True, kind=kind)
            if str(record.get("component", "")).endswith(component)
            and all(text in str(record) for text in texts)
            and record["kind"] in ("message_queued", "invocation_started")
        )

    def answer(self, *edits: Document, at: int | None = None) -> str:
        """What the fork with these edits answers."""
        fork = self.service.fork(self.run, at=at, edits=edits, headless=True)
        return final(self.service.wait(fork["run"], timeout=WAIT))


def final(run: Document) -> str:
    assert run["status"] == "completed", run
    return str(run["output"]["answer"]).rpartition("FINAL ANSWER: ")[2]


@pytest.fixture(scope="module")
def demo(autogen_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    service = open_service(tmp_path_factory.mktemp("store"))
    try:
        yield Demo(service, autogen_python)
    finally:
        service.close()


def instructed(text: str) -> Callable[[Demo], Document]:
    """The orchestrator's message to the web surfer says something else."""

    def edit(demo: Demo) -> Document:
        for record in demo.service.show(demo.run, bodies=True, kind="message_queued"):
            if str(words.said(record.get("body"))).startswith("Identify the player"):
                return {"op": "replace_message", "seq": record["seq"], "value": text}
        raise AssertionError("no such message")

    return edit


def planned(text: str) -> Callable[[Demo], Document]:
    """The model answers the orchestrator with another plan."""
    return lambda demo: {"op": "mock_output", "seq": demo.seq("model", "short bullet-point plan"), "value": text}


def facts(text: str) -> Callable[[Demo], Document]:
    return lambda demo: {"op": "mock_output", "seq": demo.seq("model", "Here is the pre-survey"), "value": text}


def clicked(link: str) -> Callable[[Demo], Document]:
    """The tool is called with another link."""
    return lambda demo: {"op": "replace_input", "seq": demo.seq("tool", component="click"), "value": {"link": link}}


def returned(tool: str, text: str) -> Callable[[Demo], Document]:
    return lambda demo: {"op": "mock_output", "seq": demo.seq("tool", component=tool), "value": text}


def searched(query: str) -> Callable[[Demo], Document]:
    return lambda demo: {"op": "replace_input", "seq": demo.seq("tool", component="search"), "value": {"query": query}}


@pytest.mark.parametrize(
    "edit",
    [
        instructed("Don't trust the first name you see."),
        instructed("highest walks"),
        instructed("No, not Reggie Jackson. Check the numbers."),
        instructed("wich player has the highest walk count in the tabel? give his at bats"),
        planned("First ask FileSurfer for the glossary. Then WebSurfer sorts the batting table by walks."),
        planned("- WebSurfer: compare the walks of all players in the batting table, report his at bats"),
        facts("4. EDUCATED GUESSES\n- Do not guess; look at the batting table."),
        searched("1977 batting table"),
        returned("search", "Link: Roy White, 1977 New York Yankees"),
        clicked("Roy White"),
        clicked("1977 New York Yankees: batting"),
        returned("click", "Roy White: 75 walks, 519 at bats"),
        returned("find_on_page", "1977 regular season: 519 at bats, 75 walks"),
    ],
)
def test_a_fork_with_one_repair_is_right(demo: Demo, edit: Callable[[Demo], Document]) -> None:
    assert demo.answer(edit(demo)) == "519"


def test_the_web_surfers_report_and_rules_can_be_repaired(demo: Demo) -> None:
    at = instructed("")(demo)["seq"]
    rule = "You read the web; http://almanac.example/ is in reach. Never trust the first result."
    setting = {"op": "set_config", "component": "team/WebSurfer", "key": "system_message", "value": rule}
    assert demo.answer(setting, at=at) == "519"
    report = demo.seq("message_queued", "Reggie Jackson: 74 walks, 525 at bats", "GroupChatAgentResponse")
    said = "Actually it is Roy White, 75 walks, 519 at bats."
    assert demo.answer({"op": "replace_message", "seq": report, "value": said}) == "519"


def test_a_fork_with_nonsense_is_not_right(demo: Demo) -> None:
    assert demo.answer(instructed("Sing me a song.")(demo)) in ("525", "unknown")


def test_a_held_click_is_repaired_while_the_run_lives(demo: Demo) -> None:
    started = demo.start("tool:click")
    held = demo.service.wait(started["run"], until=["held"], timeout=WAIT)["held"][0]
    demo.service.release(
        started["run"],
        held["hold"],
        {"verb": "proceed", "value": {"link": "1977 New York Yankees: batting"}, "edited": True},
    )
    assert final(demo.service.wait(started["run"], timeout=WAIT)) == "519"
