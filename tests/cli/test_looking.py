"""Looking at runs: `runs`, `show`, `info`, `console`, `describe`, `export`, `import`."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence

from tests.cli.conftest import Cli

RECORD = {"seq", "kind", "component", "invocation", "parent", "message", "caused_by", "at"}


def test_runs_lists_them_one_a_line(cli: Cli) -> None:
    assert "no runs yet" in cli("runs").ok().out
    assert cli("runs", "--json").ok().out == ""
    cli.run()
    cli.run("program.py:main", "--name", "second try")
    assert [run["run"] for run in cli("runs", "--json").documents] == ["r1", "r2"]
    text = cli("runs").ok().out
    assert "second try" in text
    assert "completed" in text


def test_show_prints_one_record_a_line(cli: Cli) -> None:
    run = cli.run()
    records = cli.records("r1")
    assert [record["seq"] for record in records] == list(range(run["records"]))
    assert all(record.keys() >= RECORD for record in records)
    assert records[0]["kind"] == "run_started"
    assert records[-1]["kind"] == "run_ended"


def test_show_resolves_bodies(cli: Cli) -> None:
    cli.run("program.py:main", "--input", "a song")
    records = cli.records("r1", "--bodies")
    agent = next(r for r in records if r["component"] == "main/writer")
    assert agent["input"] == {"task": "a song"}
    ended = next(r for r in records if r["kind"] == "invocation_ended")
    assert ended["output"].startswith("said ")
    assert "input" not in cli.records("r1")[1]


def test_show_narrows(cli: Cli) -> None:
    cli.run()
    assert {r["call"] for r in cli.records("r1", "--kind", "tool")} == {"tool"}
    assert {r["kind"] for r in cli.records("r1", "--kind", "invocation_ended")} == {"invocation_ended"}
    assert {r["component"] for r in cli.records("r1", "--component", "main/writer/ask")} == {"main/writer/ask"}
    assert [r["seq"] for r in cli.records("r1", "--after", "5", "--limit", "3")] == [6, 7, 8]


def test_show_is_a_transcript_for_a_person(cli: Cli) -> None:
    cli.run()
    text = cli("show", "r1").ok().out
    assert "▸ agent writer" in text
    assert "r1 completed" in text
    assert "prompt: a poem" in cli("show", "r1", "--bodies").ok().out


def test_a_log_of_another_program_is_shown_and_cannot_be_forked(cli: Cli) -> None:
    conversation = [
        {"role": "human", "content": "How tall is the tower?"},
        {"role": "Guide (thought)", "content": "I know that one"},
        {"role": "Guide", "content": "FINAL ANSWER: 333"},
    ]
    label = {"mistake_agent": "Guide", "mistake_step": "1", "mistake_reason": "It did not look."}
    cli.write("log.json", json.dumps({"question": "?", "ground_truth": "324", "history": conversation, **label}))
    told = cli("import", "log.json").ok().out
    assert "log.json is r1 here; next: outtake show r1" in told
    assert "nothing of it can be run" in told
    shown = cli("show", "r1").ok().out
    lines = [line.strip() for line in shown.splitlines()]
    turn, thought = (next(n for n, line in enumerate(lines) if text in line) for text in ("▸ agent", "· team/Guide"))
    assert turn < thought
    assert "✎ finding team/Guide by who&when: It did not look." in lines[thought : thought + 2]
    assert "outcome   failed  expected: 324" in shown
    assert "outtake fork" not in shown
    cli.refuses([(["fork", "r1", "--at", "2"], "no program behind it"), (["step", "r1"], "can be read, searched")])


def test_info_and_console(cli: Cli) -> None:
    cli.run()
    assert cli("info", "r1", "--json").ok().document["executed"]["model"] == 4
    assert "executed  4 model calls" in cli("info", "r1").ok().out
    assert cli("console", "r1").ok().out == "hello from the program\n"
    assert cli("console", "r1", "--json").document["parts"][0]["text"] == "hello from the program\n"


def test_describe_tells_what_a_target_is_made_of(cli: Cli) -> None:
    cli.run()
    of_run = cli("describe", "r1", "--json").ok().document
    (look,) = (part for part in of_run["components"] if part["path"] == "main/writer/look")
    assert (look["kind"], look["calls"], look["effects"], of_run["source"]) == ("tool", 2, "read", "kept")
    assert "by the program of r1" in cli("describe", "r1").ok().out
    assert cli("describe", "r1", "--build", "--json").ok().document["source"] == "built"
    of_spec = cli("describe", "program.py:main", "--json").ok().document
    assert {part["path"] for part in of_spec["components"]} == {"ask", "look", "writer"}
    assert len(cli("runs", "--json").documents) == 1
    assert "tool look  read" in cli("describe", "program.py:main").ok().out


def test_a_store_can_be_named_before_or_after_the_command(cli: Cli) -> None:
    cli.write("program.py")
    cli("run", "program.py:main", "--headless", "--json", "--store", "elsewhere").ok()
    assert len(cli("--store", "elsewhere", "runs", "--json").documents) == 1
    assert not (cli.folder / ".outtake").exists()


def test_output_that_nobody_reads_any_more_is_no_error(cli: Cli) -> None:
    cli.run()
    with cli.start("show", "r1", "--json") as going:
        assert going.process.stdout is not None
        going.expect("run_started")
        assert going.ends().code == 0


# -- files -----------------------------------------------------------------------------------------------------------


def test_an_export_is_read_elsewhere_and_can_be_forked_there(cli: Cli) -> None:
    run = cli.run()
    told = cli("export", "r1", "-o", "run.zip", "--json").ok().document
    assert told["runs"] == ["r1"]
    other = ("--store", "other")
    assert cli("import", "run.zip", "--json", *other).ok().document["run"] == "r1"
    assert [r["hash"] for r in cli.records("r1", *other)] == [r["hash"] for r in cli.records("r1")]
    fork = cli("fork", "r1", "--at", "5", "--headless", "--trust", "--json", *other).ok().document
    assert fork["output"] == run["output"]
    assert fork["executed"]["model"] == 0


def test_an_export_is_one_of_two_kinds(cli: Cli) -> None:
    for given in ([], ["-o", "run.zip", "--html", "run.html"]):
        done = cli("export", "r1", *given)
        assert done.code == 2
        assert "say which file to write" in done.err


def test_a_damaged_export_is_refused_whole(cli: Cli) -> None:
    cli.run()
    cli("export", "r1", "-o", "run.zip").ok()
    whole = (cli.folder / "run.zip").read_bytes()
    (cli.folder / "cut.zip").write_bytes(whole[: len(whole) // 2])
    (cli.folder / "text.zip").write_text("no export", "utf-8")
    with zipfile.ZipFile(cli.folder / "newer.zip", "w") as file:
        file.writestr("manifest.json", json.dumps({"format": 99, "runs": []}))
    for name, said in {
        "cut.zip": "damaged",
        "text.zip": "no export",
        "newer.zip": "newer",
        "none.zip": "no file",
    }.items():
        done = cli("import", name, "--json")
        assert done.code == 2
        assert said in done.document["error"]["message"]
    assert len(cli("runs", "--json").documents) == 1


def test_rename_says_what_a_run_is_called(cli: Cli) -> None:
    cli.run()
    assert "r1 is called 'the wrong turn'" in cli("rename", "r1", "the wrong turn").out
    assert "the wrong turn" in cli("runs").out
    assert "has no name any more" in cli("rename", "r1", "").out
    assert cli("rename", "r7", "x").code == 2


def test_delete_removes_a_run_without_forks(cli: Cli) -> None:
    cli.run()
    cli("fork", "r1", "--at", "5", "--headless", "--json").ok()
    assert cli("delete", "r1").code == 2
    cli("delete", "r2").ok()
    cli("delete", "r1").ok()
    assert cli("runs", "--json").out == ""


REFUSALS: Sequence[tuple[Sequence[str], str]] = [
    (["show", "r9"], "there is no run r9"),
    (["show", "nine"], "is no run"),
    (["show", "r1", "--kind", "colour"], "unknown kind 'colour'; known: run_started"),
    (["info", "r9"], "there is no run r9"),
    (["diff", "r1", "r9"], "there is no run r9"),
    (["tree", "r9"], "there is no run r9"),
    (["export", "r9", "-o", "x"], "there is no run r9"),
    (["export", "r1", "-o", "no/such/folder/x"], "cannot be written"),
    (["describe", "nothing.py:main"], "there is no file nothing.py"),
    (["pending", "r1"], "is not running (completed); fork it"),
    (["step", "r1"], "is not running"),
    (["break", "r1", "tool:*"], "is not running"),
    (["edit", "r1", "hold:1", "x"], "is not running"),
    (["edit", "r1", "nowhere", "x"], "names nothing that is pending"),
    (["edit", "r1", "hold:1"], "say what it becomes"),
    (["edit", "r1", "5", "--raise", "x"], "is a message"),
    (["set", "r1", "temperature=1"], "say COMPONENT.KEY=VALUE"),
    (["runs", "--colour"], "No such option"),
    (["show"], "Missing argument"),
]


def test_wrong_use_is_a_sentence_and_exit_code_2(cli: Cli) -> None:
    cli.run()
    cli.refuses(REFUSALS)


def test_a_store_that_cannot_be_used_is_named(cli: Cli) -> None:
    (cli.folder / "file").write_text("", "utf-8")
    done = cli("runs", "--store", "file/store")
    assert done.code == 2
    assert "cannot be used as a store" in done.err
    (cli.folder / "broken").mkdir()
    (cli.folder / "broken" / "outtake.db").write_text("this is no database, but it is long enough " * 100, "utf-8")
    done = cli("runs", "--store", "broken")
    assert done.code == 2
    assert "cannot be opened as a store" in done.err


def test_an_imported_log_says_what_was_recognised_and_guessed(cli: Cli) -> None:
    said = [{"role": "user", "content": "Is it warm?"}, {"role": "assistant", "content": "Yes, very."}]
    cli.write("anything.at.all", "\n".join(map(json.dumps, said)))
    told = cli("import", "anything.at.all").ok().out
    assert "a log of chat messages: it has a list of messages with role and content" in told
    assert "guessed: answers without a name are of one agent, called assistant" in told
    assert "anything.at.all is r1 here; next: outtake show r1" in told
    info = cli("info", "r1", "--json").ok().document
    assert (info["log"], info["timed"], len(info["guessed"])) == ("chat messages", False, 2)
    assert " 0 ms" not in cli("show", "r1").ok().out
    assert "0.000" not in cli("trace", "r1").ok().out


def test_a_log_that_nobody_knows_is_refused_with_what_was_tried(cli: Cli) -> None:
    cli.write("poem.json", '{"title": "Roses"}')
    refused = cli("import", "poem.json")
    assert refused.code == 2
    text = " ".join(refused.err.split())
    for part in ("poem.json is no export of Outtake", "Tried were: Who&When", "nothing was imported", "importing.md"):
        assert part in text
