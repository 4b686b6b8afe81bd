"""Where values come from and what a change reaches, on small runs: causes, messages, state, edits, cut bodies."""

from __future__ import annotations

import pytest

from outtake.core.provenance import Hand, Source, line, seek
from outtake_probe.records import Json
from tests.core.stories import Script, flow


def sources(script: Script, seq: int) -> dict[int, Source]:
    """What led to a record directly, by number."""
    (hand, *_) = script.provenance.why(seq, 1).hands
    return {source.seq: source for source in hand.sources}


def hands(script: Script, text: str) -> list[Hand]:
    return script.provenance.hands(seek(text))


# -- forms of a text -------------------------------------------------------------------------------------------------

WRITTEN = [
    ("1222.92", "is 1222.92 %", "verbatim", ""),
    ("1222.92", "is 1,222.92 %", "re-formatted", "with separators"),
    ("1222.92", "1222.9200", "re-formatted", "other digits"),
    ("1222.92", "1.22292e3", "re-formatted", "as a power of ten"),
    ("1222.92", "1.222,92", "re-formatted", "with a decimal comma"),
    ("1,222.92 %", "1222.92", "re-formatted", "other digits"),
    ("$1,200", "1200 USD", "re-formatted", "other digits"),
    ("0.6792", "67.92 %", "re-formatted", "as a percentage"),
    ("67.92 %", "0.6792", "re-formatted", "as a share"),
    ("67.92", "67.916666", "rounded", "with more digits"),
    ("67.916666", "67.92 %", "rounded", "rounded to 2 decimals"),
    ("67.916666", "67.91", "rounded", "cut off to 2 decimals"),
    ("67.92", "1967.92", None, ""),
    ("82", "in 1982", None, ""),
    ("82", "r82f", None, ""),
    ("82", "[81,82,83]", "verbatim", ""),
    ("82", "81.6", "rounded", "with more digits"),
    ("Carol Hall", "by Carol Hall.", "verbatim", ""),
    ("Carol Hall", "CAROL HALL", "re-formatted", "other case"),
    ("Carol Hall", "Carol\n Hall", "re-formatted", "other spacing"),
    ("Carol Hall", "carol_hall", "re-formatted", "other punctuation"),
    ("Carol Hall", "Hall, Carol", "re-formatted", "last name first"),
    ("carol hall", "Carol Halley", None, ""),
    ("José", "Jose\u0301", "re-formatted", "other accents or characters"),
    ("O'Neil", "O\u2019Neil", "re-formatted", "other punctuation"),
    ("R&D", "the R&amp;D team", "verbatim", "inside HTML"),
    ('said "no"\nthen', '{"x": "said \\"no\\"\\nthen"}', "verbatim", "inside JSON"),
    ("https://a.example/x?b=2&a=1", "see (a.example/x/?a=1&b=2).", "re-formatted", "other notation of the address"),
    ("http://www.a.example/a b", "https://a.example/a%20b", None, ""),
    ("http://www.a.example/a%20b", "https://a.example/a%20b/", "re-formatted", "other notation of the address"),
    ("https://a.example/x", "https://b.example/x", None, ""),
    ("2024-03-05", "on March 5, 2024", "re-formatted", "the same date"),
    ("5 March 2024", "05.03.2024", "re-formatted", "the same date"),
    ("2024-03-05", "2024-03-06", None, ""),
]


@pytest.mark.parametrize(("sought", "written", "how", "form"), WRITTEN)
def test_a_text_is_found_in_other_forms(sought: str, written: str, how: str | None, form: str) -> None:
    found = seek(sought).find(written)
    assert ((found.how, found.form) if found is not None else (None, "")) == (how, form)
    if found is not None and not form.startswith("inside"):
        assert found.before + found.said + found.after in written


def test_a_text_is_found_over_the_cuts_of_a_long_one_and_of_a_stream() -> None:
    script, main = flow()
    lines = [f"line {n} of a long text says {n * n}" for n in range(3000)]
    long = script.step("flow/read", {"page": "x"}, {"page": "\n".join(lines)}, parent=main)
    streamed = script.start("flow/model", {"prompt": "go"}, "model", parent=main)
    script.end(streamed, ["the ans", "wer is 0.", "42", "42 for ", "all"])
    for n in range(0, 2999, 7):
        (found,) = hands(script, f"{lines[n]}\n{lines[n + 1]}")
        assert (found.seq, found.path) == (long + 1, ("page",))
    (found,) = hands(script, "0.4242")
    assert (found.seq, found.match.said) == (streamed + 1, "0.4242")


def test_the_place_in_a_long_list_is_told() -> None:
    script, main = flow()
    said = [{"role": "user", "content": f"message number {n} " + "word " * 60} for n in range(700)]
    asked = script.start("flow/model", {"messages": said}, "model", parent=main)
    for n in (0, 63, 64, 65, 333, 699):
        (found,) = hands(script, f"message number {n} word")
        assert (found.seq, found.path) == (asked, ("messages", n, "content"))


# -- where a value came from -----------------------------------------------------------------------------------------


def test_causes_messages_and_state_lead_back() -> None:
    script, main = flow()
    first = script.step("flow/first", "the input", {"n": 1}, {"set": {"total": 7}}, parent=main)
    second = script.step("flow/second", {"n": 1}, {"n": 2}, parent=main, caused_by=[first])
    sent = script.message("flow/second", "flow/third", "ready", caused_by=[second])
    third = script.step("flow/third", "ready", {"n": 3}, {"read": {"total": 7}}, parent=main, message=sent)
    assert {seq: s.relation for seq, s in sources(script, second).items()} == {first + 1: "cause"}
    found = sources(script, third)
    assert (found[sent].relation, found[first + 1].relation, found[first + 1].name) == ("message", "state", "total")
    walked = [hand.seq for hand in script.provenance.why(third + 1, 100).hands]
    assert {third, sent, second + 1, second, first + 1, first} <= set(walked)


def test_a_value_comes_from_the_nearest_that_gave_it() -> None:
    script, main = flow()
    script.step("flow/other", "the input", "the essay of Ann", parent=main)
    near = script.step("flow/fetch", "the input", {"text": "the essay of Ann", "grade": 67.916666}, parent=main)
    asked = script.start("flow/model", {"prompt": "Grade the essay of Ann: 67.92 %?"}, "model", parent=main)
    found = sources(script, asked)[near + 1]
    assert (found.relation, found.match and found.match.how) == ("value", "verbatim")
    only = script.start("flow/model", {"prompt": "is 67.92 % right"}, "model", parent=main)
    (found,) = sources(script, only).values()
    assert (found.seq, found.match and found.match.how) == (near + 1, "rounded")


def test_an_edit_is_where_a_value_came_from() -> None:
    script, main = flow()
    edit = script.add("edited", {"n": 5000}, component="flow/a", op="replace_input", parent=main)
    step = script.start("flow/a", {"n": 5000}, parent=main, edited=True)
    assert sources(script, step)[edit].relation == "edit"


def test_a_text_is_followed_from_hand_to_hand() -> None:
    script, main = flow()
    fetched = script.step("flow/fetch", "the input", {"mean": 67.916666}, parent=main)
    asked = script.start("flow/model", {"prompt": "say 67.916666"}, "model", parent=main)
    told = script.end(asked, "The mean is 67.92 %.")
    sent = script.message("flow/model", "flow/reader", "it is 67.92 %", parent=main)
    other = script.start("flow/model", {"prompt": "what else"}, "model", parent=main)
    again = script.end(other, "still 67.92 %")
    found = {hand.seq: hand for hand in hands(script, "67.92")}
    assert list(found) == [fetched + 1, asked, told, sent, again]
    assert [found[seq].match.how for seq in found] == ["rounded", "rounded", "verbatim", "verbatim", "verbatim"]
    assert [found[seq].source for seq in found] == [None, fetched + 1, asked, told, None]
    assert [found[seq].again for seq in found] == [False, False, False, False, True]
    assert [hand.seq for hand in line(list(found.values()), sent)] == [fetched + 1, asked, told, sent]
    assert line(list(found.values()), other) == []


def test_the_line_of_code_that_raised_is_no_value_of_the_program() -> None:
    script, main = flow()
    around: Json = {
        "first": 517,
        "lines": [f"{n} + {n}" for n in range(1000, 1300)],
    }  # long enough for a node of its own
    frame: Json = {"line": 519, "function": "look", "around": around, "locals": {"n": "518"}}
    failed = script.start("flow/look", {}, "tool", parent=main)
    end = script.end(failed, {"class": "ValueError", "message": "no", "frames": [frame]}, failed=True)
    assert [hands(script, text) for text in ("519", "517")] == [[], []]
    assert [hand.seq for hand in hands(script, "518")] == [end]
    asked = script.start("flow/model", {"prompt": ["517", "1100 + 1100"]}, "model", parent=main)
    assert all(source.match is None for source in sources(script, asked).values())


# -- what a change reaches -------------------------------------------------------------------------------------------


def test_only_what_its_causes_reach_of_steps_with_explicit_causes() -> None:
    script, main = flow()
    start = script.step("flow/start", "the input", "go", parent=main, type="Start")
    branches = [script.start("flow/work", f"part {n}", parent=main, caused_by=[start]) for n in range(3)]
    for n, branch in enumerate(branches):
        script.end(branch, f"done {n}", {})
    joins = [
        script.step("flow/after", f"done {n}", f"over {n}", parent=main, caused_by=[b]) for n, b in enumerate(branches)
    ]
    script.end(main, "all")
    event = {"type": "Part"}
    for record in script.records:
        if record["kind"] == "invocation_started" and record["component"] != "flow":
            record.update(event)
            record["body"] = record["digest"] = script.put(
                {"$type": "model", "class": "m:Part", "fields": {"n": record["seq"]}}
            )
    assert script.reached(branches[1]) == [main, branches[1], joins[1]]
    assert script.reached(start) == [main, start, *branches, *joins]


def test_state_is_reached_by_name_and_by_part() -> None:
    script, main = flow()
    a = script.step("flow/a", {"q": 1}, {"flag": True}, {"set": {"box": 1}}, parent=main, type="Q", caused_by=[main])
    b = script.step("flow/b", {"q": 1}, {"other": True}, {}, parent=main, type="Q", caused_by=[main])
    reader = script.step("flow/c", {"$type": "model"}, None, {"read": {"box": 1}}, parent=main, type="X", caused_by=[b])
    given = script.step("flow/d", {"flag": True, "q": 1}, None, {}, parent=main, caused_by=[b])
    neither = script.step("flow/e", {"other": True, "q": 1}, None, {}, parent=main, caused_by=[b])
    found = script.provenance.affects(a + 1)
    assert [number for number in found if number > a] == [reader, given]
    assert [(found[n].link, found[n].name) for n in (reader, given)] == [("state", "box"), ("state", "flag")]
    assert neither in script.reached(b)


def test_code_that_hides_what_it_reads_is_reached_by_all_before() -> None:
    script, main = flow()
    a = script.step("flow/a", "x", "y", parent=main)
    hidden = script.start("flow/b", "z", parent=main, caused_by=[main])
    script.end(hidden, "w")
    assert script.reached(a) == [main, a, hidden]


def test_an_agent_remembers_what_it_was_sent() -> None:
    script, _ = flow()
    one = script.message("user", "team/a", "hello")
    other = script.message("user", "team/b", "hi")
    first = script.start("team/a", "hello", "agent", message=one)
    script.end(first, None)
    beside = script.start("team/b", "hi", "agent", message=other)
    script.end(beside, None)
    two = script.message("user", "team/a", "what did I say")
    second = script.start("team/a", "what did I say", "agent", message=two)
    script.end(second, "hello")
    found = script.provenance.affects(one)
    assert (found[first].link, found[second].link, beside in found) == ("message", "memory", False)


def test_a_race_is_told_apart() -> None:
    script, main = flow()
    branches = [script.start(f"flow/{name}", "x", parent=main) for name in ("a", "b")]
    inner = script.start("flow/b/model", "ask", "model", parent=branches[1])
    script.end(inner, "said")
    script.end(branches[1], "b")
    after_b = script.start("flow/model", "next", "model", parent=main)
    script.end(after_b, "more")
    script.end(branches[0], "a")
    last = script.start("flow/model", "last", "model", parent=main)
    script.end(last, "end")
    found = script.provenance.affects(branches[0])
    assert inner not in found
    assert (found[after_b].race, found[after_b].link, found[last].race) == (True, "order", False)


def test_a_setting_reaches_the_component_and_what_follows() -> None:
    script, main = flow()
    before = script.step("flow/a", "x", "y", parent=main)
    setting = script.add("config_set", "be brief", component="flow/b", key="prompt")
    set_on = script.step("flow/b", "x", "y", parent=main)
    after = script.step("flow/c", "y", "z", parent=main)
    found = script.provenance.affects(setting)
    assert (before in found, found[set_on].link, found[after].link) == (False, "setting", "after")


def test_what_a_step_gathers_may_come_in_another_order() -> None:
    script, main = flow()
    parts = [script.start("flow/part", "x", parent=main, type="X", caused_by=[main]) for _ in range(2)]
    gathers = {"collects": [{"buffer": "default"}]}
    joins = []
    for part in parts:
        script.end(part, "y", {})
        joins.append(script.step("flow/join", "y", None, gathers, parent=main, caused_by=[part]))
    found = script.provenance.affects(parts[1])
    assert (found[joins[0]].link, found[joins[0]].race, found[joins[1]].race) == ("order", True, False)
    assert parts[0] not in found
