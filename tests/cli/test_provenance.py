"""`outtake why` and `outtake affects`, on a run of a program that grades essays and comes to an impossible average."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.cli.conftest import Cli

GRADES = """
import outtake

SCORES = {"Ann Lee": 7.5, "Bo Chen": 1204.5, "Carol Hall": 10.92}

@outtake.tool(effects="read")
def fetch(url):
    return {"url": url, "page": f"Essay of {list(SCORES)[int(url[-1])]}"}

@outtake.model
def judge(prompt):
    return f"Score: {SCORES[prompt.rpartition(' of ')[2]]}"

@outtake.step
def assess(page):
    return {"page": page, "score": float(judge("Grade this: " + page).split()[1])}

@outtake.step
def compute(assessed):
    return {"total": sum(part["score"] for part in assessed)}

@outtake.model
def write(prompt):
    return f"The class has {float(prompt.split()[-1]):,.2f} % in all."

def main(_=None):
    pages = [fetch(f"https://school.example/essays/{n}")["page"] for n in range(3)]
    return write(f"Summarise {compute([assess(page) for page in pages])['total']}")
"""


@pytest.fixture
def graded(cli: Cli) -> Cli:
    cli.write("grades.py", GRADES)
    assert cli.run("grades.py:main")["status"] == "completed"
    return cli


def test_why_leads_from_the_result_to_what_was_fetched(graded: Cli) -> None:
    last = graded.records("r1")[-1]["seq"]
    found = graded("why", "r1", str(last), "--json").ok().document
    told = {link["seq"]: link for link in found["chain"]}
    assert (found["run"], found["seq"], found["more"], told[last]["depth"]) == ("r1", last, 0, 0)
    fetched = [link for link in told.values() if link["component"] == "main/fetch"]
    assert {link["kind"] for link in fetched} == {"invocation_started", "invocation_ended"}
    assert all(source["seq"] < link["seq"] for link in told.values() for source in link["sources"])


def test_why_is_a_chain_for_a_person(graded: Cli) -> None:
    last = graded.records("r1")[-1]["seq"]
    lines = graded("why", "r1", str(last)).ok().out.splitlines()
    assert "the result of the run  The class has 1,222.92 % in all." in lines[0]
    assert any('has this from ◂ step main/compute  {"total": «1222.92»}' in line for line in lines)
    few = graded("why", "r1", str(last), "--limit", "3").ok().out.splitlines()
    assert len(few) < len(lines)
    assert "more record" in few[-1]


def test_a_text_is_followed_from_its_first_hand(graded: Cli) -> None:
    found = graded("why", "r1", "--text", "1,222.92 %", "--json").ok().document
    hands = found["hands"]
    assert [(hand["component"], hand["role"], hand["match"]["how"]) for hand in hands[:4]] == [
        ("main/compute", "output", "re-formatted"),
        ("main/write", "input", "re-formatted"),
        ("main/write", "output", "verbatim"),
        ("main", "output", "verbatim"),
    ]
    assert (found["first"], hands[0]["source"], hands[1]["source"]) == (hands[0]["seq"], None, hands[0]["seq"])
    text = graded("why", "r1", "--text", "1,222.92 %").ok().out
    assert "◂ step main/compute gave  «1222.92»  new here  re-formatted: other digits" in text
    assert f"outtake why r1 {found['first']}" in text


def test_with_a_record_only_the_hands_that_lead_there(graded: Cli) -> None:
    hands = graded("why", "r1", "--text", "carol hall", "--json").ok().document["hands"]
    judged = next(hand["seq"] for hand in hands if hand["component"] == "main/assess/judge")
    found = graded("why", "r1", str(judged), "--text", "carol hall", "--json").ok().document
    assert [hand["component"] for hand in found["hands"]] == ["main/fetch", "main/assess", "main/assess/judge"]
    assert {hand["match"]["form"] for hand in found["hands"]} == {"other case"}
    assert "3 records led to record" in graded("why", "r1", str(judged), "--text", "carol hall").ok().out


def test_affects_tells_what_could_change_and_what_a_fork_executes_is_in_it(graded: Cli) -> None:
    compute = next(r["seq"] for r in graded.records("r1", "--kind", "step") if r["component"] == "main/compute")
    found = graded("affects", "r1", str(compute), "--json").ok().document
    assert [(part["component"], part["changes"]) for part in found["could"]] == [
        ("main", "result"),
        ("main/compute", "input"),
        ("main/write", "input"),
    ]
    counted = {name: found["calls"][name] for name in ("all", "could", "cannot", "tokens")}
    assert counted == {"all": 7, "could": 1, "cannot": 0, "tokens": {"in": 0, "out": 0}}
    assert found["share"] == round(1 / 7, 4)
    told = {part["component"]: part for part in found["components"]}
    assert (told["main/fetch"]["all"], told["main/fetch"]["could"]) == (3, 0)
    edit = f'{{"op": "mock_output", "seq": {compute}, "value": {{"total": 67.92}}}}'
    fork = graded("fork", "r1", "--edit", edit, "--headless", "--json").ok().document
    assert (fork["output"], fork["executed"]["model"]) == ("The class has 67.92 % in all.", 1)
    text = graded("affects", "r1", str(compute)).ok().out
    assert "1 of 7 model and tool calls could change (14%)" in text
    assert "a fork executes about 1 call, as far as the record tells" in text
    assert "model main/write" in text


REFUSALS: Sequence[tuple[Sequence[str], str]] = [
    (["why", "r9", "1"], "there is no run r9"),
    (["why", "r1", "99"], "r1 has no record 99; it has 0 to"),
    (["why", "r1", "--text", " "], "an empty text is everywhere"),
    (
        ["why", "r1", "--text", "Dora Marsh"],
        "'Dora Marsh' appears nowhere in r1; tried: verbatim 'Dora Marsh'; the words",
    ),
    (["why", "r1", "--text", "1222.5"], "the nearest number is 1222.92, in record"),
    (["why", "r1", "2", "--text", "1222.92"], "appears nowhere up to record 2 of r1"),
    (["why", "r1", "1", "--text", "school.example/essays/0", "--limit", "0"], "--limit"),
    (["affects", "r1", "99"], "r1 has no record 99"),
    (["affects", "r1"], "Missing argument"),
    (["why", "r1", "x"], "should be a valid integer"),
]


def test_wrong_use_is_a_sentence_and_exit_code_2(graded: Cli) -> None:
    graded.refuses(REFUSALS)


def test_why_without_more_tells_why_the_answer_is_wrong(graded: Cli) -> None:
    told = graded("why", "r1").ok().out
    assert "nothing says what r1 should have given: outtake annotate r1 --expect TEXT" in told
    graded("annotate", "r1", "--expect", "22.92").ok()
    said = graded("why", "r1").ok().out
    assert said.splitlines()[0] == "wrong: 1,222.92, expected: 22.92"
    found = graded("why", "r1", "--json").ok().document
    steps = {step["seq"]: step for step in found["path"]}
    assert (found["said"], found["origin"], list(steps)) == ("1,222.92", "program", sorted(steps))
    assert steps[found["first"]]["component"] == "main/compute"
    assert any(step["component"] == "main/assess" and not step["says"] for step in found["path"])
    graded("annotate", "r1", "--expect", "1222.92").ok()
    assert graded("why", "r1").ok().out.strip() == "r1 gave what is expected: 1222.92"
