"""Whatever repairs the demo in a person's eyes repairs it, at every point of the run; what does not, does not.

The policies are asked here as the team asks them, with the almanac's real tools; `test_repairs_as_forks` does a part of
it with a real run and its forks.
"""

import asyncio
import inspect
import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from outtake.demo.almanac import Browser, read_pages, serve
from outtake.demo.almanac.policies import POLICIES, Message, Reply, Say, ToolResult, Use

from . import paraphrases

ORCHESTRATOR = "MagenticOneOrchestrator"
MEMBERS = "WebSurfer, Coder, Executor, FileSurfer"
TASK = "How many at bats did the Yankee with the most walks in the 1977 regular season have that same season?"
SYSTEM = "You read the web with your tools. You can reach http://almanac.example/ and nothing besides."

# The first reply is the search, the second the click.
SEARCH, CLICK = 0, 1

ChangeReply = Callable[[int, Reply], Reply]
ChangeResult = Callable[[int, ToolResult], ToolResult]


@pytest.fixture(scope="module")
def browser() -> Browser:
    return Browser(serve(read_pages()))


def orchestrator(*messages: Message) -> str:
    reply = POLICIES["orchestrator"](messages)
    assert isinstance(reply, Say)
    return reply.text


def asked(prompt: str) -> Message:
    return Message("user", prompt, ORCHESTRATOR)


FACTS = orchestrator(asked(f"Here is the pre-survey: {TASK}"))
PLAN = orchestrator(asked(TASK), asked("devise a short bullet-point plan"))


def ledger(facts: str = FACTS, plan: str = PLAN) -> str:
    """The message that starts the team's work."""
    parts = (f"the following user request:\n\n{TASK}", "our team:\n", facts)
    return "\n\n\n".join(parts) + f"\n\n\nHere is the plan to follow as best as possible:\n\n{plan}"


def next_instruction(plan: str, *said: Message) -> tuple[str, str]:
    """Whom the orchestrator asks next, and for what."""
    published = Message("assistant", ledger(plan=plan), ORCHESTRATOR)
    prompt = f"select from: {MEMBERS}) answer in pure JSON format"
    told = json.loads(orchestrator(published, *said, asked(prompt)))
    assert not told["is_request_satisfied"]["answer"]
    return told["next_speaker"]["answer"], told["instruction_or_question"]["answer"]


def final_answer(report: str) -> str:
    told = orchestrator(Message("user", report, "WebSurfer"), asked("provide the final answer"))
    return told.rpartition("FINAL ANSWER: ")[2]


def surf(
    browser: Browser,
    instruction: str,
    *,
    system: str = SYSTEM,
    published: str = "",
    reply: ChangeReply = lambda _, said: said,
    result: ChangeResult = lambda _, told: told,
) -> str:
    """What the web surfer reports, with its replies and its tools' results changed on their way."""
    tools = {call.__name__: call for call in browser.tools()}
    messages = [Message("system", system), asked(published or ledger()), asked(instruction)]
    for turn in range(8):
        said = reply(turn, POLICIES["web_surfer"](messages))
        if isinstance(said, Say):
            return said.text
        told = result(turn, asyncio.run(call(tools[said.tool], said)))
        messages += [Message("assistant", thought=said.thought or ""), Message("tool", results=(told,))]
    raise AssertionError(f"the web surfer came to no end: {messages}")


async def call(tool: Callable[..., object], use: Use) -> ToolResult:
    try:
        told = tool(**use.arguments)
        return ToolResult(use.tool, str(await told if inspect.isawaitable(told) else told))
    except LookupError as error:
        return ToolResult(use.tool, str(error), is_error=True)


# -- the five points -------------------------------------------------------------------------------------------------


WRONG = next_instruction("\n".join(PLAN.splitlines()[1:]))[1]


def test_as_it_stands_it_is_wrong(browser: Browser) -> None:
    assert "Reggie Jackson: 74 walks, 525 at bats" in surf(browser, WRONG)


@pytest.mark.parametrize("instruction", paraphrases.INSTRUCTIONS)
def test_an_instruction_that_says_how_to_look(browser: Browser, instruction: str) -> None:
    assert final_answer(surf(browser, instruction)) == "519"


def test_most_instructions_that_nobody_thought_of(browser: Browser) -> None:
    missed = [said for said in paraphrases.HELD_OUT if final_answer(surf(browser, said)) != "519"]
    assert len(missed) <= len(paraphrases.HELD_OUT) // 10, missed


@pytest.mark.parametrize("plan", paraphrases.PLANS)
def test_a_plan(browser: Browser, plan: str) -> None:
    member, instruction = next_instruction(plan)
    said: list[Message] = []
    while member != "WebSurfer":
        said.append(Message("user", "Done.", member))
        member, instruction = next_instruction(plan, *said)
    assert final_answer(surf(browser, instruction)) == "519"
    # The plan changed on its way to the team only: the instruction is the old one, and the plan is read.
    assert final_answer(surf(browser, WRONG, published=ledger(plan=plan))) == "519"


@pytest.mark.parametrize("link", paraphrases.CLICKS)
def test_the_link_of_a_click(browser: Browser, link: str) -> None:
    def change(turn: int, said: Reply) -> Reply:
        return (
            replace(said, arguments={**said.arguments, "link": link})
            if turn == CLICK and isinstance(said, Use)
            else said
        )

    assert final_answer(surf(browser, WRONG, reply=change)) == "519"


BATTING = "http://almanac.example/1977/batting"


@pytest.mark.parametrize(
    "instead",
    [
        Use("open_page", {"address": BATTING}),
        Use("open_page", {"address": "http://almanac.example/"}),
        Use("open_page", {"address": "http://almanac.example/players/roy-white"}),
        Use("sort_table", {"address": BATTING, "column": "walks", "descending": True}),
        Use("find_on_page", {"address": BATTING, "text": "Roy White"}),
        Use("search", {"query": "Roy White"}),
        Say("Roy White: 75 walks, 519 at bats"),
    ],
    ids=str,
)
def test_another_act_than_the_click(browser: Browser, instead: Reply) -> None:
    assert final_answer(surf(browser, WRONG, reply=lambda turn, said: instead if turn == CLICK else said)) == "519"


@pytest.mark.parametrize("thought", paraphrases.THOUGHTS)
def test_the_thought_at_the_click(browser: Browser, thought: str) -> None:
    def change(turn: int, said: Reply) -> Reply:
        return replace(said, thought=thought) if turn == CLICK and isinstance(said, Use) else said

    assert final_answer(surf(browser, WRONG, reply=change)) == "519"


@pytest.mark.parametrize("query", paraphrases.QUERIES)
def test_the_query_of_the_search(browser: Browser, query: str) -> None:
    def change(turn: int, said: Reply) -> Reply:
        return replace(said, arguments={"query": query}) if turn == SEARCH and isinstance(said, Use) else said

    assert final_answer(surf(browser, WRONG, reply=change)) == "519"


@pytest.mark.parametrize("found", paraphrases.SEARCHES)
def test_what_the_search_returned(browser: Browser, found: str) -> None:
    assert final_answer(surf(browser, WRONG, result=_at(SEARCH, lambda _: found))) == "519"
    if found.startswith("Link"):
        kept = _at(SEARCH, lambda page: f"{page.partition('Link: ')[0]}{found}")
        assert final_answer(surf(browser, WRONG, result=kept)) == "519"


@pytest.mark.parametrize("turn", [1, 2])
def test_a_number_on_a_page(browser: Browser, turn: int) -> None:
    changed = _at(turn, lambda page: page.replace("525", "519"))
    assert final_answer(surf(browser, WRONG, result=changed)) == "519"
    assert final_answer(surf(browser, WRONG, result=_at(turn, lambda _: "Roy White: 519 at bats"))) == "519"


@pytest.mark.parametrize("guess", paraphrases.GUESSES)
def test_a_guess_among_the_facts(browser: Browser, guess: str) -> None:
    facts = f"{FACTS.rpartition(chr(10))[0]}\n{guess}"
    assert final_answer(surf(browser, WRONG, published=ledger(facts=facts))) == "519"


@pytest.mark.parametrize("rule", ["Never trust the first result.", "Always sort tables by the number asked for."])
def test_a_rule_in_the_system_message(browser: Browser, rule: str) -> None:
    assert final_answer(surf(browser, WRONG, system=f"{SYSTEM} {rule}")) == "519"


@pytest.mark.parametrize("report", paraphrases.REPORTS)
def test_a_report(report: str) -> None:
    assert final_answer(report) == "519"


# -- what repairs nothing --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("instruction", paraphrases.RESTATED)
def test_the_mistake_in_other_words_stays_one(browser: Browser, instruction: str) -> None:
    assert final_answer(surf(browser, instruction)) == "525"


@pytest.mark.parametrize("instruction", paraphrases.NONSENSE)
def test_nonsense_fails_and_says_so(browser: Browser, instruction: str) -> None:
    report = surf(browser, instruction)
    assert report.startswith("I could not ")
    assert final_answer(report) == "unknown"


@pytest.mark.parametrize(("instruction", "reported"), paraphrases.OTHERWISE.items())
def test_who_asks_for_something_else_gets_that(browser: Browser, instruction: str, reported: str) -> None:
    report = surf(browser, instruction)
    assert reported in report
    number = reported.partition(" ")[0]
    assert final_answer(report) == (number if number.isdigit() else "unknown")


def test_a_plan_of_nonsense_ends_and_says_so() -> None:
    published = Message("assistant", ledger(plan="banana"), ORCHESTRATOR)
    told = json.loads(orchestrator(published, asked(f"select from: {MEMBERS}) answer in pure JSON format")))
    assert told["is_request_satisfied"]["answer"]
    assert "The plan asks nobody" in told["is_request_satisfied"]["reason"]


def test_a_link_that_is_nowhere_is_searched_for_once(browser: Browser) -> None:
    def change(turn: int, said: Reply) -> Reply:
        return (
            replace(said, arguments={**said.arguments, "link": "xyzzy"})
            if turn == CLICK and isinstance(said, Use)
            else said
        )

    assert surf(browser, WRONG, reply=change) == "I could not find a page about this."


def _at(wanted: int, change: Callable[[str], str]) -> ChangeResult:
    return lambda turn, told: replace(told, content=change(told.content)) if turn == wanted else told
