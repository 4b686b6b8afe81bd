"""`outtake annotate`, and where what was said is shown; `--expect`, and the outcome that follows."""

from __future__ import annotations

from tests.cli.conftest import Cli


def test_what_is_said_is_listed_shown_and_taken_back(cli: Cli) -> None:
    cli.run()
    assert "nothing was said yet" in cli("annotate", "r1").ok().out
    made = cli("annotate", "r1", "too short", "--at", "3", "--json").ok().document
    assert (made["id"], made["kind"], made["seq"], made["text"]) == (1, "feedback", 3, "too short")
    told = cli("annotate", "r1", "looked too late", "--finding", "--at", "5", "--component", "main/writer").ok().out
    assert "2 r1 record 5  finding main/writer by user: looked too late" in told
    shown = [line.strip() for line in cli("show", "r1").ok().out.splitlines()]
    at = next(n for n, line in enumerate(shown) if line.startswith("3 "))
    assert "✎ feedback by user: too short" in shown[at : at + 3]
    assert "said      record 5  finding main/writer by user: looked too late" in cli("info", "r1").ok().out
    cli("annotate", "r1", "much too short", "--change", "1").ok()
    cli("annotate", "r1", "--remove", "2").ok()
    found = cli("annotate", "r1", "--json").ok().document
    assert [(a["id"], a["text"]) for a in found["annotations"]] == [(1, "much too short")]


def test_an_expected_answer_judges_a_run_and_its_forks(cli: Cli) -> None:
    answer = cli.run()["output"][0]
    run = cli.run("program.py:main", "--expect", answer)
    assert (run["expected"], run["outcome"]) == (answer, "passed")
    fork = cli("fork", "r2", "--at", "3", "--headless", "--json").ok().document
    assert (fork["expected"], fork["outcome"]) == (answer, "passed")
    assert "outcome   passed  expected: " + answer in cli("info", "r3").ok().out
    told = cli("annotate", "r3", "it does not rhyme", "--failed", "--score", "0.25").ok().out
    assert "verdict failed 0.25 by user: it does not rhyme" in told
    assert "outcome   failed" in told
    assert [r["outcome"] for r in cli("runs", "--json").ok().documents] == [None, "passed", "failed"]
    listed = cli("runs").ok().out.splitlines()
    assert "outcome" in listed[0]
    assert [line.split()[2] for line in listed[2:]] == ["passed", "failed"]
    assert "r3 completed failed" in cli("tree").ok().out
    cli("annotate", "r1", "--expect", "something else").ok()
    assert "outcome   failed  expected: something else" in cli("info", "r1").ok().out


def test_what_cannot_be_said_is_refused(cli: Cli) -> None:
    cli.run()
    cli.refuses(
        [
            (["annotate", "r9", "x"], "there is no run r9"),
            (["annotate", "r1", "x", "--at", "999"], "it has records 0 to"),
            (["annotate", "r1", "x", "--score", "1"], "--score is for a verdict"),
            (["annotate", "r1", "--finding"], "cannot be empty"),
            (["annotate", "r1", "--passed", "--finding", "x"], "different things to say"),
            (["annotate", "r1", "x", "--expect", "y"], "an annotation of its own"),
            (["annotate", "r1", "--remove", "7"], "r1 has no annotation 7"),
            (["annotate", "r1", "--remove", "7", "--passed"], "they take no other option"),
            (["run", "program.py:main", "--expect", " "], "cannot be empty"),
        ]
    )
