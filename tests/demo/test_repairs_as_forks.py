"""A dozen repairs as a user makes them: forks of a real run of each team, with one edit each, and an edit of a hold."""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from outtake.core import words
from outtake.demo.programs import AUTOGEN, FOLDER, PLAIN
from outtake.demo.question import TASK
from outtake.service import Service
from outtake.service.rpc_client import open_service

WAIT = 60.0

Document = dict[str, Any]


class Demo:
    """A store with one run of a team of the demo, which is wrong."""

    def __init__(self, service: Service, spec: str, python: str) -> None:
        self.service, self.spec, self._python = service, spec, python
        self.run = self.service.wait(self.start()["run"], timeout=WAIT)["run"]

    def start(self, *breakpoints: str) -> Document:
        return self.service.run(
            self.spec,
            folder=str(FOLDER),
            python=self._python,
            input=TASK,
            has_input=True,
            breakpoints=breakpoints,
        )

    def began(self, kind: str, *texts: str, component: str = "") -> int:
        """The first record with which a message or an invocation of this kind and component began, with these texts."""
        for record in self.service.show(self.run, bodies=True, kind=kind):
            begins = record["kind"] in ("message_queued", "invocation_started")
            named = str(record.get("component", "")).endswith(component)
            if begins and named and all(text in str(record) for text in texts):
                return int(record["seq"])
        raise AssertionError(f"no {kind} says {texts}")

    def answer(self, *edits: Document, at: int | None = None) -> str:
        """What the fork with these edits answers."""
        fork = self.service.fork(self.run, at=at, edits=edits, headless=True)
        return final(self.service.wait(fork["run"], timeout=WAIT))


def final(run: Document) -> str:
    assert run["status"] == "completed", run
    return words.result(run["output"]).rpartition("FINAL ANSWER: ")[2]


@pytest.fixture(scope="module", params=[AUTOGEN, PLAIN])
def demo(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    spec = request.param
    python = str(request.getfixturevalue("autogen_python")) if spec == AUTOGEN else sys.executable
    service = open_service(tmp_path_factory.mktemp("store"))
    try:
        yield Demo(service, spec, python)
    finally:
        service.close()


def instructed(text: str) -> Callable[[Demo], Document]:
    """The orchestrator asks the web surfer for something else: by a message, or in plain Python by calling it."""

    def edit(demo: Demo) -> Document:
        if demo.spec == PLAIN:
            at = demo.began("agent", component="web_surfer")
            return {"op": "replace_input", "seq": at, "value": {"instruction": text}}
        for record in demo.service.show(demo.run, bodies=True, kind="message_queued"):
            if str(words.said(record.get("body"))).startswith("Identify the player"):
                return {"op": "replace_message", "seq": record["seq"], "value": text}
        raise AssertionError("no such message")

    return edit


def answered(prompts: tuple[str, str], text: str) -> Callable[[Demo], Document]:
    """The model answers one of the orchestrator's prompts (AutoGen's, the plain team's) with another text."""

    def edit(demo: Demo) -> Document:
        return {"op": "mock_output", "seq": demo.began("model", prompts[demo.spec == PLAIN]), "value": text}

    return edit


def planned(text: str) -> Callable[[Demo], Document]:
    return answered(("short bullet-point plan", "Make a plan"), text)


def facts(text: str) -> Callable[[Demo], Document]:
    return answered(("Here is the pre-survey", "List the facts"), text)


def clicked(link: str) -> Callable[[Demo], Document]:
    """The tool is called with another link."""
    return lambda demo: {"op": "replace_input", "seq": demo.began("tool", component="click"), "value": {"link": link}}


def returned(tool: str, text: str) -> Callable[[Demo], Document]:
    return lambda demo: {"op": "mock_output", "seq": demo.began("tool", component=tool), "value": text}


def searched(query: str) -> Callable[[Demo], Document]:
    return lambda demo: {
        "op": "replace_input",
        "seq": demo.began("tool", component="search"),
        "value": {"query": query},
    }


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


def test_the_web_surfers_report_can_be_repaired(demo: Demo) -> None:
    said = "Actually it is Roy White, 75 walks, 519 at bats."
    if demo.spec == PLAIN:
        edit = {"op": "mock_output", "seq": demo.began("agent", component="web_surfer"), "value": said}
    else:
        at = demo.began("message_queued", "Reggie Jackson: 74 walks, 525 at bats", "GroupChatAgentResponse")
        edit = {"op": "replace_message", "seq": at, "value": said}
    assert demo.answer(edit) == "519"


def test_the_web_surfers_rules_can_be_repaired(demo: Demo) -> None:
    if demo.spec == PLAIN:
        pytest.skip("a plain function has no settings")
    rule = "You read the web; http://almanac.example/ is in reach. Never trust the first result."
    setting = {"op": "set_config", "component": "team/WebSurfer", "key": "system_message", "value": rule}
    assert demo.answer(setting, at=instructed("")(demo)["seq"]) == "519"


def test_a_message_can_be_put_in(demo: Demo) -> None:
    if demo.spec == PLAIN:
        pytest.skip("plain functions send no messages")
    message = {"content": "Sort the table by walks.", "source": "user"}
    added = {"op": "inject", "component": "team/WebSurfer", "type": "TextMessage", "value": message}
    assert demo.answer(added, at=instructed("")(demo)["seq"]) == "519"


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
